/** Numbers of any format among texts of any kind: the highest is the one that a reader finds. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { findHighest } from '../../../src/engine/object/record/numbered-columns.ts'
import { formatNumber } from '../../../src/engine/object/record/sequence.ts'
import { startApp } from '../../support/app.ts'
import { NUMBERED_BILLS } from '../../support/numbered-bills.ts'

const PERIODS = { Never: '', Yearly: '2026', Monthly: '2026-11', Daily: '2026-11-28' } as const
const DAYS = ['2026-11-28', '2026-11-02', '2026-01-28', '2025-11-28']
const WIDTHS = { yyyy: 4, yy: 2, MM: 2, dd: 2 } as const

const part = fc.constantFrom(
  ...['{yyyy}', '{yy}', '{MM}', '{dd}', '{Company}', '{Field:Kind}'],
  ...['-', '7', 'Ä', 'ß0', '%', '*', '[', '_', "'", '10'],
)
const parts = fc.array(part, { maxLength: 4 }).map((all) => all.join(''))
const hashes = fc.integer({ min: 1, max: 4 }).map((digits) => `{${'#'.repeat(digits)}}`)

const row = fc.record({
  number: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 123_456 })),
  day: fc.constantFrom(...DAYS),
  kind: fc.constantFrom(null, '', 'a', '1', '12'),
  spoil: fc.constantFrom('', '', '', 'x', '0'),
  at: fc.nat(),
  isCut: fc.boolean(),
})

type Stored = { text: string; kind: string | null; number: number }

/** How a person would read the texts of a format. */
function read(format: string, period: string, { text, kind }: Stored): number | undefined {
  const pattern = format.replace(/\{([^{}]+)\}|[^{}]+/gu, (all: string, name?: string) => {
    if (name === undefined) return RegExp.escape(all)
    const digits = name.length
    if (name.startsWith('#')) return `(?<number>\\d{${digits}}|[1-9]\\d{${digits},})`
    if (name === 'Company') return 'ONE'
    if (name === 'Field:Kind') return RegExp.escape(kind ?? '')
    const places = { yyyy: [0, 4], yy: [2, 4], MM: [5, 7], dd: [8, 10] } as const
    const token = name as keyof typeof places
    const [from, to] = places[token]
    return to <= period.length ? period.slice(from, to) : `\\d{${WIDTHS[token]}}`
  })
  const found = new RegExp(`^${pattern}$`, 'u').exec(text)?.groups?.number
  return found === undefined ? undefined : Number(found)
}

test('the highest number of a format is the one that a reader of the texts finds', async () => {
  await using app = await startApp({ application: NUMBERED_BILLS })
  const model = app.context.models.get()
  const entity = model.entities.get('Memo')
  const column = entity?.columnByName.get('number')
  const sequence = model.sequences.get('MemoNumber')?.sequence
  if (!entity || !column || !sequence) throw new Error('The model has them')
  const scope = { company: 1, companyCode: 'ONE' }
  const all = { company: 'all', because: 'a test' } as const
  await fc.assert(
    fc.asyncProperty(
      ...[parts, hashes, parts, fc.constantFrom('Never', 'Yearly', 'Monthly', 'Daily')],
      fc.array(row, { maxLength: 8 }),
      async (head, digits, tail, reset, rows) => {
        const format = head + digits + tail
        const period = PERIODS[reset]
        const stored = rows.map(({ number, day, kind, spoil, at, isCut }): Stored => {
          const values = new Map([['kind', kind]])
          const text = formatNumber(format, { number, day, company: 'ONE', values })
          const place = at % (text.length + 1)
          const rest = text.slice(place + (isCut && spoil !== '' ? 1 : 0))
          return { text: text.slice(0, place) + spoil + rest, kind, number }
        })
        const highest = await app.store.write(async (tx) => {
          await tx.run('DELETE FROM memos')
          for (const { text, kind } of stored) {
            await tx.run('INSERT INTO memos (CompanyId, Number, Kind) VALUES (1, @text, @kind)', {
              text,
              kind,
            })
          }
          const counted = { ...sequence, format, reset }
          return findHighest(tx, counted, { entity, column }, { ...scope, period })
        }, all)
        const wanted = stored.flatMap((each) => read(format, period, each) ?? [])
        expect({ format, highest }).toEqual({
          format,
          highest: wanted.length === 0 ? undefined : Math.max(...wanted),
        })
      },
    ),
    { numRuns: 100 },
  )
})
