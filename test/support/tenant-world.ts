/** The two worlds of the sweep: the other company has records in one, and none in the other. */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Store, Tx } from '../../src/store/store.ts'
import type { OpenContext } from '../../src/server/open-context.ts'
import { type CallOptions, startApp, type TestApp } from './app.ts'
import { writeExtensions } from './extensions.ts'
import { TENANT_EXTENSION } from './tenant-extension.ts'
import { HIDDEN, OWN } from './tenant-keys.ts'
import { CANARY, CANARY_DIGITS, TENANTS } from './tenant-model.ts'

export const NOW = new Date('2026-06-15T09:30:00Z')

/** A request of the sweep. */
export interface Call extends CallOptions {
  path: string
  /** Another request, whose answer has the `Version` that the body is to name. */
  versionOf?: Call
  /** The file that the answer names is fetched, and told with it. */
  isFollowed?: boolean
}

/** Records by table; `@id` is the one key of each, `@company` whose they are, `@text` its mark. */
const SEEDS: readonly string[] = [
  `INSERT INTO areas (Id, CompanyId, Name) VALUES (@id, @company, @text)`,
  `INSERT INTO areas (Id, CompanyId, ParentId, Name) VALUES (@id + 1, @company, @id, @text)`,
  `INSERT INTO tags (Id, CompanyId, Name, State) VALUES (@id, @company, @text, 'review')`,
  `INSERT INTO svc_workflow_instances (Id, Workflow, VersionHash, Entity, RecordKey, CompanyId,
     State, Status, Version, Entry, EnteredAt, StartedBy, StartedAt)
   VALUES (@id, 'Check', @hash, 'Tag', json_array(@id), @company, 'review', 'Running', 2, 2, @now,
     @owner, @now)`,
  `INSERT INTO svc_workflow_history (InstanceId, At, UserId, Action, ToState, Comment, VersionHash)
   VALUES (@id, @now, @owner, 'start', 'review', @text, @hash)`,
  `INSERT INTO svc_workflow_tasks (Id, InstanceId, Entry, CompanyId, Workflow, State, Status,
     DueAt, CreatedAt) VALUES (@id, @id, 2, @company, 'Check', 'review', 'Open', @now, @now)`,
  `INSERT INTO svc_workflow_assignees (TaskId, CompanyId, Role, Due, IsOpen)
   VALUES (@id, @company, 'Clerk', @now, 1)`,
  `INSERT INTO slots (Code, CompanyId, Note) VALUES (@text, @company, @text)`,
  `INSERT INTO clients (Id, CompanyId, Code, Name, Email, Remark, Meta, Credit, Since, AreaId,
     OwnerId, CountryCode, Bills, Peers, RowVersion, CreatedAt, CreatedBy, ChangedAt, ChangedBy)
   VALUES (@id, @company, @code, @text, @text || '@example.test', @text, json_quote(@text),
     @amount, '2026-01-01', @id, @owner, 'AT', 2, '1 ' || @text, 1, @now, @owner, @now, @owner)`,
  `INSERT INTO client_tags (ClientId, TagId, CompanyId) VALUES (@id, @id, @company)`,
  `INSERT INTO bills (Id, CompanyId, Number, ClientId, Status, Text, Total, IssuedAt, RowVersion)
   VALUES (@id, @company, @text, @id, 'new', @text, @amount, @now, 1),
     (@id + 1, @company, @text || '2', @id, 'done', @text, @amount, @now, 1)`,
  `INSERT INTO bill_lines (BillId, LineNo, CompanyId, Text) VALUES (@id, 1, @company, @text)`,
  `INSERT INTO entries (Id, CompanyId, Text) VALUES (@id, @company, @text)`,
  ...(['Bill', 'Country'] as const).map(
    (entity, at) => `INSERT INTO svc_comments (Id, CompanyId, Entity, RecordKey, Object, AuthorId,
       Text, Mentions, RowVersion, CreatedAt)
     VALUES (@id + ${at}, @company, '${entity}', json_array(${entity === 'Bill' ? '@id' : "'AT'"}), 'Bills', @owner,
       @text, json_array(json_object('Id', @owner, 'At', @now)), 1, @now)`,
  ),
  `INSERT INTO svc_followers (Entity, RecordKey, CompanyId, UserId)
   VALUES ('Bill', json_array(@id), @company, @owner), ('Country', '["AT"]', @company, @owner)`,
  `INSERT INTO svc_sequences (Name, CompanyId, Period, Last) VALUES ('BillNumber', @company, '2026', @id)`,
  `INSERT INTO svc_imports (Id, UserId, CompanyId, ViewName, Entity, FileName, Mode, Inserted,
     Updated, At, ExpiresAt)
   VALUES (@import, @owner, @company, 'Entries', 'Entry', @text, 'insert', 1, 0, @now, '2027')`,
  `INSERT INTO svc_import_rows (Row, RowKey, After)
   VALUES (@import * 4294967296 + 2, json_array(@id), json_array(@company, @text))`,
  `INSERT INTO svc_wizard_runs (Id, Wizard, UserId, CompanyId, Step, Path, Given, VersionHash,
     Version, CreatedAt, ChangedAt, ExpiresAt)
   VALUES (@run, 'Hire', @owner, @company, 'Asked', '["Who"]',
     json_object('Who', json_object('Of', @id), 'Asked', json_object(@text, @text)), '', 1, @now,
     @now, '2027')`,
]

