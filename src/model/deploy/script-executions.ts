/** The latest execution of each script, removed ones included: found by name or file name. */
import { eq, inArray, readDatabase, sql } from '../../store/drizzle.ts'
import type { Reader } from '../../store/store.ts'
import { scripts } from '../../store/tables/catalog.ts'
import { users } from '../../store/tables/users.ts'
import { SCRIPT_TYPES, type ScriptType } from '../compiled/script.ts'

/** Types in order of preference where several scripts share a name. */
const BY_RANK: readonly ScriptType[] = [
  'ObjectView',
  'Entity',
  'Navbar',
  'StoredProcedure',
  'Rbac',
  ...SCRIPT_TYPES,
]

/** The latest execution of a script. */
export interface ScriptExecution {
  id: number
  type: string
  name: string
  fileName: string
  versionHash: string
  /** Instant in ISO form. */
  executedAt: string
  source: string
  /** Undefined for the command line. */
  executedBy: { id: number; userName: string } | undefined
  /** False for a script that was removed from the model since. */
  isCurrent: boolean
}

/** The latest execution of each script of these types, by type and name. */
export async function loadExecutions(
  reader: Reader,
  types: readonly ScriptType[] = SCRIPT_TYPES,
): Promise<ScriptExecution[]> {
  const database = readDatabase(reader)
  const latest = await database
    .select({ id: sql<number>`max(${scripts.Id})`.as('latest') })
    .from(scripts)
    .where(inArray(scripts.Type, [...types]))
    .groupBy(scripts.Type, scripts.Name)
  const rows = await database
    .select({
      id: scripts.Id,
      type: scripts.Type,
      name: scripts.Name,
      fileName: scripts.FileName,
      versionHash: scripts.VersionHash,
      executedAt: scripts.ExecutedAt,
      source: scripts.Origin,
      userId: scripts.ExecutedBy,
      userName: users.UserName,
      isCurrent: scripts.IsCurrent,
    })
    .from(scripts)
    .leftJoin(users, eq(users.Id, scripts.ExecutedBy))
    .where(sql`${scripts.Id} IN (SELECT value FROM json_each(${idList(latest)}))`)
  return rows
    .map(({ userId, userName, ...row }) => ({
      ...row,
      executedBy: userId === null ? undefined : { id: userId, userName: userName ?? '' },
    }))
    .sort((a, b) => rankOf(a) - rankOf(b) || compare(a.name, b.name))
}

const idList = (rows: readonly { id: number }[]): string => JSON.stringify(rows.map(({ id }) => id))

const rankOf = ({ type }: { type: string }): number => BY_RANK.findIndex((each) => each === type)
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** A script with its verbatim text. */
interface FoundScript extends ScriptExecution {
  body: string
}

/**
 * Finds the script by a name or a file name, in any case; a name goes before a file name. Of
 * several it takes the first by type (ObjectView, Entity, Navbar, StoredProcedure, Rbac, others),
 * then by name: `type` narrows the choice.
 */
export async function findExecution(
  reader: Reader,
  key: string,
  types?: readonly ScriptType[],
): Promise<FoundScript | undefined> {
  const all = await loadExecutions(reader, types)
  const wanted = key.toLowerCase()
  const found =
    all.find(({ name }) => name === key) ??
    all.find(({ name }) => name.toLowerCase() === wanted) ??
    all.find(({ fileName }) => fileName.toLowerCase() === wanted)
  if (!found) return undefined
  const [row] = await readDatabase(reader)
    .select({ body: scripts.Body })
    .from(scripts)
    .where(eq(scripts.Id, found.id))
  return { ...found, body: row?.body ?? '' }
}
