/** Wizards: a run from its start to its finish, held on the server. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { HOUR, MINUTE } from '../../../src/kernel/setting.ts'
import { purgeRuns, warnOwners } from '../../../src/engine/wizard/expiry.ts'
import { TestClock } from '../../support/identity.ts'
import { replaceBehind } from '../../support/model-changes.ts'
import {
  type Finished,
  must,
  type RunData,
  startWizards,
  type Wizards,
} from '../../support/wizards.ts'

const clock = new TestClock()
let guide: Wizards
beforeAll(async () => {
  const settings = { 'Svc:Wizards:MaxRuns': '20', 'Svc:Wizards:Lifetime': '6h' }
  guide = await startWizards({ clock, settings })
})
afterAll(() => guide[Symbol.asyncDispose]())

const finish = (id: string, body: object = {}, key?: string) =>
  guide.call<Finished>(`/runs/${id}/finish`, { body, ...(key !== undefined && { key }) })

/** A run of a company that stands at the step Paper. */
async function untilPaper(name: string): Promise<RunData> {
  const { RunId } = await guide.start()
  await guide.next(RunId, { Sort: 'company', Name: name })
  await guide.next(RunId, { VatNumber: 'DE1' })
  return guide.next(RunId, { Country: 'DE', CityId: 1 })
}

const countClients = async (name: string): Promise<number> =>
  (await guide.rows(`SELECT Id FROM clients WHERE Name = '${name}'`)).length

test('the structure is the same for everybody, without SQL, and is not sent twice', async () => {
  const first = await guide.call<{ Steps: Record<string, unknown>[] }>('/new-client', { as: 'bo' })
  expect(
    must(first).Steps.map(({ Name, Kind, IsConditional }) => [Name, Kind, IsConditional]),
  ).toEqual([
    ['Kind', 'Fields', false],
    ['Firm', 'Fields', true],
    ['Place', 'Fields', false],
    ['Paper', 'Fields', false],
    ['Look', 'Summary', false],
  ])
  expect(first.text).not.toMatch(/SELECT|INSERT|nobody|= 'company'/)
  const again = await guide.app.fetch('/api/v1/svc/wizard/NewClient', {
    as: 'bo',
    headers: { 'If-None-Match': first.headers.get('ETag') ?? '' },
  })
  expect(again.status).toBe(304)
  const metadata = await guide.app.fetch<{ data: { Steps: object[] } }>(
    '/api/v1/svc/object/NewClient/metadata',
    { as: 'bo' },
  )
  expect(metadata.body.data.Steps).toEqual(must(first).Steps)
  expect((await guide.call('/Clients')).status).toBe(404)
  expect((await guide.call('/nothing')).status).toBe(404)
})

test('each step is validated as a form is, and says what is wrong by field', async () => {
  const { RunId, Step, Form, Progress } = await guide.start()
  expect([Step, Progress.Index, Progress.IsLast]).toEqual(['Kind', 1, false])
  expect(Form.Values).toEqual({ Sort: 'person', Name: null })
  const cases: [object, Record<string, string>][] = [
    [{ Sort: 'x' }, { Sort: 'Sort must be one of: person, company', Name: 'Name is required' }],
    [{ Name: 'n'.repeat(41) }, { Name: 'Name is longer than 40 characters' }],
    [{ Name: 'nobody' }, { Name: 'Nobody is called that' }],
  ]
  for (const [Values, faults] of cases) {
    const answer = await guide.call(`/runs/${RunId}/next`, { body: { Values } })
    expect([answer.status, answer.body.fieldErrors]).toEqual([400, faults])
  }
  const firm = await guide.next(RunId, { SORT: 'company', Name: 'Acme', Id: 7, Limit: 1 })
  expect([firm.Step, firm.Ignored, firm.Form.Given]).toEqual([
    'Firm',
    ['Id', 'Limit'],
    { Sort: 'company', Name: 'Acme' },
  ])
  await guide.next(RunId, { VatNumber: 'DE1' })
  for (const [Values, field] of [
    [{ Country: 'DE' }, 'CityId'],
    [{ Country: 'FR', CityId: 1 }, 'CityId'],
    [{ CityId: 1 }, 'Country'],
  ] as const) {
    const answer = await guide.call(`/runs/${RunId}/next`, { body: { Values } })
    expect([answer.status, Object.keys(answer.body.fieldErrors ?? {})[0]]).toEqual([400, field])
  }
})