const seedsOf = (company: 1 | 2) =>
  company === 1
    ? {
        id: Number(`${CANARY_DIGITS}01`),
        text: CANARY,
        code: 'probe',
        owner: 1,
        amount: Number(`${CANARY_DIGITS}.25`),
      }
    : { id: 501, text: 'plain', code: 'plain', owner: 3, amount: 12.5 }

async function seed(tx: Tx, company: 1 | 2, hash: string): Promise<void> {
  const { importId, run } = company === 1 ? HIDDEN : OWN
  const args = { ...seedsOf(company), company, now: NOW.toISOString(), import: importId, run, hash }
  for (const sql of SEEDS) await tx.silently(() => tx.run(sql, args))
  await tx.audit({
    at: args.now,
    userId: args.owner,
    impersonatorId: null,
    companyId: company,
    source: 'seed',
    traceId: null,
    entity: 'Client',
    recordKey: JSON.stringify([args.id]),
    action: 'update',
    changes: JSON.stringify({ Name: [args.text, args.text] }),
  })
}

/** A file as a company's export has left it. */
async function addFile(
  context: OpenContext,
  { file, text, user, company }: typeof OWN,
): Promise<void> {
  const body = `Name\r\n${text}\r\n`
  const folder = join(context.folder, 'exports')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, file), body)
  const args = { file, user, company, text, size: body.length, now: NOW.toISOString() }
  const sha256 = createHash('sha256').update(body).digest('hex')
  await context.state.write(
    (tx) =>
      tx.run(
        `INSERT INTO svc_exports (Name, CompanyId, UserId, ShownName, ContentType, Size, Sha256,
           CreatedAt, ExpiresAt)
         VALUES (@file, @company, @user, @text || '.csv', 'text/csv', @size, @sha256, @now,
           '2027')`,
        { ...args, sha256 },
      ),
    { company: 'all', because: 'a test' },
  )
}

/** The records of a world; `full`: also those of the first company, which is called otherwise. */
async function fill(context: OpenContext, kind: 'full' | 'bare'): Promise<void> {
  const hash = context.models.get().workflows.get('Check')?.versionHash ?? ''
  await context.store.write(
    async (tx) => {
      for (const company of kind === 'full' ? ([1, 2] as const) : ([2] as const))
        await seed(tx, company, hash)
      const mark = kind === 'full' ? CANARY : 'blank'
      await tx.run(
        `UPDATE svc_companies SET Code = @mark, Name = @mark, TimeZone = @zone WHERE Id = 1`,
        { mark, zone: kind === 'full' ? 'Pacific/Kiritimati' : 'UTC' },
      )
      await tx.run(
        `UPDATE svc_users SET DisplayName = @mark, Email = @mark || '@example.test' WHERE Id = 1`,
        { mark },
      )
      await tx.run(`INSERT INTO svc_user_attributes VALUES (1, 'Region', @mark)`, { mark })
      await tx.run(`UPDATE sqlite_sequence SET seq = 40000000 WHERE name NOT LIKE 'svc%'`)
      await tx.run(`UPDATE sqlite_sequence SET seq = 40000 WHERE name = 'svc_imports'`)
      await tx.run(`UPDATE sqlite_sequence SET seq = 40000000 WHERE name = 'svc_comments'`)
    },
    { company: 'all', because: 'a test' },
  )
  await addFile(context, OWN)
  if (kind === 'full') await addFile(context, HIDDEN)
  writeExtensions(context.folder, { 'reports.ts': TENANT_EXTENSION })
}

const WORLDS = {
  full: { base: TENANTS, fill: (context: OpenContext) => fill(context, 'full') },
  bare: { base: TENANTS, fill: (context: OpenContext) => fill(context, 'bare') },
} as const

/**
 * A world of its own. Records of TWO are the same in both, and the next keys too; only in the full
 * one the first company has records, and its name, zone and user are other than in the bare one.
 */
export async function startWorld(
  kind: 'full' | 'bare',
  clock: Clock = { now: () => new Date(NOW) },
): Promise<TestApp> {
  const world = await startApp({
    application: WORLDS[kind],
    clock,
    settings: { 'Svc:Objects:RequireRowVersion': 'false' },
  })
  return world
}

