/** Documents of code-defined reports, as they go to whoever draws them: what stands in them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { PrintMessage, PrintRow } from '../../../src/engine/pdf/document.ts'
import { listPrintedReports } from '../../../src/engine/printed-reports/find-printed-report.ts'
import { readReportLimits } from '../../../src/engine/report-pages/load-report.ts'
import { type PrintedRecords, startPrintedRecords } from '../../support/printed-records.ts'

let gallery: PrintedRecords
beforeAll(async () => {
  gallery = await startPrintedRecords()
})
afterAll(() => gallery[Symbol.asyncDispose]())

/** The head and all messages of a document of a user. */
async function draw(as: string, key: string, given: Record<string, string>, language?: string) {
  const { context } = gallery.app
  const model = context.models.get()
  const user = await gallery.app.store.get('SELECT Id FROM svc_users WHERE UserName = @as', { as })
  const loaded = await context.callers.loadWithoutSession({
    userId: Number(user?.Id),
    companyId: 1,
  })
  const caller = language === undefined ? loaded : { ...loaded, language }
  const report = listPrintedReports(model).find((each) => each.key === key)
  const open = report?.open({ engine: context, caller, model }, given)
  const content = await open?.read('pdf', {
    setting: 'Svc:PrintedReports:Timeout',
    timeoutMs: 10_000,
    companyName: 'Works',
    signal: new AbortController().signal,
    limits: readReportLimits(context.settings),
  })
  if (content?.kind !== 'document') throw new Error('No document')
  const messages: PrintMessage[] = []
  for await (const message of content.messages) messages.push(message)
  return { head: content.head, messages, rows: listRows(messages) }
}

const listRows = (messages: readonly PrintMessage[]): PrintRow[] =>
  messages.flatMap((message) => (message.do === 'rows' ? message.rows : []))

/** Cells as they are read: a label stands in the first that is empty. */
const cells = (rows: readonly PrintRow[]) =>
  rows.map(({ kind, label, cells: own }) => {
    const at = label === undefined ? -1 : own.indexOf('')
    return [kind, ...own.map((cell, place) => (place === at ? label : cell))]
  })

describe('list', () => {
  const LIST = { object: 'bills', fields: 'Number,Total' }

  test('has the rows of the grid, with the unit in the head', async () => {
    const { messages, rows, head } = await draw('clerk', 'list', LIST)
    expect(head).toMatchObject({ title: 'Bills', running: { company: 'Works' } })
    expect(messages.find((message) => message.do === 'table')).toMatchObject({
      columns: [{ label: 'Number' }, { label: 'Total (EUR)', align: 'end' }],
    })
    expect(cells(rows)).toEqual([
      ['row', 'B1', '1,234.50'],
      ['row', 'B2', '2.25'],
      ['row', 'B3', '10.00'],
    ])
  })

  test('groups, sums and carries', async () => {
    const { rows } = await draw('clerk', 'list', { ...LIST, group: 'Status', totals: 'Total' })
    expect(cells(rows)).toEqual([
      ['group', 'New'],
      ['row', 'B2', '2.25'],
      ['subtotal', 'Subtotal', '2.25'],
      ['group', 'Paid in full'],
      ['row', 'B1', '1,234.50'],
      ['row', 'B3', '10.00'],
      ['subtotal', 'Subtotal', '1,244.50'],
      ['total', 'Total', '1,246.75'],
    ])
    expect(rows.filter(({ kind }) => kind === 'row').map(({ carry }) => carry?.[1])).toEqual([
      '2.25',
      '1,236.75',
      '1,246.75',
    ])
  })

  test('in the language of its reader', async () => {
    const { rows } = await draw('clerk', 'list', { ...LIST, totals: 'Total' }, 'de')
    expect(cells(rows).at(-1)).toEqual(['total', 'Summe', '1.246,75'])
  })

  test('without what the reader does not see', async () => {
    const { rows } = await draw('north', 'list', { object: 'bills' })
    expect(rows.map((row) => row.cells[0])).toEqual(['B1', 'B3'])
    expect(JSON.stringify(rows)).not.toContain('1,234')
  })
})

describe('page', () => {
  const PAGE = { report: 'turnover', From: '2026-01-01' }

  test('has figures with what they are compared with, charts and texts', async () => {
    const { messages, head } = await draw('clerk', 'page', { ...PAGE, Status: 'paid' })
    expect(head.title).toBe('Turnover of all')
    const blocks = messages.flatMap((message) => (message.do === 'blocks' ? message.blocks : []))
    const find = (kind: string) => blocks.filter((block) => block.kind === kind)
    expect(find('figures')).toEqual([
      {
        kind: 'figures',
        figures: [
          {
            label: 'All of it',
            value: '1,244.50\u00a0EUR',
            comparison: { text: 'Half: 622.25 (+100%)', trend: 'good' },
          },
        ],
      },
    ])
    expect(find('chart')).toMatchObject([
      {
        chart: {
          type: 'bar',
          categories: ['B2', 'B1', 'B3'],
          isStacked: true,
          series: [
            { label: 'Total', values: [2.25, 1234.5, 10], type: 'bar', axis: 'primary' },
            { label: 'Course', values: [2.25, 1234.5, 10], type: 'line', axis: 'secondary' },
          ],
        },
      },
    ])
    expect(find('text')).toEqual([{ kind: 'text', text: 'From Jan 1, 2026: Paid in full' }])
    expect(JSON.stringify(messages)).not.toContain('7777')
  })

  test('has tables with groups, sums and tones, and pivots', async () => {
    const { messages, rows } = await draw('clerk', 'page', PAGE)
    expect(messages.filter((message) => message.do === 'table')).toMatchObject([
      { title: 'Each bill', breaksGroups: true },
      {
        title: 'By region',
        columns: [
          { label: 'Region' },
          { label: 'New' },
          { label: 'Paid in full' },
          { label: 'Total' },
        ],
      },
      { title: 'The clients' },
      { title: 'Other clients' },
    ])
    expect(cells(rows)).toEqual([
      ['group', 'Status: New'],
      ['row', 'B2', '2.25'],
      ['subtotal', 'Subtotal', '2.25'],
      ['group', 'Status: Paid in full'],
      ['row', 'B1', '1,234.50'],
      ['row', 'B3', '10.00'],
      ['subtotal', 'Subtotal', '1,244.50'],
      ['total', 'Total', '1,246.75'],
      ['row', 'south', '2.25', '', '2.25'],
      ['row', 'north', '', '1,244.50', '1,244.50'],
      ['total', 'Total', '2.25', '1,244.50', '1,246.75'],
      ['row', 'Ærø', 'north'],
      ['row', 'Bay', 'south'],
    ])
    expect(rows[1]?.tones).toEqual(['plain', 'bad'])
  })

  test('an embedded view stands under its own permission', async () => {
    const { messages } = await draw('chief', 'page', PAGE)
    const titles = messages.flatMap((message) => (message.do === 'table' ? [message.title] : []))
    expect(titles).toEqual(['Each bill', 'By region'])
  })
})

test('record: its sections and details', async () => {
  const { messages, rows } = await draw('clerk', 'record', { object: 'bills', Id: '1' })
  const text = JSON.stringify(messages)
  for (const each of ['What it is', 'Ærø', '1,234.50', 'Paid in full', 'Lines of it'])
    expect(text).toContain(each)
  expect(cells(rows)).toEqual([
    ['row', '1', 'first', '1,200.00'],
    ['row', '2', 'second', '34.50'],
  ])
  expect(JSON.stringify(await draw('north', 'record', { object: 'bills', Id: '1' }))).not.toContain(
    '1,234',
  )
})
