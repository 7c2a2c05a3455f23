import { expect, test } from 'bun:test'
import type { LoggedChange, Tx } from '../../../src/store/store.ts'
import { planAfterWrite } from '../../../src/engine/object/after-write/after-write.ts'
import { startApp, type TestApp } from '../../support/app.ts'

/** Holds what a transaction takes as known against what is stored: before it, and now. */
async function check(app: TestApp, tx: Tx, change: LoggedChange): Promise<void> {
  const { entity, key, before, after } = change
  const found = app.context.models.get().entities.get(entity)
  if (!found) throw new Error(`No entity ${entity}`)
  const columns = found.columns.map(({ name }) => `"${name}"`).join(', ')
  const sql = `SELECT ${columns} FROM main."${found.table}" WHERE "${found.keys[0]?.name}" = @key`
  const args = { key: key[0] ?? null }
  expect(after).toEqual(await tx.get(sql, args))
  expect(before).toEqual(await app.store.get({ sql, args, runs: 'inline' }))
}

/** The app with each write held so; gives what was known. */
function watch(app: TestApp): string[] {
  const known: string[] = []
  const pass = planAfterWrite(app.context.models, () => new Date())
  const checked = (tx: Tx): Tx =>
    new Proxy(tx, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (name !== 'takeChangeLog')
          return typeof value === 'function' ? value.bind(target) : value
        return async () => {
          const changes = await target.takeChangeLog()
          for (const change of changes) {
            if (!change.after) continue
            known.push(`${change.what} ${change.entity}`)
            await check(app, target, change)
          }
          return changes
        }
      },
    })
  app.store.useAfterWrite((tx) => pass(checked(tx)))
  return known
}

/** Submits, and gives the record's number. */
async function submit(app: TestApp, FormName: string, Parameters: object): Promise<number> {
  const options = { as: 'root', body: { FormName, Parameters } }
  const answer = app.fetch<{ data: { Keys: { Id: number } } }>('/api/v1/svc/object/submit', options)
  const { text, body } = await answer
  expect(text).toStartWith('{"success":true')
  return body.data.Keys.Id
}

test('what is known of a submit is what is stored', async () => {
  await using app = await startApp({ settings: { 'Svc:Objects:RequireRowVersion': 'false' } })
  const known = watch(app)
  const text = `O'Neill "x" \\ é 👍 ${'y'.repeat(20)}`
  const Id = await submit(app, 'Orders', { CustomerId: 1, Reference: text, DueOn: '2999-01-31' })
  for (const more of [{ Reference: null }, { Remark: text }, { DueOn: null, Reference: '5' }])
    await submit(app, 'Orders', { Id, ...more })
  for (const more of [
    { CreditLimit: 5 },
    { CreditLimit: 0.1 },
    { CreditLimit: -0 },
    { CreditLimit: 900000 },
  ])
    await submit(app, 'Customers', { Id: 1, ...more })
  for (const Active of [false, true]) await submit(app, 'Customers', { Id: 1, Active, Note: 'x' })
  expect(known.filter((each) => each === 'insert Order')).toHaveLength(1)
  expect(known.filter((each) => each === 'update Order')).toHaveLength(3)
  expect(known.filter((each) => each === 'update Customer').length).toBeGreaterThan(2)
})
