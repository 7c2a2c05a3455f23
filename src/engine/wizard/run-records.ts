/** Runs as they are stored; each belongs to its owner, in the company that it was begun in. */
import { conflict, notFound, tooMany } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { allRows, getRow, insertRow, updateRows } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { wizardRuns } from './engine-db.ts'

type RunRow = typeof wizardRuns.$inferSelect

/** Values that were given, by the name of their step, in wire form. */
export type Given = Readonly<Record<string, unknown>>

/** A run with its lists and values read. */
export interface WizardRun extends Omit<RunRow, 'Path' | 'Given'> {
  readonly Path: readonly string[]
  readonly Given: Given
}

/** The same 404 for runs of others, expired runs and runs that never existed. */
export const missingRun = () =>
  notFound(say`There is no such run, or it has expired`, { code: 'WIZARD_RUN_NOT_FOUND' })

/** Another request was faster, perhaps the owner's own on another device. */
export const changedRun = () =>
  conflict(say`The run was continued somewhere else. Reload it and try again.`, {
    code: 'WIZARD_RUN_CHANGED',
  })

type Owner = Pick<Caller, 'userId' | 'companyId' | 'apiKey'>

const OWN = 'UserId = @user AND CompanyId = @company AND ApiKeyId IS @key AND ExpiresAt > @now'

const ownArgs = ({ userId, companyId, apiKey }: Owner, now: Date) => ({
  user: userId,
  company: companyId,
  key: apiKey?.id ?? null,
  now: now.toISOString(),
})

const toRun = (row: RunRow): WizardRun => ({
  ...row,
  // Written by `toRow` below.
  Path: JSON.parse(row.Path) as string[],
  Given: JSON.parse(row.Given) as Given,
})

const FIND = `WHERE Id = @id AND ${OWN}` as const

/** A run of the owner that has not expired; undefined for any other Id. */
export async function findRun(
  reader: Reader,
  owner: Owner,
  id: string,
  now: Date,
): Promise<WizardRun | undefined> {
  const row = await getRow(reader, wizardRuns, FIND, { ...ownArgs(owner, now), id })
  return row && toRun(row)
}

/** Most runs that a list shows. */
const LISTED_MAX = 200

const LIST = `WHERE ${OWN} ORDER BY ChangedAt DESC, Id LIMIT ${LISTED_MAX}` as const

/** The owner's runs that can continue, the latest first. */
export async function listRuns(reader: Reader, owner: Owner, now: Date): Promise<WizardRun[]> {
  const rows = await allRows(reader, wizardRuns, LIST, ownArgs(owner, now))
  return rows.map(toRun)
}

const RETRY_SECONDS = 60

const COUNT = `SELECT count(*) AS Count FROM svc_wizard_runs
  WHERE UserId = @user AND ExpiresAt > @now`

const toRow = (run: WizardRun): RunRow => ({
  ...run,
  Path: JSON.stringify(run.Path),
  Given: JSON.stringify(run.Given),
})

/** @throws tooMany when a user would have more than `max` */
export async function insertRun(tx: Tx, run: WizardRun, max: number): Promise<void> {
  const open = await tx.get<{ Count: number }>(COUNT, { user: run.UserId, now: run.CreatedAt })
  if ((open?.Count ?? 0) >= max)
    throw tooMany(
      say`You can have at most ${max} open runs. Finish or cancel some first.`,
      RETRY_SECONDS,
    )
  await insertRow(tx, wizardRuns, toRow(run))
}

const FORMER = 'WHERE Id = @Id AND Version = @former AND ExpiresAt > @ChangedAt'

/** Replaces a run's earlier version. @throws conflict when another version is stored */
export async function updateRun(tx: Tx, run: WizardRun): Promise<void> {
  const { Id, Step, Path, Given, VersionHash, Language, Version, ChangedAt, ExpiresAt } = toRow(run)
  const changed = { Step, Path, Given, VersionHash, Language, Version, ChangedAt, ExpiresAt }
  const set = { ...changed, WarnedAt: null }
  const args = { Id, former: Version - 1, ChangedAt, set }
  if ((await updateRows(tx, wizardRuns, FORMER, args)) === 0) throw changedRun()
}

/** Removes a run. @throws conflict when another version of it is stored */
export async function deleteRun(tx: Tx, { Id, Version }: WizardRun): Promise<void> {
  const sql = 'DELETE FROM svc_wizard_runs WHERE Id = @Id AND Version = @Version'
  if ((await tx.run(sql, { Id, Version })) === 0) throw changedRun()
}
