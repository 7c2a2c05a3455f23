/** Prints as they are made of records: what they show to whom, and how it is written. */
import { describe, expect, test } from 'bun:test'
import type { PrintBlock, PrintMessage, PrintRow } from '../../../src/engine/pdf/document.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { collectMessages, INVOICE_ROWS, INVOICES, prepareAs } from '../../support/invoices.ts'

const ALL = { company: 'all', because: 'a test' } as const

async function startBilling(more: readonly string[] = []): Promise<TestApp> {
  const app = await startApp({ application: INVOICES })
  for (const sql of [...INVOICE_ROWS, ...more]) await app.store.write((tx) => tx.run(sql, {}), ALL)
  return app
}

const print = async (app: TestApp, as: string, key: string, given: Record<string, unknown>) => {
  const prepared = await prepareAs(app, as, key, given)
  return { head: prepared.head, messages: await collectMessages(prepared) }
}

const blocksOf = (messages: readonly PrintMessage[]): PrintBlock[] =>
  messages.flatMap((message) => (message.do === 'blocks' ? message.blocks : []))

const rowsOf = (messages: readonly PrintMessage[]): PrintRow[] =>
  messages.flatMap((message) => (message.do === 'rows' ? message.rows : []))

/** Every text that a document has anywhere. */
const textOf = (document: unknown): string => JSON.stringify(document).replaceAll('\\u00a0', ' ')

