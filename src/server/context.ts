/** The context of every part of the running server. One value, made by `serve` and by tests. */
import type { HostedServices } from '../kernel/hosted-services.ts'
import type { Log } from '../kernel/log.ts'
import type { Settings } from '../kernel/settings.ts'
import type { Store } from '../store/store.ts'
import type { Callers } from '../access/callers/callers.ts'
import type { SigningKeys } from '../access/sessions/keys.ts'
import type { ReadLog } from '../engine/audit/work-reads.ts'
import type { CommentChanges } from '../engine/comments/comment-changes.ts'
import type { Extensions } from '../engine/extensions/extensions.ts'
import type { FileVault } from '../engine/files/file-vault.ts'
import type { MadeFiles } from '../engine/files/generated-files.ts'
import type { Hold } from '../engine/jobs/hold.ts'
import type { JobServer } from '../engine/jobs/job-server.ts'
import type { RecurringJobs } from '../engine/jobs/recurring-jobs.ts'
import type { Links } from '../engine/mail/links.ts'
import type { Mailer } from '../engine/mail/mailer.ts'
import type { NotificationFeed } from '../engine/notifications/notification-feed.ts'
import type { RecordChanges } from '../engine/object/after-write/record-changes.ts'
import type { ObjectEngine } from '../engine/object/mutation.ts'
import type { QueryCache } from '../engine/object/read/query-cache.ts'
import type { OwnChanges } from '../engine/own-changes.ts'
import type { Printer } from '../engine/pdf/draw-document.ts'
import type { Progress } from '../engine/progress.ts'
import type { Formats } from '../engine/sheets/formats.ts'
import type { Hubs } from './hub/hubs.ts'
import type { IdempotencyKeys } from './idempotency.ts'
import type { Identity } from './identity.ts'
import type { Listeners } from './listening/listeners.ts'
import type { RequestFigures } from './request-figures.ts'

export interface AppContext extends ObjectEngine {
  /** The data folder. */
  readonly folder: string
  readonly settings: Settings
  readonly log: Log
  /** `engine.db`: the application's records and what the engine must never lose. */
  readonly store: Store
  /** `state.db`: sessions, refresh tokens, throttles. */
  readonly state: Store
  /** Reads of `store` whose answers are cached until their tables change. */
  readonly queryCache: QueryCache
  readonly callers: Callers
  readonly keys: SigningKeys
  readonly identity: Identity
  readonly idempotency: IdempotencyKeys
  /** The bytes of records' files and of uploads. */
  readonly files: FileVault
  /** Mails that the engine writes itself; they leave after the answer. */
  readonly mailer: Mailer
  readonly links: Links
  /** File formats of export and import. */
  readonly formats: Formats
  /** Exports, templates and error files, until they expire. */
  readonly made: MadeFiles
  /** Scripts and handlers of the data folder's extensions. */
  readonly extensions: Extensions
  /** Draws documents to print. */
  readonly printer: Printer
  /** Runs the work that follows a commit, at least once. */
  readonly jobs: JobServer
  /** The hold of a restored folder. */
  readonly hold: Hold
  /** Has jobs done that come again by themselves. */
  readonly recurring: RecurringJobs
  /** Logs who is shown records of entities with `Audit="Reads"`. */
  readonly reads: ReadLog
  /** Reports which records are changed, before the commit and after it. */
  readonly recordChanges: RecordChanges
  /** Reports notifications as they are committed. */
  readonly notifications: NotificationFeed
  /** The loops beside the requests. */
  readonly services: HostedServices
  /** Progress of long work. */
  readonly progress: Progress
  /** Tells users' other clients what they change of their own. */
  readonly ownChanges: OwnChanges
  /** Tells which records' comments changed. */
  readonly commentChanges: CommentChanges
  /** The sockets that the server listens on. */
  readonly listeners: Listeners
  /** Counts of requests. */
  readonly requests: RequestFigures
  /** The connections of clients to hubs. */
  readonly hubs: Hubs
}
