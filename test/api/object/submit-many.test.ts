/** The same values for many records, each by a submit of its own: all, or but the bad ones. */
import { expect, test } from 'bun:test'
import type { ManyResult } from '../../../src/engine/object/many-schema.ts'
import type { ObjectActionResult } from '../../../src/engine/object/schema.ts'
import { type Imports, startImports } from '../../support/imports.ts'
import { data, type Reply, type Row } from '../../support/objects.ts'

type Many = ObjectActionResult & { Many: ManyResult }

const send = (app: Imports, as: string, body: object) =>
  app.call<Many>(as, '/submit-many', { FormName: 'People', ...body })

const change = async (app: Imports, as: string, body: object) =>
  data(await send(app, as, body)).Many

/** The members of a refusal that a bulk edit adds. */
const refused = ({ status, body }: Reply<unknown>) => {
  const { code, fieldErrors = {}, records = [] } = body as unknown as Refused
  const listed = records.map(({ Keys, Code, FieldErrors }) => [Keys.Id, Code, FieldErrors])
  return { status, code, fieldErrors, listed }
}

interface Refused {
  code: string
  fieldErrors?: Record<string, string>
  records?: { Keys: Row; Code: string; FieldErrors: Row }[]
}

/** Some people; resolves to their keys with stamps, in order. */
async function addPeople(app: Imports, names: readonly string[]): Promise<Row[]> {
  const keys: Row[] = []
  for (const Name of names) {
    const person = { Name, Email: `${Name.toLowerCase()}@x.org`, Limit: 10 }
    const { Keys, RowVersion } = await app.save('clerk', 'People', person)
    keys.push({ ...(Keys as Row), RowVersion })
  }
  return keys
}

/** The keys of all people with their stamps of now. */
const stamped = async (app: Imports): Promise<Row[]> =>
  (await people(app)).map(({ Id, RowVersion }) => ({ Id, RowVersion }))

const people = async (app: Imports, as = 'clerk') =>
  (await app.table(as, 'People', { Sort: [{ Field: 'Id' }] })).Rows

test('each record has its own submit: all or none, or all but the bad ones', async () => {
  await using app = await startImports()
  const keys = await addPeople(app, ['Ann', 'Bo', 'Cy'])
  const [, bo] = keys
  const done = data(await send(app, 'clerk', { Keys: keys, Parameters: { Spent: 5, Nope: 1 } }))
  expect(done).toMatchObject({ Action: 'submit-many', Keys: null, Ignored: ['Nope'] })
  expect(done.Dispatch).toEqual([{ Type: 'refreshTable', Target: 'People' }])
  expect(done.Many).toMatchObject({ Rows: 3, Updated: 3, Skipped: 0, Failed: 0, Faults: [] })
  expect((await people(app)).map(({ Spent }) => Spent)).toEqual([5, 5, 5])
  await app.save('clerk', 'People', { ...(await stamped(app))[1], Limit: 6 })
  const more = { Keys: await stamped(app), Parameters: { Spent: 8 } }
  expect(refused(await send(app, 'clerk', more))).toEqual({
    status: 400,
    code: 'VALIDATION_FAILED',
    fieldErrors: { 'Keys[1].Spent': 'Spent more than the limit' },
    listed: [[bo?.Id, 'VALIDATION_FAILED', { Spent: 'Spent more than the limit' }]],
  })
  expect((await people(app)).map(({ Spent }) => Spent)).toEqual([5, 5, 5])
  const skipped = await change(app, 'clerk', { ...more, OnError: 'skip' })
  expect(skipped).toMatchObject({ Rows: 3, Updated: 2, Failed: 1, Checked: 3 })
  expect(skipped.Faults).toMatchObject([{ Keys: { Id: bo?.Id } }])
  expect((await people(app)).map(({ Spent }) => Spent)).toEqual([8, 5, 8])
  const again = await change(app, 'clerk', {
    Keys: (await stamped(app)).slice(0, 1),
    Parameters: { Spent: 8 },
  })
  expect(again).toMatchObject({ Updated: 0, Skipped: 1, ImportId: null })
  const audit = await app.stored(
    `SELECT RecordKey, count(*) AS n FROM svc_audit WHERE Entity = 'Person' GROUP BY 1 ORDER BY 1`,
  )
  expect(audit.map(({ n }) => n)).toEqual([3, 3, 3])
})

