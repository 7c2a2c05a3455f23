/** Numbers of JSON are kept to the digit or refused, and a document is one thing by all paths. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { COLUMN_TYPES } from '../../support/column-types.ts'
import { Imports } from '../../support/imports.ts'
import { data, type Row } from '../../support/objects.ts'

let app: Imports
beforeAll(async () => {
  app = new Imports(await startApp({ application: COLUMN_TYPES }))
})
afterAll(() => app[Symbol.asyncDispose]())

const faultsOf = async (answer: Promise<{ body: { fieldErrors?: object } }>) =>
  (await answer).body.fieldErrors

const post = async (path: string, raw: string) => {
  const request = new Request(`http://localhost/api/v1/svc${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${app.app.tokens.clerk ?? ''}`,
    },
    body: raw,
  })
  const response = await app.app.handle(request)
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text) as { fieldErrors?: Row } }
}
const submit = (cells: string) =>
  post('/object/submit', `{"FormName":"Boxes","Parameters":{"Name":"n",${cells}}}`)
const EXACT = 'The JSON contains a number that cannot be stored exactly. Send it as text in quotes.'

test.each([
  ['"Data":{"id":12345678901234567890}', { Data: EXACT }],
  ['"Data":{"id":1234567890123456789}', { Data: EXACT }],
  ['"Data":[[0.12345678901234567891]]', { Data: EXACT }],
  ['"Data":1e400', { Data: EXACT }],
  ['"Data":"{\\"n\\":1e400}"', { Data: EXACT }],
  ['"Count":9007199254740993', { Count: 'The number is too large' }],
  ['"Count":1.00000000000000000001', { Count: 'Must be a whole number' }],
  ['"Amount":1e400', { Amount: 'The number is too large' }],
  ['"Amount":12345678901234567890', { Amount: 'The number is too large' }],
  ['"Remark":12345678901234567890', { Remark: 'Must be text' }],
] as [string, Row][])('%s is refused', async (cells, faults) => {
  const { status, body } = await submit(cells)
  expect([status, body.fieldErrors]).toEqual([400, faults])
})

test('what is exact is stored to the digit, and a decimal as it is written', async () => {
  const { status, text } = await submit(
    '"Data":{"a":0.1,"b":0.30000000000000004,"c":9007199254740992,"d":"12345678901234567890"},' +
      '"Amount":2.67499999999999999999',
  )
  expect(status).toBe(200)
  expect(text).toContain('{"a":0.1,"b":0.30000000000000004,"c":9007199254740992,"d":"1234')
  expect(text).toContain('"Amount":2.67,')
})

test('a procedure, a filter and a file refuse it too', async () => {
  const filter = (field: string, value: string) =>
    post('/object/Boxes/table', `{"Filters":[{"Field":"${field}","Value":${value}}]}`)
  expect((await filter('Count', '9007199254740993')).status).toBe(400)
  expect((await filter('Data', '[12345678901234567890]')).status).toBe(400)
  expect((await post('/object/Boxes/table', '{"PageSize":1e400}')).status).toBe(400)
  expect((await post('/rpc/Rename', '{"Parameters":{"To":12345678901234567890}}')).status).toBe(400)
  const csv = 'Name,Data\nn,"{""id"":12345678901234567890}"\n'
  expect(await faultsOf(app.send('clerk', { objectName: 'Boxes', file: csv }))).toEqual({
    'Rows[2].Data': EXACT,
  })
  const lines = '{"Name":"n","Data":{"id":12345678901234567890}}\n'
  const document = { objectName: 'Boxes', file: lines, fileName: 'rows.jsonl' }
  expect(await faultsOf(app.send('clerk', document))).toEqual({ 'Rows[1].Data': EXACT })
  const count = { objectName: 'Boxes', file: '{"Name":"n","Count":9007199254740993}\n' }
  expect(await faultsOf(app.send('clerk', { ...count, fileName: 'rows.jsonl' }))).toEqual({
    'Rows[1].Count': 'The number is too large',
  })
})

test('a document that is a text is saved from its own form', async () => {
  const saved = await app.save('clerk', 'Boxes', { Name: 'text', Data: '"12 monkeys"' })
  const key = saved.Keys as Row
  const { Values } = await app.form('clerk', 'Boxes', key)
  expect(Values.Data).toBe('12 monkeys')
  const { RowVersion } = data(await app.submit('clerk', 'Boxes', Values))
  expect(RowVersion).toBe(Values.RowVersion as string)
  data(await app.submit('clerk', 'Boxes', { ...Values, Count: 7 }))
  expect(await app.stored(`SELECT Data, Count FROM boxes WHERE Id = ${Number(key.Id)}`)).toEqual([
    { Data: '"12 monkeys"', Count: 7 },
  ])
})

test('__proto__ is left out of a document, whatever way it comes', async () => {
  const cells = [
    '{"__proto__":1,"a":{"__proto__":2,"b":3}}',
    '"{\\"__proto__\\":1,\\"a\\":{\\"b\\":3}}"',
  ]
  for (const cell of cells) expect((await submit(`"Code":null,"Data":${cell}`)).status).toBe(200)
  for (const [fileName, file] of [
    ['rows.csv', 'Name,Data\nn,"{""__proto__"":1,""a"":{""b"":3}}"\n'],
    ['rows.jsonl', '{"Name":"n","Data":{"__proto__":1,"a":{"b":3}}}\n'],
  ] as const)
    await app.take('clerk', { objectName: 'Boxes', file, fileName })
  const stored = await app.stored('SELECT Data FROM boxes ORDER BY Id DESC LIMIT 4')
  expect(stored.map(({ Data }) => Data)).toEqual(Array(4).fill('{"a":{"b":3}}'))
  const found = await post(
    '/object/Boxes/table',
    '{"Filters":[{"Field":"Data","Value":{"__proto__":5,"a":{"b":3}}}]}',
  )
  expect(found.text).toContain('"TotalRows":4')
})

test('null is no document: not for Required, and isNull finds it', async () => {
  const { body } = await submit('"Data":"null"')
  expect(body).toMatchObject({ success: true })
  const [last] = await app.stored('SELECT Data FROM boxes ORDER BY Id DESC LIMIT 1')
  expect(last).toEqual({ Data: null })
})
