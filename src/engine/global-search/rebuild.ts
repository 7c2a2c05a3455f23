/**
 * The background of the global search: it reads the records of views that are new or searched in
 * another way, that a deploy or a restore may have changed, or that were too many for their own
 * transaction. It works in small transactions; searches go on with the entries there are.
 */
import { Loop } from '../../kernel/background.ts'
import type { Log } from '../../kernel/log.ts'
import { Yielder } from '../../kernel/yielder.ts'
import type { SqlValue } from '../../store/sql.ts'
import { type Store, systemScope, type Tx } from '../../store/store.ts'
import type { CurrentModel } from '../../model/current.ts'
import type { Model } from '../../model/model.ts'
import { removeEntry, requireScope } from './text-index/entries.ts'
import { endWork, findWork, moveWork, noteWork, type SearchWork } from './text-index/work.ts'
import { keepEntries, readKey, scopeName } from '../object/after-write/keep-search.ts'
import { type IndexedView, listIndexedViews } from '../object/read/indexed-view.ts'
import { keyText } from '../object/record/written-row.ts'

/** Records that one transaction reads. */
const ROWS = 100
const EVERY_MS = 2000
const STOP_MS = 5000

const SCOPE = systemScope('records of every company are searched')

/** The fact that tells the last deploy whose records were read. */
const DEPLOYED = 'search deployed'
/** The last deploy that may bring records, or change how they are found. */
const LAST_DEPLOY = `SELECT coalesce(max(Id), 0) AS Last FROM svc_scripts
  WHERE Type IN ('Entity', 'ObjectView', 'Rows', 'Migration')`

/** The parts that the background works with. */
export interface RebuildEngine {
  readonly store: Store
  readonly models: CurrentModel
  readonly log: Log
}

/** The work of one transaction. */
interface RebuildStep {
  viewId: number
  /** The kind of the `SearchWork`. */
  kind: string
  /** Rows, or entries, that were read. */
  rows: number
}

/** Keeps the index whole; `run` does all due work. */
export class SearchRebuild {
  readonly #engine: RebuildEngine
  readonly #listeners = new Set<(step: RebuildStep) => void>()
  readonly loop: Loop
  #seen: Model | undefined

  constructor(engine: RebuildEngine) {
    this.#engine = engine
    this.loop = new Loop({
      name: 'search',
      everyMs: EVERY_MS,
      log: engine.log,
      stopMs: STOP_MS,
      steps: [() => this.run()],
      failure: 'the index of the search is not whole',
    })
  }

  /** Resolves when nothing is left to be read, or the loop is to stop. */
  async run(): Promise<void> {
    do await this.#noteModel()
    while (!this.loop.isStopping && (await this.step()))
  }

  /** Notes a new model; a running read continues if the new model searches the same. */
  async #noteModel(): Promise<void> {
    const { store, models } = this.#engine
    const model = models.get()
    if (this.#seen === model) return
    await store.write((tx) => noteDeploy(tx, model), SCOPE)
    this.#seen = model
  }

