/** One import's transaction, from its entry among the imports to its answer. */
import type { FieldErrors } from '../../../kernel/failure.ts'
import { txDatabase } from '../../../store/drizzle.ts'
import type { Store, Tx } from '../../../store/store.ts'
import { imports, LINES_PER_IMPORT } from '../../../store/tables/imports.ts'
import type { TableVersions } from '../read/query-cache.ts'
import type { ImportWork } from './import-work.ts'
import type { ImportStage } from './import-stage.ts'
import { writeRows } from './import-write.ts'
import { mutationScope } from '../mutation.ts'
import { takeDispatch } from '../after-write/pending-events.ts'
import type { MadeFile, ObjectActionResult } from '../schema.ts'

/** What is known of an import before it is written. */
export interface ImportFacts {
  rows: number
  unchanged: number
  ignored: readonly string[]
  failed: number
  /** Number of the file's last line. */
  lines: number
  errorFile: MadeFile | null
  tell: (rows: number) => void
}

/** Faults of lines that only the stored records have told; nothing was written then. */
export type LineFaults = Map<number, FieldErrors>

/** More of them are not waited for: what is known is enough to begin again without those rows. */
const FAULTS_MAX = 50_000

/** Takes the transaction back, with what it came to. */
class RolledBack extends Error {
  override readonly name = 'RolledBack'
}

/** Writes the staged rows, or gives the faults for which it could not. */
export async function saveImport(
  work: ImportWork,
  imported: ImportStage,
  facts: ImportFacts,
): Promise<ObjectActionResult | LineFaults> {
  const { mutation, request, view } = work
  const { engine, context, traceId } = mutation
  let faults: LineFaults = new Map()
  let result: ObjectActionResult | undefined
  const kinds = await imported.countKinds()
  try {
    await engine.store.writeAlone(
      async (tx) => {
        faults = new Map()
        tx.facts.origin = { context, source: view.name, traceId }
        const id = await noteImport(tx, work, kinds)
        await write(imported, { tx, traceId, facts, faults, id, store: engine.store })
        if (faults.size > 0) throw new RolledBack()
        result = toResult(work, facts, { ...kinds, id, tx })
        if (request.dryRun) throw new RolledBack()
        await mutation.recordResponse?.(tx, result)
      },
      mutationScope(mutation),
      imported,
    )
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
  }
  if (faults.size > 0 || !result) return faults
  if (request.dryRun) await sealDryRun(work, result)
  return result
}

interface Writing {
  tx: Tx
  traceId: string
  facts: ImportFacts
  faults: LineFaults
  id: number
  store: Pick<Store, 'stamp'>
}

async function write(
  stage: ImportStage,
  { tx, traceId, facts, faults, id, store }: Writing,
): Promise<void> {
  await writeRows({
    tx,
    traceId,
    plan: stage.plan,
    stage,
    from: id * LINES_PER_IMPORT,
    lines: facts.lines,
    isPointedMoved: !isStill(store, stage.pointed),
    report: (line, each) => {
      faults.set(line, { ...each, ...faults.get(line) })
      if (faults.size >= FAULTS_MAX) throw new RolledBack()
    },
    onProgress: facts.tell,
  })
}

const isStill = (store: Pick<Store, 'stamp'>, versions: TableVersions | undefined): boolean =>
  versions?.stamp !== undefined && store.stamp(versions.tables) === versions.stamp

/** The entry by which it can be taken back. */
async function noteImport(
  tx: Tx,
  { mutation, request, view, entity, file, parts }: ImportWork,
  { inserted, updated }: { inserted: number; updated: number },
): Promise<number> {
  const { caller, context } = mutation
  const [row] = await txDatabase(tx)
    .insert(imports)
    .values({
      UserId: caller.userId,
      CompanyId: caller.companyId,
      ViewName: view.name,
      Entity: entity.name,
      FileName: file.fileName.slice(0, 255),
      Mode: request.mode,
      Inserted: inserted,
      Updated: updated,
      At: context.now.toISOString(),
      ExpiresAt: new Date(context.now.getTime() + parts.undoForMs).toISOString(),
    })
    .returning({ Id: imports.Id })
  if (!row) throw new Error('An import has no number')
  return row.Id
}

function toResult(
  { request, view }: ImportWork,
  { rows, unchanged, failed, errorFile, ignored }: ImportFacts,
  { id, inserted, updated, tx }: { id: number; inserted: number; updated: number; tx: Tx },
): ObjectActionResult {
  return {
    Action: 'import',
    Keys: null,
    Ignored: [...ignored],
    Dispatch: request.dryRun
      ? []
      : [{ Type: 'refreshTable', Target: view.name }, ...takeDispatch(tx)],
    Import: {
      ImportId: request.dryRun ? null : String(id),
      Inserted: inserted,
      Updated: updated,
      Skipped: unchanged,
      Failed: failed,
      Rows: rows,
      ErrorFile: errorFile,
    },
  }
}

/** A dry run leaves nothing but its answer, for whoever asks again under its key. */
async function sealDryRun({ mutation }: ImportWork, result: ObjectActionResult): Promise<void> {
  const { recordResponse, engine } = mutation
  if (!recordResponse) return
  await engine.store.write((tx) => recordResponse(tx, result), mutationScope(mutation))
}
