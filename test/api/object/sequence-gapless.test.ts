/** Numbers of sequences: none is lost, none is given twice, whatever happens between. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Tx } from '../../../src/store/store.ts'
import { nextNumber } from '../../../src/engine/object/record/sequence.ts'
import { reserve, RESERVED_MS, useReserved } from '../../../src/engine/object/write/reservation.ts'
import { startApp } from '../../support/app.ts'
import { NUMBERED_BILLS, startBills } from '../../support/numbered-bills.ts'

test('a hundred submits at once draw numbers in a row, whatever is refused between', async () => {
  await using bills = await startBills()
  const asked = Array.from({ length: 100 }, (_, at) =>
    bills.objects.submit(at % 3 === 0 ? 'bo' : 'ana', 'Bills', {
      Kind: 'own',
      Total: at % 4 === 0 ? -1 : at,
    }),
  )
  const answers = await Promise.all(asked)
  const drawn = answers.flatMap(({ body }) => (body.success ? [body.data.Values.Number] : []))
  expect(drawn).toHaveLength(75)
  const wanted = Array.from({ length: 75 }, (_, at) => `B${bills.year}-${at + 1}`)
  expect(new Set(drawn)).toEqual(new Set<unknown>(wanted))
})

/** The expectation: the last number, and who has which until when. */
class Model {
  last = 0
  held = new Map<number, { user: number; until: number }>()
  used = new Set<number>()

  next(now: number): number {
    const free = [...this.held].filter(([, { until }]) => until <= now).map(([number]) => number)
    return free.length > 0 ? Math.min(...free) : this.last + 1
  }

  take(now: number): number {
    const number = this.next(now)
    this.held.delete(number)
    this.last = Math.max(this.last, number)
    return number
  }

  holds = (user: number, number: number, now: number): boolean => {
    const held = this.held.get(number)
    return held?.user === user && held.until > now
  }
}

type Step = { kind: 'draw' | 'fail' | 'reserve' | 'use' | 'pass'; user: number; number: number }

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('draw', 'fail', 'reserve', 'use', 'use', 'pass'),
  user: fc.integer({ min: 1, max: 2 }),
  number: fc.integer({ min: 1, max: 8 }),
})

test('numbers are those of a small model, whatever the order of events', async () => {
  await using app = await startApp({ application: NUMBERED_BILLS })
  const model = app.context.models.get()
  const found = model.sequences.get('BillNumber')
  if (!found) throw new Error('The model has the sequence')
  const sequence = { ...found.sequence, name: 'Plain', format: '{#}', reset: 'Never' as const }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      await app.store.write((tx) => tx.run('DELETE FROM svc_reservations'), {
        company: 'all',
        because: 'a test',
      })
      await app.store.write((tx) => tx.run('DELETE FROM svc_sequences'), {
        company: 'all',
        because: 'a test',
      })
      const expected = new Model()
      let now = Date.UTC(2030, 0, 1)
      for (const { kind, user, number } of steps) {
        const scope = {
          model,
          companyId: 1,
          now: new Date(now),
          values: new Map<string, string>(),
        }
        if (kind === 'pass') now += RESERVED_MS / 2
        else if (kind === 'draw') {
          const drawn = await app.store.write((tx) => nextNumber(tx, sequence, scope), {
            company: 1,
          })
          expect(Number(drawn)).toBe(expected.take(now))
          expected.used.add(Number(drawn))
        } else if (kind === 'fail') {
          const work = async (tx: Tx) => {
            await nextNumber(tx, sequence, scope)
            throw new Error('undone')
          }
          await app.store.write(work, { company: 1 }).catch(() => undefined)
        } else if (kind === 'reserve') {
          const work = (tx: Tx) => reserve(tx, sequence, { ...scope, userId: user })
          const text = await app.store.write(work, { company: 1 })
          const taken = expected.take(now)
          expect(Number(text)).toBe(taken)
          expected.held.set(taken, { user, until: now + RESERVED_MS })
        } else {
          const work = (tx: Tx) =>
            useReserved(tx, sequence, { ...scope, userId: user }, String(number))
          const got = await app.store.write(work, { company: 1 })
          const isTheirs = expected.holds(user, number, now)
          expect(got).toBe(isTheirs ? String(number) : undefined)
          if (isTheirs) expected.held.delete(number)
          if (isTheirs) expected.used.add(number)
        }
      }
      // Every number up to the last is used or can still be had.
      for (let number = 1; number <= expected.last; number++)
        expect(expected.used.has(number) || expected.held.has(number)).toBe(true)
    }),
    { numRuns: 60 },
  )
})
