/**
 * Text is stored composed and without blanks at its ends, nothing but blanks is no value, and what
 * is stored otherwise (a database that was taken over) stays as it is until somebody changes it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { SqlValue } from '../../../src/store/sql.ts'
import { startApp } from '../../support/app.ts'
import { COLUMN_TYPES } from '../../support/column-types.ts'
import { Imports } from '../../support/imports.ts'
import { data, type Row } from '../../support/objects.ts'

let app: Imports
beforeAll(async () => {
  app = new Imports(await startApp({ application: COLUMN_TYPES }))
})
afterAll(() => app[Symbol.asyncDispose]())

const BLANKS = ['   ', '\n', '\t', '\u00a0', '\u200b', '\u3000', '\ufeff', '\u0085 \u2028']
const REQUIRED = { Name: 'Name is required' }

const save = async (parameters: Row): Promise<Row> =>
  data(await app.submit('clerk', 'Boxes', parameters)).Keys as Row
const storedBox = async ({ Id }: Row): Promise<Row> =>
  (await app.stored(`SELECT * FROM boxes WHERE Id = ${Id}`))[0] ?? {}
const call = (path: string, body: object) =>
  app.app.fetch<{ data: Row; fieldErrors?: Row }>(`/api/v1/svc${path}`, { as: 'clerk', body })
const faultsOf = async (answer: Promise<{ body: { fieldErrors?: object } }>) =>
  (await answer).body.fieldErrors

/** A row as another program left it. */
async function takeOver(values: Record<string, SqlValue>): Promise<Row> {
  const cells = Object.entries({ RowVersion: 7, ...values })
  const names = cells.map(([name]) => name).join(', ')
  const sql = `INSERT INTO boxes (${names}) VALUES (${cells.map(([name]) => `@${name}`).join(', ')})`
  const args = Object.fromEntries(cells) as Record<string, SqlValue>
  const id = await app.app.store.write(
    (tx) => tx.silently(() => tx.insert(sql, Object.values(args))),
    {
      company: 'all',
      because: 'a test',
    },
  )
  return { Id: id }
}

describe('nothing but blanks is no value', () => {
  test('submit, detail, import, action, procedure, wizard', async () => {
    const key = await save({ Name: 'whole', Code: 'rename' })
    const { RunId } = (await call('/wizard/Packing/start', {})).body.data
    for (const blank of BLANKS) {
      expect(await faultsOf(app.submit('clerk', 'Boxes', { Name: blank }))).toEqual(REQUIRED)
      const withSlip = { Details: { Slips: { Upsert: [{ Text: blank }] } } }
      expect(await faultsOf(app.submit('clerk', 'Boxes', { Name: 'a' }, withSlip))).toEqual({
        'Slips[0].Text': 'Text is required',
      })
      const file = `Name,Code\n"${blank}",q\n`
      expect(await faultsOf(app.send('clerk', { objectName: 'Boxes', file }))).toEqual({
        'Rows[2].Name': 'Name is required',
      })
      expect(await faultsOf(app.act('clerk', 'Boxes', 'Call', { ...key, Name: blank }))).toEqual(
        REQUIRED,
      )
      expect(await faultsOf(call('/rpc/Rename', { Parameters: { To: blank } }))).toEqual({
        To: 'To is required',
      })
      const next = call(`/wizard/runs/${RunId}/next`, { Values: { Name: blank, Note: blank } })
      expect(await faultsOf(next)).toEqual({ ...REQUIRED, Note: 'Note is required' })
    }
    expect(await storedBox(key)).toMatchObject({ Name: 'whole' })
  })

  test('authored SQL stores none of it, and breaks Required by it', async () => {
    const key = await save({ Name: 'whole', Remark: 'r' })
    expect(await faultsOf(app.act('clerk', 'Boxes', 'Empty', key))).toEqual(REQUIRED)
    data(await app.act('clerk', 'Boxes', 'Pad', { ...key, By: ' \u00a0' }))
    expect(await storedBox(key)).toMatchObject({ Name: 'whole', Remark: null, Kept: ' \u00a0' })
    const tagging = (Code: string) => call('/rpc/Tagging', { Parameters: { Code } })
    expect((await tagging('x ')).status).toBe(400)
    expect((await tagging('x')).status).toBe(200)
    expect(await app.stored('SELECT Code FROM tags')).toEqual([{ Code: 'x' }])
  })
})

