import { expect, test } from 'bun:test'
import { ALL, failureOf, openShop, rows } from './temporary.ts'

test('a full disk fails the mutation and no read; the writer recovers by itself', async () => {
  await using shop = await openShop()
  const { store } = shop
  const setPages = (pages: number) =>
    store.write((tx) => tx.get(`PRAGMA max_page_count = ${pages}`), ALL)
  const add = (id: number, bytes: number) =>
    store.write(
      (tx) =>
        tx.run('INSERT INTO orders (Id, CompanyId, Picture) VALUES (@id, 1, @picture)', {
          id,
          picture: new Uint8Array(bytes),
        }),
      ALL,
    )
  await setPages(60)
  const [small, large] = await Promise.allSettled([add(10, 10), add(11, 1_000_000)])
  expect(small).toMatchObject({ status: 'fulfilled', value: 1 })
  expect(large).toMatchObject({ reason: { kind: 'unavailable' } })
  expect(await failureOf(add(12, 1_000_000))).toMatchObject({ kind: 'unavailable' })
  expect(await rows(store, 'SELECT count(*) AS n FROM orders')).toEqual([{ n: 4 }])
  await setPages(10_000)
  expect(await add(13, 1_000_000)).toBe(1)
  await store.requireServing()
  expect(await rows(store, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
})
