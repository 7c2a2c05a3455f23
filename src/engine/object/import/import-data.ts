/** POST /import-data: the rows of a file become records, all of them or, on request, the good. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type FieldErrors, unavailable } from '../../../kernel/failure.ts'
import { newId } from '../../../kernel/ids.ts'
import { say } from '../../../kernel/messages.ts'
import type { Stage, Store, Tx } from '../../../store/store.ts'
import { LINES_PER_IMPORT } from '../../../store/tables/imports.ts'
import { AddedRowsRefused } from '../../../store/write/added-rows.ts'
import { isAddedTogether, isBulkEligible, isRowByRow } from './bulk-statements.ts'
import { auditTakeover, noteImport } from './import-log.ts'
import type { ImportRequest } from './import-request.ts'
import {
  type ImportFacts,
  ImportFaults,
  listFaults,
  makeErrorFile,
  toResult,
} from './import-result.ts'
import { type ImportStage, IS_DUPLICATE, IS_ONE_OF, type ReportFaults } from './import-stage.ts'
import {
  type ImportFile,
  type ImportParts,
  type ImportWork,
  planWork,
  type WrittenRecord,
} from './import-work.ts'
import { type ImportToWrite, writeRows } from './import-write.ts'
import { RowReader } from './row-reader.ts'
import { SelfReferences } from './self-references.ts'
import { planHistory } from './takeover.ts'
import { type Mutation, mutationScope } from '../mutation.ts'
import type { TableVersions } from '../read/query-cache.ts'
import { shownFieldsOf } from '../rules/masked-faults.ts'
import type { ObjectActionResult } from '../schema.ts'
import {
  checkRows,
  loadRows,
  type RehearsedRow,
  requireCheckable,
  RolledBack,
} from '../write/rehearsal.ts'

/**
 * Reads, checks and stages the rows beside the writer, then writes them in one transaction.
 * @throws denied, notFound, invalid; validation with `Rows[line].Field` for every bad row;
 * unavailable for one that was cancelled, of which nothing is written.
 */
export async function importData(
  mutation: Mutation,
  parts: ImportParts,
  request: ImportRequest,
  file: ImportFile,
): Promise<ObjectActionResult> {
  const work = planWork(mutation, parts, request, file)
  const report = (State: 'running' | 'done' | 'failed', Done: number, Total: number | null) =>
    parts.progress.report(request.operationId, mutation.caller, {
      Kind: 'import',
      Done,
      Total,
      State,
      Message: null,
    })
  const { signal } = parts
  const requireAwaited = (): void => {
    if (signal?.aborted) throw cancelled()
  }
  requireAwaited()
  await mkdir(parts.folder, { recursive: true, mode: 0o700 })
  await using stage = mutation.engine.store.stage(join(parts.folder, `${newId()}.stage`))
  const end = (): void => void stage.end()
  signal?.addEventListener('abort', end)
  try {
    const result = await runImport(work, stage, (done, total) => {
      requireAwaited()
      report('running', done, total)
    })
    report('done', result.Import?.Rows ?? 0, result.Import?.Rows ?? 0)
    return result
  } catch (error) {
    report('failed', 0, null)
    throw signal?.aborted ? cancelled() : error
  } finally {
    signal?.removeEventListener('abort', end)
  }
}

const cancelled = () => unavailable(say`The request was cancelled`)

/** Takes how many rows are done, of how many. */
type OnProgress = (done: number, total: number | null) => void

