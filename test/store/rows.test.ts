import { expect, test } from 'bun:test'
import { allRows, getRow, insertRow, updateRows, upsertRow } from '../../src/store/rows.ts'
import { facts } from '../../src/store/tables/catalog.ts'
import { companies, users } from '../../src/store/tables/users.ts'
import { ALL, failureOf, openTemporary } from './temporary.ts'

const AT = '2026-01-01T00:00:00.000Z'
const USER = {
  UserName: 'Ana',
  UserNameKey: 'ana',
  DisplayName: 'Ana?',
  CreatedAt: AT,
  ChangedAt: AT,
}

test('rows are written and read by the types of their tables', async () => {
  await using temporary = await openTemporary()
  const { store } = temporary
  const ids = await store.write(
    async (tx) => [
      await insertRow(tx, users, { ...USER, Active: false, LastCompanyId: undefined }),
      await insertRow(tx, companies, {
        Code: 'two',
        Name: 'Two',
        CreatedAt: AT,
        Active: undefined,
      }),
      await insertRow(tx, companies, { Code: 'one', Name: 'One', CreatedAt: AT, TimeZone: 'CET' }),
    ],
    ALL,
  )
  expect(ids).toEqual([1, 1, 2])
  expect(await getRow(store, users, 'WHERE UserNameKey = @key', { key: 'ana' })).toEqual({
    ...USER,
    Id: 1,
    Active: false,
    MustChangePassword: false,
    Email: null,
    PasswordHash: null,
    TimeZone: null,
    Language: null,
    LastCompanyId: null,
  })
  expect(await getRow(store, users, 'WHERE Id = @id', { id: 9 })).toBeUndefined()
  const two = { Id: 1, Code: 'two', Name: 'Two', TimeZone: 'UTC', Active: true, CreatedAt: AT }
  const one = { Id: 2, Code: 'one', Name: 'One', TimeZone: 'CET', Active: true, CreatedAt: AT }
  const Language = null
  expect(await allRows(store, companies, 'ORDER BY Code')).toEqual([
    { ...one, Language },
    { ...two, Language },
  ])
})

test('an update sets what is given, and counts its rows', async () => {
  await using temporary = await openTemporary()
  const { store } = temporary
  const set = { Active: false, Language: 'de', Email: undefined, TimeZone: null }
  const counts = await store.write(async (tx) => {
    await insertRow(tx, users, { ...USER, Email: 'a@b.c', TimeZone: 'UTC' })
    const hit = await updateRows(tx, users, 'WHERE Id = @id AND Active = 1', { id: 1, set })
    const miss = await updateRows(tx, users, 'WHERE Id = @id AND Active = 1', { id: 1, set })
    return [hit, miss]
  }, ALL)
  expect(counts).toEqual([1, 0])
  expect(await getRow(store, users, '')).toMatchObject({
    Active: false,
    Language: 'de',
    Email: 'a@b.c',
    TimeZone: null,
  })
})

test('a row takes the place of another where its text says so', async () => {
  await using temporary = await openTemporary()
  const { store } = temporary
  await store.write(async (tx) => {
    const replace = 'ON CONFLICT (Name) DO UPDATE SET Value = excluded.Value'
    await upsertRow(tx, facts, { Name: 'n', Value: 'first' }, replace)
    await upsertRow(tx, facts, { Name: 'n', Value: 'second' }, replace)
    await upsertRow(tx, facts, { Name: 'n', Value: 'third' }, 'ON CONFLICT DO NOTHING')
  }, ALL)
  expect(await allRows(store, facts, 'WHERE Name = @name', { name: 'n' })).toEqual([
    { Name: 'n', Value: 'second' },
  ])
})

test('a broken rule tells which one', async () => {
  await using temporary = await openTemporary()
  const twice = temporary.store.write(async (tx) => {
    for (const _ of [1, 2]) await insertRow(tx, users, USER)
  }, ALL)
  expect(await failureOf(twice)).toMatchObject({
    kind: 'validation',
    constraint: { kind: 'unique', columns: ['svc_users.UserNameKey'] },
  })
})

type Same<One, Other> = [One, Other] extends [Other, One] ? true : false
type ReadUser<Text extends string> = Parameters<typeof getRow<typeof users, Text>>

test('the compiler holds texts, values and columns to the schema', () => {
  const holds: {
    valueOfEachParameter: Same<keyof ReadUser<'WHERE Id = @id OR (A = @a)'>[3], 'id' | 'a'>
    noValuesWithoutParameters: Same<ReadUser<'ORDER BY Id'>['length'], 3>
    textsAreFixed: Same<ReadUser<string>[2] | ReadUser<`WHERE Id = ${string}`>[2], never>
    columns: Same<
      keyof Parameters<typeof updateRows<typeof facts, ''>>[3]['set'],
      keyof typeof facts.$inferSelect
    >
    requiredColumns: Same<
      Parameters<typeof insertRow<typeof facts>>[2],
      { Name: string; Value: string }
    >
  } = {
    valueOfEachParameter: true,
    noValuesWithoutParameters: true,
    textsAreFixed: true,
    columns: true,
    requiredColumns: true,
  }
  expect(Object.values(holds).every(Boolean)).toBe(true)
})
