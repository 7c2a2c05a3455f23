import { expect, test } from 'bun:test'
import { and, eq, sql } from 'drizzle-orm'
import { readDatabase, txDatabase } from '../../src/store/drizzle.ts'
import { companies, userCompanies, users } from '../../src/store/tables/users.ts'
import { ALL, failureOf, openTemporary } from './temporary.ts'

const AT = '2026-01-01T00:00:00.000Z'
const USER = {
  UserName: 'Ana',
  UserNameKey: 'ana',
  DisplayName: 'Ana?',
  CreatedAt: AT,
  ChangedAt: AT,
}

test('the tables are written and read by their types', async () => {
  await using temporary = await openTemporary()
  const { store } = temporary
  const made = await store.write(async (tx) => {
    const database = txDatabase(tx)
    const [user] = await database
      .insert(users)
      .values({ ...USER, Active: false })
      .returning()
    const [company] = await database
      .insert(companies)
      .values({ Code: 'one', Name: 'One', CreatedAt: AT })
      .returning({ Id: companies.Id })
    if (user === undefined || company === undefined) throw new Error('Nothing came back')
    await database.insert(userCompanies).values({ UserId: user.Id, CompanyId: company.Id })
    return { user, company }
  }, ALL)
  expect(made.user).toMatchObject({ Id: 1, DisplayName: 'Ana?', Active: false, Email: null })
  const database = readDatabase(store)
  const joined = await database
    .select()
    .from(users)
    .innerJoin(userCompanies, eq(userCompanies.UserId, users.Id))
    .innerJoin(companies, eq(companies.Id, userCompanies.CompanyId))
    .where(and(eq(users.UserNameKey, 'ana'), eq(users.Active, false)))
  expect(joined).toMatchObject([
    { svc_users: made.user, svc_companies: { Id: 1, Code: 'one', TimeZone: 'UTC' } },
  ])
  expect(await database.select().from(users).where(eq(users.Id, 9)).get()).toBeUndefined()
  expect(
    await database
      .select({ n: sql<number>`count(*)` })
      .from(users)
      .get(),
  ).toEqual({ n: 1 })
})

test('readers cannot write; a broken rule tells which one', async () => {
  await using temporary = await openTemporary()
  const { store } = temporary
  await failureOf(readDatabase(store).delete(users).execute())
  const twice = store.write(async (tx) => {
    for (const _ of [1, 2]) await txDatabase(tx).insert(users).values(USER)
  }, ALL)
  expect(await failureOf(twice)).toMatchObject({
    kind: 'validation',
    constraint: { kind: 'unique', columns: ['svc_users.UserNameKey'] },
  })
})
