/** Workbooks, read in a process of their own: no file can harm the server. */
import { Failure, invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { HelperFault, type HelperOptions, spawnHelper } from '../process/helper-process.ts'
import type { BrokenCell, ImportFormat, ReadOptions, SheetFault, SheetRow } from './format.ts'
import type { ReadSheetOrder, ReadSheetReply, ReadSheetRow, ShownOrder } from './read-sheet.ts'

/** Kinds of workbooks, each within the limits of its reader. */
const planImport = (
  kind: ReadSheetOrder['kind'],
  limits: Pick<HelperOptions, 'deadlineMs' | 'memoryBytesMax'>,
  extensions: readonly string[],
): ImportFormat => ({
  name: kind,
  extensions,
  read: (path, { signal, listShown }) =>
    readWorkbook({ path, kind }, { ...limits, signal }, listShown),
})

const MB = 1024 * 1024

/** Formats that are read piece by piece, of any size. */
export const xlsxImport = planImport(
  'xlsx',
  { deadlineMs: 30 * 60_000, memoryBytesMax: 1024 * MB },
  ['.xlsx', '.xlsm'],
)

const WHOLE = { deadlineMs: 2 * 60_000, memoryBytesMax: 1024 * MB }

/** Formats whose files are held as a whole while they are read. */
export const otherImports: readonly ImportFormat[] = [
  planImport('xls', WHOLE, ['.xls']),
  planImport('xlsb', WHOLE, ['.xlsb']),
  planImport('ods', WHOLE, ['.ods']),
]

async function* readWorkbook(
  order: ReadSheetOrder,
  options: HelperOptions,
  listShown: ReadOptions['listShown'],
): AsyncGenerator<SheetRow[]> {
  await using helper = spawnHelper('read-sheet', options)
  let isHead = true
  try {
    await helper.send(order)
    for await (const message of helper.messages()) {
      const reply = message as ReadSheetReply
      if ('fault' in reply) throw toFailure(reply.fault)
      yield reply.rows.map(toRow)
      if (!isHead) continue
      isHead = false
      await helper.send({ places: listShown?.() ?? [] } satisfies ShownOrder)
    }
  } catch (error) {
    if (!(error instanceof HelperFault)) throw error
    throw error.end === 'memory' || error.end === 'deadline'
      ? toFailure('bomb')
      : new Failure('internal', say`The file is not a readable workbook`, { cause: error })
  }
}

const NONE: readonly number[] = []

function toRow([line, ...cells]: ReadSheetRow): SheetRow {
  let broken: BrokenCell[] | undefined
  let written = NONE
  const texts = cells.map((cell, at) => {
    if (cell === null || typeof cell !== 'object') return cell === null ? null : String(cell)
    if (Array.isArray(cell)) {
      written = [...written, at]
      return cell[0]
    }
    ;(broken ??= []).push({ at, cell: cell.cell, error: cell.error })
    return cell.error ?? null
  })
  return { line: Number(line), cells: texts, broken, written, isLocal: true }
}

function toFailure(fault: SheetFault): Failure {
  const code = 'UNREADABLE_FILE'
  if (fault === 'encrypted') {
    return invalid(say`The workbook is encrypted. Save it without a password and try again.`, {
      code,
    })
  }
  if (fault === 'head') {
    return invalid(
      say`A formula in the header has no stored value. Save the file in a spreadsheet program.`,
      { code },
    )
  }
  return fault === 'bomb'
    ? invalid(say`The workbook is too large or too complex to read`, { code })
    : invalid(say`The file is not a readable workbook`, { code })
}
