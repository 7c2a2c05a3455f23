/** The data folder of each commit that added a migration is opened, as it was, and serves. */
import { Database } from 'bun:sqlite'
import { beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../src/kernel/clock.ts'
import { createLog } from '../../../src/kernel/log.ts'
import { checkAudit } from '../../../src/store/audit/check.ts'
import { type DatabaseKind, MIGRATIONS } from '../../../src/store/engine-tables.ts'
import { checkDatabase } from '../../../src/store/file/check-database.ts'
import { openStore } from '../../../src/store/file/open.ts'
import { openContext } from '../../../src/server/open-context.ts'
import { configure, createApp } from '../../../src/app.ts'
import { LIMITS } from '../../store/temporary.ts'
import { EARLIER_COMMITS, makeEarlierFolder } from '../../support/earlier-folder.ts'
import { temporaryFolder } from '../../support/executable.ts'
import { makePeople } from '../../support/people.ts'
import { findTemplate, type Template, type TestApplication } from '../../support/template.ts'

const NOTES: TestApplication = {
  files: [
    {
      name: 'notes.xml',
      body: `<Model><Entity Name="Note" Table="notes" Company="CompanyId" Display="Text">
        <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
        <Column Name="CompanyId" Type="Integer" Required="true"/>
        <Column Name="Text" Type="Text"/></Entity>
        <ObjectView Name="Notes" Entity="Note"/>
        <Rows Entity="Note" Key="Text"><Row Text="kept"/></Rows>
        <Rbac><Role Name="Clerk"><Grant Resource="Notes" Verbs="View List Create"/></Role></Rbac>
      </Model>`,
    },
  ],
  ...makePeople('ONE', { root: 'System Clerk@ONE in ONE' }),
}

const KINDS: readonly DatabaseKind[] = ['engine', 'state']
type Row = Record<string, unknown>
type Dump = Map<string, Row[]>

/** The rows of every table by its name, without the tables that a virtual one keeps for itself. */
function dump(folder: string, kind: DatabaseKind): Dump {
  using database = new Database(join(folder, `${kind}.db`))
  const tables = database
    .query<{ name: string }, []>(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
       AND name NOT LIKE 'sqlite_%'`,
    )
    .all()
  return new Map(
    tables.map(({ name }) => [name, database.query<Row, []>(`SELECT * FROM "${name}"`).all()]),
  )
}

/** Rows that are not there any more, or hold other values in a column that still is. */
function findLost(before: Dump, after: Dump): string[] {
  return [...before].flatMap(([table, rows]) => {
    const now = after.get(table)
    if (!now) return [`table ${table}`]
    const names = Object.keys(now[0] ?? {})
    const write = (row: Row, of: readonly string[]) => JSON.stringify(of.map((name) => row[name]))
    return rows.flatMap((row) => {
      const common = names.filter((name) => name in row)
      const text = write(row, common)
      return now.some((each) => write(each, common) === text) ? [] : [`${table}: ${text}`]
    })
  })
}

/** Columns of the newest tables that no row of the fixtures fills. */
function findEmptyColumns(folder: string, kind: DatabaseKind): string[] {
  const rows = dump(folder, kind)
  using database = new Database(join(folder, `${kind}.db`))
  return [...rows].flatMap(([table, found]) =>
    database
      .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)')
      .all(table)
      .filter(({ name }) => found.every((row) => (row[name] ?? null) === null))
      .map(({ name }) => `${kind} ${table}.${name}`),
  )
}

let template: Template
beforeAll(async () => {
  template = await findTemplate(NOTES)
})

function open(folder: string) {
  const flags = { 'Svc:Sql:Lanes': '1' }
  const settings = configure({ dataFolder: folder, env: {}, flags, environment: 'Development' })
  const log = createLog(systemClock, () => {})
  return openContext({ folder, settings, clock: systemClock, log })
}

describe.each(EARLIER_COMMITS.map((names, at) => [names.join(' and '), at] as const))(
  'the folder of %s',
  (_, commit) => {
    test('is migrated with its rows, is whole, and serves', async () => {
      using home = temporaryFolder()
      makeEarlierFolder(home.path, template.folder, commit)
      for (const kind of KINDS) {
        const before = dump(home.path, kind)
        const file = join(home.path, `${kind}.db`)
        await (await openStore({ file, migrations: kind, lanes: 1, limits: LIMITS })).close()
        expect(findLost(before, dump(home.path, kind))).toEqual([])
      }
      const context = await open(home.path)
      try {
        expect(await checkAudit(context.store)).toMatchObject({ fault: undefined })
        const app = createApp(context)
        const ask = async (path: string, body?: unknown) => {
          const answer = await app.handle(
            new Request(`http://localhost/api/v1/${path}`, {
              method: body === undefined ? 'GET' : 'POST',
              headers: {
                Authorization: `Bearer ${template.tokens.root}`,
                'Content-Type': 'application/json',
              },
              ...(body !== undefined && { body: JSON.stringify(body) }),
            }),
          )
          return { status: answer.status, body: (await answer.json()) as { data: unknown } }
        }
        const page = await ask('svc/object/notes/table', {})
        expect(page.status).toBe(200)
        expect(JSON.stringify(page.body.data)).toContain('"kept"')
        const added = { FormName: 'Notes', Parameters: { Text: 'new' } }
        expect((await ask('svc/object/submit', added)).status).toBe(200)
        for (const path of ['svc/scripts', 'hangfire/jobs', 'svc/webhooks', 'svc/auth/users'])
          expect([path, (await ask(path)).status]).toEqual([path, 200])
      } finally {
        await context.close()
      }
      for (const kind of KINDS)
        expect(await checkDatabase(join(home.path, `${kind}.db`), kind)).toEqual([])
    })
  },
)

test('every migration has its commit and its rows, which fill every column', () => {
  const listOf = (folder: string) =>
    KINDS.flatMap((kind) =>
      readdirSync(join(import.meta.dir, '../../..', folder, kind))
        .filter((name) => name.endsWith('.sql'))
        .map((name) => `${kind}/${name}`),
    ).sort()
  const migrations = listOf('src/store/migrations')
  expect(EARLIER_COMMITS.flat().toSorted()).toEqual(migrations)
  expect(listOf('test/store/folders')).toEqual(migrations)
  using home = temporaryFolder()
  makeEarlierFolder(home.path, template.folder, EARLIER_COMMITS.length - 1)
  for (const kind of KINDS)
    expect(Number(MIGRATIONS[kind].length)).toBe(
      migrations.filter((name) => name.startsWith(kind)).length,
    )
  expect(KINDS.flatMap((kind) => findEmptyColumns(home.path, kind))).toEqual([])
})
