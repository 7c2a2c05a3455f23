/** Opens a data folder as the context that an app is made with. */
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../kernel/clock.ts'
import { HostedServices } from '../kernel/hosted-services.ts'
import type { Log } from '../kernel/log.ts'
import type { Settings } from '../kernel/settings.ts'
import {
  followSlow,
  type SlowStatement,
  SlowStatements,
} from '../store/connection/slow-statements.ts'
import { openStore } from '../store/file/open.ts'
import { readStoreLimits, SQL } from '../store/floor.ts'
import { limitMemory } from '../store/limits.ts'
import type { Store } from '../store/store.ts'
import type { Compiler } from '../model/compile/compile-scripts.ts'
import { findWide } from '../model/compile/wide-entities.ts'
import { CurrentModel } from '../model/current.ts'
import { type LoadedModel, openModel } from '../model/load.ts'
import { Callers } from '../access/callers/callers.ts'
import { MFA_REQUIRED_ROLES, TOKENS } from '../access/floor.ts'
import { SigningKeys } from '../access/sessions/keys.ts'
import { SessionUses } from '../access/sessions/session-uses.ts'
import { ReadJournal } from '../engine/audit/read-journal.ts'
import { ReadLog } from '../engine/audit/work-reads.ts'
import { CommentChanges } from '../engine/comments/comment-changes.ts'
import { Extensions } from '../engine/extensions/extensions.ts'
import { openListeners } from '../engine/extensions/listener-jobs.ts'
import { openRecordChecks } from '../engine/extensions/run-validation.ts'
import { FileVault } from '../engine/files/file-vault.ts'
import { MadeFiles } from '../engine/files/generated-files.ts'
import {
  CACHE_MAX_BYTES,
  EXPORTS,
  JOBS,
  PRINTED_REPORTS,
  REQUIRE_ROW_VERSION,
  RESULTS_MAX_BYTES,
  SCRIPTS,
  SEARCH_MAX_BYTES,
} from '../engine/floor.ts'
import { TextSearch } from '../engine/grid-search/text-search.ts'
import { Hold } from '../engine/jobs/hold.ts'
import { readQueues } from '../engine/jobs/job-queues.ts'
import { JobServer } from '../engine/jobs/job-server.ts'
import { RecurringJobs } from '../engine/jobs/recurring-jobs.ts'
import { Links } from '../engine/mail/links.ts'
import { MAIL, readMailOptions } from '../engine/mail/mail-options.ts'
import { openMailer } from '../engine/mail/mailer.ts'
import { NotificationFeed } from '../engine/notifications/notification-feed.ts'
import { planAfterWrite } from '../engine/object/after-write/after-write.ts'
import { EventListeners } from '../engine/object/after-write/event-listeners.ts'
import { RecordChanges } from '../engine/object/after-write/record-changes.ts'
import { QueryCache } from '../engine/object/read/query-cache.ts'
import { OwnChanges } from '../engine/own-changes.ts'
import { Printer } from '../engine/pdf/draw-document.ts'
import { Progress } from '../engine/progress.ts'
import { Formats } from '../engine/sheets/formats.ts'
import { requireSwapped } from '../engine/upgrades/swap-folder.ts'
import { upgradeFolder, type UpgradeTeller } from '../engine/upgrades/upgrade-folder.ts'
import { moveInstance } from '../engine/workflow/record-events.ts'
import type { AppContext } from './context.ts'
import { HTTP, IDEMPOTENCY } from './floor.ts'
import { Hubs } from './hub/hubs.ts'
import { IdempotencyKeys } from './idempotency.ts'
import { openIdentity } from './identity.ts'
import { Listeners } from './listening/listeners.ts'
import { RequestFigures } from './request-figures.ts'

export interface ContextParts {
  /** The data folder, locked by the caller. */
  folder: string
  settings: Settings
  clock: Clock
  log: Log
  /** Compiler of models while the server runs; default: this process. */
  compiler?: Compiler
}

export interface OpenContext extends AppContext {
  /** Settles when the writer's watch is ready; without it no write goes through. */
  readonly watching: Promise<void>
  /** Closes both stores, pending writes first. */
  close(): Promise<void>
}

export interface Stores {
  store: Store
  state: Store
}

/**
 * Opens `engine.db` and `state.db`, creating and upgrading them where that is due. Tells of an
 * upgrade, and warns of what had to be repaired.
 */
