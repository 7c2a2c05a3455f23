/**
 * Property: a value is read as it was, however a program writes it: in the cell of a csv, and in a
 * form or a detail where it needs no culture.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Imports, startImports } from '../../support/imports.ts'
import type { Row } from '../../support/objects.ts'

let app: Imports

beforeAll(async () => {
  app = await startImports()
})
afterAll(() => app.app[Symbol.asyncDispose]())

type Write = (value: string) => string
/** Spellings of a value in wire form; `wire` are those that a form takes, too. */
interface Spelling {
  values: fc.Arbitrary<string>
  wire: readonly Write[]
  /** By culture. */
  local: Readonly<Record<string, readonly Write[]>>
}

const pad = (value: number): string => String(value).padStart(2, '0')
const group = (digits: string, mark: string): string => digits.replace(/\B(?=(\d{3})+$)/g, mark)
const whole = fc.integer({ min: 0, max: 1e12 }).map(String)
const amount = fc.integer({ min: 0, max: 1e9 }).map((units) => (units / 100).toFixed(2))
const day = fc
  .tuple(
    fc.integer({ min: 1950, max: 2049 }),
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
const instant = fc.tuple(day, clock).map(([date, time]) => `${date}T${time}.000Z`)

const parts = (text: string): string[] => text.split(/\D/).filter((part) => part !== '')
const at = (text: string, place: number): string => parts(text)[place] ?? ''
const short = (number: string): string => String(Number(number))
const local = (text: string): string => text.replace('T', ' ').replace(/\.000Z$/, '')
/** The same instant on clocks that are some hours ahead. */
const ahead = (text: string, hours: number): string =>
  local(new Date(Date.parse(text) + hours * 3_600_000).toISOString())
const mail = (text: string): string => new Date(text).toUTCString()

const SPELLINGS: Readonly<Record<string, Spelling>> = {
  Visits: {
    values: whole,
    wire: [(n) => n, (n) => `${n}.0`, (n) => `+${n}.000000`, (n) => `${n}e0`],
    local: {
      'de-DE': [(n) => `${n},0`, (n) => group(n, '.'), (n) => `${group(n, '.')},00`],
      'en-US': [(n) => group(n, ','), (n) => `${group(n, ',')}.00`],
      'fr-FR': [(n) => group(n, '\u202F')],
      'de-CH': [(n) => group(n, '’')],
    },
  },
  Spent: {
    values: amount,
    wire: [(n) => n, (n) => `${n}0000`, (n) => `${n.replace('.', '')}e-2`],
    local: {
      'de-DE': [(n) => n.replace('.', ','), (n) => `${group(n.slice(0, -3), '.')},${n.slice(-2)}`],
      'en-US': [(n) => `${group(n.slice(0, -3), ',')}${n.slice(-3)}`],
    },
  },
  Born: {
    values: day,
    wire: [(d) => d],
    local: {
      'de-DE': [
        (d) => `${at(d, 2)}.${at(d, 1)}.${at(d, 0)}`,
        (d) => `${short(at(d, 2))}.${short(at(d, 1))}.${at(d, 0).slice(2)}`,
        (d) => `${d} 00:00:00`,
        (d) => `${d}T00:00:00.0000000`,
      ],
      'en-US': [
        (d) => `${short(at(d, 1))}/${short(at(d, 2))}/${at(d, 0)}`,
        (d) => `${short(at(d, 1))}/${short(at(d, 2))}/${at(d, 0).slice(2)}`,
        (d) => `${d} 00:00:00+00`,
        (d) => mail(`${d}T00:00:00Z`),
      ],
    },
  },
  Seen: {
    values: instant,
    wire: [
      (i) => i,
      (i) => `${local(i)}Z`,
      (i) => `${local(i)} UTC`,
      (i) => `${local(i)}+00`,
      (i) => `${local(i)}.000000000000 Z`,
      (i) => `${ahead(i, 1)} +0100`,
      (i) => `${ahead(i, 2)}.0000000 +02:00`,
      (i) => `${ahead(i, -5)}.000000-05`,
      (i) => `${ahead(i, 1).replace(' ', 'T')}+01:00[Europe/Berlin]`,
      mail,
      (i) => mail(i).replace('GMT', '+0000'),
    ],
    local: {
      'de-DE': [(i) => `${at(i, 2)}.${at(i, 1)}.${at(i, 0)} ${i.slice(11, 19)}`, local],
      'en-US': [(i) => `${local(i)}.000000`],
    },
  },
  Wakes: {
    values: clock,
    wire: [(t) => t, (t) => `${t}.0000000`],
    local: { 'de-DE': [(t) => t.replaceAll(':', '.')] },
  },
  Vip: {
    values: fc.constantFrom('true', 'false'),
    wire: [(b) => b, (b) => b.toUpperCase(), (b) => (b === 'true' ? '1' : '0')],
    local: {
      'de-DE': [
        (b) => (b === 'true' ? 'WAHR' : 'FALSCH'),
        (b) => (b === 'true' ? 'ja' : 'nein'),
        (b) => b.slice(0, 1),
      ],
      'en-US': [
        (b) => (b === 'true' ? 'Yes' : 'No'),
        (b) => (b === 'true' ? '1.0' : '0.0'),
        (b) => (b === 'true' ? '-1' : '0'),
      ],
    },
  },
  Token: {
    values: fc.uuid(),
    wire: [
      (g) => g,
      (g) => g.toUpperCase(),
      (g) => `{${g.toUpperCase()}}`,
      (g) => g.replaceAll('-', ''),
    ],
    local: {},
  },
}

/** A value as it is stored, told by the text that it has on the wire. */
const shown = (name: string, value: unknown): string =>
  name === 'Spent' ? Number(value).toFixed(2) : String(value)

const removeAll = () =>
  app.app.store.write((tx) => tx.run('DELETE FROM people'), { company: 'all', because: 'a test' })

const stored = async (name: string): Promise<string[]> => {
  const { Rows } = await app.table('clerk', 'People', { Sort: [{ Field: 'Id' }], PageSize: 500 })
  return Rows.map((row: Row) => shown(name, row[name]))
}

test.each(Object.entries(SPELLINGS))('%s: files', async (name, { values, wire, local: own }) => {
  const cultures = Object.keys(own).length > 0 ? Object.keys(own) : ['en-US']
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...cultures),
      fc.array(values, { minLength: 1, maxLength: 4 }),
      async (culture, list) => {
        await removeAll()
        // What needs no culture is read in each that has a dot in its numbers.
        const takes = culture === 'en-US' || !['Visits', 'Spent'].includes(name) ? wire : []
        const writes = [...takes, ...(own[culture] ?? [])]
        const rows = list.flatMap((value) => writes.map((write) => [value, write(value)]))
        const lines = rows.map(([, cell], place) => `n;${place}@x;"${cell}"`)
        const file = `Name;Email;${name}\n${lines.join('\n')}\n`
        await app.take('clerk', { objectName: 'People', file, fields: { culture } })
        expect(await stored(name)).toEqual(rows.map(([value = '']) => value))
      },
    ),
    { numRuns: 6 },
  )
})

test('forms read the spellings that need no culture', async () => {
  const sample = Object.entries(SPELLINGS).flatMap(([name, { values, wire }]) =>
    fc.sample(values, 1).flatMap((value) => wire.map((write) => ({ name, value, write }))),
  )
  for (const [place, { name, value, write }] of sample.entries()) {
    if (name === 'Vip') continue
    const values = { Name: 'n', Email: `${place}@form`, [name]: write(value) }
    await app.save('clerk', 'People', values)
    const { Rows } = await app.table('clerk', 'People', {
      Filters: [{ Field: 'Email', Operator: 'eq', Value: `${place}@form` }],
    })
    expect([name, write(value), shown(name, Rows[0]?.[name])]).toEqual([name, write(value), value])
  }
})
