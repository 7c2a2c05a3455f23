/** A data folder of an older version: its upgrade, and the way back. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { MIGRATIONS } from '../../src/store/engine-tables.ts'
import { findLastUpgrade, type FolderSchema } from '../../src/store/file/last-upgrade.ts'
import { migrateFolder } from '../../src/store/file/upgrade.ts'
import { readStoreLimits } from '../../src/store/floor.ts'
import { systemScope } from '../../src/store/store.ts'
import { loadManifest } from '../../src/engine/backups/unpack.ts'
import { HOLD_SCHEMA } from '../../src/engine/jobs/hold.ts'
import { countLosses } from '../../src/engine/upgrades/losses.ts'
import { findWayBack, rollbackFolder } from '../../src/engine/upgrades/rollback-folder.ts'
import { closeStores, openStores } from '../../src/server/open-context.ts'
import { configure } from '../../src/app.ts'
import { temporaryFolder } from '../support/executable.ts'
import { BEFORE_LAST, makeOlderFolder, OLDER_VERSION } from '../../scripts/verify/older-folder.ts'

const home = temporaryFolder()
const at = (...names: string[]): string => join(home.path, ...names)
const PRESENT: FolderSchema = { engine: MIGRATIONS.engine.length, state: MIGRATIONS.state.length }
/** The schema of `engine.db` before its last migration. */
const BEFORE = BEFORE_LAST.engine
const FILE = '00000000-0000-4000-8000-000000000001'
const ALL = systemScope('a test writes')
let folders = 0

/** The message of a promise that must fail. */
const failureOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(() => 'It did not fail', String)

const settingsOf = (folder: string, flags: Record<string, string> = {}) =>
  configure({ dataFolder: folder, env: {}, flags, environment: 'Development' })

/** Opens and closes the stores of a folder; resolves to what the operator is told. */
async function open(
  folder: string,
  flags: Record<string, string> = {},
  ...writes: string[]
): Promise<string[]> {
  const told: string[] = []
  const tell = (sentence: string): void => void told.push(sentence)
  const stores = await openStores(folder, settingsOf(folder, flags), { info: tell, warn: tell })
  for (const sql of writes) await stores.store.write((tx) => tx.authored(sql), ALL)
  await closeStores(stores)
  return told
}

function readAll<T>(folder: string, kind: 'engine' | 'state', sql: string): T[] {
  const database = new Database(join(folder, `${kind}.db`), { readonly: true })
  try {
    return database.query<T, []>(sql).all()
  } finally {
    database.close()
  }
}

const schemaOf = (folder: string): FolderSchema => {
  const read = (kind: 'engine' | 'state'): number =>
    readAll<{ user_version: number }>(folder, kind, 'PRAGMA user_version')[0]?.user_version ?? 0
  return { engine: read('engine'), state: read('state') }
}

/** A folder of its own, of an earlier schema. */
function makeOlder(schema?: FolderSchema): string {
  const folder = at(`older-${++folders}`)
  makeOlderFolder(at('base'), folder, schema)
  return folder
}

const backupsOf = (folder: string): string[] =>
  existsSync(join(folder, 'backups'))
    ? readdirSync(join(folder, 'backups')).filter((name) => /\.zst(?:\.age)?$/.test(name))
    : []

async function goBack(folder: string, passphrase?: string) {
  const settings = settingsOf(folder)
  const way = await findWayBack(folder, settings)
  const back = await rollbackFolder(way, {
    folder,
    settings,
    passphrase,
    now: () => new Date('2026-12-01T00:00:00Z'),
    warn: () => {},
  })
  return { way, back }
}

const PENDING = `INSERT INTO svc_outbox (At, Kind, Source, Payload, State, Attempts)
  VALUES ('2026-11-28T00:00:00.000Z', 'mail', 'Cases', '{}', 'pending', 0)`
const COMPANY = (code: string): string =>
  `INSERT INTO svc_companies (Code, Name, CreatedAt) VALUES ('${code}', 'A company', '2026')`
