/** `/api/v1/svc/backups`: made by a job, rehearsed, taken elsewhere, kept and removed. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  removeBackup,
  removeLeftBackups,
  removeLeftDescriptions,
} from '../../../src/engine/backups/backup-folder.ts'
import { findBackupStatus } from '../../../src/engine/backups/status.ts'
import { type AppOptions, startApp, type TestApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/executable.ts'
import { until } from '../../support/until.ts'

const home = temporaryFolder()
const script = join(home.path, 'take.ts')
const PASSPHRASE = join(home.path, 'passphrase')
const B = '/api/v1/svc/backups'

interface Entry {
  Name: string
  Bytes: number
  Encrypted: boolean
  Rehearsal: { Ok: boolean; Error: string | null } | null
}
interface Reply<T> {
  data: T
  code?: string
}

let app: TestApp
/** Objects that the S3 server has, by path. */
const objects = new Map<string, number>()
const s3 = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    const { pathname } = new URL(request.url)
    if (request.method === 'PUT') {
      objects.set(pathname, (await request.arrayBuffer()).byteLength)
      return new Response('', { headers: { ETag: '"1"' } })
    }
    const size = objects.get(pathname)
    if (size === undefined) return new Response('', { status: 404 })
    return new Response(null, { headers: { 'Content-Length': String(size), ETag: '"1"' } })
  },
})

const SETTINGS: AppOptions['settings'] = {
  'Svc:Backup:PassphraseFile': PASSPHRASE,
  'Svc:Backup:Schedule': '0 3 * * *',
  'Svc:Backup:Then': JSON.stringify([process.execPath, script, '{file}']),
  'Svc:Backup:S3:Endpoint': `http://127.0.0.1:${s3.port}`,
  'Svc:Backup:S3:Bucket': 'erp',
  'Svc:Backup:S3:AccessKeyId': 'key',
  'Svc:Backup:S3:SecretAccessKey': 'secret',
}

beforeAll(async () => {
  writeFileSync(PASSPHRASE, 'a horse and a battery\n')
  writeFileSync(script, `await Bun.write(${JSON.stringify(script + '.took')}, process.argv[2])`)
  app = await startApp({ settings: SETTINGS })
  await app.context.extensions.load()
  await app.context.jobs.start()
})

afterAll(async () => {
  await app.context.jobs.stop()
  await app[Symbol.asyncDispose]()
  await s3.stop(true)
  home[Symbol.dispose]()
})

/** Asks for a backup, and resolves to its job once it is over. */
async function make(): Promise<{ State: string; Error: string | null; Log: string[] }> {
  const { body, text } = await app.fetch<Reply<{ JobId: number }>>(B, { as: 'root', body: {} })
  if (!body.data) throw new Error(text)
  const path = `/api/v1/hangfire/jobs/${body.data.JobId}`
  const load = async () =>
    (await app.fetch<Reply<Awaited<ReturnType<typeof make>>>>(path, { as: 'root' })).body.data
  await until(async () => ['Succeeded', 'Failed'].includes((await load()).State))
  return load()
}

const list = async () => (await app.fetch<Reply<Entry[]>>(B, { as: 'root' })).body.data

test('a backup is made, restored for a trial, and taken elsewhere', async () => {
  const { State, Error, Log } = await make()
  expect({ State, Error }).toEqual({ State: 'Succeeded', Error: null })
  expect(Log.map((line) => line.replace(/^\S+ /, '').replace(/\d+/g, 'N'))).toEqual([
    'The backup was made: N files, N bytes',
    'The backup was restored for a trial, and all of it is whole',
    `The backup was taken elsewhere by ${process.execPath}`,
    'The backup was taken elsewhere by SN',
  ])
  const [entry, ...others] = await list()
  expect(others).toEqual([])
  expect(entry).toMatchObject({ Encrypted: true, Rehearsal: { Ok: true, Error: null } })
  const file = join(app.folder, 'backups', entry?.Name ?? '')
  expect(readFileSync(`${script}.took`, 'utf8')).toBe(file)
  expect([...objects]).toEqual([[`/erp/${entry?.Name}`, entry?.Bytes ?? 0]])
  expect(readdirSync(join(app.folder, 'backups')).sort()).toEqual([
    entry?.Name ?? '',
    `${entry?.Name}.json`,
  ])
  expect(await findBackupStatus(app.store)).toMatchObject({ Ok: true, Bytes: entry?.Bytes })
  const whole = await app.handle(
    new Request(`http://localhost${B}/${entry?.Name}`, {
      headers: { Authorization: `Bearer ${app.tokens.root}` },
    }),
  )
  expect((await whole.arrayBuffer()).byteLength).toBe(entry?.Bytes ?? 0)
  const audit = await app.store.all(`SELECT Action FROM svc_audit WHERE Entity = 'svc_backups'`)
  expect(audit.map(({ Action }) => Action)).toEqual(['make', 'fetch'])
})

