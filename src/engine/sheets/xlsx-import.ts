/** Workbooks (Office Open XML), read in a process of their own: no file can harm the server. */
import { Failure, invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { HelperFault, spawnHelper } from '../process/helper-process.ts'
import type { ImportFormat, ReadOptions, SheetRow } from './format.ts'
import type { ReadSheetOrder, ReadSheetReply, ReadSheetRow } from './read-sheet.ts'
import type { SheetFault } from './unreadable-sheet.ts'

export const xlsxImport: ImportFormat = {
  name: 'xlsx',
  extensions: ['.xlsx', '.xlsm'],
  read: readWorkbook,
}

const DEADLINE_MS = 30 * 60_000
const MEMORY_BYTES_MAX = 1024 * 1024 * 1024

async function* readWorkbook(path: string, { signal }: ReadOptions): AsyncGenerator<SheetRow[]> {
  await using helper = spawnHelper('read-sheet', {
    deadlineMs: DEADLINE_MS,
    memoryBytesMax: MEMORY_BYTES_MAX,
    signal,
  })
  let isHead = true
  try {
    await helper.send({ path } satisfies ReadSheetOrder)
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
      : new Failure('internal', say`This is no workbook that can be read`, { cause: error })
  }
}

function toRow([line, ...cells]: ReadSheetRow): SheetRow {
  let uncomputed: number[] | undefined
  const texts = cells.map((cell, at) => {
    if (cell === false) (uncomputed ??= []).push(at)
    return cell === null || cell === false ? null : String(cell)
  })
  return { line: Number(line), cells: texts, uncomputed }
}

function toFailure(fault: SheetFault): Failure {
  const code = 'UNREADABLE_FILE'
  if (fault === 'encrypted') {
    return invalid(say`The workbook is encrypted: save it without a password`, { code })
  }
  if (fault === 'head') {
    return invalid(
      say`A formula in the head has no stored value: open the file in a spreadsheet and save it`,
      { code },
    )
  }
  return fault === 'bomb'
    ? invalid(say`The workbook took too long to read, or too much memory`, { code })
    : invalid(say`This is no workbook that can be read`, { code })
}
