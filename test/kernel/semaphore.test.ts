/** Order of the waiting and refusals where only so much is done at a time. */
import { expect, test } from 'bun:test'
import { Failure, unavailable } from '../../src/kernel/failure.ts'
import { say } from '../../src/kernel/messages.ts'
import { Semaphore } from '../../src/kernel/semaphore.ts'

/** Works that end when they are told to; `begun` names them in their order. */
function openWorks(semaphore: Semaphore) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const take = (name: string, by?: string) =>
    semaphore.run(
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
  const { begun, take, endNext } = openWorks(new Semaphore(1))
  const works = ['a', 'b', 'c'].map((name) => take(name))
  for (const _ of works) await endNext()
  await Promise.all(works)
  expect(begun).toEqual(['a', 'b', 'c'])
})

test('who asks for one work does not wait for all that another has asked for', async () => {
  const { begun, take, endNext } = openWorks(new Semaphore(1))
  const works = ['g1', 'g2', 'g3', 'g4'].map((name) => take(name, 'greedy'))
  works.push(take('late', 'late'))
  for (const _ of works) await endNext()
  await Promise.all(works)
  expect(begun).toEqual(['g1', 'late', 'g2', 'g3', 'g4'])
})

test('when too many wait, the last work of the greediest caller is refused', async () => {
  const { begun, take, endNext } = openWorks(new Semaphore(1, { waitingMax: 2 }))
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
  const { begun, take, endNext } = openWorks(new Semaphore(2))
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

test('whoever is refused is not charged', async () => {
  const { begun, take, endNext } = openWorks(new Semaphore(1, { waitingMax: 1 }))
  const works = [take('first'), take('g1', 'greedy')]
  for (let at = 0; at < 5; at++)
    await expect(take('more', 'greedy')).rejects.toMatchObject({ kind: 'unavailable' })
  for (const name of ['b1', 'b2']) {
    await endNext()
    works.push(take(name, 'bo'))
  }
  await endNext()
  const displaced = take('b3', 'bo').catch((error: unknown) => error)
  works.push(take('g2', 'greedy'))
  expect(await displaced).toMatchObject({ kind: 'unavailable' })
  for (const _ of works) await endNext()
  await Promise.all(works)
  expect(begun).toEqual(['first', 'g1', 'b1', 'b2', 'g2'])
})

test('of several who are charged for a work the greediest decides', async () => {
  const semaphore = new Semaphore(1)
  const begun: string[] = []
  const ask = (user: string, office: string) =>
    semaphore.run(
      async () => void begun.push(user),
      [
        { name: user, cost: 1 },
        { name: office, cost: 0.5 },
      ],
    )
  const asked = [ask('ann', 'north'), ask('bo', 'north'), ask('cy', 'north'), ask('dan', 'south')]
  await Promise.all(asked)
  expect(begun).toEqual(['ann', 'dan', 'bo', 'cy'])
})

test('a refusal is in the words of whoever made the semaphore', async () => {
  const refuse = () =>
    unavailable(say`Too many people are signing in right now. Try again in a moment.`, 5)
  const { take, endNext } = openWorks(new Semaphore(1, { waitingMax: 0, refuse }))
  const work = take('a')
  await expect(take('b')).rejects.toMatchObject({ headers: { 'Retry-After': '5' } })
  await endNext()
  await work
})
