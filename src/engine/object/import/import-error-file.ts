/** The rows that an import left out, as they came, with what is wrong with each. */
import { renderMessage, say } from '../../../kernel/messages.ts'
import type { SheetColumn } from '../../sheets/format.ts'
import { type Cells, RowPage } from '../../sheets/row-page.ts'
import { ERROR_HEADS } from './column-headers.ts'
import type { ImportWork } from './import-work.ts'
import type { ImportStage } from './import-stage.ts'
import { toHeadKey } from './import-request.ts'
import type { MadeFile } from '../schema.ts'
import { describeFile, planMadeFor, planSheet, writeSheet } from '../sheet-file.ts'

/**
 * Makes the file, in the format that came where it can be written, ready to be mended and sent
 * again.
 */
export async function makeErrorFile(
  work: ImportWork,
  imported: ImportStage,
  rows: number,
): Promise<MadeFile> {
  const { parts, view, grant, mutation, format } = work
  const isWritten = parts.formats.exportNames.includes(format.name)
  const writer = parts.formats.requireExport(isWritten ? format.name : 'xlsx')
  const requested = { view, grant, context: mutation.context }
  const file = await parts.made.make(planMadeFor(requested, writer, 'errors'), async (path) => {
    const batches = readBad(work, imported)
    try {
      const head = (await batches.next()).value?.[0]
      if (!head) throw new Error('A file that had rows has none')
      const sheet = planSheet(requested, planColumns(head, parts.language))
      return await writeSheet(writer, sheet, path, async (sink) => {
        for await (const batch of batches) await sink.write(RowPage.of(batch))
      })
    } finally {
      await batches.return(undefined)
    }
  })
  return describeFile(parts.made, file, rows)
}

/** The head, then bad rows in batches, all with the error as their last cell. */
async function* readBad(
  work: ImportWork,
  imported: ImportStage,
): AsyncGenerator<Cells[], undefined> {
  const { format, file, grant } = work
  const errors = imported.errors()
  let next = await errors.next()
  let kept: readonly number[] | undefined
  for await (const rows of format.read(file.path, { zone: grant.caller.timeZone })) {
    if (!kept) {
      const head = rows[0]?.cells ?? []
      kept = head.flatMap((cell, at) => (isErrorHead(cell) ? [] : [at]))
      yield [kept.map((at) => head[at] ?? null)]
      continue
    }
    const bad: Cells[] = []
    for (const { line, cells } of rows) {
      if (next.done || next.value.line !== line) continue
      bad.push([...kept.map((at) => cells[at] ?? null), next.value.text])
      next = await errors.next()
    }
    if (bad.length > 0) yield bad
  }
}

/** The column of the last attempt goes. */
const isErrorHead = (head: string | null): boolean =>
  head !== null && ERROR_HEADS.some((each) => toHeadKey(each) === toHeadKey(head))

function planColumns(headers: Cells, language: string): SheetColumn[] {
  const error = renderMessage(say`Error`, language)
  return [...headers.map((head) => String(head ?? '')), error].map((label) => ({
    name: label,
    label,
    type: 'Text',
  }))
}
