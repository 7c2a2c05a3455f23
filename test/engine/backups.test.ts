/** A backup beside a serving application, and what is restored of it. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '../../src/kernel/clock.ts'
import { createLog } from '../../src/kernel/log.ts'
import { readStoreLimits } from '../../src/store/floor.ts'
import { ArchiveWriter, type PackedFile } from '../../src/engine/backups/archive-writer.ts'
import { type MadeBackup, makeBackup } from '../../src/engine/backups/make-backup.ts'
import { restoreFolder } from '../../src/engine/backups/restore.ts'
import { loadManifest, unpack } from '../../src/engine/backups/unpack.ts'
import { openContext } from '../../src/server/open-context.ts'
import { createApp } from '../../src/app.ts'
import { temporaryFolder } from '../support/executable.ts'
import { readOutbox, waitForOutbox } from '../support/outbox.ts'
import { signInAll, TEST_PASSWORD } from '../support/template.ts'
import { until } from '../support/until.ts'
import { openWebhookWorld, type Reply, type WebhookWorld } from '../support/webhooks.ts'

const home = temporaryFolder()
const at = (name: string): string => join(home.path, name)
const FILE = '00000000-0000-4000-8000-000000000001'
const LOST = '00000000-0000-4000-8000-000000000002'
const BYTES = 'what was stored'
const WHOLE = at('whole.tar.zst')

let world: WebhookWorld
let made: MadeBackup

const backUp = (target: string, more: Partial<Parameters<typeof makeBackup>[0]> = {}) =>
  makeBackup({
    folder: world.app.folder,
    target,
    secrets: ['Svc:Mail:Password'],
    engine: 'test',
    limits: readStoreLimits(world.app.context.settings),
    now: () => systemClock.now(),
    ...more,
  })

const restore = (file: string, target: string, passphrase?: string) =>
  restoreFolder({
    file,
    target,
    passphrase,
    now: () => new Date('2026-12-01T00:00:00Z'),
    limits: readStoreLimits(world.app.context.settings),
    warn: () => {},
  })

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

const nameFile = (path: string): Promise<number> =>
  world.write(`INSERT INTO svc_files (Path, Entity, RecordKey, Field, FileName, ContentType, Size,
    Sha256, CreatedAt) VALUES ('${path}', 'Case', '[1]', 'F', 'a', 't', ${BYTES.length},
    '${hash(BYTES)}', '')`)

const SETTINGS = {
  Svc: { Mail: { Password: 'hidden', Security: 'Tls' } },
  'svc:mail:password': 'x',
}

beforeAll(async () => {
  world = await openWebhookWorld()
  const { folder } = world.app
  writeFileSync(join(folder, 'appsettings.json'), JSON.stringify(SETTINGS))
  mkdirSync(join(folder, 'extensions', 'lib'), { recursive: true })
  writeFileSync(join(folder, 'extensions', 'lib', 'money.ts'), 'export const vat = 0.19\n')
  mkdirSync(join(folder, 'files'), { recursive: true })
  writeFileSync(join(folder, 'files', FILE), BYTES)
  writeFileSync(join(folder, 'files', 'of-nobody'), 'no row names it')
  await nameFile(FILE)
  await nameFile(LOST)
  // What waits when the backup is made: a webhook, and a mail.
  await world.app.context.jobs.stop()
  await world.register('boss', 'cases.created')
  await world.save({ Title: 'Leak', Region: 'north' })
  await world.write(`INSERT INTO svc_outbox (At, Kind, Source, Payload, State, Attempts)
    VALUES ('2026-11-28T00:00:00.000Z', 'mail', 'Cases',
      '{"To":"a@example.test","Role":null,"User":null,"Users":null,"Subject":"Leak","Body":"b",
        "Report":null,"With":{}}', 'pending', 0)`)
  made = await backUp(WHOLE)
})

afterAll(async () => {
  await world.close()
  home[Symbol.dispose]()
})

describe('a backup beside a server', () => {
  test('is one file for its owner, with every part and a manifest of it', async () => {
    expect(statSync(WHOLE).mode & 0o777).toBe(0o600)
    const { Files, Missing, LeftOut, Databases, Audit } = await loadManifest({ file: WHOLE })
    expect(Files.map(({ Name }) => Name)).toEqual([
      'engine.db',
      'state.db',
      `files/${FILE}`,
      'extensions/lib/money.ts',
      'appsettings.json',
    ])
    expect(Files[2]).toEqual({
      Name: `files/${FILE}`,
      Size: BYTES.length,
      Sha256: hash(BYTES),
    })
    expect({ Missing, LeftOut }).toEqual({
      Missing: [`files/${LOST}`],
      LeftOut: ['Svc:Mail:Password', 'svc:mail:password'],
    })
    expect(Databases.engine.Rows).toMatchObject({ cases: 1, svc_files: 2, svc_outbox: 1 })
    expect(Audit).toEqual(made.manifest.Audit)
    expect(Audit?.count).toBeGreaterThan(0)
  })

  test('leaves nothing behind, in the folder and beside the file', () => {
    const names = [...readdirSync(world.app.folder), ...readdirSync(home.path)]
    expect(names.filter((name) => /^\.(?:appengine-)?backup|\.part/.test(name))).toEqual([])
  })

  test('tar and zstd open it', async () => {
    const out = Bun.spawnSync(['tar', '--zstd', '-xOf', WHOLE, 'appsettings.json'])
    expect(JSON.parse(out.stdout.toString())).toEqual({ Svc: { Mail: { Security: 'Tls' } } })
  })

  test('has the secrets where they are wanted', async () => {
    await backUp(at('secrets.tar.zst'), { secrets: [] })
    const into = at('secrets')
    mkdirSync(into)
    await unpack({ file: at('secrets.tar.zst'), into, isWanted: (name) => name.endsWith('.json') })
    expect(readdirSync(into)).toEqual(['appsettings.json'])
    expect(JSON.parse(readFileSync(join(into, 'appsettings.json'), 'utf8'))).toEqual(SETTINGS)
  })

  test('replaces no file', async () => {
    await expect(backUp(WHOLE)).rejects.toThrow(`${WHOLE} exists already`)
  })
})

describe('a restored folder', () => {
  const target = at('restored')

  test('has what was there, every session has ended, and what would be sent is held', async () => {
    mkdirSync(target)
    await restore(WHOLE, target)
    expect(readFileSync(join(target, 'files', FILE), 'utf8')).toBe(BYTES)
    expect(existsSync(join(target, 'files', 'of-nobody'))).toBe(false)
    const { settings } = world.app.context
    const log = createLog(systemClock, () => {}, 'error')
    world.forget()
    const context = await openContext({ folder: target, settings, clock: systemClock, log })
    try {
      await context.watching
      const app = createApp(context)
      const post = async (path: string, token = '') => {
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
        const url = `http://localhost/api/v1/${path}`
        const answer = await app.handle(new Request(url, { method: 'POST', headers, body: '{}' }))
        return { status: answer.status, body: (await answer.json()) as Reply<unknown> }
      }
      const former = world.app.tokens.sys
      expect((await post('hangfire/resume', former)).status).toBe(401)
      await context.jobs.start()
      const states = () =>
        context.store.all(`SELECT Name, State FROM svc_jobs WHERE State <> 'Succeeded'`)
      await until(async () => (await states()).every(({ State }) => State === 'Held'))
      expect(await states()).toEqual([{ Name: 'webhook-delivery', State: 'Held' }])
      expect(await waitForOutbox(context)).toEqual([])
      expect(world.heard()).toEqual([])
      const { sys } = await signInAll(context, [{ userName: 'sys', password: TEST_PASSWORD }])
      const boss = await post('hangfire/jobs/1/requeue', sys)
      expect({ status: boss.status, code: boss.body.code }).toEqual({
        status: 409,
        code: 'JOB_HELD',
      })
      const resumed = await post('hangfire/resume', sys)
      expect(resumed.body.data).toEqual({ Jobs: 1, Mails: 1 })
      await until(async () => (await states()).length === 0)
      expect(world.heard().map(({ body }) => body.Event)).toEqual(['cases.created'])
      expect((await waitForOutbox(context)).length).toBe(1)
      expect(readOutbox(target).length).toBe(1)
      expect((await post('hangfire/resume', sys)).body.data).toEqual({ Jobs: 0, Mails: 0 })
    } finally {
      await context.jobs.stop()
      await context.close()
    }
  })

  test('is not made where something is', async () => {
    await expect(restore(WHOLE, target)).rejects.toThrow(`${target} is not empty`)
  })
})

test('an encrypted backup opens by its passphrase alone', async () => {
  const file = at('secret.tar.zst.age')
  await backUp(file, { passphrase: 'a horse and a battery' })
  expect(readFileSync(file).subarray(0, 21).toString()).toBe('age-encryption.org/v1')
  const open = (passphrase?: string) => loadManifest({ file, passphrase })
  expect((await open('a horse and a battery')).Entries).toBe(5)
  await expect(open('a battery')).rejects.toThrow(`The passphrase is not that of ${file}.`)
  await expect(open()).rejects.toThrow('give its passphrase by --passphrase-file')
})

test('an archive that the disk does not take says why', async () => {
  const large = at('large')
  writeFileSync(large, crypto.getRandomValues(Buffer.alloc(60_000)))
  const handle = await open(large, 'r')
  const writing = spyOn(Object.getPrototypeOf(handle) as typeof handle, 'write')
  await handle.close()
  writing.mockRejectedValue(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }))
  try {
    const writer = new ArchiveWriter(at('full.tar.zst'), { part: at('full'), at: new Date(0) })
    const addAll = async (): Promise<void> => {
      for (let n = 0; n < 200; n++)
        await writer.add({ name: `files/${n}`, path: large, size: 60_000 })
    }
    expect(await addAll().catch(String)).toBe('Error: no space left on device')
    await writer.abandon()
    expect(existsSync(at('full'))).toBe(false)
  } finally {
    writing.mockRestore()
  }
})

/** Files of an archive that somebody made or changed, and what a restore says of it. */
const BAD: readonly [what: string, make: (file: string) => Promise<void>, says: string | RegExp][] =
  [
    [
      'cut off',
      async (file) => writeFileSync(file, readFileSync(WHOLE).subarray(0, 20_000)),
      'cut off',
    ],
    ['no archive', async (file) => writeFileSync(file, 'hello'.repeat(1000)), 'no backup'],
    ['empty', async (file) => writeFileSync(file, ''), 'cut off'],
    ['changed in one byte', changeByte, /cannot be read|is not as it was backed up/],
    [
      'with a file too many',
      (file) => remake(file, { add: { name: 'files/x', text: 'x' } }),
      'more than it says',
    ],
    [
      'that leaves its folder',
      (file) => remake(file, { add: { name: 'files/../../x', text: '' }, more: 1 }),
      'no file of a backup',
    ],
    [
      'with a program',
      (file) => remake(file, { add: { name: 'bin/sh', text: '' }, more: 1 }),
      'no file of a backup',
    ],
    [
      'that lacks a file',
      (file) => remake(file, { without: `files/${FILE}` }),
      `lacks files/${FILE}`,
    ],
    [
      'with another file',
      (file) =>
        remake(file, {
          without: `files/${FILE}`,
          add: { name: `files/${FILE}`, text: 'what was changed' },
          more: 9,
        }),
      'is not as it was backed up',
    ],
  ]