const NAMES: readonly [name: string, status: number][] = [
  ['backup-20261128T120000Z.tar.zst', 404],
  ['..%2Fengine.db', 400],
  ['engine.db', 400],
  ['backup-20261128T120000Z.tar.zst.json', 400],
]

test.each(NAMES)('%s is no name of a backup', async (name, status) => {
  for (const method of ['GET', 'DELETE'])
    expect((await app.fetch(`${B}/${name}`, { as: 'root', method })).status).toBe(status)
})

test('it recurs by its schedule', async () => {
  const path = '/api/v1/hangfire/recurring'
  const { data } = (await app.fetch<Reply<{ Name: string; Cron: string }[]>>(path, { as: 'root' }))
    .body
  expect(data.find(({ Name }) => Name === 'Backup')).toMatchObject({ Cron: '0 3 * * *' })
})

test('what fails is told to System: by health, the job and a mail', async () => {
  writeFileSync(script, `console.error('no way there'); process.exit(3)`)
  const { State, Error } = await make()
  const name = (await list())[0]?.Name
  const why = `The backup ${name} was made, but ${process.execPath} failed: exit code 3 no way there`
  expect({ State, Error }).toEqual({ State: 'Failed', Error: why })
  const ready = async (as?: string) =>
    (await app.fetch<Reply<object>>('/health/ready', as === undefined ? {} : { as })).body.data
  expect(await ready()).toEqual({ Status: 'degraded' })
  expect(await ready('ana')).toEqual({ Status: 'degraded' })
  expect(await ready('root')).toEqual({ Status: 'degraded', Reasons: [why] })
  const mails = await app.store.all<{ Payload: string }>(`SELECT Payload FROM svc_outbox`)
  const [mail] = mails.map(({ Payload }) => JSON.parse(Payload) as Record<string, unknown>)
  expect(mail).toMatchObject({ Role: 'System', Subject: 'A backup failed', Body: why })
  const { LastGoodAt, Ok } = (await findBackupStatus(app.store)) ?? {}
  expect({ Ok, hasGood: typeof LastGoodAt === 'string' }).toEqual({ Ok: false, hasGood: true })
})

const countRemovals = async (): Promise<number> =>
  Number(
    (
      await app.store.get(`SELECT count(*) AS Removals FROM svc_audit
        WHERE Entity = 'svc_backups' AND Action = 'delete'`)
    )?.Removals,
  )

test('a backup that the system does not let go is not told as removed', async () => {
  const [{ Name } = { Name: '' }] = await list()
  const file = join(app.folder, 'backups', Name)
  mkdirSync(join(`${file}.removing`, 'in the way'), { recursive: true })
  const before = await list()
  const { status, body } = await app.fetch<Reply<unknown> & { error: string }>(`${B}/${Name}`, {
    as: 'root',
    method: 'DELETE',
  })
  expect({ status, code: body.code }).toEqual({ status: 409, code: 'BACKUP_NOT_REMOVED' })
  expect(body.error).toMatch(/could not be removed \(E[A-Z]+\)/)
  expect(await countRemovals()).toBe(0)
  expect(await list()).toEqual(before)
  rmSync(`${file}.removing`, { recursive: true })
})

test('a removal that cannot be written down leaves the backup where it was', async () => {
  const [{ Name } = { Name: '' }] = await list()
  const folder = join(app.folder, 'backups')
  const before = await list()
  const full = removeBackup(folder, Name, () => Promise.reject(new Error('the disk is full')))
  expect(await full.catch(String)).toBe('Error: the disk is full')
  expect(await list()).toEqual(before)
  const left = join(folder, 'backup-20200101T000000Z.tar.zst.removing')
  writeFileSync(left, 'of a process that ended')
  const now = Date.now()
  await removeLeftBackups(folder, new Date(now))
  expect(existsSync(left)).toBe(true)
  await removeLeftBackups(folder, new Date(now + 2 * 60 * 60 * 1000))
  expect(existsSync(left)).toBe(false)
  const parts = ['backup-20200101T000000Z.tar.zst.json.part', 'of-others.json.part']
  for (const part of parts) writeFileSync(join(folder, part), '{')
  removeLeftDescriptions(folder)
  expect(parts.map((part) => existsSync(join(folder, part)))).toEqual([false, true])
  rmSync(join(folder, 'of-others.json.part'))
  expect(await list()).toEqual(before)
})

test('a backup is removed with its description; another one mends health', async () => {
  writeFileSync(script, '')
  for (const { Name } of await list()) {
    const answer = await app.fetch(`${B}/${Name}`, { as: 'root', method: 'DELETE' })
    expect(answer.status).toBe(200)
    expect(existsSync(join(app.folder, 'backups', Name))).toBe(false)
  }
  expect(await countRemovals()).toBeGreaterThan(0)
  expect(readdirSync(join(app.folder, 'backups'))).toEqual([])
  expect((await make()).State).toBe('Succeeded')
  expect((await app.fetch<Reply<object>>('/health/ready')).body.data).toEqual({ Status: 'ok' })
})
