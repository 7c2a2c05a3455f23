/** Uploads that wait for a record: their senders own them, in the company they sent them in. */
import { Loop } from '../../kernel/background.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Failure, notFound } from '../../kernel/failure.ts'
import type { Log } from '../../kernel/log.ts'
import { type Message, say } from '../../kernel/messages.ts'
import { allRows, getRow, insertRow } from '../../store/rows.ts'
import {
  type Reader,
  type Store,
  systemScope,
  type Tx,
  type WriteScope,
} from '../../store/store.ts'
import { uploads } from '../../store/tables/files.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { FileVault } from './file-vault.ts'

/** Lifetime of an upload, in milliseconds. */
export const UPLOAD_LIFETIME_MS = 24 * 60 * 60 * 1000

/** Another user's upload and an expired one read the same as a missing one. */
const missingUpload = () => notFound(say`There is no such upload`, { code: 'UPLOAD_NOT_FOUND' })

/** 413: the uploads of a user that wait take as much as they may. */
export const overQuota = (bytes: number): Failure =>
  new Failure('tooLarge', overQuotaText(bytes), { code: 'UPLOAD_QUOTA' })

const overQuotaText = (bytes: number): Message =>
  say`Your pending uploads are limited to ${Math.floor(bytes / 1024)} KB. Remove some first.`

/** A row of `svc_uploads`. */
export type Upload = typeof uploads.$inferSelect

/** The owner of uploads. */
type Owner = Pick<Caller, 'userId' | 'companyId'>

export interface UploadParts {
  store: Store
  files: FileVault
  clock: Clock
  /** Bytes that the waiting uploads of one user may take (`Svc:Uploads:UserQuota`). */
  userQuota: number
}

const WAITING = 'UserId = @userId AND CompanyId = @companyId AND ExpiresAt > @now'

/** Values of `WAITING`. */
const planWaiting = ({ userId, companyId }: Owner, now: Date) => ({
  userId,
  companyId,
  now: now.toISOString(),
})

const SUM = 'SELECT coalesce(sum(Size), 0) AS bytes FROM svc_uploads WHERE UserId = @userId'

const sumBytes = async (reader: Reader, userId: number): Promise<number> =>
  (await reader.get<{ bytes: number }>(SUM, { userId }))?.bytes ?? 0

/** Bytes of a user's uploads that wait, in whichever company. */
export const loadWaitingBytes = ({ store }: UploadParts, userId: number): Promise<number> =>
  sumBytes(store, userId)

/**
 * Keeps received files as uploads: first the files, by their paths, then the rows with those that
 * `recordResponse` adds to their transaction, which `scope` judges. @throws tooLarge when they are
 * over the quota together.
 */
export async function saveUploads(
  { store, files, userQuota }: UploadParts,
  received: readonly { path: string; row: Upload }[],
  { recordResponse, scope }: { recordResponse: (tx: Tx) => Promise<void>; scope: WriteScope },
): Promise<void> {
  const paths = new Map(received.map(({ path, row }) => [row.Key, path]))
  await files.take(paths, () =>
    store.write(async (tx) => {
      for (const { row } of received) {
        await insertRow(tx, uploads, row)
        if ((await sumBytes(tx, row.UserId)) > userQuota) throw overQuota(userQuota)
      }
      await recordResponse(tx)
    }, scope),
  )
}

/** An upload that waits for its owner; undefined for any other key. */
export const findUpload = (
  { store, clock }: Pick<UploadParts, 'store' | 'clock'>,
  owner: Owner,
  key: string,
): Promise<Upload | undefined> =>
  getRow(store, uploads, `WHERE Key = @key AND ${WAITING}`, {
    ...planWaiting(owner, clock.now()),
    key,
  })

/** Uploads of an owner that wait at `now`, by key, as a transaction sees them. */
export async function loadUploads(
  tx: Tx,
  owner: Owner,
  keys: readonly string[],
  now: Date,
): Promise<Map<string, Upload>> {
  if (keys.length === 0) return new Map()
  const listed = `WHERE Key IN (SELECT value FROM json_each(@keys)) AND ${WAITING}` as const
  const args = { ...planWaiting(owner, now), keys: JSON.stringify(keys) }
  const rows = await allRows(tx, uploads, listed, args)
  return new Map(rows.map((row) => [row.Key, row]))
}

/** Removes an upload before its submit. @throws notFound for any key but the owner's own. */
export async function deleteUpload(
  { store, files, clock }: UploadParts,
  owner: Owner,
  key: string,
): Promise<void> {
  const args = { ...planWaiting(owner, clock.now()), key }
  await store.write(async (tx) => {
    const removed = await tx.run(`DELETE FROM svc_uploads WHERE Key = @key AND ${WAITING}`, args)
    if (removed === 0) throw missingUpload()
    files.releaseAfter(tx, [key])
  }, systemScope('uploads belong to users'))
}

/** Expired uploads that one transaction removes. */
const SWEPT_ROWS = 100

const EXPIRED = `SELECT Key FROM svc_uploads WHERE ExpiresAt <= @now LIMIT ${SWEPT_ROWS}`

const REMOVE_EXPIRED = `DELETE FROM svc_uploads
  WHERE Key IN (SELECT value FROM json_each(@keys)) AND ExpiresAt <= @now RETURNING Key`

/** Removes expired uploads, some at a time. */
async function deleteExpiredUploads({
  store,
  files,
  clock,
}: Omit<UploadParts, 'userQuota'>): Promise<void> {
  for (;;) {
    const now = clock.now().toISOString()
    const expired = await store.all<Pick<Upload, 'Key'>>(EXPIRED, { now })
    if (expired.length === 0) return
    const keys = JSON.stringify(expired.map(({ Key }) => Key))
    await store.write(async (tx) => {
      const removed = await tx.all<Pick<Upload, 'Key'>>(REMOVE_EXPIRED, { keys, now })
      files.releaseAfter(
        tx,
        removed.map(({ Key }) => Key),
      )
    }, systemScope('uploads belong to users'))
  }
}

/** Milliseconds between two looks for expired uploads. */
const LOOK_MS = 60_000

interface SweeperParts {
  store: Store
  files: FileVault
  clock: Clock
  log: Log
}

/**
 * Sweeps at once and then every minute, beside the requests. It has started when partly received
 * files are removed, before which nothing may be received.
 */
export const openFileSweeper = (parts: SweeperParts): Loop =>
  new Loop({
    name: 'uploads that expire',
    everyMs: LOOK_MS,
    log: parts.log,
    prepare: () => parts.files.clearReceived(),
    first: [() => parts.files.sweep()],
    steps: [() => deleteExpiredUploads(parts), () => parts.files.sweepAgain()],
    failure: 'what has expired could not be swept',
  })