export async function openStores(
  folder: string,
  settings: Settings,
  tell: UpgradeTeller,
): Promise<Stores> {
  const limits = readStoreLimits(settings)
  limitMemory(settings.get(SQL.maxMemory))
  await requireSwapped(folder)
  await upgradeFolder({ folder, settings, now: () => new Date(), tell })
  const warn = (sentence: string): void => tell.warn(sentence)
  const [store, state] = await Promise.all([
    openStore({
      file: join(folder, 'engine.db'),
      migrations: 'engine',
      lanes: settings.get(SQL.lanes),
      limits,
      warn,
    }),
    openStore({ file: join(folder, 'state.db'), migrations: 'state', lanes: 1, limits, warn }),
  ])
  return { store, state }
}

/** Closes both stores, also when the first one cannot be closed. */
export async function closeStores({ store, state }: Stores): Promise<void> {
  const closed = await Promise.allSettled([store.close(), state.close()])
  for (const result of closed) if (result.status === 'rejected') throw result.reason
}

/** Opens the stores, loads the deployed model and the signing keys. */
export async function openContext(parts: ContextParts): Promise<OpenContext> {
  const { folder, settings, clock, log } = parts
  const mailOptions = readMailOptions(settings)
  // Before anything is touched: a certificate that cannot be served stops the start.
  const sockets = new Listeners(parts)
  const stores = await openStores(folder, settings, log)
  logSlowStatements(settings.get(SQL.slow), log)
  try {
    const { store, state } = stores
    const [loaded, keys] = await Promise.all([openModel(store), SigningKeys.open(store, clock)])
    for (const { message } of findWide(loaded.model)) log.warn(message)
    const models = new CurrentModel(loaded.model, parts.compiler)
    const journal = new ReadJournal({ folder, store, log })
    const files = new FileVault({ folder, store, state, clock, log })
    const timeoutMs = settings.get(SQL.writeTimeout)
    const [changes, listeners] = [new RecordChanges(), new EventListeners()]
    const heard = { changes, listeners, moveInstance }
    store.useAfterWrite(planAfterWrite(models, () => clock.now(), { timeoutMs, files, ...heard }))
    // Reads begin at once; the first write waits for the watch in the writer's queue.
    const watching = store.watch(loaded.watched)
    const keeping = watching.then(() => keepModel(parts, { store, models }, loaded))
    keeping.catch(() => {})
    const uses = new SessionUses({ state, clock })
    const callers = openCallers(parts, { store, state, keys, uses })
    const reads = new ReadLog({ journal, clock, log, models })
    const base = {
      folder,
      settings,
      clock,
      log,
      store,
      state,
      models,
      callers,
      keys,
      files,
      requireRowVersion: settings.get(REQUIRE_ROW_VERSION),
      queryCache: openQueryCache(store, settings),
      mailer: openMailer(mailOptions, parts),
      links: new Links(settings.get(MAIL.baseUrl), settings.get(HTTP.basePath)),
      formats: new Formats(),
      recordChanges: changes,
      reads,
      services: new HostedServices(),
      hold: new Hold(store),
      made: openMade(parts, state),
      progress: new Progress(),
      ownChanges: new OwnChanges(),
      commentChanges: new CommentChanges(),
      listeners: sockets,
      requests: new RequestFigures(),
      hubs: new Hubs({ settings, log, models, callers, reads }),
      printer: openPrinter(settings),
      extensions: openExtensions(parts, store),
    }
    listeners.listen(openListeners(base.extensions, log))
    return {
      ...base,
      isHeard: (model, entity) => listeners.isHeard(model, entity),
      jobs: openJobs(base),
      recurring: new RecurringJobs(base),
      findRecordCheck: openRecordChecks(base),
      notifications: new NotificationFeed(base),
      identity: openIdentity(base),
      idempotency: openIdempotency(parts, store),
      watching,
      close: async () => {
        await base.extensions.close()
        await base.printer.close()
        await base.mailer.stop()
        await uses.write().catch(() => {})
        await keeping.catch(() => {})
        await files.settle()
        await journal.close()
        await closeStores(stores)
      },
    }
  } catch (error) {
    await closeStores(stores)
    throw error
  }
}

