/** Takes old entries out of the audit log, into signed archives (src/engine/audit). */
import { Loop } from '../../kernel/background.ts'
import { DAY, MINUTE } from '../../kernel/setting.ts'
import { dropArchived, findAuditBase } from '../../store/audit/base.ts'
import type { AuditHead } from '../../store/audit/record.ts'
import type { SqlRow } from '../../store/sql.ts'
import { type Reader, systemScope } from '../../store/store.ts'
import {
  type ArchiveSpan,
  AUDIT_FOLDER,
  listArchives,
  proveArchive,
  writeArchive,
} from '../../engine/audit/archive-file.ts'
import type { AppContext } from '../../server/context.ts'
import { AUDIT } from './settings.ts'

const SCOPE = systemScope('the audit log is of all companies')

const LOOK_MS = 30 * MINUTE

/** Entries of an archive at most. */
const ENTRIES_MAX = 20_000
/** An archive of fewer waits until its first entry is older than that, so that they stay few. */
const SPARE_MS = 7 * DAY

const PAGE = 1000
const OLD = `SELECT Id, At, UserId, ImpersonatorId, CompanyId, Source, TraceId, Entity, RecordKey,
    Action, Changes, Hash
  FROM svc_audit WHERE Id > @after ORDER BY Id LIMIT @most`

/** Moves what `Svc:Audit:Keep` does not keep; a start goes on where a crash interrupted it. */
export function openArchiving(app: AppContext): Loop {
  const loop: Loop = new Loop({
    name: 'audit archives',
    everyMs: LOOK_MS,
    log: app.log,
    steps: [
      async () => {
        while (!loop.isStopping && (await archiveNext(app, () => loop.isStopping)));
      },
    ],
    failure: 'old audit entries could not be archived',
  })
  return loop
}

/** Archives the oldest entries; false where none are due. */
async function archiveNext(app: AppContext, isStopping: () => boolean): Promise<boolean> {
  const { store, settings, clock, folder, keys, log } = app
  const base = await findAuditBase(store)
  const begun = listArchives(folder).find(
    ({ first, last }) => first <= base.count + 1 && last > base.count,
  )
  if (begun) return drop(app, { from: base, to: await requireOwn(app, base, begun) }, isStopping)
  const keep = settings.get(AUDIT.keep)
  if (keep === 0) return false
  const before = clock.now().getTime() - keep
  const span = await findSpan(store, base, before)
  if (!span) return false
  const archive = await writeArchive(folder, keys, { span, entries: loadEntries(store, span) })
  log.info('audit entries were archived', {
    file: archive.name,
    entries: span.to.count - span.from.count,
  })
  return drop(app, span, isStopping)
}

/** Deletes what an archive has, in short transactions. */
async function drop(
  { store }: AppContext,
  { from, to }: ArchiveSpan,
  isStopping: () => boolean,
): Promise<boolean> {
  let base = from
  while (base.count < to.count) {
    if (isStopping()) return false
    const start = base
    base = await store.write((tx) => dropArchived(tx, start, to), SCOPE)
  }
  return true
}

/** The entries that are due: none where a few of the last days alone are. */
async function findSpan(
  store: Reader,
  from: AuditHead,
  before: number,
): Promise<ArchiveSpan | undefined> {
  let to = from
  let oldest: number | undefined
  for await (const rows of loadRows(store, ENTRIES_MAX)) {
    for (const { At, Hash } of rows) {
      const at = Date.parse(String(At))
      if (at >= before) return isDue(oldest, before) ? { from, to } : undefined
      oldest ??= at
      to = { count: to.count + 1, hash: String(Hash) }
    }
  }
  const isFull = to.count - from.count === ENTRIES_MAX
  return isFull || isDue(oldest, before) ? { from, to } : undefined
}

const isDue = (oldest: number | undefined, before: number): boolean =>
  oldest !== undefined && oldest < before - SPARE_MS

/**
 * The end of an archive whose entries the log still has. The hash of its last entry stands for all
 * before it.
 * @throws Error for a file that is not whole, or is of another log: nothing is deleted by it
 */
async function requireOwn(
  { store, folder }: AppContext,
  base: AuditHead,
  archive: ReturnType<typeof listArchives>[number],
): Promise<AuditHead> {
  const proven = await proveArchive(folder, archive)
  if (typeof proven === 'string') throw new Error(proven)
  const sql = 'SELECT Hash FROM svc_audit ORDER BY Id LIMIT 1 OFFSET @offset'
  const args = { offset: archive.last - base.count - 1 }
  const row = await store.get({ sql, args, runs: 'background' })
  if (row?.Hash === proven.to.hash) return proven.to
  throw new Error(`${archive.name} is of another log: move it out of the folder ${AUDIT_FOLDER}`)
}

const loadEntries = (store: Reader, { from, to }: ArchiveSpan) =>
  loadRows(store, to.count - from.count)

/** The first entries of the log, a page at a time. */
async function* loadRows(store: Reader, count: number): AsyncGenerator<SqlRow[]> {
  let after = 0
  for (let left = count; left > 0;) {
    const most = Math.min(PAGE, left)
    const rows = await store.all({ sql: OLD, args: { after, most }, runs: 'background' })
    if (rows.length === 0) return
    yield rows
    after = Number(rows.at(-1)?.Id)
    left -= rows.length
  }
}