describe('texts are stored composed and without blanks at their ends', () => {
  const NAMES: [string, string][] = [
    [' K2\u200b', 'K2'],
    ['\ufeffCafe\u0301\n', 'Café'],
    ['a  b', 'a  b'],
    ['\u3000Ω\u2126\u3000', 'ΩΩ'],
  ]
  test.each(NAMES)('%j by submit, import, action and authored SQL', async (given, stored) => {
    const key = await save({ Name: given, Kept: given })
    expect(await storedBox(key)).toMatchObject({ Name: stored, Kept: given.normalize('NFC') })
    data(await app.act('clerk', 'Boxes', 'Call', { ...key, Name: `${given}\t` }))
    data(await app.act('clerk', 'Boxes', 'Pad', { ...key, By: ' ' }))
    expect(await storedBox(key)).toMatchObject({ Name: stored, Kept: ' ' })
    const file = `Id,Name\n${String(key.Id)},"${given} "\n`
    const fields = { mode: 'update' }
    expect(await app.take('clerk', { objectName: 'Boxes', file, fields })).toMatchObject({
      Skipped: 1,
    })
  })

  test('two that differ in blanks and forms alone are one: unique, upsert', async () => {
    await save({ Name: 'one', Code: 'é1' })
    expect(
      await faultsOf(app.submit('clerk', 'Boxes', { Name: 'two', Code: 'e\u03011 ' })),
    ).toEqual({
      Code: 'Code is already in use',
    })
    const fields = { mode: 'upsert', keyFields: 'Code' }
    const file = 'Code,Name\n"e\u03011 ",again\n'
    expect(await app.take('clerk', { objectName: 'Boxes', file, fields })).toMatchObject({
      Inserted: 0,
      Updated: 1,
    })
  })

  test('a password, a document and the name of a file are left as they are', async () => {
    const key = await save({ Name: 'doc', Data: { ' a ': ' e\u0301 ' } })
    expect(await storedBox(key)).toMatchObject({ Data: '{" a ":" e\u0301 "}' })
  })
})