/** Logs statements that take `fromMs` or longer, each once a minute; 0 logs none. */
function logSlowStatements(fromMs: number, log: Log): void {
  const report = ({ sql, milliseconds, plan, account, unreported }: SlowStatement): void =>
    log.warn('slow statement', {
      ms: milliseconds,
      sql,
      plan,
      ...(account && account.name !== '' && { user: Number(account.name) }),
      ...(account?.traceId !== undefined && { traceId: account.traceId }),
      ...(unreported > 0 && { unreported }),
    })
  followSlow(fromMs > 0 ? new SlowStatements(fromMs, report) : undefined)
}

const readTokenPolicy = (settings: Settings) => ({
  issuer: settings.get(TOKENS.issuer),
  audience: settings.get(TOKENS.audience),
  accessLifetime: settings.get(TOKENS.accessLifetime),
})

const openCallers = (
  { settings, clock }: ContextParts,
  parts: Pick<AppContext, 'store' | 'state' | 'keys'> & { uses: SessionUses },
): Callers =>
  new Callers({
    ...parts,
    policy: readTokenPolicy(settings),
    clock,
    mfaRoles: settings.get(MFA_REQUIRED_ROLES),
  })

const openIdempotency = ({ settings, clock }: ContextParts, store: Store): IdempotencyKeys =>
  new IdempotencyKeys({
    store,
    clock,
    lifetime: settings.get(IDEMPOTENCY.ttl),
    rejectsMismatch: settings.get(IDEMPOTENCY.rejectMismatch),
  })

const openQueryCache = (store: Store, settings: Settings): QueryCache =>
  new QueryCache(
    store,
    settings.get(CACHE_MAX_BYTES),
    new TextSearch(store, settings.get(SEARCH_MAX_BYTES)),
    settings.get(RESULTS_MAX_BYTES),
  )

const openMade = ({ folder, settings, clock, log }: ContextParts, state: Store): MadeFiles =>
  new MadeFiles({
    quota: {
      bytes: settings.get(EXPORTS.userQuota),
      files: settings.get(EXPORTS.userFiles),
    },
    folder,
    state,
    clock,
    log,
    lifetime: settings.get(EXPORTS.retention),
    basePath: settings.get(HTTP.basePath),
  })

const openPrinter = (settings: Settings): Printer =>
  new Printer({
    timeoutMs: settings.get(PRINTED_REPORTS.timeout),
    memoryBytesMax: settings.get(PRINTED_REPORTS.maxMemory),
    concurrency: settings.get(PRINTED_REPORTS.concurrency),
  })

const openExtensions = ({ folder, settings, log }: ContextParts, store: Store): Extensions =>
  new Extensions({
    folder,
    store,
    log,
    settings: Object.fromEntries(settings.listApp()),
    limits: {
      deadlineMs: settings.get(SCRIPTS.timeout),
      memoryBytesMax: settings.get(SCRIPTS.maxMemory),
    },
    checkMs: settings.get(SCRIPTS.validateTimeout),
    runsMax: settings.get(SCRIPTS.concurrency),
    answerBytesMax: settings.get(RESULTS_MAX_BYTES),
  })

type JobServerParts = Pick<
  AppContext,
  'store' | 'callers' | 'clock' | 'log' | 'progress' | 'settings' | 'hold' | 'reads'
>

function openJobs({ settings, ...parts }: JobServerParts): JobServer {
  const workers = settings.get(JOBS.workers)
  const { store, callers, clock, log, progress, hold, reads } = parts
  return new JobServer({
    store,
    callers,
    clock,
    log,
    progress,
    hold,
    reads,
    workers,
    server: `${hostname()}:${process.pid}`,
    queues: readQueues(settings.get(JOBS.queues), workers),
    timeoutMs: settings.get(JOBS.timeout),
    retryDelayMs: settings.get(JOBS.retryDelay),
    stopMs: JOB_STOP_MS,
  })
}

/** Milliseconds that a stop waits for running jobs before it ends them. */
const JOB_STOP_MS = 2000

/**
 * Stores a freshly compiled model as a snapshot for the next start, unless a deploy has come
 * between.
 */
async function keepModel(
  { log }: ContextParts,
  { store, models }: Pick<AppContext, 'store' | 'models'>,
  { model, keep }: LoadedModel,
): Promise<void> {
  if (keep === undefined || models.get() !== model) return
  try {
    await keep(store)
  } catch (error) {
    log.error('the model snapshot could not be stored', error)
  }
}
