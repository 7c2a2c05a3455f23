/** Data folders of the first version that was published: the same schema number, other tables. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkAudit } from '../../src/store/audit/check.ts'
import { openScratch } from '../../src/store/connection/connection.ts'
import { openNative } from '../../src/store/connection/native.ts'
import { APPLICATION_ID, type DatabaseKind, MIGRATIONS } from '../../src/store/engine-tables.ts'
import { hasTexts, promiseTexts } from '../../src/store/file/compare-tables.ts'
import { openReadOnly, openStore } from '../../src/store/file/open.ts'
import { ALL, failureOf, LIMITS, makeFolder, rows } from './temporary.ts'

const earlier = (kind: DatabaseKind): string =>
  readFileSync(join(import.meta.dir, 'earlier', `${kind}.sql`), 'utf8')

/** Makes the file as that version left it, `changes` being what happened to it since. */
function makeEarlier(file: string, kind: DatabaseKind, changes: readonly string[] = []): void {
  const database = openNative(file, 'rwc')
  database.exec('PRAGMA journal_mode=WAL')
  database.exec(earlier(kind))
  database.exec(`PRAGMA application_id=${APPLICATION_ID[kind]}; PRAGMA user_version=1`)
  for (const sql of kind === 'engine' ? [...ROWS, ...changes] : changes) database.exec(sql)
  database.close()
}

const ROWS = [
  "INSERT INTO svc_facts VALUES ('DataId', '0b6f3b0e-0000-4000-8000-000000000001')",
  `INSERT INTO svc_audit (Id, At, Source, Entity, RecordKey, Action, Changes) VALUES
     (1, '2026-11-21T20:00:00.000Z', 'deploy', 'Order', '[1]', 'insert', '{}'),
     (2, '2026-11-21T20:00:01.000Z', 'deploy', 'Order', '[1]', 'update', '{"A":[1,2]}'),
     (9, '2026-11-21T20:00:02.000Z', 'deploy', 'Order', '[1]', 'delete', '{}')`,
  'DELETE FROM svc_audit WHERE Id = 9',
  `INSERT INTO svc_outbox (At, Kind, Source, Payload, State, Attempts)
     VALUES ('2026-11-21T20:00:00.000Z', 'mail', 'effect', '{}', 'waiting', 0)`,
  `INSERT INTO svc_outbox (At, Kind, CompanyId, UserId, Source, Payload, State, Attempts)
     VALUES ('2026-11-21T20:00:01.000Z', 'job', 1, 2, 'Orders',
       '{"Name":"Check","With":{"Id":7}}', 'pending', 0)`,
]

const open = (file: string, kind: DatabaseKind = 'engine') =>
  openStore({ file, migrations: kind, lanes: 1, limits: LIMITS })

test.each<[string, string[]]>([
  ['as it was left', []],
  [
    'whose number a later version has raised',
    [...MIGRATIONS.engine.slice(1, 2), 'PRAGMA user_version=2'],
  ],
])('a folder of the first version opens %s, its rows as they were', async (_, changes) => {
  using made = makeFolder()
  const file = join(made.folder, 'engine.db')
  makeEarlier(file, 'engine', changes)
  const store = await open(file)
  expect(await rows(store, 'SELECT Kind, DueAt FROM svc_outbox')).toEqual([
    { Kind: 'mail', DueAt: null },
  ])
  expect(await rows(store, 'SELECT * FROM svc_jobs')).toMatchObject([
    {
      Name: 'Check',
      State: 'Enqueued',
      CompanyId: 1,
      UserId: 2,
      Source: 'Orders',
      Arguments: '{"Id":7}',
      Attempts: 0,
      CreatedAt: '2026-11-21T20:00:01.000Z',
    },
  ])
  expect(await checkAudit(store)).toMatchObject({ proven: { count: 2 }, fault: undefined })
  const id = await store.write(async (tx) => {
    await tx.audit({
      at: '2026-11-22T00:00:00.000Z',
      userId: 1,
      impersonatorId: null,
      companyId: null,
      source: 's',
      traceId: null,
      entity: 'Order',
      recordKey: '[2]',
      action: 'insert',
      changes: '{}',
    })
    return (await tx.get('SELECT max(Id) AS Id FROM svc_audit'))?.Id
  }, ALL)
  expect(id).toBe(10)
  expect(await checkAudit(store)).toMatchObject({ proven: { count: 3 }, fault: undefined })
  expect(await rows(store, 'PRAGMA user_version')).toEqual([
    { user_version: MIGRATIONS.engine.length },
  ])
  await store.close()
  await (await open(file)).close()
})