test('a unique value goes to the first of them, and each other one is told', async () => {
  await using app = await startImports()
  const keys = await addPeople(app, ['Ann', 'Bo', 'Cy'])
  const done = await change(app, 'clerk', {
    Keys: keys,
    Parameters: { Email: 'one@x.org' },
    OnError: 'skip',
  })
  expect(done).toMatchObject({ Updated: 1, Failed: 2 })
  expect(done.Faults.map(({ Keys, FieldErrors }) => [Keys.Id, Object.keys(FieldErrors)])).toEqual([
    [keys[1]?.Id, ['Email']],
    [keys[2]?.Id, ['Email']],
  ])
  expect((await people(app)).map(({ Email }) => Email)).toEqual([
    'one@x.org',
    'bo@x.org',
    'cy@x.org',
  ])
})

test('a record that was changed since is a conflict, and says by whom', async () => {
  await using app = await startImports()
  const keys = await addPeople(app, ['Ann', 'Bo'])
  await app.save('clerk', 'People', { ...keys[1], Note: 'later' })
  const request = { Keys: keys, Parameters: { Visits: 1 } }
  const late = await send(app, 'clerk', request)
  expect(refused(late)).toMatchObject({ status: 409, listed: [[keys[1]?.Id, 'CONFLICT', {}]] })
  const skipped = await change(app, 'clerk', { ...request, OnError: 'skip' })
  expect(skipped.Faults[0]).toMatchObject({
    ChangedFields: ['Note'],
    ChangedBy: 'clerk',
    RowVersion: (await stamped(app))[1]?.RowVersion,
  })
  expect((await people(app)).map(({ Visits }) => Visits)).toEqual([1, null])
})

test('rights are those of each record, as of a submit of one', async () => {
  await using app = await startImports()
  const keys = await addPeople(app, ['Ann', 'Fixed'])
  const [old] = await addPeople(app, ['Old'])
  await app.save('clerk', 'People', { ...old, Status: 'old', Note: 'n' })
  const { Keys, RowVersion } = await app.save('other', 'People', { Name: 'Far', Email: 'f@x.org' })
  const all = [...keys, (await stamped(app))[2], { ...Keys, RowVersion }]
  const done = data(
    await send(app, 'narrow', {
      Keys: all,
      Parameters: { Visits: 2, Limit: 99, Secret: 's' },
      OnError: 'skip',
    }),
  )
  expect(done.Ignored.toSorted()).toEqual(['Limit', 'Secret'])
  expect(done.Many.Faults.map((fault) => [fault.Keys.Id, fault.Code])).toEqual([
    [all[1]?.Id, 'NOT_PERMITTED_NOW'],
    [all[2]?.Id, 'RECORD_NOT_FOUND'],
    [all[3]?.Id, 'RECORD_NOT_FOUND'],
  ])
  const gone = await change(app, 'narrow', {
    Keys: (await stamped(app)).slice(0, 1),
    Parameters: { Status: 'old', Note: 'n' },
    OnError: 'skip',
  })
  expect(gone).toMatchObject({ Failed: 1, Faults: [{ Code: 'OUTSIDE_OWN_ROWS' }] })
  expect((await send(app, 'looker', { Keys: keys, Parameters: { Visits: 1 } })).status).toBe(401)
})

