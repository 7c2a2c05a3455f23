import { Glob } from 'bun'
import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openWriter } from '../../src/store/connection/connection.ts'
import { migrateSchema, MIGRATIONS } from '../../src/store/engine-tables.ts'
import { findRowFaults } from '../../src/store/file/count-rows.ts'
import { lockDataFolder } from '../../src/store/file/lock.ts'
import { openReadOnly, openStore } from '../../src/store/file/open.ts'
import { ALL, failureOf, LIMITS, makeFolder, openFile, openShop, rows } from './temporary.ts'

const ENGINE = 'engine.db'

/** SHA-256 of each migration, added with it and never changed: data folders have run its text. */
const MIGRATION_HASHES = {
  'engine/0000_initial.sql': '56a26a4db4005e820d03d4d93dbc1deaf7fd041253146249937d59f64a4c7259',
  'engine/0001_import_lists.sql':
    'b19fa8215743ac22cd041940d701fc2e9be7ab696dfb8ce1ad29ddf8b83bc741',
  'engine/0002_model_migrations.sql':
    'efc38dd95898542149a99e3abc017b6007abdc94fbc35964e56b721cb17a0e08',
  'engine/0003_replay_gates.sql':
    'ea5b08a0b845aff399244e98a2fdbf16a04840c8b230ef2e15783b88a86a6d53',
  'engine/0004_documents.sql': 'd371f6ca9f81639a498471cb040e26d28148746c67144bcbbff5de62e348735c',
  'engine/0005_saved_by.sql': '766905f4e091773ab690c376cfc8dfcee9aefb75f13ff0b60874cff886b14313',
  'engine/0006_jobs.sql': '0bb8819c71e3ff6106ac1ad8e1b5c3aeaa82d80f6c8b4e58dd5c0fbc0b26f122',
  'engine/0007_search.sql': '7f863d1324c3f6adce1a5d899c0b9679569a4673e256a7cec6728e507fe4600d',
  'engine/0008_search_feed.sql': 'ced4e3c870f44805a1c892f438c09f6a2ab7e48f1c59e793dd7633becf362c23',
  'engine/0009_recurring_jobs.sql':
    '338e89e955fdeedd5aeb63fcb42768e8228f4e8f69091b5ea151f647af99a488',
  'engine/0010_push_subscriptions.sql':
    'd05f3e712841bc0bb860a6bbbea0bc2a4d9c92d8799afddfcde990d686fbf4e1',
  'engine/0011_notifications.sql':
    'c27a4f741c248cda90631a3e0000e72452b8a7fde4273de0c59517077162e22e',
  'engine/0012_webhooks.sql': 'e38e99391031aa1856e609b4875f6c96985f75ea3df3ccf817494ef03d4b730a',
  'engine/0013_api_keys.sql': '5f8834d4e990cf61bb8913b252746994e35c0d2b4bbbaaa98e70955b4b0eb3b4',
  'engine/0014_wizard_runs.sql': '402433ba7966c15874ee18c15ed3b3b8a51df4043299586e82f987af8ae9a6e1',
  'engine/0015_workflows.sql': '6b74c4f1d784e42291d6ca21fd69c0524c052d2903133602c9836e7234632b8d',
  'engine/0016_leaner_jobs.sql': 'd83936a8aae15f4ad2b64b75c19473d17470f30a03c3feb6335539fa172d43c8',
  'engine/0017_assistant.sql': '13a5f5e77f534a2ace5bba3ba5321ed95d93cb76f47ca4271da7f343f9e3f816',
  'engine/0018_webhook_removed.sql':
    '25a68b2fe3b4bb0af30b03fcd3c6f01862251802833e4e18f60f35587424de6f',
  'engine/0019_languages.sql': 'dfbfb9be1a6b213f78d95cf7ab0a5567862516ad01985d20996927ba4e6cdaba',
  'engine/0020_takeovers.sql': '40fb4c1c819182b791d0540598806feea12cae1c95c0e6c649937308f9de8840',
  'engine/0021_held_jobs.sql': '6aa0700caba84e5fe37eeba7ca4783d99eb60aee1f81739ff459dad1e014e780',
  'engine/0022_own_settings_and_views.sql':
    '54ee6be0a44467e284a43fa919d1952d3aebbe690d06cb51cf42c6b9d758bc1b',
  'engine/0023_comments.sql': '6efeeaea4e74f849d99bf0de61042b890313ae9ceaea63d7963d6a5c43b33abe',
  'engine/0024_own_jobs.sql': 'd46d0cb02e7db5966bb35f607322598d2a3a8f9c39a770b5944a49c96e104f3c',
  'engine/0025_mail_parts.sql': 'a9076a2d7ab735ce88dd1367a774fda55c20c5ed8c5037d2d5b26e50bb03a3db',
  'state/0000_initial.sql': '6db0c6a024d04e5871ccd838153af95d158754da2fcbd0c4e4922ae3b2485aba',
  'state/0001_api_key_uses.sql': '65874de3e7ea62e05c0eaaf5053583f407e64f5ddb889f8373dfb90eb5c9f715',
  'state/0002_assistant_tokens.sql':
    '26200864159f6784b2016fd6ea626948af8536ff4f9fdc8bf37e3d1e122e9fa5',
  'state/0003_strays.sql': 'd902ad6f54741994eb851337c2abe65975c60dd99a578d66c32704457061ee5a',
}

