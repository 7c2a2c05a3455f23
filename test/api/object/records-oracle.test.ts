/**
 * Random applications of records with lists of keys, details, files and authored SQL, each with a
 * user: what is seen, served and changed is exactly what an oracle in memory says.
 */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { deployModel } from '../../../src/model/deploy/deploy.ts'
import { issueTokens } from '../../../src/server/tokens.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import type { MadeFile } from '../../support/exported-types.ts'
import type { Form, Row, Table } from '../../support/objects.ts'
import { makePeople, savePeople } from '../../support/people.ts'
import { scaleCases } from '../../support/property.ts'
import {
  planInserts,
  planStored,
  RecordSight,
  type StoredWorld,
} from '../../support/soundness/record-oracle.ts'
import {
  type EntityName,
  printRecordRoles,
  printRecordWorld,
  RECORD_WORLD,
  recordRole,
  recordTable,
  recordView,
  type RecordWorld,
} from '../../support/soundness/record-world.ts'
import type { TestApplication } from '../../support/template.ts'

const WORLDS = scaleCases(25)
/** Worlds that share a data folder and a deploy. */
const BATCH = 25

const EMPTY: TestApplication = { files: [], ...makePeople('C1 C2', {}) }

/** A world that is deployed, filled and lived in. */
interface Inhabited {
  at: number
  world: RecordWorld
  stored: StoredWorld
  sight: RecordSight
  token: string
  /** Paths of the files of docs, by the keys of these. */
  paths: ReadonlyMap<number, string>
}

const seed = fc.readConfigureGlobal()?.seed ?? 1

for (let from = 0; from < WORLDS; from += BATCH)
  test(`worlds of records ${from} to ${from + BATCH - 1}`, async () => {
    await using app = await startApp({
      application: EMPTY,
      settings: { 'Svc:Log:Requests': 'false' },
    })
    const worlds = fc.sample(RECORD_WORLD, { seed: seed + from, numRuns: BATCH })
    for (const inhabited of await inhabit(app, worlds)) await compare(app, inhabited)
  })

async function inhabit(app: TestApp, worlds: readonly RecordWorld[]): Promise<Inhabited[]> {
  const { store, models, clock } = app.context
  const files = worlds.map((world, at) => ({
    name: `${at}.xml`,
    body: printRecordWorld(world, at),
  }))
  files.push({ name: 'roles.xml', body: printRecordRoles(worlds) })
  const { plan } = await deployModel(store, models, files, {}, clock)
  expect(plan.faults).toEqual([])
  const stored = worlds.map(planStored)
  await saveRows(app, worlds, stored)
  const keeper = await saveUser(app, 'keeper', ['System'], {})
  const keepers = [await openSession(app, keeper, 1), await openSession(app, keeper, 2)]
  const inhabited: Inhabited[] = []
  for (const [at, world] of worlds.entries()) {
    const held = stored[at]
    if (!held) continue
    const { user } = world
    const roles = user.roles
      .filter((role) => role < world.roles.length)
      .map((role) => recordRole(at, role))
    const userId = await saveUser(app, `user${at}`, user.isSystem ? [...roles, 'System'] : roles, {
      ...(user.region !== undefined && { Region: user.region }),
      ...(user.level !== undefined && { Level: String(user.level) }),
    })
    inhabited.push({
      at,
      world,
      stored: held,
      sight: new RecordSight(world, held, userId),
      token: await openSession(app, userId, user.company),
      paths: await saveFiles(app, { at, world, stored: held, keepers }),
    })
  }
  return inhabited
}

async function saveUser(
  { context }: TestApp,
  userName: string,
  roles: readonly string[],
  attributes: Readonly<Record<string, string>>,
): Promise<number> {
  const user = { userName, roles, companies: ['C1', 'C2'], attributes }
  const [id] = await savePeople(context, { users: [user] })
  if (id === undefined) throw new Error(`${userName} has no id`)
  return id
}

async function openSession({ context }: TestApp, userId: number, companyId: number) {
  const session = { userId, companyId, client: undefined, address: 'none' }
  return (await issueTokens(context, await context.identity.sessions.open(session))).AccessToken
}

