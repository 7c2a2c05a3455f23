/** POST /import-data: the rows of a file become records, all of them or, if asked for, the good. */
import { join } from 'node:path'
import { mkdir } from 'node:fs/promises'
import { Grant } from '../../../access/grant.ts'
import { invalid } from '../../../kernel/failure.ts'
import { newId } from '../../../kernel/ids.ts'
import { say } from '../../../kernel/messages.ts'
import type { Stage } from '../../../store/store.ts'
import { requireView } from '../read/find-view.ts'
import { makeErrorFile } from './import-error-file.ts'
import { shownFieldsOf } from '../rules/masked-faults.ts'
import { ImportFaults } from './import-faults.ts'
import { RowReader } from './row-reader.ts'
import { SelfReferences } from './self-references.ts'
import { saveImport } from './import-save.ts'
import type { ImportFile, ImportParts, ImportWork } from './import-work.ts'
import { IS_DOUBLE, IS_ONE_OF, type ImportStage } from './import-stage.ts'
import { requireMatching, type ImportRequest } from './import-request.ts'
import type { Mutation } from '../mutation.ts'
import { requireEntity } from '../record/record.ts'
import type { ObjectActionResult } from '../schema.ts'

/**
 * Reads, checks and stages the rows beside the writer, then writes them in one transaction.
 * @throws denied, notFound, invalid; validation with `Rows[line].Field` for every bad row.
 */
export async function importData(
  mutation: Mutation,
  parts: ImportParts,
  request: ImportRequest,
  file: ImportFile,
): Promise<ObjectActionResult> {
  const work = planWork(mutation, parts, request, file)
  const report = (State: 'running' | 'done' | 'failed', Done: number, Total: number | null) =>
    parts.progress.report(request.operationId, mutation.caller.userId, {
      ...{ Kind: 'import', Done, Total, State, Message: null },
    })
  await mkdir(parts.folder, { recursive: true, mode: 0o700 })
  await using stage = mutation.engine.store.stage(join(parts.folder, `${newId()}.stage`))
  try {
    const result = await runImport(work, stage, (done, total) => report('running', done, total))
    report('done', result.Import?.Rows ?? 0, result.Import?.Rows ?? 0)
    return result
  } catch (error) {
    report('failed', 0, null)
    throw error
  }
}

function planWork(
  mutation: Mutation,
  parts: ImportParts,
  request: ImportRequest,
  file: ImportFile,
): ImportWork {
  const { caller, model } = mutation
  const view = requireView(model, request.objectName)
  const grant = Grant.require(caller, model, view.resource, ['Import'])
  requireMatching(request, grant)
  const entity = requireEntity(view)
  const { formats } = parts
  const format = request.format
    ? formats.requireImport(request.format)
    : formats.findImportOf(file.fileName)
  if (!format) {
    throw invalid(
      say`The name of the file tells no format: give one of ${formats.importNames.join(', ')}`,
      {
        code: 'UNKNOWN_FORMAT',
      },
    )
  }
  return { mutation, parts, request, file, view, entity, grant, format }
}

/** Tells how many rows are done, of how many. */
type Report = (done: number, total: number | null) => void

async function runImport(
  work: ImportWork,
  stage: Stage,
  tell: Report,
): Promise<ObjectActionResult> {
  const { request, parts } = work
  const { view, grant, mutation } = work
  // Which rows hide a field is not known of stored records before they are written.
  const masked = request.mode === 'insert' ? [] : grant.access.masked.keys()
  const tells = shownFieldsOf({ view, grant, context: mutation.context }, new Set(masked))
  const faults = new ImportFaults(tells, request.skipsBadRows ? parts.language : undefined)
  const reader = new RowReader(work, stage, faults)
  const imported = await reader.run((rows) => tell(rows, null))
  const own = await checkSelfReferences(imported, faults)
  for (;;) {
    if (!request.skipsBadRows && faults.count > 0) throw faults.toFailure()
    await imported.noteErrors(faults.takeTexts())
    const isMade = faults.count > 0 && !request.dryRun
    const saved = await saveImport(work, imported, {
      rows: reader.rows,
      unchanged: reader.unchanged,
      ignored: reader.ignored,
      failed: faults.count,
      lines: reader.lines,
      errorFile: isMade ? await makeErrorFile(work, imported, faults.count) : null,
      tell: (rows) => tell(rows, reader.rows),
    })
    if (!(saved instanceof Map)) return saved
    for (const [line, each] of saved) faults.add(line, each)
    if (!request.skipsBadRows) throw faults.toFailure()
    await own.removeWith(IS_ONE_OF, { lines: JSON.stringify([...saved.keys()]) })
  }
}

/** What only all rows together tell: which cannot stand beside each other, which point to which. */
async function checkSelfReferences(
  imported: ImportStage,
  faults: ImportFaults,
): Promise<SelfReferences> {
  const own = new SelfReferences(imported, (line, field, message) =>
    faults.add(line, { [field]: message }),
  )
  const take = async (kind: 'own' | 'other') => {
    await imported.rejectDuplicates(kind, ({ line, field, message }) =>
      faults.add(line, { [field]: message }),
    )
    await own.removeWith(IS_DOUBLE)
  }
  await take('other')
  await own.resolve()
  if (imported.plan.own.length > 0) await take('own')
  imported.hasCircles = await own.arrange()
  return own
}