/** A data folder that was served once, with a fact to lose. */
async function makeServed(): Promise<{ folder: string; file: string } & Disposable> {
  const made = makeFolder()
  const file = join(made.folder, ENGINE)
  const store = await openFile(file)
  await store.write((tx) => tx.run("INSERT INTO svc_facts VALUES ('kept', 'yes')"), ALL)
  await store.close()
  return { ...made, file }
}

const kept = async (file: string) => {
  const store = await openFile(file)
  const found = await rows(store, "SELECT Value FROM svc_facts WHERE Name = 'kept'")
  await store.close()
  return found[0]?.Value
}

test('a closed store is its one file, and is opened again', async () => {
  using made = await makeServed()
  expect(await kept(made.file)).toBe('yes')
  using other = makeFolder()
  const copy = join(other.folder, ENGINE)
  writeFileSync(copy, readFileSync(made.file))
  expect(await kept(copy)).toBe('yes')
})

const DAMAGES: [string, (file: string) => void, string][] = [
  ['of no bytes', (file) => writeFileSync(file, ''), 'is empty'],
  ['of other bytes', (file) => writeFileSync(file, 'x'.repeat(5000)), 'not a database'],
  ['with a broken header', (file) => overwrite(file, 0, 'garbage'), 'not a database'],
  ['of another program', (file) => overwrite(file, 68, 'abcd'), 'another program'],
  ['that was cut', (file) => writeFileSync(file, readFileSync(file).subarray(0, 6000)), '.db'],
  ['with a damaged page', (file) => overwrite(file, 4096 * 3 + 1, 'garbage!'), 'damaged'],
]

test.each(DAMAGES)(
  'a volatile database %s is put aside with a message, and made anew',
  async (_, damage) => {
    using made = makeFolder()
    const file = join(made.folder, 'state.db')
    const told: string[] = []
    const open = () =>
      openStore({
        file,
        migrations: 'state',
        lanes: 1,
        limits: LIMITS,
        warn: (sentence) => told.push(sentence),
      })
    await (await open()).close()
    damage(file)
    const bytes = readFileSync(file)
    const store = await open()
    expect(await rows(store, 'SELECT count(*) AS n FROM svc_sessions')).toEqual([{ n: 0 }])
    expect(told).toHaveLength(1)
    const aside = / renamed to (\S+):/.exec(told[0] ?? '')?.[1] ?? ''
    expect(told[0]).not.toContain('left as it is')
    expect(readFileSync(aside)).toEqual(bytes)
    await store.close()
    await (await open()).close()
    expect(told).toHaveLength(1)
  },
)

test.each<(typeof DAMAGES)[number]>([
  ...DAMAGES,
  ['that is missing', (file) => rmSync(file), 'missing'],
])('a file %s is refused and left as it is', async (_, damage, message) => {
  using made = await makeServed()
  damage(made.file)
  const before = existsSync(made.file) ? readFileSync(made.file) : undefined
  const failure = await failureOf(openFile(made.file))
  expect(failure.message).toContain(message)
  expect(failure.message).toContain(made.file)
  expect(existsSync(made.file) ? readFileSync(made.file) : undefined).toEqual(before)
})

function overwrite(file: string, at: number, text: string): void {
  const bytes = readFileSync(file)
  bytes.write(text, at)
  writeFileSync(file, bytes)
}

test("the file of another data folder is refused by the sidecar's id", async () => {
  using made = await makeServed()
  using other = await makeServed()
  writeFileSync(made.file, readFileSync(other.file))
  expect((await failureOf(openFile(made.file))).message).toContain('is not the database that')
  rmSync(`${made.file}.id`)
  expect(await kept(made.file)).toBe('yes')
})

