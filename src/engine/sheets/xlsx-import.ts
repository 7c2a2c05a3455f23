/** Workbooks, read in a process of their own: no file can harm the server. */
import { Failure, invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { HelperFault, type HelperOptions, spawnHelper } from '../process/helper-process.ts'
import { FOREIGN_BOOKS } from './file-content.ts'
import type { BrokenCell, ImportFormat, ReadOptions, SheetFault, SheetRow } from './format.ts'
import type { ReadSheetOrder, ReadSheetReply, ReadSheetRow, ShownOrder } from './read-sheet.ts'

const MB = 1024 * 1024

/** A reader of workbooks of a kind, within its limits. */
const planReader =
  (
    kind: ReadSheetOrder['kind'],
    limits: Pick<HelperOptions, 'deadlineMs' | 'memoryBytesMax'>,
  ): ImportFormat['read'] =>
  (path, options) =>
    readWorkbook(
      { path, kind, sheet: options.sheet },
      { ...limits, signal: options.signal },
      options,
    )

/** Archives are read piece by piece, of any size. */
const IN_PIECES = { deadlineMs: 30 * 60_000, memoryBytesMax: 1024 * MB }
/** Other files are held as a whole while they are read. */
const WHOLE = { deadlineMs: 2 * 60_000, memoryBytesMax: 1024 * MB }

/** The readers of workbooks, by what a file is: xlsx, xlsb and ods are archives. */
export const BOOK_READERS: Readonly<Record<ReadSheetOrder['kind'], ImportFormat['read']>> = {
  archive: planReader('archive', IN_PIECES),
  compound: planReader('compound', WHOLE),
  xml: planReader('xml', WHOLE),
}

async function* readWorkbook(
  order: ReadSheetOrder,
  options: HelperOptions,
  { listShown, onSheets }: Pick<ReadOptions, 'listShown' | 'onSheets'>,
): AsyncGenerator<SheetRow[]> {
  await using helper = spawnHelper('read-sheet', options)
  let isHead = true
  try {
    await helper.send(order)
    for await (const message of helper.messages()) {
      const reply = message as ReadSheetReply
      if ('fault' in reply) throw toFailure(reply.fault)
      if ('sheets' in reply) {
        onSheets?.(reply.sheets)
        continue
      }
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
  if (isForeign(fault)) return invalid(FOREIGN_BOOKS[fault], { code })
  if (fault === 'encrypted') {
    return invalid(say`The workbook is encrypted. Save it without a password and try again.`, {
      code,
    })
  }
  if (fault === 'sheet') {
    return invalid(say`The workbook has no such sheet. Choose one of those that it has.`, {
      code: 'UNKNOWN_SHEET',
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

const isForeign = (fault: SheetFault): fault is keyof typeof FOREIGN_BOOKS =>
  Object.hasOwn(FOREIGN_BOOKS, fault)