test('what no record is needed to refuse is refused before any is read', async () => {
  await using app = await startImports()
  const [ann] = await addPeople(app, ['Ann'])
  const cases: [object, string, string][] = [
    [{ Parameters: { Visits: 1 } }, 'INVALID_ARGUMENT', 'Name the records by Keys'],
    [{ Keys: [ann], Filters: [], Parameters: { Visits: 1 } }, 'INVALID_ARGUMENT', 'by Keys, or by'],
    [{ Filters: [], Parameters: { Visits: 1 } }, 'TOKEN_REQUIRED', 'Token of a dry run'],
    [{ Keys: [], Parameters: { Visits: 1 } }, 'INVALID_ARGUMENT', 'Keys name no record'],
    [{ Keys: [ann], Parameters: {} }, 'INVALID_ARGUMENT', 'must hold a value'],
    [{ Keys: [ann], Parameters: { Id: 4 } }, 'INVALID_ARGUMENT', 'Name the records by Keys'],
    [{ Keys: [{ Id: ann?.Id }], Parameters: { Visits: 1 } }, 'ROW_VERSION_REQUIRED', 'RowVersion'],
    [{ Keys: [ann, ann], Parameters: { Visits: 1 } }, 'VALIDATION_FAILED', 'record of Keys[0]'],
    [{ Keys: [{}], Parameters: { Visits: 1 } }, 'VALIDATION_FAILED', 'The key is missing: Id'],
    [{ Keys: [{ Id: 'x' }], Parameters: { Visits: 1 } }, 'VALIDATION_FAILED', 'Id'],
    [{ Filter: [], DryRun: true, Parameters: { Visits: 1 } }, 'UNKNOWN_MEMBER', 'Filters'],
    [{ Filters: [], Token: 'x', Parameters: { Visits: 1 } }, 'TOKEN_USED', 'Do it again'],
  ]
  for (const [body, code, words] of cases) {
    const { body: answer } = await send(app, 'clerk', body)
    expect([body, answer.code, answer.error]).toEqual([body, code, expect.stringContaining(words)])
  }
  expect(await stamped(app)).toEqual([{ ...ann }])
})

test('values that would fill the disk, record by record, are refused', async () => {
  await using app = await startImports()
  const keys = Array.from({ length: 1500 }, (_, at) => ({ Id: at + 1, RowVersion: '1' }))
  const { body } = await send(app, 'clerk', {
    Keys: keys,
    Parameters: { Note: 'x'.repeat(60_000) },
  })
  expect([body.code, body.error]).toEqual([
    'TOO_LARGE_VALUES',
    expect.stringContaining('at most 64 may be'),
  ])
})

test('by filters a dry run counts first, and its token says which records are meant', async () => {
  await using app = await startImports()
  const keys = await addPeople(app, ['Ann', 'Bo', 'Cy', 'Fixed'])
  const request = {
    Filters: [{ Field: 'Name', Operator: 'ne', Value: 'Cy' }],
    Parameters: { Visits: 3 },
  }
  const dry = await change(app, 'clerk', { ...request, DryRun: true })
  expect(dry).toMatchObject({ Rows: 3, Checked: 3, Updated: 2, Failed: 1, ImportId: null })
  expect(dry.Faults).toMatchObject([{ Keys: { Id: keys[3]?.Id }, Code: 'NOT_PERMITTED_NOW' }])
  const { Token } = dry
  const other = await send(app, 'clerk', { ...request, Parameters: { Visits: 4 }, Token })
  expect([other.status, other.body.code]).toEqual([400, 'TOKEN_DIFFERS'])
  expect((await send(app, 'narrow', { ...request, Token })).body.code).toBe('TOKEN_USED')
  await addPeople(app, ['Late'])
  await app.save('clerk', 'People', { ...keys[0], Note: 'moved' })
  const first = { ...request, Token, OnError: 'skip' }
  expect(refused(await send(app, 'clerk', { ...request, Token }))).toMatchObject({ status: 409 })
  const done = await change(app, 'clerk', first)
  expect(done).toMatchObject({ Rows: 3, Updated: 1, Failed: 2 })
  expect(done.Faults.map(({ Code }) => Code)).toEqual(['CONFLICT', 'NOT_PERMITTED_NOW'])
  expect((await people(app)).map(({ Visits }) => Visits)).toEqual([null, 3, null, null, null])
  expect((await send(app, 'clerk', first)).body.code).toBe('TOKEN_USED')
  const searched = await change(app, 'clerk', {
    SearchText: 'cy',
    Parameters: { Visits: 3 },
    DryRun: true,
  })
  expect(searched).toMatchObject({ Rows: 1, Updated: 1 })
})

