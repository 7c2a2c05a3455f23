/**
 * The background of the global search: it reads the records of views that are new or searched in
 * another way, those that a deploy or a restore may have changed, and those that were too many for
 * the transaction they follow. It works in small transactions; searches go on with what is there.
 */
import { Loop } from '../../kernel/background.ts'
import type { Log } from '../../kernel/log.ts'
import { Yielder } from '../../kernel/yielder.ts'
import type { CurrentModel } from '../../model/current.ts'
import type { Model } from '../../model/model.ts'
import type { SqlValue } from '../../store/sql.ts'
import { systemScope, type Store, type Tx } from '../../store/store.ts'
import { keepEntries, readKey, scopeName } from '../object/after-write/keep-search.ts'
import { listIndexedViews, type IndexedView } from '../object/read/indexed-view.ts'
import { keyText } from '../object/record/written-row.ts'
import { removeEntry, requireScope } from '../search-index/entries.ts'
import { endWork, findWork, moveWork, noteWork, type SearchWork } from '../search-index/work.ts'

/** Records that one transaction reads. */
const ROWS = 100
const EVERY_MS = 2000
const STOP_MS = 5000

const SCOPE = systemScope('records of every company are searched')

/** The fact that tells the last deploy whose records were read. */
const DEPLOYED = 'search deployed'
/** What a deploy may bring records with, or change how they are found. */
const LAST_DEPLOY = `SELECT coalesce(max(Id), 0) AS Last FROM svc_scripts
  WHERE Type IN ('Entity', 'ObjectView', 'Rows', 'Migration')`

/** What the background works with. */
export interface RebuildEngine {
  readonly store: Store
  readonly models: CurrentModel
  readonly log: Log
}

/** Keeps the index whole; `run` does all that is due. */
export class SearchRebuild {
  readonly #engine: RebuildEngine
  readonly loop: Loop
  #seen: Model | undefined

  constructor(engine: RebuildEngine) {
    this.#engine = engine
    this.loop = new Loop({
      ...{ name: 'search', everyMs: EVERY_MS, log: engine.log, stopMs: STOP_MS },
      steps: [() => this.run()],
      failure: 'the index of the search is not whole',
    })
  }

  /** Resolves when nothing is left to be read, or the loop is to stop. */
  async run(): Promise<void> {
    const { store, models } = this.#engine
    const model = models.get()
    if (this.#seen !== model) {
      await store.write((tx) => noteDeploy(tx, model), SCOPE)
      this.#seen = model
    }
    while (!this.loop.isStopping && this.#seen === models.get()) {
      const work = await findWork(store)
      if (work === undefined) return
      await store.write((tx) => doWork(tx, model, work), SCOPE)
    }
  }
}

/** Notes what a model asks for: views that it searches anew, and all of them after a deploy. */
async function noteDeploy(tx: Tx, model: Model): Promise<void> {
  const last = await tx.get<{ Last: number }>(LAST_DEPLOY)
  const seen = await tx.get<{ Value: string }>('SELECT Value FROM svc_facts WHERE Name = @name', {
    name: DEPLOYED,
  })
  const deployed = String(last?.Last ?? 0)
  const companies = await tx.all<{ Id: number }>('SELECT Id FROM svc_companies ORDER BY Id')
  const current: number[] = []
  for (const indexed of listIndexedViews(model)) {
    const shared = indexed.entity.company === undefined
    for (const company of shared ? [0] : companies.map(({ Id }) => Id)) {
      const scope = await requireScope(tx, scopeName(indexed, company))
      current.push(scope.viewId)
      const isDue = !scope.isReady || seen?.Value !== deployed
      if (isDue) await noteWork(tx, { viewId: scope.viewId, company, kind: 'all' })
      if (isDue && scope.isReady)
        await noteWork(tx, { viewId: scope.viewId, company, kind: 'entries' })
    }
  }
  await noteRemoved(tx, current)
  await tx.run(
    `INSERT INTO svc_facts (Name, Value) VALUES (@name, @value)
     ON CONFLICT (Name) DO UPDATE SET Value = excluded.Value`,
    { name: DEPLOYED, value: deployed },
  )
}

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

/** One transaction's share of a piece of work. */
async function doWork(tx: Tx, model: Model, work: SearchWork): Promise<void> {
  const view = await tx.get<{ View: string; Definition: string }>(
    'SELECT View, Definition FROM svc_search_views WHERE Id = @id',
    { id: work.viewId },
  )
  const indexed = listIndexedViews(model).find(
    (each) => each.view.name === view?.View && each.definition === view.Definition,
  )
  if (!indexed) await removeSome(tx, work)
  else if (work.kind === 'entries') await readEntries(tx, indexed, work)
  else await readRows(tx, indexed, work)
}

/** Entries that nobody searches; with the last of them the view goes. */
async function removeSome(tx: Tx, { id, viewId }: SearchWork): Promise<void> {
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
  if (entries.length === ROWS) return
  await tx.run('DELETE FROM svc_search_scopes WHERE ViewId = @viewId', { viewId })
  await tx.run('DELETE FROM svc_search_views WHERE Id = @viewId', { viewId })
  await endWork(tx, id)
}

/** Rows that have an entry: those that are none any more lose it. */
async function readEntries(tx: Tx, indexed: IndexedView, work: SearchWork): Promise<void> {
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
}

/** Rows of the view in the order of their keys: all, or those that name changed records. */
async function readRows(tx: Tx, indexed: IndexedView, work: SearchWork): Promise<void> {
  const { company, kind, done } = work
  const pages = kind === 'all' ? indexed : indexed.watched.get(kind.toLowerCase())?.referring
  const after = done === undefined ? [] : (JSON.parse(done) as SqlValue[])
  const rows = pages
    ? await tx.all({
        sql: done === undefined ? pages.first : pages.next,
        args: {
          ...{ CurrentCompanyId: company, _changed: work.keys ?? null, _rows: ROWS },
          ...Object.fromEntries(after.map((value, at) => [`_after${at}`, value])),
        },
        runs: 'lane',
        of: indexed.view.name,
      })
    : []
  const keys = rows.map((row) => readKey(indexed, row))
  await keepEntries(tx, indexed, { company, keys, yielder: new Yielder() })
  const last = keys.at(-1)
  if (rows.length === ROWS && last) await moveWork(tx, work.id, keyText(last))
  else await endView(tx, work)
}

/** With the last work a view is ready. */
async function endView(tx: Tx, { id, viewId }: SearchWork): Promise<void> {
  await endWork(tx, id)
  await tx.run(
    `UPDATE svc_search_views SET State = 'ready' WHERE Id = @viewId
     AND NOT EXISTS (SELECT 1 FROM svc_search_work WHERE ViewId = @viewId)`,
    { viewId },
  )
}
