/** `Svc:Log:SlowSql`: a slow statement is logged with its plan and who asked, without values. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { newAccount, onAccount } from '../../../src/kernel/charged.ts'
import { followSlow } from '../../../src/store/connection/slow-statements.ts'
import { systemScope } from '../../../src/store/store.ts'
import { startApp, type TestApp } from '../../support/app.ts'

interface Line {
  level: string
  message: string
  ms: number
  sql: string
  plan: string[]
  user?: number
  traceId?: string
}

/** Work that takes some milliseconds on any machine, over the rows of a table. */
const SLOW = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
  SELECT count(*) AS N FROM n, (SELECT 1 FROM svc_users WHERE UserName <> 'o''hara' AND Id <> 4711
    AND DisplayName <> @name LIMIT 1)`

let app: TestApp
beforeEach(async () => {
  app = await startApp({ settings: { 'Svc:Log:SlowSql': '5ms' } })
})
afterEach(async () => {
  followSlow(undefined)
  await app[Symbol.asyncDispose]()
})

const listSlow = (): Line[] => {
  app.context.log.flush()
  return app.log
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.message === 'slow statement')
}

test('a read is told once a minute, with its plan and its caller, and without values', async () => {
  const read = { sql: SLOW, args: { name: 'a secret name' }, runs: 'lane' } as const
  const ask = () => onAccount(newAccount(7, 'trace-of-it'), () => app.store.all(read))
  await ask()
  await ask()
  const told = listSlow().filter(({ sql }) => sql.includes('svc_users WHERE'))
  expect(told.length).toBe(1)
  const [line] = told
  expect(line).toMatchObject({ level: 'warn', user: 7, traceId: 'trace-of-it' })
  expect(line?.ms).toBeGreaterThan(0)
  expect(line?.sql).toContain("UserName <> '?' AND Id <> ?")
  expect(line?.sql).toContain('DisplayName <> @name')
  expect(line?.plan.join()).toMatch(/(?:SCAN|SEARCH) svc_users/)
  expect(JSON.stringify(line)).not.toMatch(/hara|4711|secret name/)
})

test('a write is told, too', async () => {
  const sql = `UPDATE svc_users SET DisplayName = DisplayName || 'added' WHERE Id = @id AND 1 < (
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
    SELECT count(*) FROM n)`
  const work = onAccount(newAccount(8), () =>
    app.store.write((tx) => tx.authored(sql, { id: 1 }), systemScope('a test')),
  )
  await work
  const [line] = listSlow().filter((each) => each.sql.startsWith('UPDATE svc_users'))
  expect(line).toMatchObject({ user: 8 })
  expect(line?.plan.join()).toMatch(/SEARCH svc_users/)
  expect(line?.sql).not.toContain('added')
})

test('without the setting nothing is told', async () => {
  await using quiet = await startApp()
  await quiet.store.all({ sql: SLOW, args: { name: 'x' }, runs: 'lane' })
  quiet.context.log.flush()
  expect(quiet.log.filter((line) => line.includes('slow statement'))).toEqual([])
})
