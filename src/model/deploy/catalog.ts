/** The script catalog: every execution of a script, verbatim; the latest of a name is current. */
import { Yielder } from '../../kernel/yielder.ts'
import { allRows, insertRow, updateRows } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { scripts } from '../../store/tables/catalog.ts'
import { type Script, SCRIPT_TYPES, type ScriptType } from '../compiled/script.ts'

type ScriptRow = typeof scripts.$inferSelect

/** The current scripts, or those of a type, in the order of types and names. */
export async function loadScripts(reader: Reader, type?: ScriptType): Promise<Script[]> {
  const rows =
    type === undefined
      ? await allRows(reader, scripts, 'WHERE IsCurrent = 1 ORDER BY Type, Name')
      : await allRows(reader, scripts, 'WHERE IsCurrent = 1 AND Type = @type ORDER BY Name', {
          type,
        })
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
export function toScript(row: ScriptRow): Script {
  return {
    type: requireType(row.Type),
    name: row.Name,
    fileName: row.FileName,
    body: row.Body,
    versionHash: row.VersionHash,
    element: JSON.parse(row.Document),
  }
}

/** @throws Error for a type that this version does not know */
export function requireType(type: string): ScriptType {
  const known = SCRIPT_TYPES.find((one) => one === type)
  if (known === undefined) throw new Error(`The catalog holds a script of unknown type ${type}`)
  return known
}

/**
 * Whence scripts are executed: a deploy of files, what changes them here, or what a deploy
 * made of both.
 */
export type DeploySource = (typeof SOURCES)[number]

const SOURCES = ['deploy', 'board', 'designer', 'import', 'merge'] as const

/** @throws Error for an origin that this version does not know */
export function requireSource(origin: string): DeploySource {
  const known = SOURCES.find((one) => one === origin)
  if (known === undefined) throw new Error(`The catalog holds a script of unknown origin ${origin}`)
  return known
}

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

type ChangedRow = Pick<ScriptRow, 'Type' | 'Name' | 'VersionHash'> & { Deployed: string | null }

/** Each with the hash of its own last deploy. */
const NOT_OF_DEPLOYS = `SELECT Type, Name, VersionHash, (
    SELECT d.VersionHash FROM svc_scripts d
    WHERE d.Origin = 'deploy' AND d.Type = s.Type AND d.Name = s.Name ORDER BY d.Id DESC LIMIT 1
  ) AS Deployed
  FROM svc_scripts s WHERE IsCurrent = 1 AND Origin <> 'deploy'`

/**
 * Loads the current scripts whose body differs from that of their own last deploy. A script that
 * was changed here and changed back is left out.
 */
export async function loadChangedHere(reader: Reader): Promise<ChangedScript[]> {
  const rows = await reader.all<ChangedRow>(NOT_OF_DEPLOYS)
  return rows
    .filter(({ VersionHash, Deployed }) => VersionHash !== Deployed)
    .map(({ Type, Name, Deployed }) => ({
      type: requireType(Type),
      name: Name,
      deployedHash: Deployed ?? undefined,
    }))
}

const DEPLOYED_RBAC = `SELECT Name, Body FROM svc_scripts WHERE Id IN (
  SELECT max(Id) FROM svc_scripts WHERE Origin = 'deploy' AND Type = 'Rbac' GROUP BY Name)`

/**
 * The Rbac scripts as their own last deploy brought them, by name; none for one that was made here.
 * What was deployed is the base that the next deploy merges with, whatever is current.
 */
export async function loadDeployedRbac(reader: Reader): Promise<Map<string, string>> {
  const rows = await reader.all<Pick<ScriptRow, 'Name' | 'Body'>>(DEPLOYED_RBAC)
  return new Map(rows.map(({ Name, Body }) => [Name, Body]))
}

/**
 * Writes down that scripts were executed; each becomes the current one of its name. `former` names
 * the documents of scripts that come back: without a current version they would begin others.
 */
export async function saveScripts(
  tx: Tx,
  executed: readonly Script[],
  execution: Execution,
  former: ReadonlyMap<Script, number> = new Map(),
): Promise<void> {
  const current = await loadDocumentIds(tx, executed, execution)
  const documents = new Map([...former, ...current])
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
    const current = await tx.get<Pick<ScriptRow, 'Id' | 'DocumentId'>>(
      `SELECT Id, DocumentId FROM svc_scripts ${CURRENT}`,
      { type: script.type, name: document?.former ?? script.name },
    )
    if (current) documents.set(script, current.DocumentId ?? current.Id)
  }
  return documents
}

const CURRENT = 'WHERE IsCurrent = 1 AND Type = @type AND Name = @name'

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
    await insertRow(tx, scripts, {
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
    const set = { FileName: fileName, Document: JSON.stringify(element) }
    await updateRows(tx, scripts, CURRENT, { type, name, set })
    await yielder.yieldWhenDue()
  }
}

/** Takes scripts out of the model; their executions stay in the catalog. */
export async function retireScripts(tx: Tx, retired: readonly Script[]): Promise<void> {
  const yielder = new Yielder()
  for (const { type, name } of retired) {
    await updateRows(tx, scripts, CURRENT, { type, name, set: { IsCurrent: false } })
    await yielder.yieldWhenDue()
  }
}

/** Deletes the drafts of documents that are in the model no more; a renamed one is. */
export async function deleteLostDrafts(tx: Tx): Promise<void> {
  await tx.run(
    `DELETE FROM svc_drafts WHERE DocumentId NOT IN
     (SELECT coalesce(DocumentId, Id) FROM svc_scripts WHERE IsCurrent = 1)`,
  )
}

/** Forgets which fields moved with which stamp: after a migration that is another record's past. */
export async function forgetStamps(tx: Tx, entities: readonly string[]): Promise<void> {
  if (entities.length === 0) return
  const args = { entities: JSON.stringify(entities) }
  await tx.run(
    'DELETE FROM svc_stamps WHERE Entity IN (SELECT value FROM json_each(@entities))',
    args,
  )
}
