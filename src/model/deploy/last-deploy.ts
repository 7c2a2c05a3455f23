/**
 * The last deploy, kept as a fact of the data folder: what it replaced, renamed and lost, so that
 * it can be rolled back. The texts themselves stay in the catalog, whose executions none deletes.
 */
import type { Reader, Tx } from '../../store/store.ts'
import type { scripts } from '../../store/tables/catalog.ts'
import { keyOfScript, type Script } from '../compiled/script.ts'
import type { CatalogPlan } from './catalog-plan.ts'
import { type Execution, requireType } from './catalog.ts'
import { loadFact, saveFact } from './facts.ts'
import type { SequenceMove } from './sequence-renames.ts'
import type { DeploySql } from './sql.ts'
import type { GivenByDeploy } from '../migrate/given.ts'
import type { Migration } from '../migrate/migration.ts'
import type { EntityNames } from '../migrate/undoing.ts'
import type { Place } from '../parse/element.ts'
import type { Rename } from '../rbac/facts.ts'

type ScriptRow = typeof scripts.$inferSelect

/** The fact that holds a `LastDeploy` as JSON. */
const LAST_DEPLOY_FACT = 'last deploy'

/** A script that the deploy changed, by its executions in the catalog. */
interface TouchedScript {
  type: Script['type']
  name: string
  /** `Id` of the execution that was current before; null for a script that was not there. */
  before: number | null
  /** `Id` of the last execution by a deploy before; null where no deploy had brought it. */
  deployed: number | null
  /** `Id` of the execution that is current since; null for a removed script. */
  after: number | null
}

/** A script whose text stayed the same at another place of the files, with its place before. */
interface MovedScript {
  type: Script['type']
  name: string
  versionHash: string
  place: Place
}

/** A deploy that was carried out, with the state before it. */
export interface LastDeploy {
  /** Instant in ISO form. */
  at: string
  /** Set once the deploy was rolled back: the instant in ISO form. */
  rolledBackAt?: string
  /** True when there was no model before. */
  isFirst: boolean
  scripts: readonly TouchedScript[]
  moved: readonly MovedScript[]
  entities: readonly EntityNames[]
  roles: readonly Rename[]
  sequences: readonly SequenceMove[]
  /** Names of the migrations that it ran. */
  migrations: readonly string[]
  /** The values that it gave to new columns and tables, which are no data since. */
  given: GivenByDeploy
  /** Values that going back does not bring back, a sentence each. */
  lost: readonly string[]
}

/** The state of the catalog before a deploy. */
export type StateBefore = Pick<LastDeploy, 'isFirst' | 'moved'> & {
  scripts: readonly Omit<TouchedScript, 'after'>[]
}

/** The last deploy, with its text in the database; undefined where an earlier version made it. */
export async function loadLastDeploy(
  reader: Reader,
): Promise<{ last: LastDeploy; text: string } | undefined> {
  const text = await loadFact(reader, LAST_DEPLOY_FACT)
  return text === undefined ? undefined : { last: JSON.parse(text) as LastDeploy, text }
}

/** True while the last deploy is the one that this text is about. */
export const isLastDeploy = async (reader: Reader, text: string): Promise<boolean> =>
  (await loadFact(reader, LAST_DEPLOY_FACT)) === text

/** Keeps that the last deploy was rolled back: it cannot be rolled back again. */
export const saveRolledBack = (tx: Tx, { at }: LastDeploy, now: Date): Promise<void> => {
  const nothing = { scripts: [], moved: [], entities: [], roles: [], sequences: [] }
  const done: LastDeploy = {
    at,
    rolledBackAt: now.toISOString(),
    isFirst: false,
    ...nothing,
    migrations: [],
    given: { columns: [], tables: [] },
    lost: [],
  }
  return saveFact(tx, LAST_DEPLOY_FACT, JSON.stringify(done))
}

/** By the index of current scripts: `IsCurrent` has these two values. */
const BEFORE = `SELECT k.value ->> 0 AS Type, k.value ->> 1 AS Name,
    (SELECT Id FROM svc_scripts s WHERE IsCurrent = 1
      AND s.Type = k.value ->> 0 AND s.Name = k.value ->> 1) AS Before,
    (SELECT max(Id) FROM svc_scripts s WHERE s.IsCurrent IN (0, 1) AND s.Origin = 'deploy'
      AND s.Type = k.value ->> 0 AND s.Name = k.value ->> 1) AS Deployed
  FROM json_each(@keys) k`