describe('what another program stored', () => {
  const OLD = {
    Code: 'longer than ten ',
    Name: ' Anna ',
    Remark: 'e\u0301',
    Kept: ' ',
    Kind: 'huge',
    Amount: -1.005,
    Count: 3,
    Day: '2024-13-45',
    At: '2024-04-26T10:00:00Z',
    Clock: '10:00',
    Uid: 'C56A4180-65AA-42EC-A945-5FD21DEC0538',
    Flag: 1,
    Data: '{ "a": 12345678901234567890 }',
  }

  test('an unchanged form changes nothing, by no rule and in no byte', async () => {
    const key = await takeOver(OLD)
    const before = await storedBox(key)
    const { Values } = await app.form('clerk', 'Boxes', key)
    const { RowVersion, Ignored } = data(await app.submit('clerk', 'Boxes', Values))
    expect([RowVersion, Ignored.filter((name) => name in OLD)]).toEqual(['7', []])
    expect(await storedBox(key)).toEqual(before)
    // As clients send it that have texts alone.
    const texts = Object.entries(Values).map(([name, value]) => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ])
    const known = Object.fromEntries(texts.filter(([, text]) => text !== 'null'))
    data(await app.submit('clerk', 'Boxes', known))
    expect(await storedBox(key)).toEqual(before)
  })

  test('one field of it is changed, and the others stay', async () => {
    const key = await takeOver({ ...OLD, Code: 'another ', Amount: 1.005 })
    const before = await storedBox(key)
    const { Values } = await app.form('clerk', 'Boxes', key)
    data(await app.submit('clerk', 'Boxes', { ...Values, Count: 4 }))
    expect(await storedBox(key)).toEqual({
      ...before,
      Amount: 1.01,
      Count: 4,
      RowVersion: 8,
    })
    data(await app.act('clerk', 'Boxes', 'Count', key))
    expect(await storedBox(key)).toMatchObject({ Name: ' Anna ', Amount: 1.01, Count: 5 })
    data(await app.submit('clerk', 'Boxes', { ...key, Name: 'Anna', RowVersion: '9' }))
    expect(await storedBox(key)).toMatchObject({ Name: 'Anna', Remark: 'e\u0301' })
  })

  test('its export imports as it was, by keys with blanks too', async () => {
    await takeOver({ ...OLD, Code: 'K7 ', Day: null, Amount: 1.005 })
    const before = await app.stored('SELECT * FROM boxes ORDER BY Id')
    for (const format of ['csv', 'jsonl']) {
      const request = {
        ObjectName: 'Boxes',
        Format: format,
        Filters: [{ Field: 'Code', Operator: 'eq', Value: 'K7 ' }],
      }
      const { Url } = data(
        await app.call<{ File: { Url: string } }>('clerk', '/export-data', request),
      ).File
      const { text } = await app.app.fetch(Url, { as: 'clerk' })
      const fields = { mode: 'upsert', keyFields: 'Code' }
      const sending = { objectName: 'Boxes', file: text, fileName: `rows.${format}`, fields }
      expect(await app.take('clerk', sending)).toMatchObject({
        Inserted: 0,
        Updated: 0,
        Skipped: 1,
      })
    }
    expect(await app.stored('SELECT * FROM boxes ORDER BY Id')).toEqual(before)
    const file = 'Code,Name\nK7,Ada\n'
    const fields = { mode: 'upsert', keyFields: 'Code' }
    const taken = await app.take('clerk', { objectName: 'Boxes', file, fields })
    expect(taken).toMatchObject({ Inserted: 0, Updated: 1 })
    expect(await app.stored("SELECT Code, Name FROM boxes WHERE Code LIKE 'K7%'")).toEqual([
      { Code: 'K7', Name: 'Ada' },
    ])
  })

  test('of two keys that differ in blanks alone, the file means the one it spells', async () => {
    await takeOver({ Code: 'T1', Name: 'plain' })
    await takeOver({ Code: 'T1 ', Name: 'padded' })
    const fields = { mode: 'update', keyFields: 'Code' }
    const send = (code: string) =>
      app.send('clerk', { objectName: 'Boxes', file: `Code,Remark\n"${code}",x\n`, fields })
    expect((await send('T1 ')).status).toBe(200)
    expect(await faultsOf(send(' T1'))).toEqual({
      'Rows[2].Code': 'This matches more than one record',
    })
    expect(await app.stored("SELECT Name FROM boxes WHERE Remark = 'x'")).toEqual([
      { Name: 'padded' },
    ])
  })

  test('a record is found by a key with blanks, and referred to', async () => {
    await app.app.store.write(
      (tx) => tx.silently(() => tx.run("INSERT INTO tags (Code, Name) VALUES ('T ', 'Tee')")),
      { company: 'all', because: 'a test' },
    )
    expect((await app.form('clerk', 'Tags', { Code: 'T ' })).Values).toMatchObject({ Name: 'Tee' })
    await app.save('clerk', 'Tags', { Code: 'T ', Name: 'Tea' })
    await app.save('clerk', 'Marks', { TagCode: 'T ' })
    const marks = { objectName: 'Marks', file: 'TagCode\nTea\n' }
    expect(await app.take('clerk', marks)).toMatchObject({ Inserted: 1 })
    expect(await app.stored('SELECT TagCode FROM marks')).toEqual([
      { TagCode: 'T ' },
      { TagCode: 'T ' },
    ])
  })

  test('an empty text is no value: filters, rules, Required', async () => {
    const key = await takeOver({ Code: 'empty', Name: '', Remark: '', Kind: 'large', Data: 'null' })
    const find = async (Field: string, Operator: string, Value?: unknown) => {
      const Filters = [
        { Field: 'Code', Value: 'empty' },
        { Field, Operator, Value },
      ]
      return (await app.table('clerk', 'Boxes', { Filters })).Rows.length
    }
    for (const Field of ['Name', 'Remark', 'Data']) {
      expect([await find(Field, 'isNull'), await find(Field, 'isNotNull')]).toEqual([1, 0])
      expect([await find(Field, 'eq', null), await find(Field, 'ne', null)]).toEqual([1, 0])
    }
    for (const blank of ['', ' \u200b'])
      expect([
        await find('Remark', 'eq', blank),
        await find('Remark', 'ne', blank),
        await find('Remark', 'in', ['a', blank]),
        await find('Remark', 'notIn', ['a', blank]),
        await find('Remark', 'in', ['a']),
        await find('Remark', 'notIn', ['a']),
      ]).toEqual([1, 0, 1, 0, 0, 1])
    expect(await find('Kind', 'isNull')).toBe(0)
    const { Values } = await app.form('clerk', 'Boxes', key)
    data(await app.submit('clerk', 'Boxes', Values))
    expect(await faultsOf(app.submit('clerk', 'Boxes', { ...Values, Count: 1 }))).toEqual({
      Remark: 'Remark is required',
    })
  })

  test('a filter finds a text as it is stored, and as it would be', async () => {
    await takeOver({ Code: 'f1', Name: ' Fay' })
    await save({ Code: 'f2', Name: 'Fay' })
    const find = async (Operator: string, Value: unknown) => {
      const Filters = [
        { Field: 'Code', Operator: 'startsWith', Value: 'f' },
        { Field: 'Name', Operator, Value },
      ]
      const { Rows } = await app.table('clerk', 'Boxes', { Filters, Sort: [{ Field: 'Code' }] })
      return Rows.map(({ Code }) => Code)
    }
    expect(await find('eq', ' Fay')).toEqual(['f1', 'f2'])
    expect(await find('eq', 'Fay')).toEqual(['f2'])
    expect(await find('eq', 'Fay\u200b')).toEqual(['f2'])
    expect(await find('ne', ' Fay')).toEqual([])
    expect(await find('in', [' Fay'])).toEqual(['f1', 'f2'])
    expect(await find('notIn', ['Fay '])).toEqual(['f1'])
  })
})
