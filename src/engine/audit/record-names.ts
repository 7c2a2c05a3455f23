/** Names of a record in the audit log, before deploys gave it another key. */
import type { Reader } from '../../store/store.ts'

/** Entries of a record between two entries of the log, under the name that it had then. */
export interface RecordName {
  entity: string
  /** Forms in which its key may be stored. */
  keys: readonly string[]
  /** Only entries after this one, up to and with the other. */
  after: number
  upTo: number
}

/** The most deploys that are followed back: each gave the entity other keys. */
const DEPLOYS_MAX = 100

/**
 * The names of a record, the present one first. Entries of its key before the last deploy that gave
 * the entity other keys are another record's.
 */
export async function findRecordNames(
  reader: Reader,
  entity: string,
  keys: readonly string[],
): Promise<RecordName[]> {
  const names: RecordName[] = []
  let now = { entity, keys }
  let upTo = Number.MAX_SAFE_INTEGER
  for (let deploys = 0; deploys < DEPLOYS_MAX; deploys++) {
    const after = await findLastChange(reader, now.entity, upTo)
    names.push({ ...now, after: after ?? 0, upTo })
    if (after === undefined) break
    const former = await findFormer(reader, now, after)
    if (former === undefined) break
    now = former
    upTo = after
  }
  return names
}

async function findLastChange(
  reader: Reader,
  entity: string,
  upTo: number,
): Promise<number | undefined> {
  const sql = `SELECT max(AuditId) AS Id FROM svc_former_keys
    WHERE Entity = @entity AND AuditId < @upTo`
  const row = await reader.get({ sql, args: { entity, upTo }, runs: 'lane' })
  return row?.Id === null || row === undefined ? undefined : Number(row.Id)
}

async function findFormer(
  reader: Reader,
  { entity, keys }: Pick<RecordName, 'entity' | 'keys'>,
  after: number,
): Promise<Pick<RecordName, 'entity' | 'keys'> | undefined> {
  const sql = `SELECT FormerEntity, FormerKey FROM svc_former_keys
    WHERE Entity = @entity AND RecordKey IN (@key, @otherKey) AND AuditId = @after`
  const args = { entity, key: keys[0], otherKey: keys[1], after }
  const row = await reader.get({ sql, args, runs: 'lane' })
  return row && { entity: String(row.FormerEntity), keys: [String(row.FormerKey)] }
}
