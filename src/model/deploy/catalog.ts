/** The script catalog: every execution of a script, verbatim; the latest of a name is current. */
import { Yielder } from '../../kernel/yielder.ts'
import {
  and,
  asc,
  desc,
  eq,
  inArray,
  ne,
  notInArray,
  readDatabase,
  sql,
  txDatabase,
} from '../../store/drizzle.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { drafts, scripts } from '../../store/tables/catalog.ts'
import { stamps } from '../../store/tables/stamps.ts'
import { type Script, SCRIPT_TYPES, type ScriptType } from '../compiled/script.ts'

type ScriptRow = typeof scripts.$inferSelect

/** The current scripts, or those of a type, in the order of types and names. */
export async function loadScripts(reader: Reader, type?: ScriptType): Promise<Script[]> {
  const ofType = type === undefined ? undefined : eq(scripts.Type, type)
  const rows = await readDatabase(reader)
    .select()
    .from(scripts)
    .where(and(eq(scripts.IsCurrent, true), ofType))
    .orderBy(asc(scripts.Type), asc(scripts.Name))
  const yielder = new Yielder()
  const found: Script[] = []
  for (const row of rows) {
    found.push(toScript(row))
    await yielder.yieldWhenDue()
  }
  return found
}

/** Identity of a script version: tells one set of current scripts from another. */
export type ScriptVersion = Pick<Script, 'type' | 'name' | 'versionHash'>

