/** The quota of one user for files that were made to be fetched. */
import type { Clock } from '../../kernel/clock.ts'
import { type Failure, tooMany } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Reader } from '../../store/store.ts'

/** Bounds of one user, in whichever company. */
export interface MadeQuota {
  /** `Svc:Exports:UserQuota` */
  bytes: number
  /** `Svc:Exports:UserFiles` */
  files: number
}

/** A user's share of those files. */
export type OwnFiles = {
  bytes: number
  files: number
  /** The instant when the first of them expires. */
  until: string | null
}

const OWN = `SELECT coalesce(sum(Size), 0) AS bytes, count(*) AS files, min(ExpiresAt) AS until
  FROM svc_exports WHERE UserId = @userId AND ExpiresAt > @now`

const NOTHING: OwnFiles = { bytes: 0, files: 0, until: null }

/** The files of a user that have not expired. */
export async function loadOwnFiles(
  reader: Reader,
  userId: number,
  clock: Clock,
): Promise<OwnFiles> {
  const now = clock.now().toISOString()
  return (await reader.get<OwnFiles>(OWN, { userId, now })) ?? NOTHING
}

const RETRY_SECONDS_MAX = 24 * 60 * 60

/** 429 until the first file of the user expires. */
export function overMadeQuota(
  what: 'bytes' | 'files',
  quota: MadeQuota,
  { until }: OwnFiles,
  clock: Clock,
): Failure {
  const left = until === null ? 60 : (Date.parse(until) - clock.now().getTime()) / 1000
  const seconds = Math.min(Math.max(Math.ceil(left), 1), RETRY_SECONDS_MAX)
  const { files } = quota
  const kilobytes = Math.floor(quota.bytes / 1024)
  return tooMany(
    what === 'files'
      ? say`You have reached the limit of ${files} exported files (Svc:Exports:UserFiles)`
      : say`Your exported files are limited to ${kilobytes} KB (Svc:Exports:UserQuota)`,
    seconds,
  )
}
