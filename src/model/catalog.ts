/** The script catalog: every execution of a script, verbatim; the latest of a name is current. */
import { and, asc, eq, inArray, readDatabase, txDatabase } from '../store/drizzle.ts'
import type { Reader, Tx } from '../store/store.ts'
import { facts, scripts } from '../store/tables/catalog.ts'
import { stamps } from '../store/tables/stamps.ts'
import { SCRIPT_TYPES } from './model.ts'
import type { Script, ScriptType } from './model.ts'

type Database = ReturnType<typeof readDatabase>
type ScriptRow = typeof scripts.$inferSelect

/** The current scripts, in the order of types and names. */
export const loadScripts = (reader: Reader): Promise<Script[]> =>
  selectScripts(readDatabase(reader))

/** The same from within a transaction. */
export const loadScriptsIn = (tx: Tx): Promise<Script[]> => selectScripts(txDatabase(tx))

async function selectScripts(database: Database): Promise<Script[]> {
  const rows = await database
    .select()
    .from(scripts)
    .where(eq(scripts.IsCurrent, true))
    .orderBy(asc(scripts.Type), asc(scripts.Name))
  return rows.map(toScript)
}

/** The element comes from its JSON: a start needs no XML parser. */
function toScript(row: ScriptRow): Script {
  return {
    type: requireType(row.Type),
    name: row.Name,
    fileName: row.FileName,
    body: row.Body,
    versionHash: row.VersionHash,
    element: JSON.parse(row.Document),
  }
}

function requireType(type: string): ScriptType {
  const known = SCRIPT_TYPES.find((one) => one === type)
  if (known === undefined) throw new Error(`The catalog holds a script of unknown type ${type}`)
  return known
}

/** Writes down that scripts were executed; each becomes the current one of its name. */
export async function saveScripts(
  tx: Tx,
  executed: readonly Script[],
  executedAt: string,
): Promise<void> {
  await retireScripts(tx, executed)
  for (const script of executed)
    await txDatabase(tx)
      .insert(scripts)
      .values({
        Type: script.type,
        Name: script.name,
        FileName: script.fileName,
        Body: script.body,
        VersionHash: script.versionHash,
        Document: JSON.stringify(script.element),
        IsCurrent: true,
        ExecutedAt: executedAt,
      })
}

/** Takes scripts out of the model; their executions stay in the catalog. */
export async function retireScripts(tx: Tx, gone: readonly Script[]): Promise<void> {
  for (const { type, name } of gone)
    await txDatabase(tx)
      .update(scripts)
      .set({ IsCurrent: false })
      .where(and(eq(scripts.IsCurrent, true), eq(scripts.Type, type), eq(scripts.Name, name)))
}

/** Forgets which fields moved with which stamp: after a migration that is another record's past. */
export async function forgetStamps(tx: Tx, entities: readonly string[]): Promise<void> {
  if (entities.length > 0)
    await txDatabase(tx)
      .delete(stamps)
      .where(inArray(stamps.Entity, [...entities]))
}

/** A fact of the data folder. */
export const loadFact = (reader: Reader, name: string): Promise<string | undefined> =>
  selectFact(readDatabase(reader), name)

/** The same from within a transaction. */
export const loadFactIn = (tx: Tx, name: string): Promise<string | undefined> =>
  selectFact(txDatabase(tx), name)

async function selectFact(database: Database, name: string): Promise<string | undefined> {
  const [row] = await database.select().from(facts).where(eq(facts.Name, name))
  return row?.Value
}

/** Writes a fact of the data folder. */
export async function saveFact(tx: Tx, name: string, value: string): Promise<void> {
  const set = { Value: value }
  await txDatabase(tx)
    .insert(facts)
    .values({ Name: name, ...set })
    .onConflictDoUpdate({ target: facts.Name, set })
}