async function runImport(
  work: ImportWork,
  stage: Stage,
  onProgress: OnProgress,
): Promise<ObjectActionResult> {
  const { request, parts, view, grant, mutation } = work
  // Which rows hide a field is not known of stored records before they are written.
  const masked = request.mode === 'insert' ? [] : grant.access.masked.keys()
  const shows = shownFieldsOf({ view, grant, context: mutation.context }, new Set(masked))
  const faults = new ImportFaults(shows, request.skipsBadRows ? parts.language : undefined)
  const reader = new RowReader(work, stage, faults)
  const imported = await reader.run((rows) => onProgress(rows, null))
  const own = await checkSelfReferences(imported, faults)
  for (;;) {
    if (!request.skipsBadRows && faults.count > 0) throw faults.toFailure()
    await imported.noteErrors(faults.takeTexts())
    const isFaulty = faults.count > 0
    const checked = await checkImport(work, imported, reader.lines)
    const saved =
      checked ??
      (await saveImport(work, imported, {
        rows: reader.rows,
        unchanged: reader.unchanged,
        ignored: reader.ignored,
        failed: faults.count,
        lines: reader.lines,
        errorFile: isFaulty
          ? await makeErrorFile(work, imported, { rows: faults.count, reader })
          : null,
        faults:
          isFaulty && request.dryRun
            ? await listFaults(work, imported, { faults, reader })
            : undefined,
        onProgress: (rows) => onProgress(rows, reader.rows),
      }))
    if (!(saved instanceof Map)) return saved
    for (const [line, each] of saved) faults.add(line, each)
    if (!request.skipsBadRows) throw faults.toFailure()
    await own.removeWith(IS_ONE_OF, { lines: JSON.stringify([...saved.keys()]) })
  }
}

/** Facts of all rows together: which exclude each other, and which point to which. */
async function checkSelfReferences(
  imported: ImportStage,
  faults: ImportFaults,
): Promise<SelfReferences> {
  const report: ReportFaults = (line, each) => faults.add(line, each)
  const own = new SelfReferences(imported, report)
  const reject = async (kind: 'own' | 'other') => {
    await imported.rejectDuplicates(kind, report)
    await own.removeWith(IS_DUPLICATE)
  }
  await reject('other')
  await own.resolve()
  if (imported.plan.own.length > 0) await reject('own')
  imported.hasCircles = await own.arrange()
  return own
}

/** Faults of lines that only the transaction could find; nothing was written then. */
type LineFaults = Map<number, FieldErrors>

/** More of them are not waited for: what is known is enough to begin again without those rows. */
const FAULTS_MAX = 50_000

/** The fault that a check of the view finds in the staged rows; undefined where it finds none. */
async function checkImport(
  work: ImportWork,
  imported: ImportStage,
  lines: number,
): Promise<LineFaults | undefined> {
  const { mutation, view, grant, entity } = work
  const check = await mutation.engine.findRecordCheck?.(view)
  if (!check) return undefined
  requireCheckable(imported.count)
  let rows: RehearsedRow[] = []
  const written: WrittenRecord[] = []
  const kinds = await imported.countKinds()
  const faults = await tryImport(work, imported, async (tried) => {
    rows = []
    written.length = 0
    const onWritten = async (records: readonly WrittenRecord[]) => {
      written.push(...records)
      const rehearsed = records.map(({ key, isNew }) => ({
        view,
        grant,
        entity,
        key,
        isNew,
        name: '',
      }))
      rows.push(...(await loadRows(tried.tx, rehearsed)))
    }
    await writeStaged(tried, work, imported, { kinds, lines, onWritten, onProgress: () => {} })
    throw new RolledBack()
  })
  if (faults.size > 0) return faults
  const said = await checkRows(mutation, check, rows)
  for (const [at, each] of said.entries()) if (each) faults.set(written[at]?.line ?? 0, each)
  return faults.size > 0 ? faults : undefined
}

/** Writes the staged rows, or gives the faults for which it could not. */
async function saveImport(
  work: ImportWork,
  imported: ImportStage,
  facts: ImportFacts,
): Promise<ObjectActionResult | LineFaults> {
  const { mutation, request } = work
  let result: ObjectActionResult | undefined
  const kinds = await imported.countKinds()
  const faults = await tryImport(work, imported, async (tried) => {
    const { lines, onProgress } = facts
    const { tx } = tried
    const noted = await writeStaged(tried, work, imported, { kinds, lines, onProgress })
    if (tried.hasFaults()) throw new RolledBack()
    result = toResult(work, facts, { ...noted, tx })
    if (request.dryRun) throw new RolledBack()
    await mutation.recordResponse?.(tx, result)
  })
  if (faults.size > 0 || !result) return faults
  if (request.dryRun) await recordDryRun(work, result)
  return result
}