const NAMED = `INSERT INTO svc_files (Path, Entity, RecordKey, Field, FileName, ContentType, Size,
  Sha256, CreatedAt) VALUES ('${FILE}', 'Case', '[1]', 'F', 'a', 't', 5,
  '${new Bun.CryptoHasher('sha256').update('bytes').digest('hex')}', '')`
const SESSION = `INSERT INTO svc_sessions (Id, UserId, CompanyId, CreatedAt, LastUsedAt, ExpiresAt)
  VALUES ('s', 1, 1, '2026', '2026', '2027')`

beforeAll(async () => {
  const base = at('base')
  mkdirSync(join(base, 'files'), { recursive: true })
  writeFileSync(join(base, 'files', FILE), 'bytes')
  mkdirSync(join(base, 'extensions'))
  writeFileSync(join(base, 'extensions', 'vat.ts'), 'export const vat = 0.19\n')
  writeFileSync(join(base, 'appsettings.json'), '{"Svc":{"Mail":{"Password":"then"}}}')
  await open(base, {}, COMPANY('THEN'), NAMED, PENDING)
  const state = new Database(join(base, 'state.db'))
  state.run(SESSION)
  state.close()
})

afterAll(() => home[Symbol.dispose]())

describe('an upgrade', () => {
  test('comes after a backup and a trial, is told, and is remembered with its backup', async () => {
    const folder = makeOlder()
    const told = await open(folder)
    expect(schemaOf(folder)).toEqual(PRESENT)
    const [name = ''] = backupsOf(folder)
    expect(name).toMatch(/^before-upgrade-0\.0\.9-to-[\d.]+-\d{8}T\d{6}Z\.tar\.zst$/)
    const file = join(folder, 'backups', name)
    expect(told).toEqual([
      expect.stringContaining(`was written by version ${OLDER_VERSION} (schema ${BEFORE}): it is`),
      expect.stringContaining(`The backup before the upgrade is ${file}`),
      'The upgrade was tried on a copy, which is whole',
      expect.stringContaining(`"appengine rollback" takes it back, by ${file}`),
    ])
    const { Databases, LeftOut, Files } = await loadManifest({ file })
    expect([Databases.engine.Schema, Databases.state.Schema]).toEqual([BEFORE, BEFORE_LAST.state])
    expect(LeftOut).toEqual([])
    expect(Files.map(({ Name }) => Name)).toContain('appsettings.json')
    const stores = await openStores(folder, settingsOf(folder), {
      info: (sentence) => expect(sentence).toBe(''),
      warn: (sentence) => expect(sentence).toBe(''),
    })
    expect(await findLastUpgrade(stores.store)).toMatchObject({
      From: { Version: OLDER_VERSION, Schema: BEFORE_LAST },
      To: { Schema: PRESENT },
      Backup: file,
    })
    await closeStores(stores)
  })

  test('is made without a backup where a setting says so', async () => {
    const folder = makeOlder()
    const told = await open(folder, { 'Svc:Backup:BeforeUpgrade': 'false' })
    expect(told[1]).toContain('no backup is made, and nothing leads back')
    expect(told[2]).toBe('The upgrade was tried on a copy, which is whole')
    expect({ schema: schemaOf(folder), backups: backupsOf(folder) }).toEqual({
      schema: PRESENT,
      backups: [],
    })
    expect(await failureOf(findWayBack(folder, settingsOf(folder)))).toContain('without a backup')
  })

  test('removes the backups of those that were cut off, and no others', async () => {
    const folder = makeOlder()
    mkdirSync(join(folder, 'backups'))
    const names = ['before-upgrade-0.0.8-to-0.0.9', 'before-upgrade-0.0.9-to-0.1.0', 'backup'].map(
      (begin) => `${begin}-20261101T000000Z.tar.zst`,
    )
    for (const name of names) writeFileSync(join(folder, 'backups', name), 'x')
    const [described = ''] = names
    writeFileSync(join(folder, 'backups', `${described}.json`), '{"Rehearsal":null}')
    await open(folder)
    const left = backupsOf(folder)
    expect(left).toHaveLength(3)
    expect(left).toContain(described)
    expect(left).toContain(names[2] ?? '')
    expect(left).not.toContain(names[1] ?? '')
  })

  const ORPHAN = `PRAGMA foreign_keys=OFF; INSERT INTO svc_user_attributes VALUES (77, 'a', 'b')`
  const TAKEN = 'CREATE TABLE svc_strays (Path TEXT PRIMARY KEY NOT NULL, Since TEXT NOT NULL)'

  test.each<['engine' | 'state', string, string]>([
    ['engine', ORPHAN, 'would break references'],
    ['state', TAKEN, 'already exists'],
  ])('that fails in %s.db leaves both as they were, and says so', async (kind, sql, reason) => {
    const folder = makeOlder()
    const database = new Database(join(folder, `${kind}.db`))
    database.run(sql)
    database.close()
    for (const isBackedUp of ['true', 'false']) {
      const flags = { 'Svc:Backup:BeforeUpgrade': isBackedUp }
      const failure = await failureOf(open(folder, flags))
      expect(failure).toContain(reason)
      expect(failure).toContain(
        `The folder is as it was: Version ${OLDER_VERSION} still serves it.`,
      )
    }
    const upgrade = { At: '', Backup: null }
    const end = { Version: null, Schema: PRESENT }
    expect(await failureOf(migrateFolder(folder, { ...upgrade, From: end, To: end }))).toContain(
      reason,
    )
    expect(schemaOf(folder)).toEqual(BEFORE_LAST)
    expect(backupsOf(folder)).toEqual([])
    expect(readdirSync(folder).filter((name) => /^\.|before-upgrade/.test(name))).toEqual([])
  })

  test('that was cut off between its two commits begins anew with both as they were', async () => {
    const folder = makeOlder()
    const migrated = at('migrated')
    makeOlderFolder(at('base'), migrated)
    await open(migrated)
    renameSync(join(folder, 'state.db'), join(folder, 'state.db.before-upgrade'))
    cpSync(join(migrated, 'state.db'), join(folder, 'state.db'))
    await open(folder)
    expect(schemaOf(folder)).toEqual(PRESENT)
    const file = join(folder, 'backups', backupsOf(folder)[0] ?? '')
    expect((await loadManifest({ file })).Databases.state.Schema).toBe(BEFORE_LAST.state)
    writeFileSync(join(folder, 'state.db.before-upgrade'), 'left behind the commit')
    await open(folder)
    expect(existsSync(join(folder, 'state.db.before-upgrade'))).toBe(false)
  })

  test.each<['engine' | 'state']>([['engine'], ['state']])(
    'a folder whose %s.db a newer version wrote is refused with the version that it needs',
    async (kind) => {
      const folder = at(`newer-${kind}`)
      cpSync(at('base'), folder, { recursive: true })
      const file = join(folder, `${kind}.db`)
      const database = new Database(file)
      database.run(`PRAGMA user_version=${PRESENT[kind] + 1}`)
      database.close()
      const engine = new Database(join(folder, 'engine.db'))
      engine.run("UPDATE svc_facts SET Value = '9.9.9' WHERE Name = 'EngineVersion'")
      engine.close()
      const failure = await failureOf(open(folder))
      expect(failure).toContain(`${file} was written by a newer version of the engine`)
      expect(failure).toContain('Use version 9.9.9 or a later one; its "appengine rollback"')
      expect(backupsOf(folder)).toEqual([])
    },
  )
})