/** Parts that differ in every answer: ids of requests and sessions, secrets, times that pass. */
const ANSWERS_OWN =
  /"(traceId|FormLoadTime|AccessToken|RefreshToken|Secret|OtpAuthUri|QrSvg|OneTimePassword|ChallengeId|Key(?=":"ak_)|Sid|connectionId|PublicKey|RunId)":"(?:[^"\\]|\\.)*"/g
/** The random part of a made file's name, and how long a script took. */
const CHANCE = /(?<=-)[0-9a-f]{32}(?=\.)|(?<="DurationMs":)\d+/g

/** An answer as it must be the same wherever it should tell nothing. */
export async function ask(app: TestApp, asked: Call): Promise<Told> {
  const { path, versionOf, isFollowed, ...call } = asked
  const headers = { ...ATTEMPTS, ...call.headers }
  const body = versionOf ? await withVersion(app, { path, ...call }, versionOf) : call.body
  const { status, text } = await app.fetch(path, { ...call, body, headers })
  const file = isFollowed === true && status === 200 ? await follow(app, text, call.as) : ''
  return { status, text: text.replace(ANSWERS_OWN, '"$1":""').replace(CHANCE, '') + file }
}

async function follow(app: TestApp, told: string, as: string | undefined): Promise<string> {
  const url = /"Url":"([^"]*)"/.exec(told)?.[1]
  if (url === undefined) return ''
  const { status, text } = await app.fetch(url, { ...(as !== undefined && { as }) })
  return `\n${status}\n${text}`
}

async function withVersion(app: TestApp, { as, body }: Call, versionOf: Call): Promise<unknown> {
  const { text } = await ask(app, { ...versionOf, ...(as !== undefined && { as }) })
  return { ...(body as object), Version: /"Version":"([^"]*)"/.exec(text)?.[1] ?? '' }
}

/** The content of an answer without the parts that differ in each. */
export interface Told {
  status: number
  text: string
}

/** Ways in which a request might ask for another company; none of them is one. */
const ATTEMPTS = {
  'X-Company': 'ONE',
  'X-CompanyId': '1',
  'X-Company-Id': '1',
  'X-Tenant': 'ONE',
  'X-Tenant-Id': '1',
  Cookie: 'CompanyId=1; company=ONE',
}

type Dump = Record<string, string>

/** The latest dump by database, and the state that it is of. */
const dumps = new WeakMap<Store, Map<'all' | 'ONE', { state: unknown[]; dumped: Dump }>>()

/** Parts that are the same while nothing was written: of a database and of the model. */
async function stateOf(store: Store, context: OpenContext): Promise<unknown[]> {
  // SQLite's own number of what others have committed; a reader that is new after a migration
  // begins again with it, and then the model is another one.
  const version = await store.get('PRAGMA data_version')
  return [version?.data_version, store.counters.writes, context.models.get()]
}

/** Parts that are the same while nothing was written in a world, sessions and keys included. */
export const readState = async ({ store, context }: TestApp): Promise<unknown[]> => [
  ...(await stateOf(store, context)),
  ...(await stateOf(context.state, context)),
]

/** Every row of every table, or those that belong to the first company, by table. */
export async function dump({ store, context }: TestApp, of: 'all' | 'ONE'): Promise<Dump> {
  const state = await stateOf(store, context)
  const known = dumps.get(store) ?? new Map<'all' | 'ONE', { state: unknown[]; dumped: Dump }>()
  dumps.set(store, known)
  const last = known.get(of)
  if (last?.state.every((part, at) => part === state[at])) return last.dumped
  const dumped = await dumpTables(store, of)
  known.set(of, { state, dumped })
  return dumped
}

async function dumpTables(store: Store, of: 'all' | 'ONE'): Promise<Dump> {
  const tables = await store.all(`SELECT t.name AS Name, max(c.name = 'CompanyId') AS HasCompany
    FROM sqlite_schema t, pragma_table_info(t.name) c
    WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND t.name NOT LIKE '\\_\\_%' ESCAPE '\\'
    GROUP BY t.name ORDER BY t.name`)
  const dumped: Dump = {}
  for (const { Name, HasCompany } of tables) {
    const where = of === 'all' ? '' : whereOfOne(String(Name), HasCompany === 1)
    if (where !== undefined)
      dumped[String(Name)] = JSON.stringify(
        await store.all(`SELECT * FROM "${String(Name)}"${where}`),
      )
  }
  return dumped
}

function whereOfOne(table: string, hasCompany: boolean): string | undefined {
  if (table === 'svc_companies' || table === 'svc_users') return ' WHERE Id = 1'
  if (table === 'svc_user_attributes') return ' WHERE UserId = 1'
  return hasCompany ? ' WHERE CompanyId = 1' : undefined
}
