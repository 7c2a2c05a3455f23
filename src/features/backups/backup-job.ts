/** The job that makes a backup, rehearses its restore, and takes it elsewhere. */
import { basename, join, resolve } from 'node:path'
import { Failure } from '../../kernel/failure.ts'
import { ENGINE_LANGUAGES, type Message, renderMessage, say } from '../../kernel/messages.ts'
import { DAY } from '../../kernel/setting.ts'
import type { Settings } from '../../kernel/settings.ts'
import { storeMessage } from '../../kernel/stored-messages.ts'
import { findLastUpgrade } from '../../store/file/last-upgrade.ts'
import { readStoreLimits } from '../../store/floor.ts'
import { insertRow } from '../../store/rows.ts'
import { systemScope, type Tx } from '../../store/store.ts'
import { type MailPayload, outbox } from '../../store/tables/outbox.ts'
import { LANGUAGE } from '../../access/users/spoken-language.ts'
import {
  listBackups,
  removeBackup,
  removeLeftBackups,
  saveDescription,
  toKept,
} from '../../engine/backups/backup-folder.ts'
import { type BackupFacts, runBackupHelper } from '../../engine/backups/backup-helper.ts'
import { planRemovals } from '../../engine/backups/keep.ts'
import { planName } from '../../engine/backups/names.ts'
import { BACKUP, readBackupPassphrase } from '../../engine/backups/settings.ts'
import { saveBackupStatus } from '../../engine/backups/status.ts'
import type { FailedJob, JobKind, JobRun } from '../../engine/jobs/job.ts'
import type { AppContext } from '../../server/context.ts'
import { takeElsewhere } from './take-elsewhere.ts'
import facts from '../../../package.json' with { type: 'json' }

export const BACKUP_JOB = 'back-up'

export const SCOPE = systemScope('a backup is of every company')

/** The folder of the backups, as an absolute path. */
export const folderOf = ({ folder, settings }: Pick<AppContext, 'folder' | 'settings'>): string =>
  resolve(folder, settings.get(BACKUP.folder))

/** See `JobKind`. A failure is not tried again by itself: the next one is a new backup. */
export const backupJob = (app: AppContext): JobKind => ({
  name: BACKUP_JOB,
  staysInside: true,
  attemptsMax: 1,
  timeoutMs: DAY,
  run: (run) => backUp(app, run),
  onFailure: (tx, failed) => tellFailure(app, tx, failed),
})

/** A job has made so much of a backup. */
interface MadeFile {
  name: string
  file: string
  passphrase: string | undefined
}

async function backUp(app: AppContext, run: JobRun): Promise<{ Name: string }> {
  const { store, clock, settings } = app
  const passphrase = readPassphrase(settings, run)
  const name = planName(clock.now(), passphrase !== undefined)
  const made = { name, file: join(folderOf(app), name), passphrase }
  const begun = performance.now()
  const known = await make(app, run, made)
  const seconds = secondsSince(begun)
  run.log(say`The backup was made: ${known.Files} files, ${known.ContentBytes} bytes`)
  const rehearsalSeconds = await rehearse(app, run, made, known)
  await takeAway(settings, run, made)
  await removeOld(app, run)
  await store.write(
    (tx) =>
      saveBackupStatus(tx, {
        At: clock.now().toISOString(),
        Ok: true,
        Name: name,
        Bytes: Bun.file(made.file).size,
        Seconds: seconds,
        RehearsalSeconds: rehearsalSeconds,
        Error: null,
      }),
    SCOPE,
  )
  return { Name: name }
}

function readPassphrase(settings: Settings, run: JobRun): string | undefined {
  try {
    return readBackupPassphrase(settings)
  } catch (error) {
    throw refuse(run, say`The backup failed: ${describe(error)}`, error)
  }
}

const secondsSince = (at: number): number => Math.round(performance.now() - at) / 1000