async function changeByte(file: string): Promise<void> {
  const bytes = Buffer.from(readFileSync(WHOLE))
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 0x55
  writeFileSync(file, bytes)
}

/** The same archive with one file more or less; its manifest stays as it is. */
async function remake(
  target: string,
  { add, without, more = 0 }: { add?: PackedFile; without?: string; more?: number },
): Promise<void> {
  const from = `${target}.from`
  mkdirSync(from)
  Bun.spawnSync(['tar', '--zstd', '-xf', WHOLE, '-C', from])
  const manifest = await loadManifest({ file: WHOLE })
  const writer = new ArchiveWriter(target, { part: `${target}.part`, at: new Date(0) })
  const { Format, CreatedAt, Engine, Bytes, Entries } = manifest
  const header = { Format, CreatedAt, Engine, Bytes: Bytes + more, Entries: Entries + more }
  await writer.add({ name: 'backup.json', text: JSON.stringify(header) })
  for (const { Name, Size } of manifest.Files)
    if (Name !== without) await writer.add({ name: Name, path: join(from, Name), size: Size })
  if (add) await writer.add(add)
  await writer.add({ name: 'manifest.json', text: JSON.stringify(manifest) })
  await writer.finish()
}

describe('a restore refuses an archive', () => {
  test.each(BAD)('%s', async (what, make, says) => {
    const file = at(`${what}.tar.zst`)
    await make(file)
    const target = at(`of ${what}`)
    await expect(restore(file, target)).rejects.toThrow(says)
    await restore(file, target).catch(() => {})
    expect(readdirSync(home.path).filter((name) => name.startsWith(`of ${what}`))).toEqual([])
  })

  test('whose rows are not those of its manifest', async () => {
    const from = at('rows')
    mkdirSync(from)
    Bun.spawnSync(['tar', '--zstd', '-xf', WHOLE, '-C', from])
    const database = new Database(join(from, 'engine.db'))
    database.run('DELETE FROM svc_outbox')
    database.close()
    const manifest = await loadManifest({ file: WHOLE })
    const writer = new ArchiveWriter(at('rows.tar.zst'), { part: at('rows.part'), at: new Date(0) })
    const { Files: _files, ...header } = manifest
    await writer.add({ name: 'backup.json', text: JSON.stringify(header) })
    const files = []
    for (const { Name } of manifest.Files) {
      const path = join(from, Name)
      files.push(await writer.add({ name: Name, path, size: statSync(path).size }))
    }
    const text = JSON.stringify({ ...manifest, Files: files })
    await writer.add({ name: 'manifest.json', text })
    await writer.finish()
    await expect(restore(at('rows.tar.zst'), at('of rows'))).rejects.toThrow(
      'svc_outbox has 0 rows, and had 1',
    )
  })
})