test('a branch is passed over, and what was entered in it binds nothing', async () => {
  const { RunId } = await guide.start()
  await guide.next(RunId, { Sort: 'company', Name: 'Berta' })
  await guide.next(RunId, { VatNumber: 'DE7' })
  const back = must(await guide.call(`/runs/${RunId}/back`, { body: { Step: 'Kind' } }))
  expect(back.Form.Values).toEqual({ Sort: 'company', Name: 'Berta' })
  const place = await guide.next(RunId, { Sort: 'person', Name: 'Berta' })
  expect([place.Step, place.Progress.Count]).toEqual(['Place', 4])
  expect(place.Progress.Steps.find(({ Name }) => Name === 'Firm')?.State).toBe('passedOver')
  await guide.next(RunId, { Country: 'DE', Limit: 9 })
  await guide.next(RunId, {})
  expect(must(await finish(RunId)).Action).toBe('finish')
  expect(
    await guide.rows(`SELECT VatNumber, CityId, "Limit" AS L FROM clients WHERE Name = 'Berta'`),
  ).toEqual([{ VatNumber: null, CityId: null, L: null }])
})

test('back loses nothing, neither what comes later nor what is given so far', async () => {
  const { RunId } = await untilPaper('Carl')
  const Values = { VatNumber: 'draft', Country: 7, CityId: 2 }
  let run = must(await guide.call(`/runs/${RunId}/back`, { body: {} }))
  expect([run.Step, run.Form.Values.CityId, run.Form.Values.CityId__Label]).toEqual([
    'Place',
    1,
    'Bremen',
  ])
  run = must(await guide.call(`/runs/${RunId}/back`, { body: { Values } }))
  expect([run.Step, run.Form.Values]).toEqual(['Firm', { VatNumber: 'DE1' }])
  run = await guide.next(RunId, { VatNumber: 'DE2' })
  expect([run.Step, run.Form.Values.Country, run.Form.Values.CityId__Label]).toEqual([
    'Place',
    'DE',
    'Leipzig',
  ])
  const first = must(await guide.call(`/runs/${RunId}/back`, { body: { Step: 'kind' } }))
  expect(first.Step).toBe('Kind')
  for (const [body, code] of [
    [{}, 'WIZARD_FIRST_STEP'],
    [{ Step: 'Paper' }, 'UNKNOWN_STEP'],
  ] as const)
    expect((await guide.call(`/runs/${RunId}/back`, { body })).body.code).toBe(code)
})

test('a run is listed, and gone on with where it was left', async () => {
  const { RunId } = await untilPaper('Dora')
  const listed = must(await guide.call<{ RunId: string; Step: string; Label: string }[]>('/runs'))
  expect(listed.find((run) => run.RunId === RunId)).toMatchObject({
    Wizard: 'NewClient',
    Label: 'A new client',
    Step: 'Paper',
    StepLabel: 'Paper',
  })
  const run = must(await guide.call(`/runs/${RunId}`))
  expect([run.Step, run.Form.Given.Name, run.Notice]).toEqual(['Paper', 'Dora', null])
  expect(must(await guide.call(`/runs/${RunId}`, { method: 'DELETE' }))).toBe(true as never)
  expect((await guide.call(`/runs/${RunId}`)).status).toBe(404)
})

test('a wizard finished twice with one key writes once', async () => {
  const { RunId } = await untilPaper('Emil')
  await guide.next(RunId, {})
  const first = await finish(RunId, {}, 'emil')
  expect(must(first)).toMatchObject({
    Action: 'finish',
    Ignored: [],
    Dispatch: [
      { Type: 'refreshTable', Target: 'Clients' },
      { Type: 'showAlert', Level: 'success', Message: 'Emil (company) is a client' },
    ],
  })
  const [client] = await guide.rows(`SELECT Id, Region FROM clients WHERE Name = 'Emil'`)
  expect(client).toEqual({ Id: must(first).Keys?.Id, Region: 'BREMEN' })
  const again = await finish(RunId, {}, 'emil')
  expect([again.status, again.text]).toEqual([200, first.text])
  expect(again.headers.get('Idempotency-Replayed')).toBe('true')
  expect((await finish(RunId)).body.code).toBe('WIZARD_RUN_NOT_FOUND')
  expect((await finish(RunId, {}, 'other')).status).toBe(404)
  expect(await countClients('Emil')).toBe(1)
  expect(await guide.rows(`SELECT Title FROM svc_notifications`)).toContainEqual({
    Title: 'Emil from Bremen',
  })
  expect(await guide.rows(`SELECT Action FROM svc_audit WHERE RecordKey = '["${RunId}"]'`)).toEqual(
    [{ Action: 'finish' }],
  )
})

