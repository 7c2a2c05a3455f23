/** Steps that are lists of rows, fields of a query, an entity's columns; files in rows. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  type Finished,
  must,
  type RunData,
  startWizards,
  type Wizards,
} from '../../support/wizards.ts'

let guide: Wizards
beforeAll(async () => {
  guide = await startWizards()
  await guide.app.store.write(
    (tx) => tx.run(`INSERT INTO clients (Id, CompanyId, Name) VALUES (1, 1, 'Acme')`),
    { company: 'all', because: 'a test' },
  )
})
afterAll(() => guide[Symbol.asyncDispose]())

const atLines = () => guide.start('Order').then(({ RunId }) => guide.next(RunId, { Client: 1 }))

const faultsOf = async (id: string, Values: object): Promise<Record<string, string> | undefined> =>
  (await guide.call(`/runs/${id}/next`, { body: { Values } })).body.fieldErrors

test('a list is validated row by row, and its faults say which row', async () => {
  const { RunId, Form } = await atLines()
  expect([Form.Kind, Form.Fields.map(({ Name }) => Name), Form.Values]).toEqual([
    'List',
    ['Product', 'Quantity', 'Paper'],
    { Lines: [] },
  ])
  const row = { Product: 'Nail', Quantity: 2 }
  const cases: [unknown, Record<string, string>][] = [
    [undefined, { Lines: 'Lines needs at least 1 rows' }],
    ['x', { Lines: 'Lines needs at least 1 rows' }],
    [[row, row, row, row], { Lines: 'Lines can have at most 3 rows' }],
    [
      [row, { Quantity: 'x' }, 7],
      {
        'Lines[1].Product': 'Product is required',
        'Lines[1].Quantity': 'Must be a whole number',
        'Lines[2].Product': 'Product is required',
      },
    ],
    [[row, { ...row, Quantity: 0 }], { 'Lines[1].Quantity': 'Quantity must be at least 1' }],
    [[row, { ...row, Quantity: 100 }], { 'Lines[1].Quantity': 'Too many' }],
  ]
  for (const [Lines, faults] of cases) expect(await faultsOf(RunId, { Lines })).toEqual(faults)
  const next = await guide.next(RunId, { lines: [{ Product: 'Nail', Id: 4 }], Other: 1 })
  expect([next.Step, next.Ignored]).toEqual(['Asked', ['Other', 'Lines[0].Id']])
  const back = must(await guide.call(`/runs/${RunId}/back`, { body: {} }))
  expect(back.Form.Values).toEqual({ Lines: [{ Product: 'Nail', Quantity: 1, Paper: null }] })
})

test('a list of faulty rows is answered with 100 faults, however many there are', async () => {
  const { RunId } = await guide.start('Bulk')
  const rows = (count: number) => ({ Lines: Array.from({ length: count }, () => ({})) })
  for (const [count, told] of [
    [99, 99],
    [100, 100],
    [1000, 100],
  ] as const) {
    const names = Object.keys((await faultsOf(RunId, rows(count))) ?? {})
    expect([names.length, names[0]]).toEqual([told, 'Lines[0].Product'])
  }
})

test('the fields of a step are the rows of its query', async () => {
  const { RunId } = await atLines()
  const { Form } = await guide.next(RunId, { Lines: [{ Product: 'Nail' }] })
  expect(Form.Kind).toBe('Query')
  expect(Form.Fields).toMatchObject([
    { Name: 'Since', Label: 'Since when?', Type: 'Date', Required: true, Options: [] },
    {
      Name: 'Size',
      Type: 'Text',
      Required: false,
      Options: [{ Value: 'small' }, { Value: 'large' }],
    },
  ])
  expect(await faultsOf(RunId, { Size: 'odd' })).toEqual({
    Since: 'Since when? is required',
    Size: 'How large? must be one of: small, large',
  })
  expect(await faultsOf(RunId, { Since: 'soon' })).toHaveProperty('Since')
  const summary = await guide.next(RunId, { since: '2026-01-02', Size: 'small', More: 1 })
  expect([summary.Step, summary.Ignored]).toEqual(['Sum', ['More']])
  expect(
    summary.Form.Summary.map(({ Step, Rows }) => [
      Step,
      Rows.map((row) => row.map(({ Value, Text }) => Text ?? Value)),
    ]),
  ).toEqual([
    ['Who', [['Acme']]],
    ['Lines', [['Nail', 1, null]]],
    ['Asked', [['2026-01-02', 'small']]],
  ])
  const form = await guide.call<RunData['Form']>('/order/form', { body: { Step: 'Asked' } })
  expect(must(form).Fields.length).toBe(2)
})

test('what is given so far in a list or a query is kept by back', async () => {
  const { RunId } = await atLines()
  const back = (Values: object) => guide.call(`/runs/${RunId}/back`, { body: { Values } })
  must(await back({ Lines: [{ Product: 'Half' }, { Quantity: 'x' }, 3] }))
  const lines = await guide.next(RunId, { Client: 1 })
  expect(lines.Form.Values).toEqual({
    Lines: [
      { Product: 'Half', Quantity: 1, Paper: null },
      { Product: null, Quantity: 1, Paper: null },
      { Product: null, Quantity: 1, Paper: null },
    ],
  })
  await guide.next(RunId, { Lines: [{ Product: 'Whole' }] })
  must(await back({ Size: 'large', Since: 'soon', Other: 1 }))
  const asked = await guide.next(RunId, { Lines: [{ Product: 'Whole' }] })
  expect(asked.Form.Values).toEqual({ Since: null, Size: 'large' })
})

test('a question that is asked no more, or anew, is met at the finish', async () => {
  const { RunId } = await atLines()
  await guide.next(RunId, { Lines: [{ Product: 'Nail' }] })
  await guide.next(RunId, { Since: '2026-01-02', Size: 'large' })
  const change = (sql: string) =>
    guide.app.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })
  await change(`INSERT INTO questions (Code, Text, Kind) VALUES ('Why', 'Why?', 'Text')`)
  await change(`UPDATE questions SET Kind = 'Integer' WHERE Code = 'Size'`)
  const refused = await guide.call(`/runs/${RunId}/finish`, { body: {} })
  expect([refused.status, refused.body.step]).toEqual([400, 'Asked'])
  expect(Object.keys(refused.body.fieldErrors ?? {})).toEqual(['Size'])
  await change(`UPDATE questions SET Kind = 'Text' WHERE Code = 'Size'`)
  await change(`DELETE FROM questions WHERE Code = 'Why'`)
  expect((await guide.call(`/runs/${RunId}/finish`, { body: {} })).status).toBe(200)
})

test('rows and answers are bound as JSON, and files of rows become files of records', async () => {
  const { RunId } = await atLines()
  const { key } = await guide.upload('Paper', 'plan', { object: 'order' })
  expect(
    await faultsOf(RunId, { Lines: [{ Product: 'A' }, { Product: 'B', Paper: ['no'] }] }),
  ).toHaveProperty(['Lines[1].Paper'])
  const Lines = [{ Product: 'Beam', Quantity: 3, Paper: [key] }, { Product: 'Bolt' }]
  const asked = await guide.next(RunId, { Lines })
  const [held] = await guide.rows<{ ExpiresAt: string }>(
    `SELECT ExpiresAt FROM svc_uploads WHERE Key = '${key}'`,
  )
  expect(held?.ExpiresAt).toBe(asked.ExpiresAt)
  const many = await guide.next(RunId, { Since: '2026-03-04' })
  expect([many.Step, Object.keys(many.Form.Given)]).toEqual(['Many', ['Client']])
  await guide.next(RunId, { Remark: 'urgent' })
  const done = must(await guide.call<Finished>(`/runs/${RunId}/finish`, { body: {} }))
  expect(done.Keys).toBeNull()
  expect(
    await guide.rows(`SELECT ClientId, Product, Quantity, Paper IS NOT NULL AS Has FROM items
      WHERE Product LIKE 'B%' ORDER BY Id`),
  ).toEqual([
    { ClientId: 1, Product: 'Beam', Quantity: 3, Has: 1 },
    { ClientId: 1, Product: 'Bolt', Quantity: 1, Has: 0 },
  ])
  expect(await guide.rows(`SELECT Answers, Region FROM clients WHERE Id = 1`)).toEqual([
    { Answers: '{"Since":"2026-03-04"}', Region: 'urgent' },
  ])
  expect((await guide.app.fetch(`/files/${key}`, { as: 'ana' })).text).toBe('plan')
})