test('what a repaired folder has is what a new one has', async () => {
  using made = makeFolder()
  const [old, fresh] = [join(made.folder, 'engine.db'), join(made.folder, 'fresh.db')]
  makeEarlier(old, 'engine')
  const tables = async (file: string) => {
    const store = await open(file)
    const found = await rows(
      store,
      `SELECT s.type, s.name, c.name AS Part FROM sqlite_schema s
       LEFT JOIN pragma_table_xinfo(s.name) c WHERE s.name LIKE 'svc%' ORDER BY 1, 2, 3`,
    )
    await store.close()
    return found
  }
  expect(await tables(old)).toEqual(await tables(fresh))
})

test('the volatile database of the first version opens too', async () => {
  using made = makeFolder()
  const file = join(made.folder, 'state.db')
  const session = `INSERT INTO svc_sessions (Id, UserId, CompanyId, CreatedAt, LastUsedAt, ExpiresAt)
    VALUES ('s', 1, 1, '2026', '2026', '2027')`
  makeEarlier(file, 'state', [session])
  const store = await open(file, 'state')
  expect(await rows(store, 'SELECT Id, ImpersonatorId FROM svc_sessions')).toEqual([
    { Id: 's', ImpersonatorId: null },
  ])
  await store.close()
})

test.each([
  [
    'ALTER TABLE svc_companies RENAME COLUMN Code TO Mark',
    'column Code of table svc_companies is missing',
  ],
  [
    `DROP TABLE svc_sequences; CREATE TABLE svc_sequences (Name INTEGER NOT NULL,
       CompanyId INTEGER NOT NULL, Period TEXT NOT NULL, Last INTEGER NOT NULL,
       PRIMARY KEY (Name, CompanyId, Period))`,
    'column Name of table svc_sequences is INTEGER PRIMARY KEY(1) NOT NULL where ' +
      'TEXT PRIMARY KEY(1) NOT NULL belongs',
  ],
  [
    `DROP TABLE svc_facts; CREATE TABLE svc_facts (Name TEXT PRIMARY KEY NOT NULL,
       Value TEXT NOT NULL, Later TEXT NOT NULL)`,
    'column Later of table svc_facts does not belong there',
  ],
])('a table that nobody can mend is named, and nothing is raised: %s', async (change, message) => {
  using made = makeFolder()
  const file = join(made.folder, 'engine.db')
  makeEarlier(file, 'engine', [change])
  const failure = await failureOf(open(file))
  expect(failure.message).toContain(message)
  expect(failure.message).toContain(file)
  const reader = await openReadOnly(file, LIMITS)
  const version = { sql: 'PRAGMA user_version', args: {}, runs: 'inline' } as const
  expect(await reader.get(version)).toEqual({ user_version: 1 })
  await reader.close()
})

test.each<[string, string, boolean]>([
  ['of the application besides', 'CREATE TABLE orders (Id INTEGER)', true],
  ['of the engine besides', 'CREATE TABLE svc_more (Id INTEGER)', true],
  ['gone', 'DROP TABLE svc_facts', false],
  ['with a column more', 'ALTER TABLE svc_facts ADD COLUMN More TEXT', false],
])('the texts of a schema tell whether a file has it: a table %s', (_, sql, isWhole) => {
  const texts = promiseTexts(MIGRATIONS.engine)
  const connection = openScratch()
  for (const migration of MIGRATIONS.engine) connection.database.exec(migration)
  connection.database.exec(sql)
  expect(hasTexts(connection, texts)).toBe(isWhole)
  expect(hasTexts(connection, [])).toBe(true)
  connection.close()
})
