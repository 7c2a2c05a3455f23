/** Who comes next, and who is refused, where only so much is done at a time. */
import { expect, test } from 'bun:test'
import { Failure } from '../../src/kernel/failure.ts'
import { Turns } from '../../src/kernel/turns.ts'

/** Works that end when they are told to; `begun` names them in their order. */
function openWorks(turns: Turns) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const take = (name: string, by?: string) =>
    turns.take(
      () =>
        new Promise<void>((end) => {
          begun.push(name)
          ends.push(end)
        }),
      by,
    )
  const endNext = async () => {
    ends.shift()?.()
    for (let at = 0; at < 10; at++) await Promise.resolve()
  }
  return { begun, take, endNext }
}

test('one caller’s works are done in the order of asking', async () => {
  const { begun, take, endNext } = openWorks(new Turns(1))
  const works = ['a', 'b', 'c'].map((name) => take(name))
  for (const _ of works) await endNext()
  await Promise.all(works)
  expect(begun).toEqual(['a', 'b', 'c'])
})

test('who asks for one work does not wait for all that another has asked for', async () => {
  const { begun, take, endNext } = openWorks(new Turns(1))
  const works = ['g1', 'g2', 'g3', 'g4'].map((name) => take(name, 'greedy'))
  works.push(take('late', 'late'))
  for (const _ of works) await endNext()
  await Promise.all(works)
  expect(begun).toEqual(['g1', 'late', 'g2', 'g3', 'g4'])
})

test('when too many wait, the last work of the greediest caller is refused', async () => {
  const { begun, take, endNext } = openWorks(new Turns(1, 2))
  const works = ['g1', 'g2', 'g3'].map((name) => take(name, 'greedy').catch((e: unknown) => e))
  const more = await take('g4', 'greedy').catch((error: unknown) => error)
  expect(more).toBeInstanceOf(Failure)
  works.push(take('late', 'late'))
  expect(await works[2]).toMatchObject({ kind: 'unavailable' })
  for (const _ of works) await endNext()
  await Promise.all(works)
  expect(begun).toEqual(['g1', 'late', 'g2'])
})

test('what somebody had while nobody waited is not held against them later', async () => {
  const { begun, take, endNext } = openWorks(new Turns(2))
  const works: Promise<void>[] = []
  for (const name of ['a1', 'a2', 'a3', 'a4']) {
    works.push(take(name, 'ann'))
    if (works.length > 1) await endNext()
  }
  for (const name of ['b1', 'b2', 'b3']) works.push(take(name, 'bo'))
  works.push(take('a5', 'ann'))
  for (const _ of works) await endNext()
  await Promise.all(works)
  expect(begun.slice(-3)).toEqual(['b2', 'a5', 'b3'])
})