test('a finish before the last step is refused; the last values may come with it', async () => {
  const { RunId } = await guide.start()
  const early = await finish(RunId, { Values: { Sort: 'person', Name: 'Fritz' } })
  expect([early.status, early.body.code]).toEqual([400, 'WIZARD_NOT_AT_END'])
  expect(await countClients('Fritz')).toBe(0)
  await guide.next(RunId, { Sort: 'person', Name: 'Fritz' })
  await guide.next(RunId, { Country: 'DE' })
  const summary = await guide.next(RunId, {})
  expect(summary.Progress.IsLast).toBe(true)
  const shown = summary.Form.Summary.map(({ Step, Rows }) => [
    Step,
    Rows[0]?.map(({ Name, Value, Text }) => [Name, Value, Text]),
  ])
  expect(shown.slice(0, 1)).toEqual([
    [
      'Kind',
      [
        ['Sort', 'person', 'A person'],
        ['Name', 'Fritz', null],
      ],
    ],
  ])
  const stays = await guide.next(RunId, { Any: 1 })
  expect([stays.Step, stays.Progress.IsLast, stays.Ignored]).toEqual(['Look', true, ['Any']])
  expect(must(await finish(RunId, { Values: { Any: 1 } })).Ignored).toEqual(['Any'])
})

test('every step is validated once more at the finish, and the fault says which', async () => {
  await using _ = await deleteAfter('Gerd')
  const [one, two] = [await untilPaper('Gerd'), await untilPaper('Gerd')]
  for (const { RunId } of [one, two]) await guide.next(RunId, {})
  must(await finish(one.RunId))
  const second = await finish(two.RunId)
  expect([second.status, Object.keys(second.body.fieldErrors ?? {})]).toEqual([400, ['Name']])
  await guide.app.store.write((tx) => tx.run(`UPDATE cities SET Country = 'FR' WHERE Id = 1`), {
    company: 'all',
    because: 'a test',
  })
  const moved = await finish(two.RunId)
  expect([moved.status, moved.body.step, Object.keys(moved.body.fieldErrors ?? {})]).toEqual([
    400,
    'Place',
    ['CityId'],
  ])
  expect(must(await guide.call(`/runs/${two.RunId}`)).Step).toBe('Look')
})

/** Puts cities back as they were. */
async function deleteAfter(name: string): Promise<AsyncDisposable> {
  expect(await countClients(name)).toBe(0)
  return {
    [Symbol.asyncDispose]: () =>
      guide.app.store.write(
        async (tx) => void (await tx.run(`UPDATE cities SET Country = 'DE' WHERE Id = 1`)),
        { company: 'all', because: 'a test' },
      ),
  }
}

test('a start takes over what its Parameters give fields, and nothing else', async () => {
  const given = { name: 'Hans', Sort: 'odd', CityId: 1, Region: 'x', Id: 3, CurrentUserId: 1 }
  const { RunId, Form } = await guide.start('NewClient', 'ana', given)
  expect(Form.Values).toEqual({ Sort: 'odd', Name: 'Hans' })
  const place = await guide.next(RunId, { Sort: 'person', Name: 'Hans' })
  expect(place.Form.Values).toMatchObject({ CityId: 1, CityId__Label: null, Region: 'x' })
})

test('options depend on what is given in earlier steps', async () => {
  const ask = (Parameters: object, more: object = {}) =>
    guide.app.fetch<{ data: { Label: string }[]; code?: string }>(
      '/api/v1/svc/object/field-dataset',
      {
        as: 'ana',
        body: {
          FormName: 'NewClient',
          StepName: 'Place',
          FieldName: 'CityId',
          Parameters,
          ...more,
        },
      },
    )
  expect((await ask({ Country: 'FR' })).body.data.map(({ Label }) => Label)).toEqual(['Lille'])
  expect((await ask({ Country: 'FR' }, { FieldName: 'Name' })).body.code).toBe('UNKNOWN_FIELD')
  expect((await ask({}, { StepName: 'None' })).body.code).toBe('UNKNOWN_FIELD')
  expect((await ask({}, { StepName: null })).body.code).toBe('UNKNOWN_FIELD')
  const region = { FieldName: 'Region', Default: true }
  expect((await ask({ Country: 'DE', CityId: 2 }, region)).body.data).toEqual([
    { Value: 'LEIPZIG', Label: 'LEIPZIG' },
  ] as never)
})

test('one step’s form is generated without a run', async () => {
  const form = (body: object) => guide.call<RunData['Form']>('/new-client/form', { body })
  const Values = { Country: 'DE', CityId: 2, Sort: 'company' }
  expect(must(await form({ Step: 'place', Values })).Values).toEqual({
    Country: 'DE',
    CityId: 2,
    CityId__Label: 'Leipzig',
    Limit: 100,
    Region: 'LEIPZIG',
  })
  expect((await form({ Step: 'None' })).body.code).toBe('UNKNOWN_STEP')
  expect((await form({})).status).toBe(400)
})

