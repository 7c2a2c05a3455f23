/** Reads in the background, and reads of the very moment when they are planned. */
import { expect, test } from 'bun:test'
import type { ReadPlace } from '../../src/store/sql.ts'
import { ALL, ENDLESS, failureOf, openShop } from './temporary.ts'

const read = (sql: string, runs: ReadPlace) => ({ sql, args: {}, runs })

test('background work runs beside lanes that are all taken, and lanes beside it', async () => {
  await using shop = await openShop()
  const { store } = shop
  const endless = [1, 2, 3].map(() => failureOf(store.text(read(ENDLESS, 'lane'))))
  expect(await store.text(read('SELECT 5', 'background'))).toBe('5')
  endless.push(failureOf(store.text(read(ENDLESS, 'background'))))
  expect(await store.text(read('SELECT 6', 'inline'))).toBe('6')
  await store.close()
  for (const failure of await Promise.all(endless)) expect(failure).toBeDefined()
})

test('the background is opened anew after a migration', async () => {
  await using shop = await openShop()
  expect(await shop.store.text(read('SELECT max(Id) FROM orders', 'background'))).toBe('3')
  await shop.store.migrate((tx) => tx.run('ALTER TABLE orders ADD COLUMN Extra TEXT'))
  expect(await shop.store.text(read('SELECT count(Extra) FROM orders', 'background'))).toBe('0')
})

test('what is read of now is what is known of commits when it is planned', async () => {
  await using shop = await openShop()
  const { store } = shop
  await store.write((tx) => tx.run('UPDATE orders SET Total = 0 WHERE Id = 1'), ALL)
  const first = store.version('orders')
  const planned: { told: number; isUnderWay: boolean; seen: number }[] = []
  const readNow = async (): Promise<void> => {
    let [told, isUnderWay] = [0, false]
    const plan = () => {
      told = store.version('orders') - first
      isUnderWay = store.stamp(['orders']) === undefined
      return read('SELECT CAST(Total AS INTEGER) FROM orders WHERE Id = 1', 'lane')
    }
    const seen = Number(await store.textOfNow(plan, { name: 'test' }))
    planned.push({ told, isUnderWay, seen })
  }
  let isOver = false
  const reading = async (): Promise<void> => {
    while (!isOver) await readNow()
  }
  const readings = [reading(), reading()]
  for (let at = 0; at < 300; at++)
    await store.write((tx) => tx.run('UPDATE orders SET Total = Total + 1 WHERE Id = 1'), ALL)
  isOver = true
  await Promise.all(readings)
  expect(planned.length).toBeGreaterThan(20)
  const wrong = planned.filter(({ told, isUnderWay, seen }) =>
    isUnderWay ? seen !== told && seen !== told + 1 : seen !== told,
  )
  expect(wrong).toEqual([])
})