  /** Does one transaction's share of the work and tells the listeners; false where none is due. */
  async step(): Promise<boolean> {
    const { store, models } = this.#engine
    const step = await store.write(async (tx) => {
      const work = await findWork(tx)
      return (
        work && { viewId: work.viewId, kind: work.kind, rows: await doWork(tx, models.get(), work) }
      )
    }, SCOPE)
    if (step) for (const tell of this.#listeners) tell(step)
    return step !== undefined
  }

  /** Calls `tell` at each step, until the result is disposed of. */
  follow(tell: (step: RebuildStep) => void): Disposable {
    this.#listeners.add(tell)
    return { [Symbol.dispose]: () => this.#listeners.delete(tell) }
  }
}

const bySearched = new WeakMap<Store, SearchRebuild>()

/** The rebuild of a database: one for all, so that every listener gets its steps. */
export const findRebuild = (engine: RebuildEngine): SearchRebuild =>
  bySearched.getOrInsertComputed(engine.store, () => new SearchRebuild(engine))

/**
 * Has the records of views read again and their entries rebuilt, in the order of the model; the
 * views stay searchable. Resolves to the views as they are stored, and the entries they have.
 */
export async function noteRebuild(
  tx: Tx,
  model: Model,
  names: ReadonlySet<string> | undefined,
): Promise<{ viewIds: number[]; entries: number }> {
  const viewIds = new Set<number>()
  for (const { indexed, company } of await listScopes(tx, model)) {
    if (names && !names.has(indexed.view.name)) continue
    const { viewId } = await requireScope(tx, scopeName(indexed, company))
    await noteWork(tx, { viewId, company, kind: 'anew' })
    await noteWork(tx, { viewId, company, kind: 'entries' })
    viewIds.add(viewId)
  }
  const count = await tx.get<{ Entries: number }>(
    `SELECT count(*) AS Entries FROM svc_search_entries WHERE Scope IN (
       SELECT Id FROM svc_search_scopes WHERE ViewId IN (SELECT value FROM json_each(@viewIds)))`,
    { viewIds: JSON.stringify([...viewIds]) },
  )
  return { viewIds: [...viewIds], entries: count?.Entries ?? 0 }
}

/** Each view that is searched, by each company whose records it has; 0 for shared records. */
async function listScopes(
  tx: Tx,
  model: Model,
): Promise<{ indexed: IndexedView; company: number }[]> {
  const companies = await tx.all<{ Id: number }>('SELECT Id FROM svc_companies ORDER BY Id')
  return listIndexedViews(model).flatMap((indexed) =>
    (indexed.entity.company === undefined ? [0] : companies.map(({ Id }) => Id)).map((company) => ({
      indexed,
      company,
    })),
  )
}

/** Notes the work that a model needs: views it searches differently, and all after a deploy. */
async function noteDeploy(tx: Tx, model: Model): Promise<void> {
  const last = await tx.get<{ Last: number }>(LAST_DEPLOY)
  const seen = await tx.get<{ Value: string }>('SELECT Value FROM svc_facts WHERE Name = @name', {
    name: DEPLOYED,
  })
  const deployed = String(last?.Last ?? 0)
  const current: number[] = []
  for (const { indexed, company } of await listScopes(tx, model)) {
    const scope = await requireScope(tx, scopeName(indexed, company))
    current.push(scope.viewId)
    const isBegun = !scope.isReady && (await isRead(tx, scope.viewId, company))
    const isDue = (!scope.isReady && !isBegun) || seen?.Value !== deployed
    if (isDue) await noteWork(tx, { viewId: scope.viewId, company, kind: 'all' })
    if (isDue && scope.isReady)
      await noteWork(tx, { viewId: scope.viewId, company, kind: 'entries' })
  }
  await noteRemoved(tx, current)
  await tx.run(
    `INSERT INTO svc_facts (Name, Value) VALUES (@name, @value)
     ON CONFLICT (Name) DO UPDATE SET Value = excluded.Value`,
    { name: DEPLOYED, value: deployed },
  )
}

/** True while all records of a view are being read: reading continues, whatever model serves. */
const isRead = async (tx: Tx, viewId: number, company: number): Promise<boolean> =>
  (await tx.get(
    `SELECT 1 AS Found FROM svc_search_work
     WHERE ViewId = @viewId AND CompanyId = @company AND Kind IN ('all', 'anew') LIMIT 1`,
    { viewId, company },
  )) !== undefined

/** Entries of views that no model searches any more, or in another way, are removed. */
async function noteRemoved(tx: Tx, current: readonly number[]): Promise<void> {
  const left = await tx.all<{ Id: number }>(
    `SELECT Id FROM svc_search_views WHERE Id NOT IN (SELECT value FROM json_each(@current))`,
    { current: JSON.stringify(current) },
  )
  for (const { Id: viewId } of left) {
    await tx.run('DELETE FROM svc_search_work WHERE ViewId = @viewId', { viewId })
    await noteWork(tx, { viewId, company: 0, kind: 'entries' })
  }
}

/** Does one transaction's share of a piece of work; resolves to the number of rows. */
async function doWork(tx: Tx, model: Model, work: SearchWork): Promise<number> {
  const view = await tx.get<{ View: string; Definition: string }>(
    'SELECT View, Definition FROM svc_search_views WHERE Id = @id',
    { id: work.viewId },
  )
  const indexed = listIndexedViews(model).find(
    (each) => each.view.name === view?.View && each.definition === view.Definition,
  )
  if (!indexed) return removeSome(tx, work)
  return work.kind === 'entries' ? readEntries(tx, indexed, work) : readRows(tx, indexed, work)
}

/** Removes entries that no model searches; with the last of them the view goes. */
async function removeSome(tx: Tx, { id, viewId }: SearchWork): Promise<number> {
  const entries = await tx.all<{ Id: number }>(
    `SELECT Id FROM svc_search_entries
     WHERE Scope IN (SELECT Id FROM svc_search_scopes WHERE ViewId = @viewId) LIMIT ${ROWS}`,
    { viewId },
  )
  const yielder = new Yielder()
  for (const entry of entries) {
    await removeEntry(tx, entry.Id)
    await yielder.yieldWhenDue()
  }
  if (entries.length === ROWS) return ROWS
  await tx.run('DELETE FROM svc_search_scopes WHERE ViewId = @viewId', { viewId })
  await tx.run('DELETE FROM svc_search_views WHERE Id = @viewId', { viewId })
  await endWork(tx, id)
  return entries.length
}

/** Re-reads indexed rows; deletes the entries of rows that no longer exist. */
async function readEntries(tx: Tx, indexed: IndexedView, work: SearchWork): Promise<number> {
  const { company } = work
  const scope = await requireScope(tx, scopeName(indexed, company))
  const entries = await tx.all<{ RecordKey: string }>(
    `SELECT RecordKey FROM svc_search_entries
     WHERE Scope = @scope AND RecordKey > @done ORDER BY RecordKey LIMIT ${ROWS}`,
    { scope: scope.id, done: work.done ?? '' },
  )
  const keys = entries.map(({ RecordKey }) => JSON.parse(RecordKey) as SqlValue[])
  await keepEntries(tx, indexed, { company, keys, yielder: new Yielder() })
  const last = entries.at(-1)?.RecordKey
  if (entries.length === ROWS && last !== undefined) await moveWork(tx, work.id, last)
  else await endView(tx, work)
  return entries.length
}

/** Reads rows of the view in the order of their keys: all, or those naming changed records. */
async function readRows(tx: Tx, indexed: IndexedView, work: SearchWork): Promise<number> {
  const { company, kind, done } = work
  const isAnew = kind === 'anew'
  const isWhole = isAnew || kind === 'all'
  const pages = isWhole ? indexed : indexed.watched.get(kind.toLowerCase())?.referring
  const after = done === undefined ? [] : (JSON.parse(done) as SqlValue[])
  const rows = pages
    ? await tx.all({
        sql: done === undefined ? pages.first : pages.next,
        args: {
          CurrentCompanyId: company,
          _changed: work.keys ?? null,
          _rows: ROWS,
          ...Object.fromEntries(after.map((value, at) => [`_after${at}`, value])),
        },
        runs: 'lane',
        of: indexed.view.name,
      })
    : []
  const keys = rows.map((row) => readKey(indexed, row))
  await keepEntries(tx, indexed, { company, keys, yielder: new Yielder(), isAnew })
  const last = keys.at(-1)
  if (rows.length === ROWS && last) await moveWork(tx, work.id, keyText(last))
  else await endView(tx, work)
  return rows.length
}

/** Ends a piece of work; with the last one its view is ready. */
async function endView(tx: Tx, { id, viewId }: SearchWork): Promise<void> {
  await endWork(tx, id)
  await tx.run(
    `UPDATE svc_search_views SET State = 'ready' WHERE Id = @viewId
     AND NOT EXISTS (SELECT 1 FROM svc_search_work WHERE ViewId = @viewId)`,
    { viewId },
  )
}
