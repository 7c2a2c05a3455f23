/** Trees refuse circles, by whatever path, on the field of the parent. */
import { expect, test } from 'bun:test'
import { startComputedColumns } from '../../support/computed-columns.ts'
import { data, refusal } from '../../support/objects.ts'

const CIRCLE = { BossId: 'Reports to: a record cannot be placed below itself' }

async function startWithPeople() {
  const ledger = await startComputedColumns()
  for (const [at, Name] of ['Ida', 'Joe', 'Kim', 'Lou'].entries()) {
    await ledger.save('clerk', 'People', { Name, BossId: at === 0 ? null : at })
  }
  return ledger
}

test('a form that closes a circle is refused on the parent’s field', async () => {
  await using ledger = await startWithPeople()
  for (const [Id, BossId] of [
    [1, 1],
    [1, 2],
    [1, 4],
    [2, 4],
    [3, 4],
  ]) {
    const refused = refusal(await ledger.submit('clerk', 'People', { Id, BossId }), 400)
    expect(refused.fieldErrors).toEqual(CIRCLE)
  }
  await ledger.save('clerk', 'People', { Id: 4, BossId: 1 })
  await ledger.save('clerk', 'People', { Id: 3, BossId: 4 })
  refusal(await ledger.submit('clerk', 'People', { Id: 4, BossId: 3 }), 400)
})

test('authored SQL cannot close one either', async () => {
  await using ledger = await startWithPeople()
  const refused = refusal(await ledger.act('clerk', 'People', 'Swap', {}), 400)
  expect(refused.fieldErrors).toEqual(CIRCLE)
  expect(await ledger.stored('SELECT BossId FROM people ORDER BY Id')).toEqual(
    [null, 1, 2, 3].map((BossId) => ({ BossId })),
  )
})

test('what was below may come above, once it is moved away', async () => {
  await using ledger = await startWithPeople()
  await ledger.save('clerk', 'People', { Id: 2, BossId: null })
  await ledger.save('clerk', 'People', { Id: 1, BossId: 4 })
  data(await ledger.remove('clerk', 'People', { Id: 1 }))
})

test('tracking tells who made and changed a record, by every path', async () => {
  await using ledger = await startWithPeople()
  const [made] = await ledger.stored('SELECT * FROM people WHERE Id = 4')
  expect(made).toMatchObject({ CreatedBy: 2, ChangedBy: 2, CreatedAt: made?.ChangedAt })
  await ledger.app.store.write((tx) => tx.run("UPDATE people SET Name = 'Max' WHERE Id = 4"), {
    company: 1,
  })
  const [changed] = await ledger.stored('SELECT * FROM people WHERE Id = 4')
  expect(changed).toMatchObject({ CreatedBy: 2, CreatedAt: made?.CreatedAt, ChangedBy: null })
  await ledger.app.store.write(
    (tx) =>
      tx.run(`INSERT INTO people (CompanyId, Name, CreatedBy, CreatedAt, ChangedBy)
        VALUES (1, 'Nan', 1, 'long ago', 1)`),
    { company: 1 },
  )
  const [inserted] = await ledger.stored("SELECT * FROM people WHERE Name = 'Nan'")
  expect(inserted).toMatchObject({ CreatedBy: null, ChangedBy: null })
  expect(inserted?.CreatedAt).toBe(inserted?.ChangedAt)
})
