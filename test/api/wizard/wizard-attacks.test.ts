/** Runs of wizards under attack: other people, lost rights, hidden records, races, large values. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { deployModel } from '../../../src/model/deploy/deploy.ts'
import {
  type Finished,
  must,
  type RunData,
  startWizards,
  WIZARD,
  type Wizards,
  WIZARDS_MODEL,
} from '../../support/wizards.ts'

let guide: Wizards
beforeAll(async () => {
  guide = await startWizards({ settings: { 'Svc:Wizards:MaxBytes': '4KB' } })
})
afterAll(() => guide[Symbol.asyncDispose]())

const write = (...statements: string[]): Promise<void> =>
  guide.app.store.write(
    async (tx) => {
      for (const sql of statements) await tx.run(sql)
    },
    { company: 'all', because: 'a test' },
  )

const deploy = (body: string) => {
  const { store, models, clock } = guide.app.context
  return deployModel(store, models, [{ name: 'guide.xml', body }], { prune: true }, clock)
}

const VERBS = [
  ['GET', ''],
  ['POST', '/next'],
  ['POST', '/back'],
  ['POST', '/finish'],
  ['DELETE', ''],
] as const

test('a run of another user, or of another company, reads as one that is not there', async () => {
  const { RunId } = await guide.start()
  const refusals = new Set<string>()
  for (const [method, path] of VERBS)
    for (const [as, id, key] of [
      ['ben', RunId, undefined],
      ['ben', 'AAAAAAAAAAAAAAAAAAAAAA', undefined],
      ['far', RunId, undefined],
      ['root', RunId, undefined],
      ['bo', RunId, `k-${method}${path}`],
    ] as const) {
      const body = method === 'POST' ? { body: {} } : {}
      const more = key === undefined ? {} : { key }
      const answer = await guide.call(`/runs/${id}${path}`, { as, method, ...body, ...more })
      expect([as, method, path, answer.status]).toEqual([as, method, path, 404])
      refusals.add(answer.text.replace(/"traceId":"\w+"/, ''))
    }
  expect(refusals.size).toBe(1)
  expect(must(await guide.call(`/runs/${RunId}`)).Version).toBe(1)
  const other = await guide.app.fetch<{ data: { AccessToken: string } }>(
    '/api/v1/svc/company/switch',
    { as: 'ben', body: { CompanyId: 2 } },
  )
  expect(other.status).toBe(404)
})

test('nobody goes through a wizard without Create, and rights are those of now', async () => {
  for (const [as, path] of [
    ['bo', '/new-client/start'],
    ['bo', '/new-client/form'],
    ['jo', '/order/start'],
    ['lea', '/new-client/start'],
  ] as const)
    expect((await guide.call(path, { as, body: { Step: 'Kind' } })).status).toBe(401)
  const { RunId } = await guide.start('NewClient', 'ben')
  expect((await guide.call(`/runs/${RunId}/back`, { as: 'ben', body: {}, key: 'b1' })).status).toBe(
    400,
  )
  const roles = (method: string) =>
    guide.app.fetch('/api/v1/svc/auth/users/3/roles', {
      as: 'root',
      method,
      body: { Role: 'Clerk' },
    })
  expect((await roles('DELETE')).status).toBe(200)
  for (const [method, path] of VERBS.slice(0, 4)) {
    const body = method === 'POST' ? { body: { Values: { Name: 'x' } } } : {}
    const answer = await guide.call(`/runs/${RunId}${path}`, { as: 'ben', method, ...body })
    expect([method, path, answer.status]).toEqual([method, path, 401])
  }
  const replay = await guide.call(`/runs/${RunId}/back`, { as: 'ben', body: {}, key: 'b1' })
  expect(replay.status).toBe(401)
  expect(must(await guide.call<unknown[]>('/runs', { as: 'ben' }))).toEqual([])
  expect((await guide.call(`/runs/${RunId}`, { as: 'ben', method: 'DELETE' })).status).toBe(200)
  expect((await roles('POST')).status).toBe(200)
})

test('a key is its user’s: another one’s replays nothing of theirs', async () => {
  const { RunId } = await guide.start('Order', 'ana')
  expect((await guide.call(`/runs/${RunId}/next`, { body: {}, key: 'r1' })).status).toBe(400)
  const again = await guide.call(`/runs/${RunId}/next`, { body: {}, key: 'r1' })
  expect(again.headers.get('Idempotency-Replayed')).toBe('true')
  expect((await guide.call(`/runs/${RunId}/next`, { as: 'ben', body: {}, key: 'r1' })).status).toBe(
    404,
  )
})

test('a record that is hidden is no option, has no label, and no default names it', async () => {
  await write(
    `INSERT INTO clients (Id, CompanyId, Name, Region) VALUES (901, 1, 'Open', 'north'),
      (902, 1, 'Canary', 'secret'), (903, 2, 'Canary of two', 'north')`,
  )
  const { RunId } = await guide.start('Order')
  for (const Client of [902, 903, 999]) {
    const answer = await guide.call(`/runs/${RunId}/next`, { body: { Values: { Client } } })
    expect([answer.status, answer.body.fieldErrors]).toEqual([
      400,
      { Client: 'Client: there is no such client' },
    ])
    const form = await guide.call<RunData['Form']>('/order/form', {
      body: { Step: 'Who', Values: { Client } },
    })
    expect(must(form).Values.Client__Label).toBeNull()
    expect((await guide.start('Order', 'ana', { Client })).Form.Values.Client__Label).toBeNull()
  }
  const lines = await guide.next(RunId, { Client: 901 })
  expect(lines.Step).toBe('Lines')
  await write(`UPDATE clients SET Region = 'secret', Name = 'Canary now' WHERE Id = 901`)
  const back = await guide.call(`/runs/${RunId}/back`, { body: {} })
  expect([must(back).Form.Values.Client__Label, back.text.includes('Canary')]).toEqual([
    null,
    false,
  ])
  const forward = await guide.call(`/runs/${RunId}/next`, { body: { Values: { Client: 901 } } })
  expect(forward.status).toBe(400)
  await write('DELETE FROM clients WHERE Id > 900')
})

test('no members but the step’s own get through, whatever they are called', async () => {
  const { RunId } = await guide.start()
  const Values = {
    Name: 'Own',
    VatNumber: 'XX1',
    Limit: 5,
    CityId: 1,
    CompanyId: 2,
    Id: 9,
    Region: 'r',
    CurrentUserId: 1,
    Sort__Label: 'x',
    __proto__x: 1,
    constructor: 1,
    Kind: 'x',
  }
  const place = await guide.next(RunId, Values)
  expect(place.Ignored.sort()).toEqual(
    Object.keys(Values)
      .filter((name) => name !== 'Name')
      .sort(),
  )
  expect(place.Form.Given).toEqual({ Sort: 'person', Name: 'Own' })
  const polluted = `{"Values":{"__proto__":{"Country":"DE"},"country":"FR","Country":"DE"}}`
  const next = await guide.app.fetch<{ data: RunData }>(`${WIZARD}/runs/${RunId}/next`, {
    as: 'ana',
    body: polluted,
  })
  expect(next.body.data.Form.Given.Country).toBe('FR')
})

test('fields that a role hides or bars are not theirs to give, nor to see', async () => {
  const { RunId } = await guide.start('NewClient', 'jo', { Region: 'x', Limit: 7 })
  const place = await guide.next(RunId, { Name: 'Jo’s' }, 'jo')
  expect(place.Form.Fields.map(({ Name, ReadOnly }) => [Name, ReadOnly])).toEqual([
    ['Country', false],
    ['CityId', false],
    ['Limit', true],
  ])
  expect(place.Form.Values).toMatchObject({ Limit: 100 })
  const paper = await guide.next(RunId, { Country: 'DE', Limit: 1, Region: 'x' }, 'jo')
  expect([paper.Ignored, paper.Form.Given.Region]).toEqual([['Limit', 'Region'], undefined])
  const look = await guide.next(RunId, {}, 'jo')
  expect(JSON.stringify(look.Form.Summary)).not.toContain('Region')
  const options = await guide.app.fetch<{ code: string }>('/api/v1/svc/object/field-dataset', {
    as: 'jo',
    body: { FormName: 'NewClient', StepName: 'Place', FieldName: 'Region', Default: true },
  })
  expect(options.body.code).toBe('UNKNOWN_FIELD')
})

test('a step is not jumped over, and values of another step are told from it', async () => {
  const { RunId } = await guide.start()
  const jump = await guide.call(`/runs/${RunId}/next`, {
    body: { Step: 'Paper', Values: { Contract: null } },
  })
  expect([jump.status, jump.body.code]).toEqual([409, 'WIZARD_STEP_MOVED'])
  for (const Values of [{ Name: 'Jump' }, {}])
    expect((await guide.call(`/runs/${RunId}/finish`, { body: { Values } })).status).toBe(400)
  expect(await guide.rows(`SELECT Id FROM clients WHERE Name = 'Jump'`)).toEqual([])
})

test('of requests at once one goes on; a stale Version is a 409', async () => {
  const { RunId } = await guide.start()
  const all = await Promise.all(
    Array.from({ length: 8 }, (_, at) =>
      guide.call(`/runs/${RunId}/next`, { body: { Step: 'Kind', Values: { Name: `P${at}` } } }),
    ),
  )
  const statuses = all.map(({ status }) => status).sort()
  expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 409)])
  for (const path of ['next', 'back', 'finish']) {
    const stale = await guide.call(`/runs/${RunId}/${path}`, { body: { Version: 1 } })
    expect([path, stale.status, stale.body.code]).toEqual([path, 409, 'WIZARD_RUN_CHANGED'])
  }
  await guide.next(RunId, { Country: 'DE' })
  await guide.next(RunId, {})
  const ends = await Promise.all(
    Array.from({ length: 6 }, () => guide.call<Finished>(`/runs/${RunId}/finish`, { body: {} })),
  )
  expect(ends.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404])
  expect(await guide.rows(`SELECT count(*) AS n FROM clients WHERE Name LIKE 'P_'`)).toEqual([
    { n: 1 },
  ])
})

test('what is given has a bound, and so has what a start prefills', async () => {
  const { RunId } = await guide.start()
  await guide.next(RunId, { Name: 'Big' })
  const body = { Values: { Country: 'DE', Region: 'r'.repeat(5000) } }
  expect((await guide.call(`/runs/${RunId}/next`, { body })).body.code).toBe('WIZARD_TOO_LARGE')
  expect((await guide.call(`/runs/${RunId}/back`, { body })).body.code).toBe('WIZARD_TOO_LARGE')
  const prefilled = { Parameters: { Region: 'r'.repeat(5000) } }
  expect((await guide.call('/new-client/start', { body: prefilled })).body.code).toBe(
    'WIZARD_TOO_LARGE',
  )
})

test('uploads of others, and for other fields, are not there', async () => {
  const foreign = await guide.upload('Contract', 'theirs', { as: 'ben' })
  const direct = await guide.upload('Contract', 'direct', { object: 'Clients' })
  const paper = await guide.upload('Paper', 'line', { object: 'Order' })
  const { RunId } = await guide.start()
  await guide.next(RunId, { Name: 'Thief' })
  await guide.next(RunId, { Country: 'DE' })
  for (const { key } of [foreign, direct, paper]) {
    expect(key).not.toBe('')
    const answer = await guide.call(`/runs/${RunId}/next`, {
      body: { Values: { Contract: [key] } },
    })
    expect([answer.status, Object.keys(answer.body.fieldErrors ?? {})]).toEqual([400, ['Contract']])
  }
  expect((await guide.upload('Contract', 'x', { as: 'lea' })).status).toBe(401)
  expect((await guide.upload('Name', 'x')).status).toBe(400)
})

test('a wizard is no object: no rows are read or written by its name', async () => {
  for (const path of ['NewClient/table', 'NewClient/form', 'NewClient/view'])
    expect(
      (await guide.app.fetch(`/api/v1/svc/object/${path}`, { as: 'root', body: {} })).status,
    ).toBe(404)
  const body = { FormName: 'NewClient', ObjectName: 'NewClient', Parameters: { Name: 'x' } }
  for (const path of ['submit', 'delete-row', 'export-data'])
    expect((await guide.app.fetch(`/api/v1/svc/object/${path}`, { as: 'root', body })).status).toBe(
      404,
    )
})

test('another model under an open run: it goes on with what still fits, and says so', async () => {
  await write('DELETE FROM svc_wizard_runs')
  const { RunId } = await guide.start()
  await guide.next(RunId, { Sort: 'company', Name: 'Model' })
  await guide.next(RunId, { VatNumber: 'DE1' })
  const changed = WIZARDS_MODEL.replace(
    '<Step Name="Firm"',
    '<Step Name="Early"><Field Name="Motto" Type="Text"/></Step><Step Name="Firm"',
  ).replace('<Field Name="Sort" Required="true" Default="person">', '<Field Name="Sort">')
  await deploy(changed)
  const moved = must(await guide.call(`/runs/${RunId}`))
  expect([moved.Step, moved.Notice]).toEqual([
    'Early',
    'The wizard has changed since you left it. Continue from here.',
  ])
  expect((await guide.next(RunId, { Motto: 'm' })).Step).toBe('Firm')
  await deploy(
    WIZARDS_MODEL.replace(
      '<Field Name="Name"/>\n      <Validate',
      '<Field Name="Name" Type="Integer"/><Validate',
    ),
  )
  const misfit = must(await guide.call(`/runs/${RunId}`))
  expect(misfit.Notice).toContain('These values are no longer valid: Kind.Name, Early.Motto')
  const gone = WIZARDS_MODEL.replace(/<ObjectView Name="NewClient"[^]*?<\/ObjectView>/, '').replace(
    /<Navbar[^]*?<\/Navbar>/,
    '',
  )
  const { plan } = await deploy(gone)
  expect(plan.outdated).toEqual([
    '1 open run of the wizard NewClient cannot continue: the wizard is no longer in the model',
  ])
  for (const [method, path] of VERBS.slice(0, 4)) {
    const answer = await guide.call(`/runs/${RunId}${path}`, {
      method,
      ...(method === 'POST' && { body: {} }),
    })
    expect([answer.status, answer.body.code]).toEqual([404, 'WIZARD_NOT_FOUND'])
  }
  expect((await guide.call(`/runs/${RunId}`, { method: 'DELETE' })).status).toBe(200)
  await deploy(WIZARDS_MODEL)
})

test('a value that a run loses is told in the plan, by the next answer, at the end', async () => {
  await write('DELETE FROM svc_wizard_runs')
  const begin = async (Name: string): Promise<string> => {
    const { RunId } = await guide.start()
    await guide.next(RunId, { Sort: 'person', Name })
    await guide.next(RunId, { Country: 'DE', Region: 'North' })
    await guide.next(RunId, {})
    return RunId
  }
  const [first, second] = [await begin('Told'), await begin('Told late')]
  const finish = (id: string) => guide.call<Finished>(`/runs/${id}/finish`, { body: {} })
  const done = must(await finish(await begin('Buyer'))).Keys
  const Ordered = must(await guide.call('/Order/start', { body: {} })).RunId
  await guide.next(Ordered, { Client: done?.Id })
  await guide.next(Ordered, { Lines: [{ Product: 'Pen' }, { Product: 'Ink', Quantity: 2 }] })
  const changed = WIZARDS_MODEL.replace(
    / *<Field(Rule Resource="NewClient" Field| Name)="Region".*\n/g,
    '',
  )
    .replace('@Region', 'NULL')
    .replace('<Field Name="Quantity"/>', '')
    .replace(/<Validate Field="Quantity".*\n/, '')
  const { plan } = await deploy(changed)
  expect(plan.outdated).toEqual([
    '2 open runs of the wizard NewClient lose what was entered in Place.Region',
    '1 open run of the wizard Order loses what was entered in Lines[0].Quantity, Lines[1].Quantity',
  ])
  const gone = 'These values are no longer valid: Place.Region'
  expect(must(await guide.call(`/runs/${first}`)).Notice).toBe(gone)
  expect((await guide.next(first, {})).Notice).toBe(gone)
  expect(must(await guide.call(`/runs/${first}`)).Notice).toBeNull()
  const ignored = [must(await finish(first)).Ignored, must(await finish(second)).Ignored]
  expect(ignored).toEqual([[], ['Place.Region']])
  await deploy(WIZARDS_MODEL)
})