/** The transaction of an import. */
interface ImportTry {
  tx: Tx
  report: ReportFaults
  hasFaults: () => boolean
  /** Rows are to be added together; foreign keys are off then. */
  isAdding: boolean
}

/** One transaction of an import, or what kept it from being one. */
async function tryImport(
  { mutation, view, entity }: ImportWork,
  imported: ImportStage,
  write: (tried: ImportTry) => Promise<void>,
): Promise<LineFaults> {
  const { engine, context, traceId } = mutation
  const history = planHistory(imported.plan)
  let faults: LineFaults = new Map()
  const run = (isAdding: boolean) => {
    const work = (tx: Tx) => {
      faults = new Map()
      tx.facts.origin = { context, source: view.name, traceId, history }
      const report: ReportFaults = (line, each) => addFaults(faults, line, each)
      return write({ tx, report, hasFaults: () => faults.size > 0, isAdding })
    }
    const from = { path: imported.path, adds: isAdding ? entity.table : undefined }
    return engine.store.writeAlone(work, mutationScope(mutation), from)
  }
  try {
    await run(isAddedTogether(imported) && isBulk(mutation, imported)).catch((error: unknown) => {
      // Each row has to tell what is wrong with it.
      if (error instanceof AddedRowsRefused) return run(false)
      throw error
    })
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
  }
  return faults
}

/** True when new records may skip the after-write pass: no listener needs each of them. */
const isBulk = ({ engine, context: { model } }: Mutation, { plan }: ImportStage): boolean =>
  !isRowByRow(plan) &&
  isBulkEligible(model, plan.entity, plan.request) &&
  (plan.request.takeover || !(engine.isHeard?.(model, plan.entity) ?? false))

/** New and changed records. */
type Kinds = Awaited<ReturnType<ImportStage['countKinds']>>

/** Writes the staged rows and what is noted down of the import. */
async function writeStaged(
  { tx, report, isAdding }: ImportTry,
  work: ImportWork,
  imported: ImportStage,
  to: Pick<ImportToWrite, 'lines' | 'onProgress' | 'onWritten'> & { kinds: Kinds },
) {
  const { engine, traceId } = work.mutation
  const { kinds } = to
  const { plan, pointed } = imported
  const isAllowed = isBulk(work.mutation, imported)
  // A listener has subscribed in the meantime.
  if (isAdding && !isAllowed) throw new AddedRowsRefused()
  const id = await noteImport(tx, work, kinds)
  const { origin } = tx.facts
  if (origin?.history) await auditTakeover(tx, work, { origin, counts: kinds })
  await writeRows({
    tx,
    mutation: work.mutation,
    traceId,
    plan,
    stage: imported,
    report,
    isAdding,
    ...to,
    from: id * LINES_PER_IMPORT,
    isPointedMoved: !isStill(engine.store, pointed),
    isBulk: isAllowed,
  })
  return { ...kinds, id }
}

function addFaults(faults: LineFaults, line: number, each: FieldErrors): void {
  faults.set(line, { ...each, ...faults.get(line) })
  if (faults.size >= FAULTS_MAX) throw new RolledBack()
}

const isStill = (store: Pick<Store, 'stamp'>, versions: TableVersions | undefined): boolean =>
  versions?.stamp !== undefined && store.stamp(versions.tables) === versions.stamp

/** A dry run leaves only its answer, for a repeated request with its key. */
async function recordDryRun({ mutation }: ImportWork, result: ObjectActionResult): Promise<void> {
  const { recordResponse, engine } = mutation
  if (!recordResponse) return
  await engine.store.write((tx) => recordResponse(tx, result), mutationScope(mutation))
}
