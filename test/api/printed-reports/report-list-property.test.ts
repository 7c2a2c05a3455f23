/** Property: a list in any format has the rows of the grid, walked to its end. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import * as XLSX from 'xlsx'
import { startApp, type TestApp } from '../../support/app.ts'
import { ATTACKED_RECORDS } from '../../support/attacked-records.ts'
import {
  type FilterNode,
  filterOf,
  ITEM,
  ITEMS_MAX,
  NOW,
  planInsert,
  SORT,
  type SortItem,
  ZONES,
} from '../../support/grid-oracle.ts'
import type { Row, Table } from '../../support/objects.ts'
import { scaleCases } from '../../support/property.ts'
import { cellsOf, readWorkbook } from '../../support/sheets.ts'
import type { TestApplication } from '../../support/template.ts'

/** The attacked records, where those who see rows may also take them away. */
const APPLICATION: TestApplication = {
  ...ATTACKED_RECORDS,
  files: ATTACKED_RECORDS.files.map(({ name, body }) => ({
    name,
    body: body.replaceAll('Update Delete"', 'Update Delete Export"'),
  })),
}

/** Of each company one in the north and one in the south, which a guest does not see. */
const PICKS = `INSERT INTO picks (Id, CompanyId, Name, Region) VALUES
  (1, 1, 'Iron', 'north'), (2, 1, 'brass', 'south'),
  (3, 2, 'Zinc', 'north'), (4, 2, '=1+1', 'south')`

let app: TestApp

beforeAll(async () => {
  app = await startApp({ application: APPLICATION, clock: { now: () => new Date(NOW) } })
  const drawn = fc.sample(ITEM, { seed: 13, numRuns: ITEMS_MAX })
  await app.store.write(
    async (tx) => {
      await tx.run(PICKS)
      for (const [at, item] of drawn.entries()) await tx.run(...planInsert(item, at))
      await tx.run(`UPDATE items SET Cost = 77777,
        PickId = CASE Id % 3 WHEN 0 THEN NULL ELSE Id % 3 + 2 * (CompanyId - 1) END`)
    },
    { company: 'all', because: 'a test' },
  )
})
afterAll(() => app[Symbol.asyncDispose]())

interface Query {
  as: string
  zone: string
  view: string
  filters: FilterNode[]
  sort: SortItem[]
  search: string
  fields: string[]
  group: string
}

const FIELDS = ['Id', 'Name', 'Region', 'Price', 'Amount', 'At', 'Due', 'Flag', 'PickId__Label']

const QUERY: fc.Arbitrary<Query> = fc.record({
  as: fc.constantFrom('keeper', 'other', 'guest', 'sys'),
  zone: fc.constantFrom(...ZONES),
  view: fc.constantFrom('Items', 'Authored'),
  filters: fc.array(filterOf(2), { maxLength: 1 }),
  sort: fc.array(SORT, { maxLength: 3 }),
  search: fc.constantFrom('', '', '', 'a', 'É'),
  fields: fc.subarray(FIELDS),
  group: fc.constantFrom('', 'Region', 'PickId', 'Flag'),
})

/** The sort that puts the rows of a group together. */
const groupSort = ({ group }: Query): SortItem[] =>
  group === '' ? [] : [{ Field: group === 'PickId' ? 'PickId__Label' : group, Direction: 'asc' }]

const PAGE = 13

async function loadGrid(query: Query): Promise<Row[]> {
  const { as, zone, view, filters, search } = query
  const [group] = groupSort(query)
  const Sort = group
    ? [group, ...query.sort.filter(({ Field }) => Field !== group.Field)]
    : query.sort
  const rows: Row[] = []
  for (let Page = 1, isDone = false; !isDone; Page++) {
    const { status, text } = await app.fetch(`/api/v1/svc/object/${view}/table`, {
      as,
      headers: { 'X-TimeZone': zone },
      body: {
        Filters: filters,
        Sort,
        SearchText: search,
        Page,
        PageSize: PAGE,
        ...(as === 'sys' && { AllCompanies: true }),
      },
    })
    expect(status).toBe(200)
    const { data } = parseWhole(text) as { data: Table }
    rows.push(...data.Rows)
    isDone = !data.Pagination.HasNext
  }
  return rows
}

