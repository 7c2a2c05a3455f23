/** Backups: `/api/v1/svc/backups`. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { conflict, Failure, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Tx } from '../../store/store.ts'
import { UNFINISHED } from '../../store/tables/jobs.ts'
import { actorOf, writeAudit } from '../../access/audit-entry.ts'
import { requireStillSystem } from '../../access/rights/admin-scope.ts'
import {
  findBackup,
  listBackups,
  type ListedBackup,
  removeBackup,
} from '../../engine/backups/backup-folder.ts'
import { BACKUP } from '../../engine/backups/settings.ts'
import { JOBS } from '../../engine/floor.ts'
import { enqueueJob } from '../../engine/jobs/enqueue.ts'
import type { ListRecurring } from '../../engine/jobs/recurring-job.ts'
import type { RequestCall } from '../../server/call.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { answerFile } from '../../server/file-answer.ts'
import { rolesGate } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { BACKUP_JOB, backupJob, folderOf, SCOPE } from './backup-job.ts'
import { GERMAN } from './german.ts'
import { BackupList, BackupRemoved, BackupStarted, byName } from './schema.ts'

const GATE = rolesGate('System')

const AREA = {
  name: 'Backups',
  description:
    'Backups of the data folder, each restored for a trial. They are as secret as the folder.',
}

const LIST = {
  response: Envelope(BackupList),
  detail: {
    'x-gate': GATE,
    operationId: 'listBackups',
    summary: 'The backups in `Svc:Backup:Folder`',
    description: 'With the result of their rehearsal, once that has ended. Gate: System.',
  },
}

const MAKE = {
  response: Envelope(BackupStarted),
  detail: {
    'x-gate': GATE,
    operationId: 'makeBackup',
    summary: 'Makes a backup',
    description:
      'A job, with progress: it makes the file beside the requests, restores it for a trial, ' +
      'takes it elsewhere where settings say so, and removes what `Svc:Backup:Keep` does not ' +
      'keep. 409 while another one is being made. Gate: System.',
  },
}

const WHOLE = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }

const GET = {
  params: byName,
  detail: {
    'x-gate': GATE,
    operationId: 'getBackup',
    summary: 'The file of a backup',
    description:
      'Signing keys, second factors and all records are in it. Each download stands in the ' +
      'audit log. Range is honoured. Gate: System.',
    responses: {
      200: { description: 'The file', content: WHOLE },
      206: { description: 'The range that was asked for', content: WHOLE },
      304: { description: 'The client has the file, by its ETag' },
      416: { description: 'The requested range is outside the file' },
    },
  },
}

const DELETE = {
  params: byName,
  response: Envelope(BackupRemoved),
  detail: {
    'x-gate': GATE,
    operationId: 'deleteBackup',
    summary: 'Removes a backup',
    description:
      'Also the last good one, which `Svc:Backup:Keep` never removes. 409 where the system does ' +
      'not let it go: nothing is in the audit log then. Gate: System.',
  },
}

const toEntry = ({ name, at, size, isEncrypted, description }: ListedBackup) => ({
  Name: name,
  CreatedAt: description?.CreatedAt ?? at.toISOString(),
  Bytes: size,
  Encrypted: isEncrypted,
  Engine: description?.Engine ?? null,
  Files: description?.Files ?? null,
  ContentBytes: description?.ContentBytes ?? null,
  Rehearsal: description?.Rehearsal ?? null,
})

const BUSY = `SELECT 1 AS Found FROM svc_jobs
  WHERE Name = '${BACKUP_JOB}' AND ${UNFINISHED} LIMIT 1`

/** Jobs of the schedule have the same key: of all of them one runs at a time. */
const KEY = `recurring/${BACKUP_JOB}`

/** Writes a change by the present rights of its caller, and notes it in the audit log. */
function change<T>(
  { app, caller, traceId }: RequestCall,
  entry: { id: string; action: string },
  work: (tx: Tx, now: Date) => Promise<T>,
): Promise<T> {
  const now = app.clock.now()
  return app.store.write(async (tx) => {
    await requireStillSystem(tx, caller)
    const actor = actorOf(caller, { now, source: 'backups', traceId })
    await writeAudit(tx, actor, { ...entry, entity: 'svc_backups', changes: {} })
    return work(tx, now)
  }, SCOPE)
}

async function make(call: RequestCall) {
  const owner = { userId: null, companyId: null }
  const source = 'svc/backups'
  const JobId = await change(call, { id: 'backup', action: 'make' }, async (tx, now) => {
    if (await tx.get(BUSY))
      throw conflict(say`A backup is already being made`, { code: 'BACKUP_ACTIVE' })
    const job = { name: BACKUP_JOB, owner, source, now, exclusiveKey: KEY, attemptsMax: 1 }
    return enqueueJob(tx, job)
  })
  return ok({ JobId })
}

const missing = () => notFound(say`There is no such backup`, { code: 'BACKUP_NOT_FOUND' })

async function require(app: AppContext, name: string): Promise<ListedBackup> {
  const found = await findBackup(folderOf(app), name)
  if (!found) throw missing()
  return found
}

async function fetch(call: RequestCall, name: string): Promise<Response> {
  const { size, at } = await require(call.app, name)
  await change(call, { id: name, action: 'fetch' }, async () => {})
  const path = join(folderOf(call.app), name)
  // No file of a name is ever another one.
  const sha256 = createHash('sha256').update(`${name} ${size} ${at.getTime()}`).digest('hex')
  const contentType = 'application/octet-stream'
  const file = { path, fileName: name, contentType, size, sha256, isInline: false }
  const answer = await answerFile(call.request, file)
  if (!answer) throw missing()
  return answer
}

async function remove(call: RequestCall, name: string) {
  await require(call.app, name)
  const note = (): Promise<void> => change(call, { id: name, action: 'delete' }, async () => {})
  try {
    await removeBackup(folderOf(call.app), name, note)
  } catch (error) {
    throw explainRemoval(name, error)
  }
  return ok({ Name: name })
}

/** The system's refusal as an answer; a removal at the same time has left none. */
function explainRemoval(name: string, error: unknown): unknown {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  if (error instanceof Failure || typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) return error
  if (code === 'ENOENT') return missing()
  const text = say`The backup ${name} could not be removed (${code}): check its folder’s rights`
  return conflict(text, { code: 'BACKUP_NOT_REMOVED', cause: error })
}

/** Gate: System. */
const BACKUP_ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/backups',
  area: AREA.name,
  routes: [
    route('GET', '', LIST, async ({ app }) => ok((await listBackups(folderOf(app))).map(toEntry))),
    route('POST', '', MAKE, make),
    route('GET', '/:name', GET, (call) => fetch(call, call.params.name)),
    route('DELETE', '/:name', DELETE, (call) => remove(call, call.params.name)),
  ],
}

const listScheduled =
  ({ settings }: AppContext): ListRecurring =>
  async () => {
    const cron = settings.get(BACKUP.schedule)
    if (cron === '') return []
    return [
      {
        key: BACKUP_JOB,
        name: 'Backup',
        job: BACKUP_JOB,
        cron,
        timeZone: settings.get(JOBS.timeZone),
        missed: 'Relaxed',
        arguments: {},
        companyId: null,
        userId: null,
      },
    ]
  }

/** See `Feature`. */
export const backupsFeature: Feature = {
  areas: [AREA],
  routes: [BACKUP_ROUTES],
  settings: [BACKUP],
  jobs: [backupJob],
  recurring: [listScheduled],
  translations: { de: GERMAN },
}
