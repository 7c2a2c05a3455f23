/**
 * The hold of a restored folder: what would leave the house waits until it is let go. What a backup
 * has as waiting was most likely sent between the backup and the restore.
 */
import type { Reader, Tx } from '../../store/store.ts'
import { addHistory } from './job-history.ts'

const FACT = 'held'

/** Migrations of an `engine.db` from which on the versions that read it hold what they should. */
export const HOLD_SCHEMA = 22

/** Why a folder holds what would leave the house. */
interface HoldReason {
  /** The instant of the restore, as an ISO text. */
  RestoredAt: string
  /** The instant of the state that was restored. */
  BackupOf: string
}

/** Counts of jobs and mails that were let go. */
export interface Released {
  jobs: number
  mails: number
}

const SAVE = `INSERT INTO svc_facts (Name, Value) VALUES (@name, @value)
  ON CONFLICT (Name) DO UPDATE SET Value = excluded.Value`

/** Begins the hold, in the transaction that restores. */
export const saveHold = (tx: Tx, reason: HoldReason): Promise<number> =>
  tx.run(SAVE, { name: FACT, value: JSON.stringify(reason) })

/** Why things are held; undefined where nothing is. */
export async function findHold(reader: Reader): Promise<HoldReason | undefined> {
  const sql = 'SELECT Value FROM svc_facts WHERE Name = @name'
  const row = await reader.get<{ Value: string }>({ sql, args: { name: FACT }, runs: 'inline' })
  return row && (JSON.parse(row.Value) as HoldReason)
}

const NAMES = `SELECT DISTINCT Name FROM svc_jobs WHERE State = 'Enqueued'`

const HOLD = `UPDATE svc_jobs SET State = 'Held', History = ${addHistory(`'Held'`)}
  WHERE State = 'Enqueued' AND Name IN (SELECT value FROM json_each(@names))`

/**
 * Holds the jobs that wait for a worker and may send something out of the house; none where the
 * hold has ended by now.
 */
export async function holdJobs(
  tx: Tx,
  now: Date,
  staysInside: (name: string) => boolean,
): Promise<void> {
  if ((await findHold(tx)) === undefined) return
  const waiting = await tx.all<{ Name: string }>(NAMES)
  const names = waiting.map(({ Name }) => Name).filter((name) => !staysInside(name))
  if (names.length > 0) await tx.run(HOLD, { at: now.toISOString(), names: JSON.stringify(names) })
}

const RELEASE = `UPDATE svc_jobs SET State = 'Enqueued', History = ${addHistory(`'Enqueued'`)}
  WHERE State = 'Held'`

const MAILS = `SELECT count(*) AS Count FROM svc_outbox WHERE State = 'pending' AND Kind = 'mail'`

/** Lets go what a restore holds; zeros where nothing is held. */
export async function releaseHeld(tx: Tx, now: Date): Promise<Released> {
  const ended = await tx.run('DELETE FROM svc_facts WHERE Name = @name', { name: FACT })
  const jobs = await tx.run(RELEASE, { at: now.toISOString() })
  if (ended === 0) return { jobs, mails: 0 }
  const mails = await tx.get<{ Count: number }>(MAILS)
  return { jobs, mails: mails?.Count ?? 0 }
}

/** The hold as the parts of a running server know it. */
export class Hold {
  readonly #store: Reader
  #reason: HoldReason | undefined
  #isKnown = false

  constructor(store: Reader) {
    this.#store = store
  }

  /** Why things are held; undefined where nothing is. */
  async find(): Promise<HoldReason | undefined> {
    if (!this.#isKnown) this.#reason = await findHold(this.#store)
    this.#isKnown = true
    return this.#reason
  }

  /** Ends it, in a transaction; what was held goes after the commit. */
  async release(tx: Tx, now: Date): Promise<Released> {
    const released = await releaseHeld(tx, now)
    tx.afterCommit(() => {
      this.#isKnown = true
      this.#reason = undefined
    })
    return released
  }
}