async function loadList(query: Query, format: string): Promise<Buffer> {
  const given = new URLSearchParams({
    object: query.view,
    format,
    filters: JSON.stringify(query.filters),
    search: query.search,
    fields: query.fields.join(),
    group: query.group,
    sort: query.sort.map(({ Field, Direction }) => `${Field} ${Direction}`).join(),
    ...(query.as === 'sys' && { allCompanies: 'true' }),
  })
  const url = `http://localhost/report/list?${given.toString()}`
  const headers = { Authorization: `Bearer ${app.tokens[query.as]}`, 'X-TimeZone': query.zone }
  const answer = await app.handle(new Request(url, { headers }))
  const bytes = Buffer.from(await answer.arrayBuffer())
  const said = answer.status === 200 ? '' : bytes.toString()
  expect({ status: answer.status, said }).toEqual({ status: 200, said: '' })
  return bytes
}

interface List {
  Columns: { Name: string; Type: string }[]
  Rows: Row[]
}

const oneOf = (bytes: Buffer): List => {
  const { DataSets } = parseWhole(bytes.toString()) as { DataSets: Record<string, List> }
  return Object.values(DataSets)[0] ?? { Columns: [], Rows: [] }
}

/** A value as csv writes it: no text is a formula. */
const csvText = (value: unknown, type: string): string => {
  if (value === null || value === undefined) return ''
  return type === 'Text' && /^[=-]/.test(String(value)) ? `'${String(value)}` : String(value)
}

/** JSON whose numbers keep their digits where no double holds them. */
const parseWhole = (text: string): unknown =>
  JSON.parse(text.replaceAll(/":(-?\d{16,})(?=[,}])/g, '":"$1"'))

/** A value as a workbook shows it. */
function shownText(value: unknown, type: string, zone: string): string {
  if (value === null || value === undefined) return ''
  if (type === 'Decimal') return Number(value).toFixed(2)
  if (type === 'Boolean') return String(value).toUpperCase()
  // The Swedish way to write an instant is that of the workbook.
  if (type === 'DateTime') return new Date(String(value)).toLocaleString('sv', { timeZone: zone })
  return String(value)
}

/** Cells as shown, row by row below the head. */
function readCells(book: XLSX.WorkBook, columns: number, rows: number): string[][] {
  const cells = cellsOf(book)
  return Array.from({ length: rows }, (_, r) =>
    Array.from({ length: columns }, (__, c) => {
      const cell = cells[XLSX.utils.encode_cell({ r: r + 1, c })]
      return cell === undefined ? '' : (cell.w ?? String(cell.v))
    }),
  )
}

test('json, csv and xlsx have the rows, their order and values of the grid', async () => {
  let seen = 0
  await fc.assert(
    fc.asyncProperty(QUERY, async (query) => {
      const grid = await loadGrid(query)
      const { Columns, Rows } = oneOf(await loadList(query, 'json'))
      const names = Columns.map(({ Name }) => Name)
      if (query.fields.length > 0) expect(names.slice(0, query.fields.length)).toEqual(query.fields)
      if (query.as === 'guest') expect(names).not.toContain('Cost')
      expect(Rows).toEqual(grid.map((row) => Object.fromEntries(names.map((n) => [n, row[n]]))))
      const asked = [names.length, Rows.length] as const
      const csv = XLSX.read((await loadList(query, 'csv')).toString(), {
        type: 'string',
        raw: true,
      })
      const written = Rows.map((row) => Columns.map(({ Name, Type }) => csvText(row[Name], Type)))
      expect(readCells(csv, ...asked)).toEqual(written)
      const book = readWorkbook(await loadList(query, 'xlsx'))
      const shown = Rows.map((row) =>
        Columns.map(({ Name, Type }) => shownText(row[Name], Type, query.zone)),
      )
      expect(readCells(book, ...asked)).toEqual(shown)
      for (const read of [csv, book])
        expect(cellsOf(read)[XLSX.utils.encode_cell({ r: Rows.length + 1, c: 0 })]).toBeUndefined()
      seen += Rows.length
    }),
    { numRuns: scaleCases(40) },
  )
  expect(seen).toBeGreaterThan(300)
})