describe('a print of a record', () => {
  test('has its head, its parts in order, and barcodes of plain values', async () => {
    await using app = await startBilling()
    const { head, messages } = await print(app, 'clerk', 'invoice', { Id: '1' })
    expect(head).toMatchObject({
      title: 'Invoice B-1',
      language: 'en',
      page: { size: 'A4', isLandscape: false },
      running: undefined,
      letterhead: { hasLogo: true, lines: ['ONE'] },
      foot: { left: 'ONE', right: '{Page} of {Pages}' },
      carried: { forward: 'Carried forward', brought: 'Brought forward' },
    })
    expect(blocksOf(messages)).toEqual([
      // Without a value a line of the address is left out.
      {
        kind: 'address',
        window: 'DIN5008',
        sender: 'ONE',
        lines: ['Little Works', 'Mill Lane 1'],
      },
      { kind: 'heading', level: 1, text: 'Invoice B-1' },
      {
        kind: 'text',
        text: 'Issued Mar 1, 2026, 10:00 AM, due Apr 1, 2026, urgent: Yes',
        align: 'start',
        isStrong: false,
      },
      { kind: 'text', text: 'Our cost 999.25\u00a0EUR', align: 'start', isStrong: false },
      {
        kind: 'fields',
        columns: 2,
        fields: [
          { label: 'Number', text: 'B-1' },
          { label: 'Status', text: 'New' },
          { label: 'Due on', text: 'Apr 1, 2026' },
          { label: 'Amount', text: '1,234.50\u00a0EUR' },
          { label: 'Cost', text: '999.25\u00a0EUR' },
          { label: 'Street', text: 'Mill Lane 1' },
        ],
      },
      {
        kind: 'totals',
        rows: [
          { label: 'Amount', text: '1,234.50\u00a0EUR', isStrong: true },
          { label: 'Cost', text: '999.25\u00a0EUR', isStrong: false },
          { label: 'For us', text: '1,234.50\u00a0EUR net', isStrong: false },
        ],
      },
      {
        kind: 'barcode',
        barcode: { type: 'qr', text: 'BCD\nEUR1234.50\nB-1', label: 'B-1', width: 25 },
        align: 'start',
      },
      {
        kind: 'barcode',
        barcode: { type: 'ean13', text: '4006381333931', label: '', width: 50 },
        align: 'start',
      },
    ])
    expect(messages.at(-1)).toEqual({ do: 'end' })
  })

  test('has the lines of its Detail in their order, with sums that lose no cent', async () => {
    await using app = await startBilling()
    const { messages } = await print(app, 'clerk', 'Invoice', { BillId: 1 })
    const table = messages.find((message) => message.do === 'table')
    expect(table).toEqual({
      do: 'table',
      title: '',
      columns: [
        { label: 'No', align: 'end', isWhole: true, weight: 1 },
        { label: 'What', align: 'start' },
        { label: 'Price (EUR)', align: 'end', isWhole: true, isCarried: true },
        { label: 'Margin', align: 'end', isWhole: true },
      ],
    })
    expect(rowsOf(messages)).toEqual([
      { kind: 'row', cells: ['1', 'Hours', '1,000.20', '6.50'], carry: ['', '', '1,000.20', ''] },
      { kind: 'row', cells: ['2', 'Hammer', '0.10', '5.50'], carry: ['', '', '1,000.30', ''] },
      { kind: 'row', cells: ['3', 'Nails', '234.20', '7.50'], carry: ['', '', '1,234.50', ''] },
      { kind: 'total', label: 'Total', cells: ['', '', '1,234.50', ''] },
    ])
    expect(messages.find((message) => message.do === 'tableEnd')).toEqual({
      do: 'tableEnd',
      emptyText: 'Nothing was bought',
    })
  })

  test('without lines has a table without rows, and no sum', async () => {
    await using app = await startBilling()
    const { messages } = await print(app, 'clerk', 'invoice', { Id: 2 })
    expect(rowsOf(messages)).toEqual([])
    const text = textOf(messages)
    // Its conditions are its own; VisibleWhen of DueOn does not hold, and the EAN holds no word.
    expect(text).toContain('Paid with thanks')
    expect(text).not.toContain('For us')
    expect(text).not.toContain('Our cost')
    expect(text).not.toContain('"label":"Due on"')
    expect(text).toContain('The value does not fit into this kind of barcode')
    expect(text).toContain('["Little Works","Milltown"]')
  })

  test('groups its lines, with sums of each', async () => {
    await using app = await startBilling()
    const { messages } = await print(app, 'clerk', 'groups', { Id: 1 })
    expect(rowsOf(messages)).toEqual([
      { kind: 'group', cells: ['goods'] },
      { kind: 'row', cells: ['Hammer', '0.10'] },
      { kind: 'row', cells: ['Nails', '234.20'] },
      { kind: 'subtotal', label: 'Subtotal', cells: ['', '234.30'] },
      { kind: 'group', cells: ['work'] },
      { kind: 'row', cells: ['Hours', '1,000.20'] },
      { kind: 'subtotal', label: 'Subtotal', cells: ['', '1,000.20'] },
      { kind: 'total', label: 'Total', cells: ['', '1,234.50'] },
    ])
  })

  test('on a sheet of its own size has no head and no foot by itself', async () => {
    await using app = await startBilling()
    const { head, messages } = await print(app, 'clerk', 'tag', { Id: 1 })
    expect(head).toMatchObject({
      page: {
        size: { width: 62, height: 29 },
        margins: { top: 2, right: 2, bottom: 2, left: 2 },
      },
      running: undefined,
      letterhead: undefined,
      foot: { left: '', right: '' },
    })
    expect(blocksOf(messages)).toEqual([
      {
        kind: 'barcode',
        barcode: { type: 'code128', text: 'B-1', label: '', width: 40 },
        align: 'center',
      },
    ])
  })

  test('speaks the language of whoever prints, or that of the record', async () => {
    await using app = await startBilling()
    const german = await print(app, 'clerk', 'invoice', { Id: 1, language: 'de-AT' })
    expect(german.head).toMatchObject({ title: 'Rechnung B-1', language: 'de-AT' })
    expect(german.head.carried).toEqual({ forward: 'Übertrag', brought: 'Übertrag' })
    expect(textOf(german.messages)).toContain('urgent: Ja')
    const letter = await print(app, 'clerk', 'letter', { Id: 1, language: 'fr' })
    expect(letter.head.language).toBe('de')
    expect(blocksOf(letter.messages)).toMatchObject([
      { text: 'Fällig 01.04.2026: 1.234,50\u00a0EUR' },
    ])
    // What is no tag of a language is that of whoever prints.
    const other = await print(app, 'clerk', 'letter', { Id: 2, language: 'de' })
    expect(other.head.language).toBe('de')
  })

  test('has every line of a long Detail, a portion at a time', async () => {
    const many = `INSERT INTO bill_lines (CompanyId, BillId, No, Kind, Item, Price)
      WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 5009)
      SELECT 1, 2, i, 'goods', 'Item ' || i, 0.01 FROM n`
    await using app = await startBilling([many])
    const { messages } = await print(app, 'clerk', 'invoice', { Id: 2 })
    const rows = rowsOf(messages)
    expect(rows).toHaveLength(5001)
    expect(rows[4999]?.cells.slice(0, 3)).toEqual(['5009', 'Item 5009', '0.01'])
    expect(rows[5000]).toMatchObject({ label: 'Total', cells: ['', '', '50.00', ''] })
    expect(messages.filter((message) => message.do === 'rows').length).toBeGreaterThan(4)
  })
})

