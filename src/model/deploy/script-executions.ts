/** The latest execution of each script, removed ones included: found by name or file name. */
import { getRow } from '../../store/rows.ts'
import type { Reader } from '../../store/store.ts'
import { scripts } from '../../store/tables/catalog.ts'
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

const LATEST = `SELECT s.Id, s.Type, s.Name, s.FileName, s.VersionHash, s.ExecutedAt, s.Origin,
    s.ExecutedBy, u.UserName, s.IsCurrent
  FROM svc_scripts s LEFT JOIN svc_users u ON u.Id = s.ExecutedBy
  WHERE s.Id IN (SELECT max(Id) FROM svc_scripts
    WHERE Type IN (SELECT value FROM json_each(@types)) GROUP BY Type, Name)`

type LatestRow = Omit<
  typeof scripts.$inferSelect,
  'Body' | 'Document' | 'DocumentId' | 'Notes' | 'IsCurrent'
> & { UserName: string | null; IsCurrent: number }

/** The latest execution of each script of these types, by type and name. */
export async function loadExecutions(
  reader: Reader,
  types: readonly ScriptType[] = SCRIPT_TYPES,
): Promise<ScriptExecution[]> {
  const rows = await reader.all<LatestRow>(LATEST, { types: JSON.stringify(types) })
  return rows
    .map((row) => ({
      id: row.Id,
      type: row.Type,
      name: row.Name,
      fileName: row.FileName,
      versionHash: row.VersionHash,
      executedAt: row.ExecutedAt,
      source: row.Origin,
      executedBy:
        row.ExecutedBy === null ? undefined : { id: row.ExecutedBy, userName: row.UserName ?? '' },
      isCurrent: row.IsCurrent === 1,
    }))
    .sort((a, b) => rankOf(a) - rankOf(b) || compare(a.name, b.name))
}

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
  const row = await getRow(reader, scripts, 'WHERE Id = @id', { id: found.id })
  return { ...found, body: row?.Body ?? '' }
}