async function saveRows(
  { store }: TestApp,
  worlds: readonly RecordWorld[],
  stored: readonly StoredWorld[],
): Promise<void> {
  await store.write(
    async (tx) => {
      for (const [at, world] of worlds.entries())
        for (const [table, row] of planInserts(at, world, stored[at])) {
          const names = Object.keys(row)
          const bound = names.map((name) => `@${name}`).join(', ')
          await tx.run(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${bound})`, row)
        }
    },
    { company: 'all', because: 'a test' },
  )
}

interface Filing {
  at: number
  world: RecordWorld
  stored: StoredWorld
  /** Tokens of a System user in either company. */
  keepers: readonly string[]
}

/** Gives docs their files, as a client does. */
async function saveFiles(app: TestApp, filing: Filing): Promise<Map<number, string>> {
  const { at, stored, keepers } = filing
  const paths = new Map<number, string>()
  for (const { Id, company, hasFile } of stored.doc.slice(0, 2)) {
    if (!hasFile) continue
    const headers = { Authorization: `Bearer ${keepers[company - 1]}` }
    const form = new FormData()
    form.set('objectName', recordView(at, 'doc'))
    form.set('fieldName', 'F')
    form.set('file', new File([`file of ${Id}`], 'file.txt', { type: 'text/plain' }))
    const upload = await app.handle(
      new Request('http://localhost/api/v1/svc/object/upload', {
        method: 'POST',
        headers,
        body: form,
      }),
    )
    const uploaded = (await upload.json()) as { data: { UploadKey: string }[] }
    const answer = await app.fetch<{ data: { Values: { F: { Path: string }[] } } }>(
      '/api/v1/svc/object/submit',
      {
        headers,
        body: {
          FormName: recordView(at, 'doc'),
          Parameters: { Id, F: uploaded.data.map(({ UploadKey }) => UploadKey) },
        },
      },
    )
    const path = answer.body.data.Values.F[0]?.Path
    if (path !== undefined) paths.set(Id, path)
  }
  return paths
}

async function compare(app: TestApp, inhabited: Inhabited): Promise<void> {
  const { world, at, stored } = inhabited
  try {
    expect(await readDocs(app, inhabited)).toEqual(foreseeDocs(inhabited))
    expect(await exportAll(app, inhabited)).toEqual(foreseeExports(inhabited))
    expect(await importLines(app, inhabited)).toEqual(foreseeImport(inhabited))
    for (const id of world.asked) {
      expect([id, await readRecord(app, inhabited, id)]).toEqual([id, foreseeRecord(inhabited, id)])
      expect([id, await change(app, inhabited, id)]).toEqual([id, foreseeChange(inhabited, id)])
    }
  } catch (error) {
    const text = `${printRecordWorld(world, at)}\n${printRecordRoles([world])}`
    throw new Error(`${text}\n${JSON.stringify({ world, stored })}\n${String(error)}`)
  }
}

const call = <T>(app: TestApp, { token }: Inhabited, path: string, body?: object) =>
  app.fetch<{ data: T }>(path, { headers: { Authorization: `Bearer ${token}` }, body })

const OBJECT = '/api/v1/svc/object'

/** The grid of the docs with their lists and files, by key. */
async function readDocs(app: TestApp, inhabited: Inhabited) {
  const path = `${OBJECT}/${recordView(inhabited.at, 'doc')}/table`
  const { status, body } = await call<Table>(app, inhabited, path, { PageSize: 1000 })
  if (status !== 200) return status
  return body.data.Rows.map(readDoc).sort((a, b) => a.Id - b.Id)
}

const readDoc = (row: Row) => ({
  Id: Number(row.Id),
  Tags: [...((row.Tags ?? []) as number[])].sort((a, b) => a - b),
  Path: ((row.F ?? []) as { Path: string }[])[0]?.Path,
})

function foreseeDocs({ sight, paths }: Inhabited) {
  if (!sight.holds('doc', 'View')) return 401
  return sight.seen('doc').map((row) => ({
    Id: row.Id,
    Tags: sight.tags(row),
    Path: sight.showsFile(row) ? paths.get(row.Id) : undefined,
  }))
}

/** Rows of both exports with what they call the records that they refer to. */
async function exportAll(app: TestApp, inhabited: Inhabited) {
  const told: unknown[] = []
  for (const entity of ['doc', 'line'] as const) {
    const body = { ObjectName: recordView(inhabited.at, entity), Format: 'jsonl' }
    const answer = await call<{ File: MadeFile }>(app, inhabited, `${OBJECT}/export-data`, body)
    if (answer.status !== 200) {
      told.push(answer.status)
      continue
    }
    const { text } = await call(app, inhabited, answer.body.data.File.Url)
    const rows = text.split('\n').filter((line) => line !== '')
    told.push(rows.map((row) => readNamed(JSON.parse(row) as Row)).sort())
  }
  return told
}

const readNamed = ({ A, B, Tags__Label, DocId__Label = null }: Row): string =>
  JSON.stringify([A, B, [...((Tags__Label ?? []) as string[])].sort(), DocId__Label])

function foreseeExports({ sight }: Inhabited) {
  return (['doc', 'line'] as const).map((entity) => {
    if (!sight.transfers || !sight.holds(entity, 'View')) return 401
    const told = sight.exported(entity).map((row) => {
      const tags = entity === 'doc' ? sight.tags(row) : []
      const labels = tags.map((tag) => sight.labelOf('tag', tag)).sort()
      return JSON.stringify([row.A, row.B, labels, sight.labelOf('doc', row.DocId)])
    })
    return told.sort()
  })
}

/** The labels of docs in files of lines; no doc is called 'none'. */
const CALLED = ['a', 'b', 'ä', 'none']

/** The outcome of an import of lines for the docs that they name, by key and by label. */
async function importLines(app: TestApp, { at, world, token }: Inhabited) {
  const names = [...world.asked, 99, ...CALLED]
  const form = new FormData()
  form.set('objectName', recordView(at, 'line'))
  form.set('dryRun', 'true')
  form.set('file', new File([`DocId\n${names.join('\n')}\n`], 'lines.csv'))
  const response = await app.handle(
    new Request('http://localhost/api/v1/svc/object/import-data', {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
      body: form,
    }),
  )
  if (response.status === 401) return 401
  const { fieldErrors } = (await response.json()) as { fieldErrors?: Record<string, string> }
  return names.map((_, place) => fieldErrors?.[`Rows[${place + 2}].DocId`] ?? 'taken')
}

function foreseeImport({ at, world, sight }: Inhabited) {
  if (!sight.transfers) return 401
  const picks = sight.picks()
  const missing = `Doc: there is no such entitydoc${at}`
  const many = 'Doc: more than one record has this name'
  const called = CALLED.map((name) => picks.filter(({ B }) => B === name).length)
  return [
    ...[...world.asked, 99].map((id) => (picks.some(({ Id }) => Id === id) ? 'taken' : missing)),
    ...called.map((count) => (count === 0 ? missing : count === 1 ? 'taken' : many)),
  ]
}

/** The answer to a read of a doc by its key: itself, its lines and its file. */
async function readRecord(app: TestApp, inhabited: Inhabited, id: number) {
  const { at, paths } = inhabited
  const doc = `${OBJECT}/${recordView(at, 'doc')}`
  const form = await call<Form>(app, inhabited, `${doc}/form`, { Parameters: { Id: id } })
  const view = await call<Form>(app, inhabited, `${doc}/view`, { Parameters: { Id: id } })
  const lines = await call<Table>(app, inhabited, `${OBJECT}/${recordView(at, 'line')}/table`, {
    Parameters: { DocId: id },
    PageSize: 1000,
  })
  const line = `${OBJECT}/${recordView(at, 'line')}`
  const fresh = await call<Form>(app, inhabited, `${line}/form`, { Parameters: { DocId: id } })
  const path = paths.get(id)
  return {
    form: form.status,
    view: view.status === 200 ? readDoc(view.body.data.Values) : view.status,
    lines: lines.status === 200 ? lines.body.data.Rows.map(readLine).sort() : 401,
    fresh: fresh.status === 200 ? fresh.body.data.Values.DocId__Label || null : fresh.status,
    file: path === undefined ? undefined : (await call(app, inhabited, `/files/${path}`)).status,
  }
}

const readLine = ({ Id, DocId__Label }: Row) => `${String(Id)} ${String(DocId__Label)}`

function foreseeRecord({ sight, paths }: Inhabited, id: number) {
  const row = sight.findSeen('doc', id)
  const missing = 404
  const view = row && {
    Id: id,
    Tags: sight.tags(row),
    Path: sight.showsFile(row) ? paths.get(id) : undefined,
  }
  const isServed = row !== undefined && sight.holds('doc', 'View') && sight.showsFile(row)
  const lines = sight
    .seen('line')
    .flatMap(({ Id, DocId }) => (DocId === id ? [`${Id} ${String(sight.labelOf('doc', id))}`] : []))
  const mayName = sight.picks().some(({ Id }) => Id === id) || row !== undefined
  const opens = sight.holds('line', 'View') || sight.holds('line', 'Update')
  const edits = sight.holds('doc', 'View') || sight.holds('doc', 'Update')
  return {
    form: edits ? (row ? 200 : missing) : 401,
    view: sight.holds('doc', 'View') ? (view ?? missing) : 401,
    lines: sight.holds('line', 'View') ? lines.sort() : 401,
    fresh: opens ? (mayName ? sight.labelOf('doc', id) : null) : 401,
    file: paths.has(id) ? (isServed ? 200 : missing) : undefined,
  }
}

/** True when the doc and its first line can be changed, whether the action runs, and on what. */
async function change(app: TestApp, inhabited: Inhabited, id: number) {
  const { at, stored } = inhabited
  const line = stored.line[id - 1]
  const before = await readStamps(app, at)
  const acted = await call(app, inhabited, `${OBJECT}/execute-row-action`, {
    ObjectName: recordView(at, 'doc'),
    ActionName: 'Stamp',
    Parameters: { Id: id },
  })
  const after = await readStamps(app, at)
  const many = await call<{ Many: Counts }>(app, inhabited, `${OBJECT}/submit-many`, {
    FormName: recordView(at, 'doc'),
    Keys: [{ Id: id }],
    Parameters: { Note: 'many' },
    OnError: 'skip',
  })
  const { Updated, Skipped } =
    many.status === 200 ? many.body.data.Many : { Updated: 0, Skipped: 0 }
  const submitted = await call(app, inhabited, `${OBJECT}/submit`, {
    FormName: recordView(at, 'doc'),
    Parameters: { Id: id, Note: 'changed' },
    ...(line && { Details: { Lines: { Upsert: [{ Id: line.Id, Note: 'changed' }] } } }),
  })
  return {
    acted: acted.status,
    stamped: after
      .filter((stamp, place) => stamp !== before[place])
      .map((stamp) => stamp.replace(/:.*/, '')),
    many: Updated + Skipped,
    submitted: submitted.status === 200,
  }
}

/** Counts of a bulk edit. */
interface Counts {
  Updated: number
  Skipped: number
}

/** `doc 3: 1` for each row that was stamped. */
async function readStamps({ store }: TestApp, at: number): Promise<string[]> {
  const read = async (entity: EntityName): Promise<string[]> => {
    const sql = `SELECT Id, coalesce(Stamp, 0) AS Stamp FROM ${recordTable(at, entity)} ORDER BY Id`
    const rows = await store.all({ sql, args: {}, runs: 'lane' })
    return rows.map(({ Id, Stamp }) => `${entity} ${String(Id)}: ${String(Stamp)}`)
  }
  return [...(await read('doc')), ...(await read('line'))]
}

function foreseeChange({ sight, stored }: Inhabited, id: number) {
  const row = stored.doc.find(({ Id }) => Id === id)
  const acts = row !== undefined && sight.canStamp(row)
  const line = stored.line[id - 1]
  const changesLine = line === undefined || (line.DocId === id && sight.canUpdate('line', line))
  const lines = sight.own('line').flatMap(({ Id, DocId }) => (DocId === id ? [Id] : []))
  return {
    acted: sight.holdsStamp ? (acts ? 200 : 404) : 401,
    stamped: acts
      ? [...sight.stamped().map((doc) => `doc ${doc}`), ...lines.map((key) => `line ${key}`)]
      : [],
    many: row !== undefined && sight.canUpdate('doc', row) ? 1 : 0,
    submitted: row !== undefined && sight.canUpdate('doc', row) && changesLine,
  }
}