test('records without a stamp are recognised by their values', async () => {
  await using app = await startImports()
  for (const Code of ['A', 'B']) await app.save('clerk', 'Readings', { Code, Value: 1 })
  const request = { FormName: 'Readings', Filters: [], Parameters: { Day: '2026-02-03' } }
  const { Token } = await change(app, 'clerk', { ...request, DryRun: true })
  const [a] = (await app.table('clerk', 'Readings')).Rows
  await app.save('clerk', 'Readings', { Id: a?.Id, Value: 2 })
  const done = await change(app, 'clerk', { ...request, Token, OnError: 'skip' })
  expect(done).toMatchObject({ Updated: 1, Faults: [{ Keys: { Id: a?.Id }, Code: 'CONFLICT' }] })
  const plain = { FormName: 'Readings', Keys: [{ Id: a?.Id }], Parameters: { Value: 3 } }
  expect(await change(app, 'clerk', plain)).toMatchObject({ Updated: 1 })
})

test('a bulk edit is taken back as an import is, by who made it', async () => {
  await using app = await startImports()
  const keys = await addPeople(app, ['Ann', 'Bo'])
  const before = await people(app)
  const done = await change(app, 'narrow', {
    Keys: keys,
    Parameters: { Visits: 9, Born: '2000-01-02' },
  })
  const undo = (as: string, id = done.ImportId) => app.call(as, `/import-data/${id}/undo`, {})
  expect((await undo('clerk')).status).toBe(401)
  expect((await undo('looker')).status).toBe(401)
  expect((await undo('narrow')).status).toBe(200)
  const { Visits, Born, Name } = before[0] ?? {}
  expect((await people(app))[0]).toMatchObject({ Visits, Born, Name })
  expect((await undo('narrow')).body.code).toBe('IMPORT_UNDONE')
  const more = await change(app, 'clerk', { Keys: await stamped(app), Parameters: { Visits: 1 } })
  await app.save('clerk', 'People', { ...(await stamped(app))[0], Note: 'x' })
  const late = await undo('clerk', more.ImportId)
  expect([late.status, late.body.code]).toEqual([409, 'IMPORT_CHANGED'])
  const parts = await app.save('clerk', 'Parts', { Name: 'Bolt', Lands: [] })
  const [land] = (await app.table('clerk', 'Lands')).Rows
  const listed = await change(app, 'clerk', {
    FormName: 'Parts',
    Keys: [parts.Keys],
    Parameters: { Lands: [land?.Id] },
  })
  expect(listed).toMatchObject({ Updated: 1 })
  expect((await app.stored('SELECT * FROM part_lands')).length).toBe(1)
  expect((await undo('clerk', listed.ImportId)).status).toBe(200)
  expect(await app.stored('SELECT * FROM part_lands')).toEqual([])
})

test('a repeat under its key changes nothing again, and clients are told once', async () => {
  await using app = await startImports()
  const keys = await addPeople(app, ['Ann', 'Bo'])
  const body = { FormName: 'People', Keys: keys, Parameters: { Visits: 1 } }
  const told: { key: readonly unknown[]; what: string }[][] = []
  app.app.context.recordChanges.follow({
    follows: () => true,
    prepare: (changes) => Promise.resolve(() => void told.push([...changes])),
  })
  const ask = () =>
    app.app.fetch('/api/v1/svc/object/submit-many', {
      as: 'clerk',
      body,
      headers: { 'Idempotency-Key': 'many-1' },
    })
  const [first, second] = [await ask(), await ask()]
  expect(second.headers.get('Idempotency-Replayed')).toBe('true')
  expect(second.text).toBe(first.text)
  expect(told.map((each) => each.map(({ key, what }) => [key, what]))).toEqual([
    keys.map(({ Id }) => [[Id], 'update']),
  ])
  const after = await stamped(app)
  expect(JSON.parse(first.text)).toMatchObject({ data: { Many: { Updated: 2 } } })
  const dry = await change(app, 'clerk', { Keys: after, Parameters: { Visits: 2 }, DryRun: true })
  expect(dry).toMatchObject({ Updated: 2, Token: null })
  expect(await stamped(app)).toEqual(after)
})
