/** Old entries of the audit log go into signed archives, and the chain is proven through them. */
import { afterEach, expect, test } from 'bun:test'
import {
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { findAuditBase } from '../../../src/store/audit/base.ts'
import { checkAudit } from '../../../src/store/audit/check.ts'
import type { AuditRecord } from '../../../src/store/audit/record.ts'
import { readStoreLimits } from '../../../src/store/floor.ts'
import { type Store, systemScope } from '../../../src/store/store.ts'
import { AUDIT_FOLDER, listArchives } from '../../../src/engine/audit/archive-file.ts'
import { checkArchives } from '../../../src/engine/audit/check-archives.ts'
import { makeBackup } from '../../../src/engine/backups/make-backup.ts'
import { restoreFolder } from '../../../src/engine/backups/restore.ts'
import { openArchiving } from '../../../src/features/audit/archive-audit.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/executable.ts'

const DAY = 24 * 60 * 60 * 1000
const NOW = new Date('2031-05-01T12:00:00Z')
const SCOPE = systemScope('tests')

let app: TestApp | undefined
afterEach(async () => {
  await app?.[Symbol.asyncDispose]()
  app = undefined
})

interface Page {
  data: { Archived: { Text: string } | null }
}

/** A demo whose log has an entry for each of so many days up to now. */
async function open(days: number, keep = '30d'): Promise<TestApp> {
  app = await startApp({
    settings: { 'Svc:Audit:Keep': keep },
    clock: { now: () => NOW },
  })
  await writeDays(app, days)
  return app
}

const write = ({ store }: TestApp, ...at: Date[]): Promise<void> =>
  store.write((tx) => tx.audit(...at.map(toRecord)), SCOPE)

const toRecord = (at: Date): AuditRecord => ({
  at: at.toISOString(),
  userId: 1,
  impersonatorId: null,
  companyId: 1,
  source: 'orders',
  traceId: null,
  entity: 'Order',
  recordKey: '[1]',
  action: 'update',
  changes: JSON.stringify({ Note: ['Ä', at.getTime()] }),
})

/** An entry a day, the last one of yesterday. */
const writeDays = (to: TestApp, days: number): Promise<void> =>
  write(to, ...Array.from({ length: days }, (_, at) => new Date(NOW.getTime() - (days - at) * DAY)))

/** One look of the loop. */
async function archive({ context }: TestApp): Promise<void> {
  const loop = openArchiving(context)
  await loop.start()
  while (loop.runs === 0) await Bun.sleep(1)
  expect(loop.isFaulted).toBe(false)
  await loop.stop()
}

const countEntries = async ({ store }: TestApp): Promise<number> =>
  Number((await store.get('SELECT count(*) AS Entries FROM svc_audit'))?.Entries)

/** All that a check finds. */
async function check({ store, folder }: TestApp, at = folder) {
  const archives = await checkArchives(at, await findAuditBase(store))
  return { archives, log: await checkAudit(store) }
}

test('what is older than it is kept is in a signed file, and the chain goes on', async () => {
  const { store, folder } = await open(50)
  const before = (await checkAudit(store)).proven
  await archive(app as TestApp)
  const [only, ...others] = listArchives(folder)
  expect(others).toEqual([])
  expect(only?.first).toBe(1)
  const left = before.count - (only?.last ?? 0)
  expect(await countEntries(app as TestApp)).toBe(left)
  const oldest = await store.get('SELECT min(At) AS At FROM svc_audit')
  expect(Date.parse(String(oldest?.At))).toBeGreaterThanOrEqual(NOW.getTime() - 30 * DAY)
  await write(app as TestApp, NOW)
  const { archives, log } = await check(app as TestApp)
  expect(log).toMatchObject({ proven: { count: before.count + 1 }, fault: undefined })
  expect(archives).toEqual({ archives: 1, entries: only?.last ?? 0, absent: [], faults: [] })
  if (process.platform !== 'win32')
    for (const name of readdirSync(join(folder, AUDIT_FOLDER)))
      expect(statSync(join(folder, AUDIT_FOLDER, name)).mode & 0o077).toBe(0)
  const lines = Bun.zstdDecompressSync(readFileSync(join(folder, AUDIT_FOLDER, only?.name ?? '')))
  const entries = new TextDecoder().decode(lines).trimEnd().split('\n')
  expect(entries).toHaveLength(only?.last ?? 0)
  expect(JSON.parse(entries.at(-1) ?? '')).toMatchObject({ Entity: 'Order', RecordKey: '[1]' })
})

test('a page of the log tells until when entries are in files, and where', async () => {
  const { store, folder, fetch } = await open(50)
  // The tokens of the tests have long expired by the clock of this one.
  const login = { UserName: 'root', Password: 'root-demo-password' }
  const signedIn = await fetch<{ data: { AccessToken: string } }>('/api/v1/auth/login', {
    body: login,
  })
  const bearer = `Bearer ${signedIn.body.data.AccessToken}`
  const load = async (language: string) => {
    const headers = { Authorization: bearer, 'Accept-Language': language }
    return (await fetch<Page>('/api/v1/svc/audit?limit=1', { headers })).body.data
  }
  expect((await load('en')).Archived).toBeNull()
  await archive(app as TestApp)
  const { count } = await findAuditBase(store)
  const oldest = await store.get('SELECT min(At) AS At FROM svc_audit')
  const Before = String(oldest?.At)
  const told = { Entries: count, Before, Folder: AUDIT_FOLDER, Files: 1 }
  const day = Before.slice(0, 10)
  const Text = `Entries before ${day} are in signed files in audit`
  expect((await load('en')).Archived).toEqual({ ...told, Text })
  const german = `Einträge vor dem ${day} liegen in signierten Dateien in audit`
  expect((await load('de')).Archived).toEqual({ ...told, Text: german })
  rmSync(join(folder, AUDIT_FOLDER), { recursive: true })
  expect((await load('en')).Archived).toMatchObject({ Entries: count, Files: 0 })
})

test('a few old entries wait, and without the setting all stay', async () => {
  await open(33)
  await archive(app as TestApp)
  await writeDays(app as TestApp, 33)
  const before = await countEntries(app as TestApp)
  await archive(app as TestApp)
  expect(await countEntries(app as TestApp)).toBe(before)
  await app?.[Symbol.asyncDispose]()
  await open(50, '0s')
  await archive(app as TestApp)
  expect(listArchives((app as TestApp).folder)).toEqual([])
})

test('a crash between the file and the last deletion is made up for', async () => {
  const { store, folder } = await open(1200, '30d')
  const kept = join(folder, 'kept')
  await archive(app as TestApp)
  const [first] = listArchives(folder)
  const base = await findAuditBase(store)
  cpSync(join(folder, AUDIT_FOLDER), kept, { recursive: true })
  // The database of the moment behind the first deletion, as the crash left it.
  await using crashed = await startApp({
    settings: { 'Svc:Audit:Keep': '30d' },
    clock: { now: () => NOW },
  })
  await writeDays(crashed, 1200)
  const failing = new Proxy(crashed.store, {
    get: (target, name) =>
      name === 'write'
        ? async (...args: Parameters<Store['write']>) => {
            await target.write(...args)
            throw new Error('the power is gone')
          }
        : (Reflect.get(target, name, target) as unknown as (...args: unknown[]) => unknown).bind(
            target,
          ),
  })
  const loop = openArchiving({
    ...crashed.context,
    store: failing,
  })
  await loop.start()
  while (loop.runs === 0) await Bun.sleep(1)
  await loop.stop()
  expect((await findAuditBase(crashed.store)).count).toBe(500)
  expect((await check(crashed)).log.fault).toBeUndefined()
  expect((await check(crashed)).archives.faults).toEqual([])
  await archive(crashed)
  expect(listArchives(crashed.folder)).toEqual(first ? [first] : [])
  expect((await findAuditBase(crashed.store)).count).toBe(base.count)
  expect((await check(crashed)).archives).toMatchObject({ absent: [], faults: [] })
})

test('a file of another log, or one that was changed, has nothing deleted', async () => {
  const foreign = await open(90)
  await archive(foreign)
  const [file] = listArchives(foreign.folder)
  await using own = await startApp({
    settings: { 'Svc:Audit:Keep': '30d' },
    clock: { now: () => NOW },
  })
  await write(own, ...Array.from({ length: 90 }, (_, at) => new Date(NOW.getTime() - at)))
  const before = await countEntries(own)
  cpSync(join(foreign.folder, AUDIT_FOLDER), join(own.folder, AUDIT_FOLDER), { recursive: true })
  const faultOf = async (): Promise<string> => {
    const loop = openArchiving(own.context)
    await loop.start()
    while (loop.runs === 0) await Bun.sleep(1)
    await loop.stop()
    return String(loop.lastError)
  }
  expect(await faultOf()).toContain(`${file?.name} is of another log`)
  writeFileSync(join(own.folder, AUDIT_FOLDER, file?.name ?? ''), 'changed')
  expect(await faultOf()).toContain('the file is not the one that was signed')
  expect(await countEntries(own)).toBe(before)
})

test('a changed file, a foreign signature and an absent file are told', async () => {
  const { folder } = await open(50)
  await archive(app as TestApp)
  const [only] = listArchives(folder)
  const path = join(folder, AUDIT_FOLDER, only?.name ?? '')
  const signature = path.replace(/\.jsonl\.zst$/, '.jws')
  const [bytes, token] = [readFileSync(path), readFileSync(signature, 'utf8')]
  const text = new TextDecoder().decode(Bun.zstdDecompressSync(bytes))
  writeFileSync(path, Bun.zstdCompressSync(Buffer.from(text.replace('"UserId":1', '"UserId":2'))))
  const faults = async () => (await check(app as TestApp)).archives.faults
  expect(await faults()).toEqual([`${only?.name}: the file is not the one that was signed`])
  writeFileSync(path, bytes)
  const [head, , sign] = token.split('.')
  const forged = { File: only?.name, Sha256: 'x', From: `0:${'0'.repeat(64)}`, To: '1:0' }
  const content = Buffer.from(JSON.stringify(forged)).toString('base64url')
  writeFileSync(signature, `${head}.${content}.${sign}`)
  expect(await faults()).toEqual([`${only?.name}: the signature does not hold`])
  writeFileSync(signature, token)
  expect(await faults()).toEqual([])
  renameSync(path, `${path}.elsewhere`)
  expect((await check(app as TestApp)).archives).toEqual({
    archives: 0,
    entries: 0,
    absent: [[1, only?.last ?? 0]],
    faults: [],
  })
  rmSync(signature)
})

test('a backup has the archives, and a restored folder proves them', async () => {
  const { folder, context, store } = await open(50)
  await archive(app as TestApp)
  using home = temporaryFolder()
  const target = join(home.path, 'backup.tar.zst')
  const limits = readStoreLimits(context.settings)
  const now = () => NOW
  await makeBackup({ folder, target, secrets: [], engine: 'test', limits, now })
  const restored = join(home.path, 'restored')
  await restoreFolder({
    file: target,
    target: restored,
    passphrase: undefined,
    now,
    limits,
    warn: () => {},
  })
  const found = await checkArchives(restored, await findAuditBase(store))
  expect(found).toMatchObject({ archives: 1, absent: [], faults: [] })
})
