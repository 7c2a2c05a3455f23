/** Property: an export is the grid without its pages. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { startApp, type TestApp } from '../../support/app.ts'
import { ATTACKED_RECORDS } from '../../support/attacked-records.ts'
import type { MadeFile } from '../../support/exported-types.ts'
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
import type { TestApplication } from '../../support/template.ts'

/** The attacked records, where those who see rows may also take them away. */
const APPLICATION: TestApplication = {
  ...ATTACKED_RECORDS,
  files: ATTACKED_RECORDS.files.map(({ name, body }) => ({
    name,
    body: body.replaceAll('Update Delete"', 'Update Delete Export"'),
  })),
}

let app: TestApp

beforeAll(async () => {
  app = await startApp({ application: APPLICATION, clock: { now: () => new Date(NOW) } })
  const drawn = fc.sample(ITEM, { seed: 11, numRuns: ITEMS_MAX })
  await app.store.write(
    async (tx) => {
      for (const [at, item] of drawn.entries()) await tx.run(...planInsert(item, at))
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
}

const QUERY: fc.Arbitrary<Query> = fc.record({
  as: fc.constantFrom('keeper', 'other', 'guest', 'sys'),
  zone: fc.constantFrom(...ZONES),
  view: fc.constantFrom('Items', 'Authored'),
  filters: fc.array(filterOf(3), { maxLength: 2 }),
  sort: fc.array(SORT, { maxLength: 3 }),
  search: fc.constantFrom('', '', 'a', 'nor', 'É'),
})

const toBody = ({ as, filters, sort, search }: Query): Row => ({
  Filters: filters,
  Sort: sort,
  SearchText: search,
  ...(as === 'sys' && { AllCompanies: true }),
})

async function ask<T>(query: Query, path: string, body: Row): Promise<T> {
  const headers = { 'X-TimeZone': query.zone }
  const answer = await app.fetch<{ data: T }>(`/api/v1/svc/object${path}`, {
    as: query.as,
    headers,
    body,
  })
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 })
  return answer.body.data
}

async function loadExport(query: Query): Promise<Row[]> {
  const body = { ObjectName: query.view, Format: 'jsonl', ...toBody(query) }
  const { File } = await ask<{ File: MadeFile }>(query, '/export-data', body)
  const { text } = await app.fetch(File.Url, { as: query.as })
  const rows = text.split('\n').filter((line) => line !== '')
  expect(rows.length).toBe(File.Rows)
  return rows.map((line) => JSON.parse(line) as Row)
}

test('rows, order and values of an export are those of the grid', async () => {
  let seen = 0
  await fc.assert(
    fc.asyncProperty(QUERY, async (query) => {
      const grid = await ask<Table>(query, `/${query.view}/table`, {
        ...toBody(query),
        PageSize: 1000,
      })
      const rows = await loadExport(query)
      const names = Object.keys(rows[0] ?? {})
      const shown = grid.Rows.map((row) =>
        Object.fromEntries(names.map((name) => [name, row[name]])),
      )
      expect(rows).toEqual(shown)
      seen += rows.length
    }),
    { numRuns: 80 },
  )
  expect(seen).toBeGreaterThan(500)
})
