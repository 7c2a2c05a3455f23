/** The catalog after a deploy is rolled back; and its writing. */
import { allRows } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { scripts as table } from '../../store/tables/catalog.ts'
import { keyOfScript, type Script } from '../compiled/script.ts'
import { type CatalogPlan, type KeptScript, listMoved, sortScripts } from './catalog-plan.ts'
import {
  deleteLostDrafts,
  type DeploySource,
  type Execution,
  moveScripts,
  requireSource,
  retireScripts,
  saveDeployed,
  saveScripts,
  toScript,
} from './catalog.ts'
import type { LastDeploy } from './last-deploy.ts'
import type { Element, Place } from '../parse/element.ts'
import { parseModelFile } from '../parse/parse.ts'
import { planRbacBody } from '../rbac/edit.ts'

/** An execution of a script in the catalog. */
interface StoredExecution {
  script: Script
  source: DeploySource
  /** The `Id` of its document, for a report or workflow. */
  document: number
}

/** A script that the deploy changed, as it was before and as the deploy left it. */
interface TouchedScript {
  before: StoredExecution | undefined
  deployed: StoredExecution | undefined
  after: StoredExecution | undefined
}

/** Scripts that a deploy changed, by `keyOfScript`. */
export type TouchedScripts = ReadonlyMap<string, TouchedScript>

/** Loads the executions that the record of a deploy names. */
export async function loadTouched(reader: Reader, last: LastDeploy): Promise<TouchedScripts> {
  const named = last.scripts.flatMap(({ before, deployed, after }) => [before, deployed, after])
  const ids = JSON.stringify(named.filter((id) => id !== null))
  const text = 'WHERE Id IN (SELECT value FROM json_each(@ids))'
  const rows = await allRows(reader, table, text, { ids })
  const byId = new Map(
    rows.map((row): [number, StoredExecution] => [
      row.Id,
      {
        script: toScript(row),
        source: requireSource(row.Origin),
        document: row.DocumentId ?? row.Id,
      },
    ]),
  )
  const find = (id: number | null) => (id === null ? undefined : byId.get(id))
  return new Map(
    last.scripts.map((each) => [
      keyOfScript(each),
      { before: find(each.before), deployed: find(each.deployed), after: find(each.after) },
    ]),
  )
}

/** The catalog of a rollback, and the scripts that come back as those of its files. */
interface RollbackCatalog {
  catalog: CatalogPlan
  given: readonly Script[]
}

/**
 * Puts back what the deploy changed and nothing else. A script that was changed here since is kept,
 * unless `isReplaced`; Rbac merges (`rbac/deploy.ts`). Pure.
 */
export function planRollbackCatalog(
  stored: readonly Script[],
  touched: TouchedScripts,
  { moved }: Pick<LastDeploy, 'moved'>,
  isReplaced: boolean,
): RollbackCatalog {
  const current = new Map(stored.map((script) => [keyOfScript(script), script]))
  const lists = { new: [], changed: [], same: [], removed: [] } as Record<Fate, Script[]>
  const kept: KeptScript[] = []
  for (const [key, { before, after }] of touched) {
    const own = current.get(key)
    const file = before?.script
    const isChanged = own?.versionHash !== after?.script.versionHash
    const merges = own?.type === 'Rbac' && file !== undefined
    if (own && isChanged && !isReplaced && !merges && own.versionHash !== file?.versionHash)
      kept.push({ stored: own, given: file, isFileChanged: true })
    else placeScript(lists, own, file)
  }
  const places = planMoved(stored, touched, moved)
  const gone = new Set(
    [...lists.changed, ...lists.same, ...places, ...lists.removed].map(keyOfScript),
  )
  const others = stored.filter((script) => !gone.has(keyOfScript(script)))
  const { new: added, changed, same, removed } = lists
  return {
    given: [...added, ...changed, ...same, ...kept.flatMap(({ given }) => given ?? [])],
    catalog: {
      stored,
      scripts: sortScripts([...others, ...added, ...changed, ...same, ...places]),
      new: added,
      changed,
      same: [...same, ...places],
      kept,
      merged: [],
      adopted: same,
      removed,
    },
  }
}