const AFTER = `SELECT Id, Type, Name FROM svc_scripts WHERE IsCurrent = 1
  AND json_array(Type, Name) IN (SELECT value FROM json_each(@keys))`

type BeforeRow = Pick<ScriptRow, 'Type' | 'Name'> & {
  Before: number | null
  Deployed: number | null
}

/** Reads what a deploy is about to change, before it does. */
export async function readStateBefore(
  tx: Tx,
  catalog: CatalogPlan,
  moved: readonly Script[],
): Promise<StateBefore> {
  const keys = JSON.stringify(listTouched(catalog).map(({ type, name }) => [type, name]))
  const found = await tx.all<BeforeRow>(BEFORE, { keys })
  return {
    isFirst: catalog.stored.length === 0,
    scripts: found.map(({ Type, Name, Before, Deployed }) => ({
      type: requireType(Type),
      name: Name,
      before: Before,
      // Of a script that was not there, nothing is compared with what a deploy once brought.
      deployed: Before === null ? null : Deployed,
    })),
    moved: listPlaces(moved, catalog.stored),
  }
}

function listPlaces(moved: readonly Script[], stored: readonly Script[]): MovedScript[] {
  const keys = new Set(moved.map(keyOfScript))
  return stored.flatMap((script) => {
    if (!keys.has(keyOfScript(script))) return []
    const { type, name, versionHash, element } = script
    return [{ type, name, versionHash, place: element.place }]
  })
}

/** The parts of a planned deploy that its record needs. */
interface Planned {
  migration: Migration
  renames: readonly Rename[]
  sql: DeploySql
}

/** The parts of a carried out deploy that its record needs beside the catalog. */
interface Done {
  before: StateBefore
  sequences: readonly SequenceMove[]
  given: GivenByDeploy
  lost: readonly string[]
}

/**
 * Keeps a deploy that was carried out as the last one. One that changed neither scripts nor tables
 * is not kept: the one before it can still be rolled back.
 */
export async function saveLastDeploy(
  tx: Tx,
  { migration, renames, sql }: Planned,
  { at }: Pick<Execution, 'at'>,
  { before, sequences, given, lost }: Done,
): Promise<void> {
  const isChanged = before.scripts.length + before.moved.length + migration.steps.length > 0
  if (!isChanged) return
  const rows = await tx.all<{ Id: number; Type: string; Name: string }>(AFTER, {
    keys: listKeys(before.scripts),
  })
  const after = new Map(rows.map(({ Id, Type, Name }) => [`${Type} ${Name}`, Id]))
  const last: LastDeploy = {
    at: at.toISOString(),
    isFirst: before.isFirst,
    scripts: before.scripts.map((each) => ({
      ...each,
      after: after.get(keyOfScript(each)) ?? null,
    })),
    moved: before.moved,
    entities: listNames(migration),
    roles: renames,
    sequences,
    migrations: sql.migrations.map(({ name }) => name),
    given,
    lost,
  }
  await saveFact(tx, LAST_DEPLOY_FACT, JSON.stringify(last))
}

/** Lists the scripts that a deploy writes or retires, each once. */
function listTouched(catalog: CatalogPlan): Pick<Script, 'type' | 'name'>[] {
  const merged = catalog.merged.flatMap(({ result, stored }) => result ?? stored ?? [])
  const { new: added, changed, adopted, removed } = catalog
  const all = [...added, ...changed, ...adopted, ...merged, ...removed]
  return [...new Map(all.map((script) => [keyOfScript(script), script])).values()]
}

const listKeys = (scripts: readonly Pick<Script, 'type' | 'name'>[]): string =>
  // The texts that `json_array` makes of them.
  JSON.stringify(scripts.map(({ type, name }) => JSON.stringify([type, name])))

function listNames({ match }: Migration): EntityNames[] {
  return match.tables.flatMap(({ entity, stored, columns }) => {
    if (stored === undefined) return []
    const renamed = columns.flatMap(({ stored: from, wanted }) =>
      from !== undefined && from.name !== wanted.name ? [[from.name, wanted.name] as const] : [],
    )
    const isSame = stored.entity === entity.name && renamed.length === 0
    return isSame ? [] : [{ was: stored.entity, now: entity.name, columns: renamed }]
  })
}
