/** A clock that was 400 days ahead: what was begun then neither locks nor waits for a year. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Failure } from '../../../src/kernel/failure.ts'
import { DAY, HOUR, MINUTE } from '../../../src/kernel/setting.ts'
import type { Store } from '../../../src/store/store.ts'
import { planTimesAnew } from '../../../src/server/clock-watch.ts'
import { SIGN_IN } from '../../../src/server/floor.ts'
import { listTimes } from '../../../src/app.ts'
import type { TestApp } from '../../support/app.ts'
import { scaleCases } from '../../support/property.ts'
import { TEST_PASSWORD } from '../../support/template.ts'
import { OWN } from '../../support/tenant-keys.ts'
import { RECIPES } from '../../support/tenant-recipes.ts'
import { ask, NOW, startWorld } from '../../support/tenant-world.ts'

const AHEAD_MS = 400 * DAY
const LOGIN = '/api/v1/auth/login'

const clock = {
  at: NOW.getTime(),
  now(): Date {
    return new Date(this.at)
  },
}
const jumpAhead = (): void => void (clock.at = NOW.getTime() + AHEAD_MS)
const setBack = (): void => void (clock.at = NOW.getTime())

let app: TestApp
beforeAll(async () => {
  app = await startWorld('full', clock)
})
afterAll(async () => {
  await app.context.jobs.stop()
  await app[Symbol.asyncDispose]()
})

const signIn = (UserName: string, Password = TEST_PASSWORD) =>
  app.fetch<{ data: { AccessToken: string } }>(LOGIN, { body: { UserName, Password } })
const mend = () => planTimesAnew(app.context, listTimes())

/** Names of columns in a part of the page of the store. */
async function readColumns(pattern: RegExp): Promise<string[]> {
  const page = await Bun.file(join(import.meta.dir, '../../../src/store/README.md')).text()
  const part = page.split('## Times that lie ahead')[1]?.split('\n## ')[0] ?? ''
  return [...part.matchAll(pattern)].map(([, name]) => name ?? '')
}

test('the page of the store lists every time that is compared with the clock', async () => {
  const declared = listTimes().map(({ table, column }) => `${table}.${column}`)
  expect((await readColumns(/^\| `(svc_\w+\.\w+)` \|/gm)).sort()).toEqual(declared.sort())
})

test('a window of failed sign-ins that begins ahead refuses nobody', async () => {
  jumpAhead()
  for (let tries = 0; tries < 11; tries++) await signIn('clerk', 'a wrong pass phrase')
  expect((await signIn('clerk')).status).toBe(429)
  setBack()
  expect((await signIn('clerk')).status).toBe(200)
})

test('who is unlocked may try again at once', async () => {
  for (let tries = 0; tries < 11; tries++) await signIn('clerk', 'a wrong pass phrase')
  expect((await signIn('clerk')).status).toBe(429)
  const path = `/api/v1/svc/auth/users/${OWN.user}/unlock`
  const clerk = await app.store.get<{ Id: number }>(
    `SELECT Id FROM svc_users WHERE UserName = 'clerk'`,
  )
  const unlock = path.replace(String(OWN.user), String(clerk?.Id))
  expect((await app.fetch(unlock, { as: 'boss', body: {} })).status).toBe(200)
  expect((await signIn('clerk')).status).toBe(200)
})

/** Of the audit, of versions and of the engine itself: they only tell when something was. */
const HISTORY = /^svc_(audit|catalog|documents|document_versions|scripts|facts)\b/

test('the page of the store names every time that is stored', async () => {
  const named = new Set(await readColumns(/`(svc_\w+\.\w+)`/g))
  const stored = [...(await listColumns(app.store)), ...(await listColumns(app.state))]
    .map(({ Name, Cell }) => `${Name}.${Cell}`)
    .filter((name) => /(?:At|Until|Due|Since|Run|Start|Day)$/.test(name) && !HISTORY.test(name))
  expect(stored.filter((name) => !named.has(name))).toEqual([])
})

const listColumns = (store: Store) =>
  store.all(`SELECT t.name AS Name, c.name AS Cell
    FROM sqlite_schema t, pragma_table_info(t.name) c
    WHERE t.type = 'table' AND t.name LIKE 'svc\\_%' ESCAPE '\\' AND c.type = 'TEXT'`)

/** Instants of all tables that lie more than `ms` ahead, by column. */
async function findAhead(store: Store, ms: number): Promise<Set<string>> {
  const found = new Set<string>()
  const columns = await listColumns(store)
  const limit = new Date(clock.at + ms).toISOString()
  for (const { Name, Cell } of columns) {
    const ahead = `SELECT 1 AS Found FROM "${Name}" WHERE "${Cell}" > @limit
      AND "${Cell}" GLOB '20[0-9][0-9]-[01][0-9]-[0-3][0-9]T*Z' LIMIT 1`
    if (await store.get(ahead, { limit })) found.add(`${Name}.${Cell}`)
  }
  return found
}