/** The names and versions of the current scripts. */
export async function loadScriptNames(reader: Reader): Promise<ScriptVersion[]> {
  // One row: the names are read with each change of rights.
  const row = await reader.get<{ names: string }>(
    `SELECT json_group_array(json_array(Type, Name, VersionHash)) AS names
     FROM svc_scripts WHERE IsCurrent`,
  )
  const names = JSON.parse(row?.names ?? '[]') as [type: string, name: string, hash: string][]
  return names.map(([type, name, versionHash]) => ({
    type: requireType(type),
    name,
    versionHash,
  }))
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

/**
 * Whence scripts are executed: a deploy of files, what changes them here, or what a deploy
 * made of both.
 */
type DeploySource = 'deploy' | 'board' | 'designer' | 'import' | 'merge'

/** The instant, source and author of an execution of scripts. */
export interface Execution {
  at: Date
  source: DeploySource
  /** The user; undefined on the command line. */
  by: number | undefined
  /** The one document that a designer saves. */
  document?: SavedDocument | undefined
}

/** A version's metadata from the designer, saved beside its text. */
interface SavedDocument {
  notes: string
  /** Name until now; the same unless it is renamed, none for a new one. */
  former: string | undefined
  /** The document itself, parsed already: no files come with it. */
  script: Script
}

/** A current script that something other than a deploy of files has changed since its last one. */
export interface ChangedScript {
  type: ScriptType
  name: string
  /** The hash that its last deploy gave it; undefined for one that was never deployed. */
  deployedHash: string | undefined
}

/**
 * Loads the current scripts whose body differs from that of their own last deploy. A script that
 * was changed here and changed back is left out.
 */
export async function loadChangedHere(reader: Reader): Promise<ChangedScript[]> {
  const database = readDatabase(reader)
  const rows = await database
    .select({ type: scripts.Type, name: scripts.Name, hash: scripts.VersionHash })
    .from(scripts)
    .where(and(eq(scripts.IsCurrent, true), ne(scripts.Origin, 'deploy')))
  const changed: ChangedScript[] = []
  for (const { type, name, hash } of rows) {
    const [deployed] = await database
      .select({ hash: scripts.VersionHash })
      .from(scripts)
      .where(and(eq(scripts.Origin, 'deploy'), eq(scripts.Type, type), eq(scripts.Name, name)))
      .orderBy(desc(scripts.Id))
      .limit(1)
    if (deployed?.hash !== hash)
      changed.push({ type: requireType(type), name, deployedHash: deployed?.hash })
  }
  return changed
}

/**
 * The Rbac scripts as their own last deploy brought them, by name; none for one that was made here.
 * What was deployed is the base that the next deploy merges with, whatever is current.
 */
export async function loadDeployedRbac(reader: Reader): Promise<Map<string, string>> {
  const database = readDatabase(reader)
  const latest = await database
    .select({ id: sql<number>`max(${scripts.Id})`.as('latest') })
    .from(scripts)
    .where(and(eq(scripts.Origin, 'deploy'), eq(scripts.Type, 'Rbac')))
    .groupBy(scripts.Name)
  const rows = await database
    .select({ name: scripts.Name, body: scripts.Body })
    .from(scripts)
    .where(
      inArray(
        scripts.Id,
        latest.map(({ id }) => id),
      ),
    )
  return new Map(rows.map(({ name, body }) => [name, body]))
}

/** Writes down that scripts were executed; each becomes the current one of its name. */
export async function saveScripts(
  tx: Tx,
  executed: readonly Script[],
  execution: Execution,
): Promise<void> {
  const documents = await loadDocumentIds(tx, executed, execution)
  await retireScripts(tx, executed)
  await insertScripts(tx, executed, { ...execution, isCurrent: true, documents })
}

/** Types of scripts whose executions are the versions of one document. */
const VERSIONED: ReadonlySet<ScriptType> = new Set(['Report', 'Workflow'])

/** The documents that the scripts are versions of; none for a script that begins one. */
async function loadDocumentIds(
  tx: Tx,
  executed: readonly Script[],
  { document }: Execution,
): Promise<ReadonlyMap<Script, number>> {
  const documents = new Map<Script, number>()
  for (const script of executed.filter(({ type }) => VERSIONED.has(type))) {
    const [current] = await txDatabase(tx)
      .select({ id: scripts.Id, documentId: scripts.DocumentId })
      .from(scripts)
      .where(isCurrentOf(script.type, document?.former ?? script.name))
    if (current) documents.set(script, current.documentId ?? current.id)
  }
  return documents
}

const isCurrentOf = (type: string, name: string) =>
  and(eq(scripts.IsCurrent, true), eq(scripts.Type, type), eq(scripts.Name, name))

/** Writes down what the files of a deploy hold, where another text is current. */
export const saveDeployed = (
  tx: Tx,
  deployed: readonly Script[],
  execution: Execution,
): Promise<void> => insertScripts(tx, deployed, { ...execution, isCurrent: false })

async function insertScripts(
  tx: Tx,
  executed: readonly Script[],
  {
    at,
    source,
    by,
    isCurrent,
    document,
    documents,
  }: Execution & {
    isCurrent: boolean
    documents?: ReadonlyMap<Script, number>
  },
): Promise<void> {
  const yielder = new Yielder()
  for (const script of executed) {
    await txDatabase(tx)
      .insert(scripts)
      .values({
        Type: script.type,
        Name: script.name,
        FileName: script.fileName,
        Body: script.body,
        VersionHash: script.versionHash,
        Document: JSON.stringify(script.element),
        IsCurrent: isCurrent,
        ExecutedAt: at.toISOString(),
        Origin: source,
        ExecutedBy: by,
        DocumentId: documents?.get(script),
        Notes: document?.notes,
      })
    await yielder.yieldWhenDue()
  }
}

/** Notes the new places of current scripts in the files; their versions stay the same. */
export async function moveScripts(tx: Tx, moved: readonly Script[]): Promise<void> {
  const yielder = new Yielder()
  for (const { type, name, fileName, element } of moved) {
    await txDatabase(tx)
      .update(scripts)
      .set({ FileName: fileName, Document: JSON.stringify(element) })
      .where(isCurrentOf(type, name))
    await yielder.yieldWhenDue()
  }
}

/** Takes scripts out of the model; their executions stay in the catalog. */
export async function retireScripts(tx: Tx, retired: readonly Script[]): Promise<void> {
  const yielder = new Yielder()
  for (const { type, name } of retired) {
    await txDatabase(tx).update(scripts).set({ IsCurrent: false }).where(isCurrentOf(type, name))
    await yielder.yieldWhenDue()
  }
}

/** Deletes the drafts of documents that are in the model no more; a renamed one is. */
export async function deleteLostDrafts(tx: Tx): Promise<void> {
  const kept = txDatabase(tx)
    .select({ id: sql`coalesce(${scripts.DocumentId}, ${scripts.Id})` })
    .from(scripts)
    .where(eq(scripts.IsCurrent, true))
  await txDatabase(tx).delete(drafts).where(notInArray(drafts.DocumentId, kept))
}

/** Forgets which fields moved with which stamp: after a migration that is another record's past. */
export async function forgetStamps(tx: Tx, entities: readonly string[]): Promise<void> {
  if (entities.length > 0)
    await txDatabase(tx)
      .delete(stamps)
      .where(inArray(stamps.Entity, [...entities]))
}