type Fate = 'new' | 'changed' | 'same' | 'removed'

function placeScript(
  lists: Record<Fate, Script[]>,
  own: Script | undefined,
  file: Script | undefined,
): void {
  if (file === undefined) {
    if (own) lists.removed.push(own)
  } else if (own === undefined) lists.new.push(file)
  else lists[own.versionHash === file.versionHash ? 'same' : 'changed'].push(file)
}

/** Scripts of the same text at their former places. */
function planMoved(
  stored: readonly Script[],
  touched: TouchedScripts,
  moved: LastDeploy['moved'],
): Script[] {
  const places = new Map(moved.map((each) => [keyOfScript(each), each]))
  return stored.flatMap((script) => {
    const place = places.get(keyOfScript(script))
    if (place?.versionHash !== script.versionHash || touched.has(keyOfScript(script))) return []
    const element = movePlaces(script.element, script.element.place, place.place)
    return [{ ...script, fileName: place.place.file, element }]
  })
}

/** The element with its places, and those in it, as if it began at `to` and not at `from`. */
function movePlaces(element: Element, from: Place, to: Place): Element {
  const move = ({ line, column }: Place): Place => ({
    file: to.file,
    line: line - from.line + to.line,
    column: line === from.line ? column - from.column + to.column : column,
  })
  const { attributePlaces, children, place } = element
  return {
    ...element,
    children: children.map((child) => movePlaces(child, from, to)),
    place: move(place),
    ...(attributePlaces && { attributePlaces: mapValues(attributePlaces, move) }),
  }
}

const mapValues = <T>(record: Readonly<Record<string, T>>, map: (value: T) => T) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))

/**
 * Writes the scripts that come back. Each has the origin that it had: what was made here counts as
 * made here, beside what the deploy before had brought, which the next deploy compares with.
 */
export async function saveRollback(
  tx: Tx,
  catalog: CatalogPlan,
  touched: TouchedScripts,
  execution: Execution,
): Promise<void> {
  const merged = catalog.merged.flatMap(({ result }) => result ?? [])
  const results = [...catalog.new, ...catalog.changed, ...catalog.adopted, ...merged]
  const bases: Script[] = []
  const bySource = new Map<DeploySource, Script[]>()
  const former = new Map<Script, number>()
  for (const script of new Map(results.map((each) => [keyOfScript(each), each])).values()) {
    const { before, deployed } = touched.get(keyOfScript(script)) ?? NOTHING
    const isDeployed = deployed?.script.versionHash === script.versionHash
    const isBefore = before?.script.versionHash === script.versionHash
    if (!isDeployed && deployed) bases.push(deployed.script)
    if (!deployed && script.type === 'Rbac' && touched.has(keyOfScript(script)))
      bases.push(await emptyRbac(script))
    const source = isDeployed ? 'deploy' : before && isBefore ? before.source : 'merge'
    bySource.getOrInsertComputed(source, () => []).push(script)
    if (before) former.set(script, before.document)
  }
  await saveDeployed(tx, bases, execution)
  for (const [source, executed] of bySource)
    await saveScripts(tx, executed, { ...execution, source }, former)
  await moveScripts(tx, listMoved(catalog))
  await retireScripts(tx, catalog.removed)
  if (catalog.removed.length > 0) await deleteLostDrafts(tx)
}

const NOTHING: TouchedScript = { before: undefined, deployed: undefined, after: undefined }

/** The base of an Rbac script that no deploy had brought: all that it has was made here. */
async function emptyRbac({ name, fileName }: Script): Promise<Script> {
  const { scripts } = await parseModelFile({ name: fileName, body: planRbacBody(name) })
  const [script] = scripts
  if (!script) throw new Error(`The empty Rbac ${name} does not parse`)
  return script
}
