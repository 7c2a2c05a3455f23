/** Worlds that are deployed beside each other, filled and signed in. */
import { expect } from 'bun:test'
import { deployModel } from '../../../src/model/deploy/deploy.ts'
import { issueTokens } from '../../../src/server/tokens.ts'
import type { TestApp } from '../app.ts'
import { savePeople } from '../people.ts'
import { printRoles, printWorld, roleName, tableName } from './world-model.ts'
import type { StoredRow } from './world-oracle.ts'
import type { World, WorldUser } from './world.ts'

/** A world that is lived in. */
export interface Inhabited {
  at: number
  world: World
  userId: number
  token: string
  stored: StoredRow[][]
}

/** Deploys the worlds, as they are printed, with their users and rows; all have a further role. */
export async function inhabit(
  app: TestApp,
  worlds: readonly World[],
  print: (world: World, at: number) => string = (world, at) => printWorld(world, at),
  further?: { name: string; xml: string },
): Promise<Inhabited[]> {
  const { store, models, clock } = app.context
  const files = worlds.map((world, at) => ({ name: `${at}.xml`, body: print(world, at) }))
  files.push({ name: 'roles.xml', body: withRole(printRoles(worlds), further?.xml) })
  const { plan } = await deployModel(store, models, files, {}, clock)
  expect(plan.faults).toEqual([])
  const users = await saveUsers(
    app,
    worlds.map(({ user }, at) => ({
      at,
      user,
      userName: `user${at}`,
      roles: further ? [further.name] : [],
    })),
  )
  const stored = await saveRows(app, worlds)
  const inhabited: Inhabited[] = []
  for (const [at, world] of worlds.entries()) {
    const userId = users[at] ?? 0
    const token = await openToken(app, userId, world.user.company)
    inhabited.push({ at, world, userId, token, stored: stored[at] ?? [] })
  }
  return inhabited
}

const withRole = (roles: string, xml = ''): string => roles.replace('</Rbac>', `${xml}</Rbac>`)

/** An access token of a user in a company. */
export async function openToken({ context }: TestApp, userId: number, companyId: number) {
  const session = { userId, companyId, client: undefined, address: 'none' }
  return (await issueTokens(context, await context.identity.sessions.open(session))).AccessToken
}

/** Somebody to be saved: who they are in the world with this number. */
export interface Newcomer {
  at: number
  user: WorldUser
  userName: string
  /** Further roles, which are no world's. */
  roles: readonly string[]
}

/** Saves users with their roles and attributes; gives their ids. */
export function saveUsers({ context }: TestApp, people: readonly Newcomer[]): Promise<number[]> {
  const users = people.map(({ at, user, userName, roles: more }) => {
    const roles = user.roles.map(
      ({ role, company }) => `${roleName(at, role)}${company === undefined ? '' : `@C${company}`}`,
    )
    return {
      userName,
      roles: [...new Set(roles), ...more, ...(user.isSystem ? ['System'] : [])],
      companies: ['C1', 'C2'],
      attributes: {
        ...(user.region !== undefined && { Region: user.region }),
        ...(user.level !== undefined && { Level: String(user.level) }),
      },
    }
  })
  return savePeople(context, { users })
}

const ALL = { company: 'all', because: 'a test' } as const

/** Saves the rows of worlds, and gives them as they are stored. */
export async function saveRows(
  { store }: TestApp,
  worlds: readonly World[],
): Promise<StoredRow[][][]> {
  const stored = worlds.map(planRows)
  await store.write(async (tx) => {
    for (const [at, entities] of stored.entries())
      for (const [entity, rows] of entities.entries())
        for (const row of rows) {
          const kind = worlds[at]?.entities[entity]
          const names = ['Id', 'A', 'B', 'C', 'D']
          if (kind?.references !== undefined) names.push('RefId')
          const values = { ...row, CompanyId: row.company }
          if (kind?.isTenant) names.push('CompanyId')
          const bound = names.map((name) => `@${name}`).join(', ')
          const into = `${tableName(at, entity)} (${names.join(', ')})`
          await tx.run(`INSERT INTO ${into} VALUES (${bound})`, values)
        }
  }, ALL)
  // Empty texts stay, as in a database that was taken over; what the engine writes has none.
  await store.write(async (tx) => {
    for (const [at, entities] of stored.entries())
      for (const [entity, rows] of entities.entries()) {
        const ids = JSON.stringify(rows.flatMap(({ B, Id }) => (B === '' ? [Id] : [])))
        const set = `UPDATE ${tableName(at, entity)} SET B = ''`
        const where = 'WHERE Id IN (SELECT value FROM json_each(@ids))'
        await tx.silently(() => tx.run(`${set} ${where}`, { ids }))
      }
  }, ALL)
  return stored
}

/** Keys in order; a reference goes to a row of the same company, or to a shared one. */
function planRows({ entities, rows }: World): StoredRow[][] {
  const stored: StoredRow[][] = []
  for (const [entity, drawn] of rows.entries()) {
    const target = entities[entity]?.references
    stored.push(
      drawn.map((row, index) => {
        const targets = target === undefined ? [] : (stored[target] ?? [])
        const isHeld = target !== undefined && entities[target]?.isTenant
        const fitting = targets.filter(({ company }) => !isHeld || company === row.company)
        const chosen = row.ref === null ? undefined : fitting[row.ref % fitting.length]
        return { ...row, Id: index + 1, RefId: chosen?.Id ?? null }
      }),
    )
  }
  return stored
}