test('nothing that is stored while the clock is ahead waits or stays for a year', async () => {
  const { tokens } = app
  jumpAhead()
  const headers: Record<string, Record<string, string>> = {}
  for (const name of Object.keys(tokens)) {
    const { body } = await signIn(name)
    headers[name] = { Authorization: `Bearer ${body.data.AccessToken}` }
  }
  let served = 0
  for (const recipe of Object.values(RECIPES)) {
    if (recipe.isRead || recipe.isRefused) continue
    for (const who of recipe.as.map((group) => (group.includes('boss') ? 'boss' : group[0])))
      for (const call of recipe.calls({ ...OWN, session: 'x' })) {
        const key = { 'Idempotency-Key': `jump-${served}` }
        const told = await ask(app, { ...call, headers: { ...key, ...headers[who ?? ''] } })
        if (told.status === 200) served++
      }
  }
  expect(served).toBeGreaterThan(50)
  setBack()
  const before = new Set([
    ...(await findAhead(app.store, 366 * DAY)),
    ...(await findAhead(app.state, 366 * DAY)),
  ])
  const compared = new Set(listTimes().map(({ table, column }) => `${table}.${column}`))
  // The world is rich enough to show something.
  expect([...before].filter((name) => compared.has(name)).length).toBeGreaterThan(10)
  await mend()
  const told = await readColumns(/`(svc_\w+\.\w+)`(?! \|)/g)
  const after = [
    ...(await findAhead(app.store, 31 * DAY)),
    ...(await findAhead(app.state, 31 * DAY)),
  ].filter((name) => !told.includes(name) && !HISTORY.test(name))
  expect(after).toEqual([])
  const lines = app.log.filter((line) => line.includes('times were too far ahead'))
  expect(lines.length).toBeGreaterThan(10)
  expect(lines.join()).toContain('"table":"svc_sessions","column":"ExpiresAt"')
  await mend()
  expect(app.log.filter((line) => line.includes('times were too far ahead'))).toEqual(lines)
})

test('what waits for another try is tried by the clock that is right', async () => {
  const at = (ms: number) => new Date(clock.at + ms).toISOString()
  const history = JSON.stringify([
    { State: 'Enqueued', At: at(AHEAD_MS - MINUTE) },
    {
      State: 'Scheduled',
      At: at(AHEAD_MS),
    },
  ])
  const scope = { company: 'all', because: 'a test' } as const
  const id = await app.store.write(async (tx) => {
    const job = await tx.get<{ Id: number }>(
      `INSERT INTO svc_jobs (Name, Queue, Priority, State, Source, Arguments, CreatedAt, DueAt,
         Attempts, AttemptsMax, History)
       VALUES ('a-job', 'default', 0, 'Scheduled', 'test', '{}', @created, @due, 1, 3, @history)
       RETURNING Id`,
      { created: at(-DAY), due: at(AHEAD_MS + MINUTE), history },
    )
    await tx.run(
      `INSERT INTO svc_outbox (At, Kind, Source, Payload, State, Attempts, DueAt)
       VALUES (@created, 'mail', 'test', '{}', 'pending', 1, @due)`,
      { created: at(-DAY), due: at(AHEAD_MS) },
    )
    return job?.Id ?? 0
  }, scope)
  await mend()
  const due = (sql: string) => app.store.get<{ DueAt: string }>(sql, { id })
  expect(await due('SELECT DueAt FROM svc_jobs WHERE Id = @id')).toEqual({ DueAt: at(MINUTE) })
  const mail = await due(`SELECT DueAt FROM svc_outbox WHERE Source = 'test'`)
  expect(mail).toEqual({ DueAt: at(HOUR) })
})

test('whatever a clock does, who failed to sign in waits no longer than a window', () => {
  const step = fc.tuple(fc.integer({ min: -500, max: 500 }), fc.integer({ min: 0, max: 12 }))
  const { login } = app.context.identity.throttles
  const windowSeconds = app.context.settings.get(SIGN_IN.window) / 1000
  return fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), fc.uuid(), async (steps, user) => {
      const waits = async (): Promise<number> => {
        try {
          await login.require({ user })
          return 0
        } catch (error) {
          return Number((error as Failure).headers?.['Retry-After'])
        }
      }
      for (const [days, failures] of steps) {
        clock.at += days * DAY
        if (days < 0 && days % 2 === 0) await mend()
        for (let at = 0; at < failures; at++) await login.fail({ user })
        expect(await waits()).toBeLessThanOrEqual(windowSeconds)
        clock.at += windowSeconds * 1000
        expect(await waits()).toBe(0)
      }
      setBack()
    }),
    { numRuns: scaleCases(5) },
  )
})