describe('a rollback', () => {
  test('puts back what was there before the upgrade, and ends every session', async () => {
    const folder = makeOlder()
    await open(folder)
    await open(folder, {}, COMPANY('LATER'), `DELETE FROM svc_files`)
    rmSync(join(folder, 'files', FILE))
    writeFileSync(join(folder, 'files', 'later'), 'x')
    writeFileSync(join(folder, 'extensions', 'vat.ts'), 'export const vat = 0.2\n')
    const settings = '{"Svc":{"Mail":{"Password":"later"}}}'
    writeFileSync(join(folder, 'appsettings.json'), settings)
    const file = join(folder, 'backups', backupsOf(folder)[0] ?? '')
    const limits = readStoreLimits(settingsOf(folder))
    expect(await countLosses(folder, await loadManifest({ file }), limits)).toMatchObject({
      Rows: [
        { Table: 'svc_companies', Now: 2, Then: 1 },
        { Table: 'svc_files', Now: 0, Then: 1 },
      ],
    })
    const { way, back } = await goBack(folder)
    expect(way.file).toBe(file)
    expect(back).toMatchObject({ Version: OLDER_VERSION, Schema: BEFORE, Held: true, Waiting: 1 })
    expect(schemaOf(folder)).toEqual(BEFORE_LAST)
    expect(readAll(folder, 'engine', 'SELECT Code FROM svc_companies')).toEqual([{ Code: 'THEN' }])
    expect(readAll(folder, 'state', 'SELECT Id FROM svc_sessions')).toEqual([])
    expect(readdirSync(join(folder, 'files'))).toEqual([FILE])
    const textOf = (...names: string[]) => readFileSync(join(folder, ...names), 'utf8')
    expect(textOf('extensions', 'vat.ts')).toContain('0.19')
    expect(textOf('appsettings.json')).toContain('then')
    expect(textOf('appsettings.json.replaced')).toBe(settings)
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
    expect(await failureOf(findWayBack(folder, settingsOf(folder)))).toContain(
      'knows of no upgrade',
    )
    await open(folder)
    expect(schemaOf(folder)).toEqual(PRESENT)
  })

  test.each([
    [HOLD_SCHEMA, true],
    [HOLD_SCHEMA - 1, false],
  ])('to schema %i holds what would leave the house: %p', async (engine, Held) => {
    const folder = makeOlder({ engine, state: BEFORE_LAST.state })
    await open(folder)
    expect((await goBack(folder)).back).toMatchObject({ Held, Waiting: 1 })
    const sql = "SELECT Value FROM svc_facts WHERE Name = 'held'"
    const held = readAll<{ Value: string }>(folder, 'engine', sql).map(({ Value }) => Value)
    expect(held.map((text) => JSON.parse(text).RestoredAt)).toEqual(
      Held ? ['2026-12-01T00:00:00.000Z'] : [],
    )
  })

  // Folders of every migration are opened elsewhere; here some go back.
  test.each([
    [1, ''],
    [7, 'a horse and a battery'],
    [16, ''],
  ])('leads back to schema %i, with the passphrase "%s"', async (engine, passphrase) => {
    const folder = makeOlder({ engine, state: 1 })
    const file = `${folder}.passphrase`
    writeFileSync(file, passphrase)
    await open(folder, passphrase === '' ? {} : { 'Svc:Backup:PassphraseFile': file })
    expect(schemaOf(folder)).toEqual(PRESENT)
    expect(backupsOf(folder)[0]?.endsWith('.age')).toBe(passphrase !== '')
    await goBack(folder, passphrase || undefined)
    expect(schemaOf(folder)).toEqual({ engine, state: 1 })
  })

  test('finds the backup by its name where the database cannot be read', async () => {
    const folder = makeOlder()
    await open(folder)
    writeFileSync(join(folder, 'engine.db'), 'garbage')
    const { way } = await goBack(folder)
    expect(way).toEqual({
      file: join(folder, 'backups', backupsOf(folder)[0] ?? ''),
      upgrade: undefined,
    })
    expect(schemaOf(folder)).toEqual(BEFORE_LAST)
  })

  test.each<[string, (folder: string) => void, string]>([
    [
      'whose backup is gone',
      (folder) => rmSync(join(folder, 'backups'), { recursive: true }),
      'is gone. Put it back',
    ],
    [
      'with the backup of another folder',
      (folder) => writeFileSync(join(folder, 'engine.db.id'), 'another\n'),
      'is a backup of another data folder',
    ],
    [
      'whose backup is damaged',
      (folder) => {
        const file = join(folder, 'backups', backupsOf(folder)[0] ?? '')
        writeFileSync(file, readFileSync(file).subarray(0, 9000))
      },
      'is cut off',
    ],
  ])('of a folder %s is refused, and changes nothing', async (_, damage, reason) => {
    const folder = makeOlder()
    await open(folder)
    damage(folder)
    expect(await failureOf(goBack(folder))).toContain(reason)
    expect(schemaOf(folder)).toEqual(PRESENT)
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
  })
})