/** The error of a preparation: its status is decided by its kind. */
const refusal = async (app: TestApp, as: string, key: string, given: Record<string, unknown>) => {
  try {
    await prepareAs(app, as, key, given)
  } catch (error) {
    const { kind, code, fieldErrors } = error as Record<string, unknown>
    return { kind, code, fieldErrors: Object.keys(fieldErrors ?? {}) }
  }
  throw new Error('It was printed')
}

describe('what a print shows is what its view shows', () => {
  test('nobody prints without View', async () => {
    await using app = await startBilling()
    const denied = await refusal(app, 'none', 'invoice', { Id: 1 })
    expect(denied.kind).toBe('unauthorized')
    expect(await refusal(app, 'lister', 'invoice', { Id: 1 })).toEqual(denied)
    expect(await refusal(app, 'none', 'invoice', {})).toEqual(denied)
  })

  test('a record of another company, behind a filter or nowhere is not there', async () => {
    await using app = await startBilling()
    const nowhere = await refusal(app, 'clerk', 'invoice', { Id: 99 })
    expect(nowhere).toMatchObject({ kind: 'notFound', code: 'RECORD_NOT_FOUND' })
    expect(await refusal(app, 'clerk', 'invoice', { Id: 3 })).toEqual(nowhere)
    expect(await refusal(app, 'seller', 'invoice', { Id: 2 })).toEqual(nowhere)
    expect(await refusal(app, 'other', 'invoice', { Id: 1 })).toEqual(nowhere)
  })

  test('hidden fields are nowhere: texts, fields, columns, totals, conditions', async () => {
    await using app = await startBilling()
    const { head, messages } = await print(app, 'seller', 'invoice', { Id: 1 })
    const text = textOf([head, messages])
    for (const hidden of ['999.25', 'Cost', 'Our cost', 'Mill Lane', 'Margin', 'canary'])
      expect(text).not.toContain(hidden)
    expect(text).toContain('B-1')
    // Rows of the Detail that its own filter hides are not there, and no sum tells of them.
    expect(rowsOf(messages).map(({ label, cells }) => [label, ...cells])).toEqual([
      [undefined, '2', 'Hammer', '0.10'],
      [undefined, '3', 'Nails', '234.20'],
      ['Total', '', '', '234.30'],
    ])
  })

  test('without List on its Detail a document has no table', async () => {
    await using app = await startBilling()
    const { messages } = await print(app, 'heads', 'invoice', { Id: 1 })
    expect(messages.some((message) => message.do === 'table')).toBe(false)
    expect(textOf(messages)).not.toContain('Hammer')
    expect(textOf(messages)).toContain('Invoice B-1')
  })

  test('nor where it may not know which lines are those of the record', async () => {
    await using app = await startBilling()
    const { messages } = await print(app, 'blind', 'invoice', { Id: 1 })
    expect(rowsOf(messages)).toEqual([])
  })

  test('arguments name the key and nothing else', async () => {
    await using app = await startBilling()
    const missing = { kind: 'validation', fieldErrors: ['Id'] }
    expect(await refusal(app, 'clerk', 'invoice', {})).toMatchObject(missing)
    expect(await refusal(app, 'clerk', 'invoice', { Id: '', Number: 'B-1' })).toMatchObject(missing)
    const { head } = await print(app, 'clerk', 'invoice', {
      bILLiD: '1',
      Status: 'paid',
      Secret: 'x',
      CurrentCompanyId: 2,
      CompanyId: 2,
    })
    expect(head.title).toBe('Invoice B-1')
  })
})

test('metadata says enough to open a document, and tells it from a page', async () => {
  await using app = await startApp()
  const answer = await app.fetch<{ data: { RowActions: Record<string, unknown>[] } }>(
    '/api/v1/svc/object/orders/metadata',
    { as: 'ana' },
  )
  const actions = answer.body.data.RowActions
  expect(actions.find(({ Name }) => Name === 'PrintInvoice')).toEqual({
    Name: 'PrintInvoice',
    Label: 'Print invoice',
    Capability: 'View',
    For: 'Row',
    Confirm: null,
    Parameters: [],
    Report: 'Invoice',
    With: 'OrderId=Id',
    ReportKind: 'Document',
  })
})
