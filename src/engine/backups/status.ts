/** How the last backup went, for health, figures and operators. */
import type { Reader, Tx } from '../../store/store.ts'

const FACT = 'backup status'

/** The last backup that a job made, and its rehearsal. */
interface BackupStatus {
  /** The instant when it ended, as an ISO text. */
  At: string
  Ok: boolean
  /** Null where none was made. */
  Name: string | null
  /** Bytes of the file; 0 where none was made. */
  Bytes: number
  /** Seconds that the backup took, and its rehearsal; null where it was not begun. */
  Seconds: number | null
  RehearsalSeconds: number | null
  /** The reason of a failure, as a stored message; null where all went well. */
  Error: string | null
  /** The end of the last one that was made and rehearsed well; null before the first. */
  LastGoodAt: string | null
}

/** Notes how a backup went; the last good one is remembered. */
export async function saveBackupStatus(
  tx: Tx,
  status: Omit<BackupStatus, 'LastGoodAt'>,
): Promise<void> {
  const before = await findBackupStatus(tx)
  const LastGoodAt = status.Ok ? status.At : (before?.LastGoodAt ?? null)
  await tx.run(
    `INSERT INTO svc_facts (Name, Value) VALUES (@name, @value)
     ON CONFLICT (Name) DO UPDATE SET Value = excluded.Value`,
    { name: FACT, value: JSON.stringify({ ...status, LastGoodAt }) },
  )
}

/** How the last backup of a job went; undefined before the first. */
export async function findBackupStatus(reader: Reader): Promise<BackupStatus | undefined> {
  const sql = 'SELECT Value FROM svc_facts WHERE Name = @name'
  const row = await reader.get<{ Value: string }>({ sql, args: { name: FACT }, runs: 'inline' })
  return row && (JSON.parse(row.Value) as BackupStatus)
}
