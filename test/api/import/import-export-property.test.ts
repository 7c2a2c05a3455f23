/**
 * Property: what went out and comes in again changes nothing, and brings back what was changed
 * meanwhile: any choice of fields, every type, format, zone and language.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type ConfusableKeys, startConfusableKeys } from '../../support/confusable-keys.ts'
import type { Row } from '../../support/objects.ts'

let samples: ConfusableKeys

beforeAll(async () => {
  samples = await startConfusableKeys()
})
afterAll(() => samples.app[Symbol.asyncDispose]())

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu']

/** Nights on which clocks of these zones go back: each hour, or half of one, comes twice. */
const NIGHTS = ['2026-10-25T00:00Z', '2026-11-01T05:00Z', '2026-04-04T14:30Z', '1971-10-31T05:00Z']
const HALF_HOURS = 6

const text = fc
  .oneof(
    fc.constantFrom('=1+1', "'=x", "'", '"', 'a;b', 'a,b', 'x\ty', 'two\nlines', '+49', '@a', '1'),
    fc.constantFrom(
      'true',
      '2026-01-02',
      '01/02/2026',
      '1,5',
      'null',
      '_x0041_',
      '\u00dcber \u{1F600}',
    ),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
  )
  .map((value) => value.replaceAll('\0', ''))
  .filter((value) => value.isWellFormed())
const whole = (min: number, max: number) => fc.integer({ min, max })
const pad = (value: number): string => String(value).padStart(2, '0')
const day = fc
  .tuple(whole(1901, 2999), whole(1, 12), whole(1, 28))
  .map(([year, month, date]) => `${year}-${pad(month)}-${pad(date)}`)
const clock = fc
  .tuple(whole(0, 23), whole(0, 59), whole(0, 59))
  .map((parts) => parts.map(pad).join(':'))
const night = fc
  .tuple(fc.constantFrom(...NIGHTS), whole(0, HALF_HOURS), fc.constantFrom(0, 1, 59_999))
  .map(([start, half, more]) => new Date(Date.parse(start) + half * 1_800_000 + more))
  .map((instant) => instant.toISOString())
const instant = fc.oneof(
  night,
  fc
    .tuple(day, clock, whole(0, 999))
    .map(([date, time, part]) => `${date}T${time}.${String(part).padStart(3, '0')}Z`),
)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 })

const RECORD: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  Note: maybe(text),
  Kept: maybe(text.map((value) => ` ${value} `)),
  Count: maybe(fc.maxSafeInteger()),
  Amount: maybe(whole(-1e9, 1e9).map((value) => value / 100)),
  Rate: maybe(whole(-1e9, 1e9).map((value) => value / 1e6)),
  Active: maybe(fc.boolean()),
  MadeOn: maybe(day),
  SeenAt: maybe(instant),
  OpensAt: maybe(clock),
  Tag: maybe(fc.uuid()),
  // A text is the JSON of a document.
  Extra: maybe(fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value))),
  Place: maybe(text),
  Origin: maybe(whole(1, 4)),
  TownId: maybe(whole(1, 4)),
  SoldIn: maybe(whole(1, 4)),
  Maker: maybe(fc.constantFrom('one', 'two', 'three')),
  Kind: maybe(fc.constantFrom('a', 'b', 'A')),
  State: maybe(fc.constantFrom('new', 'done')),
  Grade: maybe(whole(1, 2)),
  Level: maybe(fc.constantFrom('x', 'y', 'z')),
  Towns: fc.subarray([1, 2, 3, 4]),
}
const LABELS = ['Origin', 'TownId', 'SoldIn', 'Maker', 'Kind', 'State', 'Grade', 'Towns'].map(
  (name) => `${name}__Label`,
)
const COLUMNS = [...Object.keys(RECORD), ...LABELS, 'Town', 'Id', 'RowVersion']

const TRIP = fc.record({
  format: fc.constantFrom('csv', 'xlsx', 'jsonl'),
  zone: fc.constantFrom(...ZONES),
  language: fc.constantFrom('en', 'de'),
  /** None: what the grid shows. */
  fields: fc.oneof(
    { weight: 1, arbitrary: fc.constant<string[]>([]) },
    { weight: 4, arbitrary: fc.shuffledSubarray(COLUMNS, { minLength: 1 }) },
  ),
  records: fc.array(fc.tuple(fc.record(RECORD), fc.record(RECORD)), { minLength: 1, maxLength: 3 }),
})

