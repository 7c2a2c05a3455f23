import { expect, test } from 'bun:test'
import type { KnownChange, LoggedChange, Tx } from '../../src/store/store.ts'
import { ALL, failureOf, openShop, rows, touch } from './temporary.ts'

const UPDATE = 'UPDATE orders SET Number = @number WHERE Id = @id'
const INSERT = 'INSERT INTO orders (CompanyId, Number) VALUES (?1, ?2)'
const ORDER = { Id: 1, Number: 'A1', CompanyId: 1, CustomerId: 1, Total: 0.1, Picture: null }

/** An update of the first order, as its composer may say that it is. */
const renamed = (number: string, known: Partial<KnownChange> = {}): KnownChange => ({
  entity: 'Order',
  key: [1],
  what: 'update',
  before: ORDER,
  asOf: 0,
  after: { ...ORDER, Number: number },
  ...known,
})

const rename = (tx: Tx, number: string, known?: Partial<KnownChange>): Promise<number> =>
  tx.run(UPDATE, { number, id: 1 }, renamed(number, known))

/** The row's entry in the log: it does not tell what the row is now. */
const LOGGED: LoggedChange = { entity: 'Order', key: [1], what: 'update', before: ORDER }

test('what is known is taken as it is, and its table is of the commit', async () => {
  await using shop = await openShop()
  const version = shop.store.version('orders')
  const touched = await touch(shop.store, async (tx) => {
    await rename(tx, 'x')
    const plan = (id: number): KnownChange => {
      return { entity: 'Order', key: [id], what: 'insert', before: undefined, after: { Id: id } }
    }
    expect(await tx.insert(INSERT, [1, 'y'], plan)).toBe(4)
  })
  expect(touched).toEqual([
    { ...LOGGED, after: { ...ORDER, Number: 'x' } },
    { entity: 'Order', key: [4], what: 'insert', before: undefined, after: { Id: 4 } },
  ])
  expect(shop.store.version('orders')).toBe(version + 1)
})

test.each<[string, (tx: Tx) => Promise<unknown>]>([
  ['behind a statement of which nothing is known', (tx) => tx.run('UPDATE orders SET Total = 0.1')],
  ['behind an authored one', (tx) => tx.authored('UPDATE orders SET Total = 0.1')],
  ['of a row that was read before another write', (tx) => rename(tx, 'A1')],
])('the log is asked: %s', async (_, first) => {
  await using shop = await openShop()
  const touched = await touch(shop.store, async (tx) => {
    await first(tx)
    await rename(tx, 'x')
  })
  expect(touched.find(({ key }) => key[0] === 1)).toEqual(LOGGED)
})

test.each([{ after: undefined }, { before: undefined }, { asOf: undefined }])(
  'the log is asked where not all is known: %p',
  async (known) => {
    await using shop = await openShop()
    expect(await touch(shop.store, (tx) => rename(tx, 'x', known))).toEqual([LOGGED])
    const silent = await touch(shop.store, (tx) => tx.silently(() => rename(tx, 'y', known)))
    expect(silent).toEqual([])
  },
)

test('what is unknown behind what was taken is logged, and all behind it', async () => {
  await using shop = await openShop()
  const seen = await shop.store.write(async (tx) => {
    const list: (string | undefined)[] = []
    const take = async (): Promise<void> => {
      for (const { key, what, after } of await tx.takeChangeLog())
        list.push(`${what} ${key.join()}${after ? ' known' : ''}`)
      list.push('|')
    }
    await rename(tx, 'a')
    await take()
    await tx.silently(() => rename(tx, 'b', { after: undefined }))
    await tx.run("UPDATE orders SET Number = 'c' WHERE Id = 2")
    await take()
    await rename(tx, 'd', { asOf: tx.touches })
    await take()
    await tx.silently(() => rename(tx, 'e', { after: undefined }))
    await take()
    await tx.run("UPDATE orders SET Number = 'f' WHERE Id < 3")
    await take()
    return list.join(' ')
  }, ALL)
  expect(seen).toBe('update 1 known | update 2 | update 1 known | | update 1 update 2 |')
})

test('a row that is not there, or of another company, is not touched', async () => {
  await using shop = await openShop()
  const touched = await shop.store.write(
    async (tx) => {
      await tx.run(UPDATE, { number: 'x', id: 9 }, renamed('x', { key: [9] }))
      expect(await rename(tx, 'x', { asOf: tx.touches })).toBe(0)
      return tx.takeChangeLog()
    },
    { company: 2 },
  )
  expect(touched).toEqual([])
})

test('a member that fails leaves the log of the next ones as it was', async () => {
  await using shop = await openShop()
  const write = (number: string, isFailing = false): Promise<string[]> =>
    shop.store.write(async (tx) => {
      await rename(tx, number)
      const known = await tx.takeChangeLog()
      if (isFailing) throw new Error('no')
      await tx.run("UPDATE orders SET Number = Number || '!' WHERE Id = 2")
      const logged = await tx.takeChangeLog()
      return [...known, ...logged].map(({ key, after }) => `${key.join()}${after ? ' known' : ''}`)
    }, ALL)
  // The first group has no savepoints, the second one has.
  for (let group = 0; group < 2; group++) {
    const ended = await Promise.allSettled([write('a'), write('b', true), write('c')])
    const value = ['1 known', '2']
    expect(ended).toMatchObject([{ value }, { status: 'rejected' }, { value }])
  }
  expect(await rows(shop.store, 'SELECT Number FROM orders WHERE Id = 2')).toEqual([
    { Number: 'A2!!!!' },
  ])
})

test('a statement that does something else than was said of it is not committed', async () => {
  await using shop = await openShop()
  await shop.store.migrate(async (tx) => {
    await tx.run(`CREATE TRIGGER more AFTER UPDATE OF Number ON orders
      BEGIN UPDATE customers SET Name = Name || '!' WHERE Id = NEW.CustomerId; END`)
  })
  await touch(shop.store, (tx) => tx.run("UPDATE orders SET Number = 'z' WHERE Id = 1"))
  const failure = await failureOf(touch(shop.store, (tx) => rename(tx, 'x')))
  expect(failure.message).toContain('other rows than were known')
  expect(await rows(shop.store, 'SELECT Number FROM orders WHERE Id = 1')).toEqual([
    { Number: 'z' },
  ])
})