test.each([
  ['of no bytes', ''],
  ['of zeros', '\0'.repeat(37)],
])('a sidecar %s counts as missing, and is made anew from the database', async (_, text) => {
  using made = await makeServed()
  const sidecar = `${made.file}.id`
  const id = readFileSync(sidecar, 'utf8')
  writeFileSync(sidecar, text)
  expect(await kept(made.file)).toBe('yes')
  expect(readFileSync(sidecar, 'utf8')).toBe(id)
})

/** A database as a process leaves it that was killed: with a log of what was written last. */
function leaveLog(file: string, rows: number): { database: Buffer; log: Buffer } {
  const connection = openWriter(file)
  connection.database.exec('PRAGMA wal_autocheckpoint=0')
  for (let at = 0; at < rows; at++)
    connection.database.exec(`INSERT INTO svc_facts VALUES ('late ${at}', hex(randomblob(900)))`)
  const left = { database: readFileSync(file), log: readFileSync(`${file}-wal`) }
  connection.close()
  return left
}

test.each([true, false])(
  'a log of another database is refused, and both are left as they are; lock.db is there: %p',
  async (hasLock) => {
    using served = await makeServed()
    using other = await makeServed()
    // No connection of this process has had it open.
    using folder = makeFolder()
    const made = { ...folder, file: join(folder.folder, ENGINE) }
    for (const name of readdirSync(served.folder))
      writeFileSync(join(made.folder, name), readFileSync(join(served.folder, name)))
    const { log } = leaveLog(other.file, 60)
    const database = readFileSync(made.file)
    writeFileSync(`${made.file}-wal`, log)
    if (hasLock) writeFileSync(join(made.folder, 'lock.db'), '')
    const start = async () => {
      const lock = await lockDataFolder(made.folder)
      try {
        await openFile(made.file)
      } finally {
        lock.release()
      }
    }
    const names = readdirSync(made.folder).filter((name) => name !== 'lock.db')
    expect((await failureOf(start())).message).toMatch(/\.db is (?:damaged|not the database)/)
    expect(readFileSync(made.file).equals(database)).toBe(true)
    expect(readFileSync(`${made.file}-wal`).equals(log)).toBe(true)
    expect(readdirSync(made.folder).filter((name) => name !== 'lock.db')).toEqual(names)
  },
)

test('a log that was removed is told of; one that is there, or went in time, is not', async () => {
  using made = await makeServed()
  const told: string[] = []
  const open = async () => {
    const warn = (sentence: string) => void told.push(sentence)
    const options = { file: made.file, migrations: 'engine', lanes: 1, limits: LIMITS } as const
    await (await openStore({ ...options, warn })).close()
  }
  await open()
  expect(told).toEqual([])
  using copy = makeFolder()
  const [file, mark] = [join(copy.folder, ENGINE), join(copy.folder, `${ENGINE}.open`)]
  const { database, log } = leaveLog(made.file, 3)
  for (const [path, bytes] of [
    [file, database],
    [`${file}-wal`, log],
    [mark, ''],
  ] as const)
    writeFileSync(path, bytes)
  made.file = file
  await open()
  expect(told).toEqual([])
  expect(existsSync(mark)).toBe(false)
  writeFileSync(mark, '')
  rmSync(`${file}-wal`, { force: true })
  await open()
  expect(told).toEqual([
    expect.stringContaining(
      `${file}-wal is missing, though ${file} was open when its process ended`,
    ),
  ])
  await open()
  expect(told).toHaveLength(1)
})

test('what a stopped process left half made is made again', async () => {
  using made = makeFolder()
  const file = join(made.folder, ENGINE)
  writeFileSync(`${file}.new`, 'half')
  writeFileSync(`${file}.new.part`, 'half')
  await (await openFile(file)).close()
  const left = readdirSync(made.folder).filter((name) => name.includes('new'))
  expect(left).toEqual([])
})

test('a file that a newer version has migrated is refused', async () => {
  using made = await makeServed()
  const connection = openWriter(made.file)
  connection.database.exec(`PRAGMA user_version=${MIGRATIONS.engine.length + 1}`)
  connection.close()
  expect((await failureOf(openFile(made.file))).message).toContain('newer version')
  expect((await failureOf(openReadOnly(made.file, LIMITS))).message).toContain('newer version')
})