const saveAll = async (records: readonly Row[]): Promise<void> => {
  const stored = new Map((await load()).map((row) => [row.Code, row]))
  for (const [at, record] of records.entries()) {
    const { Id, RowVersion } = stored.get(`s${at}`) ?? {}
    await samples.save('keeper', 'Samples', { ...record, Id, RowVersion, Code: `s${at}` })
  }
}

const load = async (): Promise<Row[]> => (await samples.table('keeper', 'Samples')).Rows

/** The fields that a file tells, by name: of a label its key. */
const listTold = (fields: readonly string[]): string[] =>
  fields.length === 0
    ? Object.keys(RECORD)
    : [...new Set(fields.map((name) => name.replace('__Label', '')))].filter(
        (name) => name in RECORD,
      )

const pick = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.map((name) => [name, row[name]]))

const removeAll = () =>
  samples.app.store.write((tx) => tx.run('DELETE FROM samples'), {
    company: 'all',
    because: 'a test',
  })

test('import(export(x)) is x, for any choice of fields', async () => {
  await fc.assert(
    fc.asyncProperty(TRIP, async ({ format, zone, language, fields, records }) => {
      await removeAll()
      await saveAll(records.map(([first]) => first))
      const before = await load()
      const headers = { 'X-TimeZone': zone, 'Accept-Language': language }
      const Fields = fields.length === 0 ? [] : ['Code', ...fields]
      const made = await samples.carry({ Fields, Format: format }, headers)
      const form = { mode: 'update', keyFields: 'Code' }
      const sending = { ...made, headers, fields: form }
      const told = listTold(fields)
      if (told.length > 0) {
        const same = await samples.take('keeper', sending)
        expect(same).toMatchObject({ Updated: 0, Skipped: records.length })
      }
      expect(await load()).toEqual(before)
      if (told.length === 0 || fields.includes('RowVersion')) return
      await saveAll(records.map(([, second]) => second))
      const changed = await load()
      await samples.take('keeper', sending)
      const others = Object.keys(RECORD).filter((name) => !told.includes(name))
      expect((await load()).map((row) => pick(row, told))).toEqual(
        before.map((row) => pick(row, told)),
      )
      expect((await load()).map((row) => pick(row, others))).toEqual(
        changed.map((row) => pick(row, others)),
      )
    }),
    { numRuns: 16 },
  )
})

const UPDATE = { mode: 'update', keyFields: 'Code' }

test.each(['csv', 'xlsx', 'jsonl'])(
  'instants of an hour that comes twice come back as they were: %s',
  async (Format) => {
    await removeAll()
    for (const [zone, SeenAt] of [
      ['Europe/Berlin', '2026-10-25T00:30:00.000Z'],
      ['Europe/Berlin', '2026-10-25T01:30:00.000Z'],
      ['Europe/Berlin', '2026-10-25T02:00:00.000Z'],
      ['America/New_York', '2026-11-01T06:59:59.999Z'],
      ['Australia/Lord_Howe', '2026-04-04T15:15:00.000Z'],
      ['America/New_York', '1971-10-31T06:30:00.000Z'],
    ] as const) {
      await saveAll([{ SeenAt }])
      const headers = { 'X-TimeZone': zone }
      const made = await samples.carry({ Fields: ['Code', 'SeenAt'], Format }, headers)
      await saveAll([{ SeenAt: null }])
      await samples.take('keeper', { ...made, headers, fields: UPDATE })
      expect(await load()).toMatchObject([{ SeenAt }])
    }
  },
)

test.each(['csv', 'xlsx', 'jsonl'])(
  'what is called alike, hidden or nothing stays what it is: %s',
  async (Format) => {
    await removeAll()
    const keys: unknown[] = []
    for (const town of [
      { Name: 'Twin', Near: false },
      { Name: 'Twin' },
      { Name: null },
      { Name: 'Pair' },
      { Name: 'Pair' },
    ]) {
      const { Keys } = await samples.save('keeper', 'Towns', town)
      keys.push((Keys as Row).Id)
    }
    await saveAll(keys.map((key) => ({ TownId: key, Towns: [key], Kind: 'a', Level: 'y' })))
    const before = await load()
    for (const Fields of [
      ['Code', 'TownId__Label', 'Towns__Label', 'Kind__Label', 'Level__Label'],
      ['Code', 'TownId', 'Towns', 'Kind', 'Level'],
    ]) {
      const made = await samples.carry({ Fields, Format }, {}, 'near')
      const done = await samples.take('near', { ...made, fields: UPDATE })
      expect(done).toMatchObject({ Updated: 0, Skipped: keys.length })
      expect(await load()).toEqual(before)
    }
  },
)
