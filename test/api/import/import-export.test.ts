/** Rows that are exported and imported again are the same: every type, every format. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Imports, startImports } from '../../support/imports.ts'
import type { Row } from '../../support/objects.ts'

const TEXTS = [
  '=1+1',
  "'=x",
  "'",
  '"',
  'a;b',
  'a,b',
  'x\ty',
  'two\nlines',
  '\u00dcber \u{1F600}',
  '+49',
  '-',
  '@a',
]
const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'grapheme', maxLength: 20 }))
const cleanText = text
  .map((value) => value.replaceAll('\0', '').replaceAll('\r', ''))
  .filter((value) => value.isWellFormed() && value.trim() !== '')
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const pad = (value: number): string => String(value).padStart(2, '0')
const day = fc
  .tuple(
    fc.integer({ min: 1901, max: 2999 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 28 }),
  )
  .map(([year, month, date]) => `${year}-${pad(month)}-${pad(date)}`)
const clock = fc
  .tuple(
    fc.integer({ min: 0, max: 23 }),
    fc.integer({ min: 0, max: 59 }),
    fc.integer({ min: 0, max: 59 }),
  )
  .map((parts) => parts.map(pad).join(':'))

const record = fc.record({
  Name: cleanText,
  LandId: fc.constantFrom(null, 1, 2),
  Status: fc.constantFrom(null, 'new'),
  Born: maybe(day),
  Seen: maybe(fc.tuple(day, clock).map(([date, time]) => `${date}T${time}.000Z`)),
  Limit: maybe(fc.integer({ min: 0, max: 1e9 }).map((value) => value / 100)),
  Visits: maybe(fc.integer({ min: 14, max: Number.MAX_SAFE_INTEGER })),
  Vip: maybe(fc.boolean()),
  Wakes: maybe(clock),
  Token: maybe(fc.uuid()),
  Extra: maybe(fc.jsonValue({ maxDepth: 2 }).map((value) => ({ value }))),
  Note: maybe(cleanText),
})

const part = fc.record({
  Name: cleanText,
  Land: maybe(cleanText),
  MadeIn: fc.constantFrom(null, 1, 2),
  Lands: fc.subarray([1, 2]),
})

async function loadPeople(app: Imports, zone: string): Promise<Row[]> {
  const headers = { 'X-TimeZone': zone }
  const body = { Sort: [{ Field: 'Email' }], PageSize: 200 }
  const path = '/api/v1/svc/object/People/table'
  const answer = await app.app.fetch<{ data: { Rows: Row[] } }>(path, {
    as: 'clerk',
    body,
    headers,
  })
  const own = ['Id', 'RowVersion', 'CreatedAt', 'CreatedBy', 'ChangedAt', 'ChangedBy']
  return answer.body.data.Rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).filter(([name]) => !own.includes(name.split('__')[0] ?? '')),
    ),
  )
}

async function exportRows(
  app: Imports,
  request: { ObjectName: string; Format: string; Fields?: string[] | undefined },
  zone: string,
) {
  const headers = { 'X-TimeZone': zone }
  const made = await app.app.fetch<{ data: { File: { Url: string; FileName: string } } }>(
    '/api/v1/svc/object/export-data',
    { as: 'clerk', headers, body: request },
  )
  const { Url, FileName } = made.body.data.File
  const token = app.app.tokens.clerk
  const answer = await app.app.handle(
    new Request(`http://localhost${Url}`, { headers: { Authorization: `Bearer ${token}` } }),
  )
  return { fileName: FileName, file: new Uint8Array(await answer.arrayBuffer()) }
}

const removeAll = (app: Imports, ...tables: string[]): Promise<unknown> =>
  app.app.store.write(
    async (tx) => {
      for (const table of tables) await tx.run(`DELETE FROM ${table}`)
    },
    { company: 'all', because: 'a test' },
  )

test.each(['csv', 'xlsx', 'jsonl'])('import(export(x)) is x: %s', async (format) => {
  await using app = await startImports()
  const rows = fc.array(record, { minLength: 1, maxLength: 12 })
  const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/New_York')
  await fc.assert(
    fc.asyncProperty(rows, zones, async (people, zone) => {
      await removeAll(app, 'people')
      for (const [at, person] of people.entries()) {
        await app.save('clerk', 'People', { ...person, Email: `p${at}@x.org` })
      }
      const before = await loadPeople(app, zone)
      const made = await exportRows(app, { ObjectName: 'People', Format: format }, zone)
      await removeAll(app, 'people')
      const headers = { 'X-TimeZone': zone }
      const done = await app.take('clerk', { objectName: 'People', ...made, headers })
      expect(done.Inserted).toBe(people.length)
      expect(await loadPeople(app, zone)).toEqual(before)
    }),
    { numRuns: format === 'xlsx' ? 8 : 20 },
  )
})

/** Without keys, which a file that has none draws anew. */
async function loadParts(app: Imports, withKeys: boolean): Promise<Row[]> {
  const { Rows } = await app.table('clerk', 'Parts', { Sort: [{ Field: 'Name' }], PageSize: 200 })
  return Rows.map(({ Id, ...row }) => (withKeys ? { Id, ...row } : row))
}

test.each(['csv', 'xlsx', 'jsonl'])('so are lists of keys and drawn keys: %s', async (format) => {
  await using app = await startImports()
  const rows = fc.uniqueArray(part, { minLength: 1, maxLength: 8, selector: ({ Name }) => Name })
  const keyed = ['Id', 'Name', 'Land', 'MadeIn', 'Lands']
  await fc.assert(
    fc.asyncProperty(rows, fc.boolean(), async (parts, isKeyed) => {
      await removeAll(app, 'part_lands', 'parts')
      for (const each of parts) await app.save('clerk', 'Parts', each)
      const before = await loadParts(app, isKeyed)
      const request = { ObjectName: 'Parts', Format: format, ...(isKeyed && { Fields: keyed }) }
      const made = await exportRows(app, request, 'UTC')
      await removeAll(app, 'part_lands', 'parts')
      const done = await app.take('clerk', { objectName: 'Parts', ...made })
      expect(done.Inserted).toBe(parts.length)
      expect(await loadParts(app, isKeyed)).toEqual(before)
    }),
    { numRuns: format === 'xlsx' ? 8 : 20 },
  )
})
