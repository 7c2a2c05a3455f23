/** Workbooks, read in a process of their own: no file can harm the server. */
import { Failure, invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { HelperFault, type HelperOptions, spawnHelper } from '../process/helper-process.ts'
import type { ImportFormat, SheetFault, SheetRow } from './format.ts'
import type { ReadSheetOrder, ReadSheetReply, ReadSheetRow } from './read-sheet.ts'

/** Kinds of workbooks, each within the limits of its reader. */
const planImport = (
  kind: ReadSheetOrder['kind'],
  limits: Pick<HelperOptions, 'deadlineMs' | 'memoryBytesMax'>,
  extensions: readonly string[],
): ImportFormat => ({
  name: kind,
  extensions,
  read: (path, { signal }) => readWorkbook({ path, kind }, { ...limits, signal }),
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
): AsyncGenerator<SheetRow[]> {
  await using helper = spawnHelper('read-sheet', options)
  let isHead = true
  try {
    await helper.send(order)
    for await (const message of helper.messages()) {
      const reply = message as ReadSheetReply
      if ('fault' in reply) throw toFailure(reply.fault)
      const rows = reply.rows.map(toRow)
      if (isHead) {
        isHead = false
        yield rows.slice(0, 1)
        if (rows.length > 1) yield rows.slice(1)
      } else yield rows
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
  let uncomputed: number[] | undefined
  let written = NONE
  const texts = cells.map((cell, at) => {
    if (cell === false) (uncomputed ??= []).push(at)
    if (Array.isArray(cell)) {
      written = [...written, at]
      return cell[0]
    }
    return cell === null || cell === false ? null : String(cell)
  })
  return { line: Number(line), cells: texts, uncomputed, written, isLocal: true }
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