async function make(
  { folder, settings }: AppContext,
  run: JobRun,
  { file, passphrase }: MadeFile,
): Promise<BackupFacts> {
  const order = {
    what: 'make',
    folder,
    target: file,
    passphrase,
    secrets: settings.listSecrets(),
    engine: facts.version,
    limits: readStoreLimits(settings),
  } as const
  return runBackupHelper(order, planTelling(run)).catch((error: unknown) => {
    throw refuse(run, say`The backup failed: ${describe(error)}`, error)
  })
}

/** Resolves to the seconds that it took; a rehearsal that fails is written beside its backup. */
async function rehearse(
  { settings, clock }: AppContext,
  run: JobRun,
  { name, file, passphrase }: MadeFile,
  known: BackupFacts,
): Promise<number> {
  const begun = performance.now()
  const note = (error: string | null): void =>
    saveDescription(file, {
      ...known,
      Rehearsal: {
        At: clock.now().toISOString(),
        Ok: error === null,
        Seconds: secondsSince(begun),
        Error: error,
      },
    })
  const order = { what: 'rehearse', file, passphrase, limits: readStoreLimits(settings) } as const
  try {
    await runBackupHelper(order, planTelling(run))
  } catch (error) {
    run.signal.throwIfAborted()
    note(describe(error))
    throw refuse(run, say`The backup ${name} cannot be restored: ${describe(error)}`, error)
  }
  note(null)
  run.log(say`The backup was restored for a trial, and all of it is whole`)
  return secondsSince(begun)
}

async function takeAway(settings: Settings, run: JobRun, { name, file }: MadeFile): Promise<void> {
  for (const { what, take } of takeElsewhere(settings))
    try {
      await take({ name, file, signal: run.signal })
      run.log(say`The backup was taken elsewhere by ${what}`)
    } catch (error) {
      const text = say`The backup ${name} was made, but ${what} failed: ${describe(error)}`
      throw refuse(run, text, error)
    }
}

async function removeOld(app: AppContext, run: JobRun): Promise<void> {
  const folder = folderOf(app)
  const backups = (await listBackups(folder)).map(toKept)
  const last = await findLastUpgrade(app.store)
  const wayHome = last?.Backup ? basename(last.Backup) : undefined
  const names = planRemovals(backups, app.settings.get(BACKUP.keep), wayHome)
  for (const name of names) await removeBackup(folder, name)
  await removeLeftBackups(folder, app.clock.now())
  if (names.length > 0) run.log(say`Removed, as Svc:Backup:Keep says: ${names.join(', ')}`)
}

const planTelling = (run: JobRun) => ({
  signal: run.signal,
  tell: (done: number, total: number) => run.progress(done, total),
})

const describe = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** A stop of the server is none of the backup's. */
function refuse({ signal }: JobRun, text: Message, cause: unknown): Failure {
  signal.throwIfAborted()
  return new Failure('conflict', text, { cause })
}

/** Notes the failure, and tells it to System users by mail. */
async function tellFailure(
  { settings }: AppContext,
  tx: Tx,
  { reason, now }: FailedJob,
): Promise<void> {
  const why = reason ?? say`The backup failed: ${'see the log of the server'}`
  await saveBackupStatus(tx, {
    At: now.toISOString(),
    Ok: false,
    Name: null,
    Bytes: 0,
    Seconds: null,
    RehearsalSeconds: null,
    Error: storeMessage(why),
  })
  const write = (language: string) => ({
    Subject: renderMessage(say`A backup failed`, language),
    Body: renderMessage(why, language),
  })
  const payload: MailPayload = {
    To: null,
    Role: 'System',
    User: null,
    Users: null,
    Report: null,
    With: {},
    ...write(settings.get(LANGUAGE)),
    Texts: Object.fromEntries([...ENGINE_LANGUAGES].map((tag) => [tag, write(tag)])),
  }
  await insertRow(tx, outbox, {
    At: now.toISOString(),
    Kind: 'mail',
    Source: BACKUP_JOB,
    Payload: JSON.stringify(payload),
    State: 'pending',
    Attempts: 0,
  })
}