describe('uploads inside a step', () => {
  const waiting = (key: string) =>
    guide.rows<{ ExpiresAt: string }>(`SELECT ExpiresAt FROM svc_uploads WHERE Key = '${key}'`)

  test('wait as long as the run, and become files of the record', async () => {
    const { RunId } = await untilPaper('Ida')
    const { key } = await guide.upload('Contract', 'signed')
    const unnamed = await guide.call(`/runs/${RunId}/next`, {
      body: { Values: { Contract: ['x'] } },
    })
    expect(Object.keys(unnamed.body.fieldErrors ?? {})).toEqual(['Contract'])
    const sooner = new Date(clock.now().getTime() + HOUR).toISOString()
    await guide.app.store.write(
      (tx) => tx.run(`UPDATE svc_uploads SET ExpiresAt = '${sooner}' WHERE Key = '${key}'`),
      { company: 'all', because: 'a test' },
    )
    const run = await guide.next(RunId, { Contract: [key] })
    expect((await waiting(key))[0]?.ExpiresAt).toBe(run.ExpiresAt)
    const [file] = run.Form.Summary.at(-1)?.Rows[0] ?? []
    expect(file?.Value).toEqual([
      { Path: key, FileName: 'a.txt', ContentType: 'text/plain', Size: 6 },
    ])
    const Id = Number(must(await finish(RunId)).Keys?.Id)
    expect(await waiting(key)).toEqual([])
    expect(await guide.rows(`SELECT Path, RecordKey FROM svc_files`)).toEqual([
      { Path: key, RecordKey: `[${Id}]` },
    ])
    expect((await guide.app.fetch(`/files/${key}`, { as: 'ana' })).text).toBe('signed')
  })

  test('expire at once when the run names them no more, or is no more', async () => {
    const { RunId } = await untilPaper('Jan')
    const first = (await guide.upload('Contract', 'one')).key
    const second = (await guide.upload('Contract', 'two')).key
    await guide.next(RunId, { Contract: [first] })
    must(await guide.call(`/runs/${RunId}/back`, { body: {} }))
    await guide.next(RunId, { Contract: [second] })
    const now = clock.now().toISOString()
    expect((await waiting(first))[0]?.ExpiresAt).toBe(now)
    expect((await waiting(second))[0]?.ExpiresAt).not.toBe(now)
    must(await guide.call(`/runs/${RunId}`, { method: 'DELETE' }))
    expect((await waiting(second))[0]?.ExpiresAt).toBe(now)
  })
})

test('runs of a user are counted', async () => {
  const open = must(await guide.call<unknown[]>('/runs')).length
  for (let at = open; at < 20; at++) await guide.start()
  const more = await guide.call('/new-client/start', { body: {} })
  expect([more.status, more.headers.has('Retry-After')]).toEqual([429, true])
  expect(must(await guide.call('/new-client/start', { as: 'ben', body: {} })).Step).toBe('Kind')
})

test('owners are told once before a run expires; going on puts it off', async () => {
  const parts = { ...guide.app.context, lifetime: 6 * HOUR, warnBefore: HOUR, language: 'en' }
  const told = () =>
    guide.rows(`SELECT UserId, Title, Url FROM svc_notifications WHERE Kind = 'Wizard'
      AND UserId = (SELECT Id FROM svc_users WHERE UserName = 'jo')`)
  const mails = () => guide.rows(`SELECT Payload FROM svc_outbox WHERE Payload LIKE '%still open%'`)
  const { RunId } = await guide.start('NewClient', 'jo')
  clock.pass(5 * HOUR - MINUTE)
  await warnOwners(parts)
  expect(await told()).toEqual([])
  clock.pass(2 * MINUTE)
  await warnOwners(parts)
  await warnOwners(parts)
  expect(await told()).toEqual([
    { UserId: 4, Title: 'A new client is still open', Url: `wizard/runs/${RunId}` },
  ])
  expect((await mails()).length).toBeGreaterThan(0)
  await guide.next(RunId, { Name: 'Late' }, 'jo')
  clock.pass(5 * HOUR)
  await purgeRuns(parts)
  expect(must(await guide.call(`/runs/${RunId}`, { as: 'jo' })).Step).toBe('Place')
  expect(must(await guide.call<unknown[]>('/runs'))).toEqual([])
  clock.pass(2 * HOUR)
  expect((await guide.call(`/runs/${RunId}`, { as: 'jo' })).status).toBe(404)
  await purgeRuns(parts)
  expect(await guide.rows('SELECT Id FROM svc_wizard_runs')).toEqual([])
})

test('a run is finished once while the model changes', async () => {
  const { RunId } = await untilPaper('Moved')
  await guide.next(RunId, {})
  using replacing = replaceBehind(guide.app, 6)
  must(await finish(RunId))
  expect([replacing.left, await countClients('Moved')]).toEqual([0, 1])
})
