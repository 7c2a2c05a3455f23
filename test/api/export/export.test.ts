/** Exports: rows, order and fields of the grid, of one state of the data, for who may take it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { type MadeFile, startExportedTypes } from '../../support/exported-types.ts'
import { data, refusal, type Row } from '../../support/objects.ts'
import { cellsOf, readWorkbook } from '../../support/sheets.ts'

const NOW = new Date('2026-11-21T09:00:00Z')
let yard: Awaited<ReturnType<typeof startExportedTypes>>

const FIRST = {
  Code: 'T1',
  Name: '=SUM(A1)',
  KindId: 2,
  Amount: 12.5,
  Count: 3,
  Active: true,
  MadeOn: '2026-05-31',
  SeenAt: '2026-07-01T12:00:00Z',
  OpensAt: '13:45:00',
  Tag: '0190f1b2-0000-7000-8000-000000000001',
  Extra: { a: [1, 'x'] },
  Secret: 'hush',
  Kinds: [1, 2],
}

beforeAll(async () => {
  yard = await startExportedTypes({ clock: { now: () => new Date(NOW) } })
  await yard.save('lead', 'things', FIRST)
  await yard.save('lead', 'things', { Code: 'T2', Name: 'say "hi"', State: 'done' })
  await yard.save('lead', 'things', { Code: 'T3', Name: '', State: 'done', Region: 'south' })
  await yard.save('other', 'things', { Code: 'X1' })
})
afterAll(() => yard[Symbol.asyncDispose]())

const codes = (rows: readonly Row[]) => rows.map(({ Code }) => Code)

describe('what is in it', () => {
  test('a row as the wire has it: fields of the grid that are shown and exported', async () => {
    const rows = await yard.rows('lead')
    expect(codes(rows)).toEqual(['T3', 'T2', 'T1'])
    expect(rows[2]).toEqual({
      Code: 'T1',
      Name: '=SUM(A1)',
      Twice: 25,
      Huge: 13510798882111492,
      Kinds: [1, 2],
      Kinds__Label: ['Iron', 'Wood, dry'],
      KindId: 2,
      KindId__Label: 'Wood, dry',
      State: 'new',
      Amount: 12.5,
      Count: 3,
      Active: true,
      MadeOn: '2026-05-31',
      SeenAt: '2026-07-01T12:00:00.000Z',
      OpensAt: '13:45:00',
      Tag: '0190f1b2-0000-7000-8000-000000000001',
      Extra: { a: [1, 'x'] },
      Region: 'north',
    })
  })

  test('csv: labels as heads, keys under names, options by label, all digits', async () => {
    const [head, , , first] = await yard.lines('lead')
    expect(head).toBe(
      'Code,Title,Twice,Huge,KindId,Kind,State,Amount,Count,Active,Made on,Seen at,' +
        'Opens at,Tag,Extra,Region,Kinds,All kinds',
    )
    expect(first).toBe(
      `T1,'=SUM(A1),25,13510798882111491,2,"Wood, dry",New,12.5,3,true,2026-05-31,` +
        '2026-07-01T12:00:00.000Z,13:45:00,0190f1b2-0000-7000-8000-000000000001,' +
        '"{""a"":[1,""x""]}",north,"[1,2]","[""Iron"",""Wood, dry""]"',
    )
  })

  test('xlsx: days and instants of the caller’s zone, numbers, booleans, texts', async () => {
    const answer = await yard.app.fetch<{ data: { File: MadeFile } }>(
      '/api/v1/svc/object/export-data',
      {
        as: 'lead',
        headers: { 'X-TimeZone': 'Europe/Berlin' },
        body: { ObjectName: 'Things', Format: 'XLSX' },
      },
    )
    const bytes = await yard.fetchBytes('lead', answer.body.data.File.Url)
    const book = readWorkbook(bytes)
    expect(book.SheetNames).toEqual(['Things'])
    const cells = cellsOf(book)
    const heads = Object.fromEntries(
      Object.entries(cells).flatMap(([name, cell]) =>
        /^[A-Z]+1$/.test(name) ? [[String(cell.v), name.slice(0, -1)]] : [],
      ),
    )
    const cell = (head: string) => cells[`${heads[head]}4`]
    expect(cell('Title')).toMatchObject({ t: 's', v: '=SUM(A1)' })
    expect(cell('Amount')).toMatchObject({ t: 'n', v: 12.5, w: '12.50' })
    expect(cell('Count')).toMatchObject({ t: 'n', v: 3 })
    expect(cell('Active')).toMatchObject({ t: 'b', v: true })
    expect(cell('Made on')).toMatchObject({ t: 'n', w: '31.05.2026' })
    expect(cell('Seen at')).toMatchObject({ t: 'n', w: '2026-07-01 14:00:00' })
    expect(cell('Opens at')).toMatchObject({ t: 'n', w: '13:45:00' })
    expect(cell('Extra')).toMatchObject({ t: 's', v: '{"a":[1,"x"]}' })
  })

  test('exactly the fields that are asked for, in their order, the key too', async () => {
    const Fields = ['count', 'Id', 'Code', 'RowVersion', 'Kinds', 'kinds__label']
    const rows = await yard.rows('lead', { Fields })
    expect(Object.keys(rows[0] ?? {})).toEqual([
      ...['Count', 'Id', 'Code', 'RowVersion', 'Kinds', 'Kinds__Label'],
    ])
    expect(await yard.lines('lead', { Fields: ['Code', 'Code'] })).toEqual([
      'Code',
      'T3',
      'T2',
      'T1',
    ])
  })

  test('two labels that are alike bear their names', async () => {
    const [head] = await yard.lines('lead', { ObjectName: 'fixed', Fields: ['Code', 'Name'] })
    expect(head).toBe('Code (Code),Code (Name)')
  })

  test('filters, search, sort, preset and parents narrow it as they narrow the grid', async () => {
    const request = (more: Row) => yard.rows('lead', more).then(codes)
    const Filters = [{ Field: 'State', Operator: 'eq', Value: 'done' }]
    expect(await request({ Filters })).toEqual(['T3', 'T2'])
    expect(await request({ SearchText: 'SAY' })).toEqual(['T2'])
    expect(await request({ Sort: [{ Field: 'Code' }] })).toEqual(['T1', 'T2', 'T3'])
    expect(await request({ Sort: [{ Field: 'KindId__Label', Direction: 'desc' }] })).toEqual([
      'T1',
      'T3',
      'T2',
    ])
    expect(await request({ Preset: 'done' })).toEqual(['T3', 'T2'])
    expect(await request({ Parameters: { KindId: 2 } })).toEqual(['T1'])
  })

  test('System has the rows of its company, and all of them where it asks', async () => {
    expect(codes(await yard.rows('sys'))).toEqual(['T3', 'T2', 'T1'])
    expect(codes(await yard.rows('sys', { AllCompanies: true }))).toEqual(['X1', 'T3', 'T2', 'T1'])
    expect(codes(await yard.rows('lead', { AllCompanies: true }))).toEqual(['T3', 'T2', 'T1'])
  })
})

describe('who may', () => {
  test('View and Export both: neither alone', async () => {
    for (const as of ['reader', 'taker']) {
      const denied = refusal(await yard.export(as, {}), 401)
      expect(denied.code).toBe('PERMISSION_DENIED')
    }
  })

  test('rows that both the List filter and the Export filter let through', async () => {
    expect((await yard.table('rep', 'things')).Rows.map(({ Code }) => Code)).toEqual(['T2', 'T1'])
    expect(codes(await yard.rows('rep'))).toEqual(['T2'])
  })

  test('a hidden field is in no file, and reads like one that is not there', async () => {
    const [row] = await yard.rows('rep')
    expect(Object.keys(row ?? {})).not.toContain('Amount')
    for (const more of [
      { Fields: ['Amount'] },
      { Sort: [{ Field: 'Amount' }] },
      { Filters: [{ Field: 'Amount', Operator: 'gt', Value: 1 }] },
    ]) {
      const hidden = refusal(await yard.export('rep', more), 400)
      const missing = JSON.parse(JSON.stringify(more).replaceAll('Amount', 'Nothing')) as Row
      const absent = refusal(await yard.export('rep', missing), 400)
      expect(absent.error).toBe(hidden.error.replace('Amount', 'Nothing'))
    }
  })

  test('a field that is no part of exports is refused by name', async () => {
    const fault = refusal(await yard.export('lead', { Fields: ['Secret'] }), 400)
    expect(fault.code).toBe('FIELD_NOT_EXPORTED')
  })
})

test('raw csv changes no text for the sake of spreadsheets', async () => {
  const asked = { Format: 'csv', Fields: ['Code', 'Name'], Sort: [{ Field: 'Code' }] }
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes).split('\r\n')
  const [, first] = decode(await yard.bytes('lead', asked))
  const [, raw, quoted] = decode(await yard.bytes('lead', { ...asked, Raw: true }))
  expect([first, raw, quoted]).toEqual(["T1,'=SUM(A1)", 'T1,=SUM(A1)', 'T2,"say ""hi"""'])
})

describe('the answer', () => {
  test('tells of the file what is true of it', async () => {
    const made = data(await yard.export('lead', { Format: 'csv' }))
    expect(made.Action).toBe('export')
    const { File } = made
    expect(File).toMatchObject({ Rows: 3, ContentType: 'text/csv; charset=utf-8' })
    expect(File.FileName).toMatch(/^things-[0-9a-f]{32}\.csv$/)
    expect(File.Url).toBe(`/api/v1/svc/object/export-file/${File.FileName}`)
    const bytes = await yard.fetchBytes('lead', File.Url)
    expect(bytes.length).toBe(File.Size)
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(File.Sha256)
  })

  test('csv unless told; an unknown format is refused before anything is read', async () => {
    expect((await yard.made('lead', {})).FileName).toEndWith('.csv')
    const { reads } = yard.app.store.counters
    const fault = refusal(await yard.export('lead', { Format: 'exe' }), 400)
    expect(fault.code).toBe('UNKNOWN_FORMAT')
    expect(yard.app.store.counters.reads).toBe(reads)
  })

  test('who took what stands in the audit log', async () => {
    await yard.made('rep', { Format: 'jsonl', Fields: ['Code'] })
    const { body } = await yard.app.fetch<{ data: { Entries: Row[] } }>(
      '/api/v1/svc/audit?action=export&object=things',
      { as: 'sys' },
    )
    const [entry] = body.data.Entries
    expect(entry).toMatchObject({
      User: { UserName: 'rep' },
      Entity: 'Thing',
      Source: 'Things',
      Action: 'export',
    })
    const changes = new Map((entry?.Changes as Row[]).map(({ Field, To }) => [Field, To]))
    expect(changes.get('Rows')).toBe(1)
    expect(changes.get('Format')).toBe('jsonl')
    expect(changes.get('Fields')).toEqual(['Code'])
  })

  test('progress is told to listeners under the operation’s id', async () => {
    const told: unknown[] = []
    const stop = yard.app.context.progress.subscribe((userId, report) =>
      told.push({ userId, ...report }),
    )
    await yard.made('lead', { OperationId: 'op-1' })
    await yard.export('lead', { OperationId: 'op-2', Format: 'exe' })
    stop()
    expect(told[0]).toMatchObject({ OperationId: 'op-1', Kind: 'export', State: 'running' })
    expect(told.at(-1)).toMatchObject({
      OperationId: 'op-1',
      State: 'done',
      Done: 3,
      Total: 3,
    })
  })
})

describe('templates', () => {
  const template = (as: string, query = '') =>
    yard.call<{ File: MadeFile }>(as, `/things/import-template${query}`)

  test('have the heads that may be given, with options to choose from', async () => {
    const { File } = data(await template('lead'))
    expect(File).toMatchObject({ Rows: 0 })
    const cells = cellsOf(readWorkbook(await yard.fetchBytes('lead', File.Url)))
    const heads = Object.values(cells).map(({ v }) => v)
    expect(heads).toContain('State')
    expect(heads).toContain('Kind')
    for (const never of ['Id', 'Company', 'Row version', 'Twice', 'Huge'])
      expect(heads).not.toContain(never)
    const state = Object.values(cells).find(({ v }) => v === 'State')
    expect(state?.c?.[0]?.t).toContain('done: It is done')
  })

  test('csv is one line of heads', async () => {
    const { File } = data(await template('lead', '?format=csv'))
    const text = new TextDecoder().decode(await yard.fetchBytes('lead', File.Url))
    expect(text).toBe(
      'Code,Title,Secret,All kinds,Kind,State,Amount,Count,Active,Made on,Seen at,Opens at,Tag,' +
        'Extra,Region\r\n',
    )
  })

  test('are for who may import, in formats that have heads', async () => {
    refusal(await template('reader'), 401)
    refusal(await template('lead', '?format=jsonl'), 400)
    refusal(await yard.call('lead', '/nothing/import-template'), 404)
  })
})