test('an older file is migrated in one transaction, whole or not at all', async () => {
  using made = await makeServed()
  const connection = openWriter(made.file)
  const steps = [...MIGRATIONS.engine, 'CREATE TABLE svc_added (Id INTEGER); SELECT 1']
  migrateSchema(connection, made.file, 'engine', steps)
  const find = (name: string) =>
    connection.statement('SELECT name AS n FROM sqlite_schema WHERE name = @name').all({ name })
  expect(find('svc_added')).toHaveLength(1)
  const more = 'CREATE TABLE svc_more (Id INTEGER)'
  const broken = [...steps, `${more}; CREATE TABLE svc_added (Id INTEGER)`]
  expect(() => migrateSchema(connection, made.file, 'engine', broken)).toThrow('already exists')
  expect(find('svc_more')).toEqual([])
  const lossy = [
    ...steps,
    `CREATE TABLE new_facts AS SELECT * FROM svc_facts WHERE Name <> 'kept';
     DROP TABLE svc_facts; ALTER TABLE new_facts RENAME TO svc_facts`,
  ]
  expect(() => migrateSchema(connection, made.file, 'engine', lossy)).toThrow(
    /would change rows that it must keep: svc_facts has \d rows and had \d/,
  )
  connection.close()
})

test.each<[string, string, string[]]>([
  ['a row less', 'ALTER TABLE a ADD COLUMN B TEXT', ['a has 1 rows and had 2']],
  ['rows that are meant', 'DELETE FROM `a` WHERE Id = 1', []],
  ['rows that are added', 'INSERT INTO "A" (Id) SELECT Id FROM b', []],
  ['a table that was built anew', 'DROP TABLE a; ALTER TABLE new RENAME TO a', ['a has 1']],
])('rows are counted beside a migration: %s', (_, step, faults) => {
  expect(findRowFaults({ a: 2, b: 1 }, { a: 1, b: 1 }, [step])).toEqual(
    faults.map((fault) => expect.stringContaining(fault)),
  )
})

test('a table that a migration removes may go, any other may not', () => {
  expect(findRowFaults({ a: 2 }, {}, ['DROP TABLE IF EXISTS `a`'])).toEqual([])
  expect(findRowFaults({ a: 2 }, {}, ['DROP TABLE b'])).toEqual(['a has 0 rows and had 2'])
})

test('every migration in the folders is embedded, in order', async () => {
  for (const kind of ['engine', 'state'] as const) {
    const folder = join(import.meta.dir, '../../src/store/migrations', kind)
    const names = [...new Glob('*.sql').scanSync(folder)].sort()
    const texts = await Promise.all(names.map((name) => Bun.file(join(folder, name)).text()))
    expect(MIGRATIONS[kind]).toEqual(texts)
  }
})

test.each(Object.entries(MIGRATION_HASHES))(
  'a migration that has landed stays as it is: %s',
  (name, hash) => {
    const text = readFileSync(join(import.meta.dir, '../../src/store/migrations', name))
    expect(new Bun.CryptoHasher('sha256').update(text).digest('hex')).toBe(hash)
  },
)

test('every migration has landed with its hash', () => {
  const names = [
    ...new Glob('*/*.sql').scanSync(join(import.meta.dir, '../../src/store/migrations')),
  ]
  expect(names.sort()).toEqual(Object.keys(MIGRATION_HASHES))
})

test('the volatile database may be lost with its file', async () => {
  using made = makeFolder()
  const options = {
    file: join(made.folder, 'state.db'),
    migrations: 'state',
    lanes: 1,
    limits: LIMITS,
  } as const
  await (await openStore(options)).close()
  rmSync(options.file)
  const store = await openStore(options)
  expect(await store.all({ sql: 'SELECT * FROM svc_sessions', args: {}, runs: 'inline' })).toEqual(
    [],
  )
  await store.close()
})

test('a command that only prints reads beside a serving process and changes no byte', async () => {
  await using shop = await openShop()
  const before = statSync(shop.file).mtimeMs
  const reader = await openReadOnly(shop.file, LIMITS)
  expect(await reader.text({ sql: 'SELECT count(*) FROM orders', args: {}, runs: 'lane' })).toBe(
    '3',
  )
  await reader.close()
  expect(statSync(shop.file).mtimeMs).toBe(before)
})

test('a stopped folder can be read without a serving process', async () => {
  using made = await makeServed()
  const reader = await openReadOnly(made.file, LIMITS)
  expect(
    await reader.text({
      sql: "SELECT Value FROM svc_facts WHERE Name = 'kept'",
      args: {},
      runs: 'inline',
    }),
  ).toBe('yes')
  await reader.close()
  expect((await failureOf(openReadOnly(join(made.folder, 'none.db'), LIMITS))).message).toContain(
    'does not exist',
  )
})
