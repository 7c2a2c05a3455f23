/** Groups that are asked for again: read once, until a table under them changes. */
import { expect, test } from 'bun:test'
import { ALL } from '../../store/temporary.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import type { Row } from '../../support/objects.ts'

const PATH = '/api/v1/svc/object-explorer/query'
const BY_COUNTRY = {
  ObjectName: 'Orders',
  GroupBy: ['CustomerId.CountryCode'],
  Aggregates: [{ Function: 'count' }],
}

interface Groups {
  data: { Columns: { Label: string }[]; Rows: Row[] }
}

/** The groups, and how many reads they cost. */
async function ask(app: TestApp, as: string, body: object, language = 'en') {
  const before = app.store.counters.reads
  const headers = { 'Accept-Language': language }
  const answer = await app.fetch<Groups>(PATH, { as, headers, body })
  expect(answer.status).toBe(200)
  const { Rows, Columns } = answer.body.data
  return {
    rows: Rows,
    labels: Columns.map(({ Label }) => Label),
    reads: app.store.counters.reads - before,
  }
}

test('groups are read again only when one of their tables has changed', async () => {
  await using app = await startApp()
  await ask(app, 'ana', BY_COUNTRY)
  const read = await ask(app, 'ana', BY_COUNTRY)
  const kept = await ask(app, 'ana', BY_COUNTRY)
  expect(kept.rows).toEqual(read.rows)
  expect(read.reads - kept.reads).toBe(1)
  // Each language has its own heads, over the same rows.
  const german = await ask(app, 'ana', BY_COUNTRY, 'de')
  expect(german.rows.map(({ count }) => count)).toEqual(read.rows.map(({ count }) => count))
  expect(german.labels).not.toEqual(read.labels)
  const [first] = read.rows
  const country = String(first?.['CustomerId.CountryCode'] ?? '')
  const move = `UPDATE main.customers SET CountryCode = 'PT', CityId = NULL
    WHERE CountryCode = @country`
  await app.store.write((tx) => tx.run(move, { country }), ALL)
  const changed = await ask(app, 'ana', BY_COUNTRY)
  expect(changed.rows).not.toEqual(read.rows)
  expect(changed.reads).toBeGreaterThan(kept.reads)
})

test('groups of one user are not those of another', async () => {
  await using app = await startApp()
  const total = ({ rows }: { rows: Row[] }): number =>
    rows.reduce((sum, { count }) => sum + Number(count), 0)
  for (let at = 0; at < 3; at++) {
    const [all, own] = [await ask(app, 'ana', BY_COUNTRY), await ask(app, 'dee', BY_COUNTRY)]
    expect(total(own)).toBeGreaterThan(0)
    expect(total(own)).toBeLessThan(total(all))
  }
})
