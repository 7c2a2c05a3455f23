import { describe, expect, test } from 'bun:test'
import {
  apply,
  countListed,
  describeBoard,
  loadMatrix,
  RBAC,
  startAccessBoard,
} from '../../support/access-board.ts'

const AUTH = '/api/v1/svc/auth'

interface Page {
  data: {
    Scope: string
    Principals: { Id: string; Name: string; Kind: string; Users?: number; Roles?: string[] }[]
    Total: number
  }
}

interface Exported {
  data: {
    Files: { FileName: string; Body: string }[]
    Users: { UserName: string; Companies: string[]; Roles: string[] }[]
  }
}

interface Imported {
  code?: string
  error?: string
  faults?: object[]
  data: {
    Applied: boolean
    Plan: { Changed: { Name: string }[]; Removed: { Name: string }[] } | null
    Users: object[]
  }
}

describe('principals', () => {
  test.each([
    ['root', '', 'All', 21],
    ['root', '?scope=Company', 'Company', 20],
    ['root', '?kind=User', 'All', 12],
    ['root', '?kind=Role', 'All', 9],
    ['root', '?kind=User&search=U', 'All', 2],
    ['root', '?search=RE', 'All', 2],
    ['max', '?scope=All&kind=User', 'Company', 11],
    ['max', '?kind=User&search=u2', 'Company', 0],
    ['root', '?kind=User&search=%25', 'All', 0],
  ])('%s asks %s: scope %s, %p in all', async (as, query, scope, total) => {
    await using app = await startAccessBoard()
    const { body } = await app.fetch<Page>(`${AUTH}/board/principals${query}`, { as })
    expect([body.data.Scope, body.data.Total]).toEqual([scope, total])
    expect(body.data.Principals).toHaveLength(total)
  })

  test('come in pages, roles first, each once', async () => {
    await using app = await startAccessBoard()
    const names: string[] = []
    for (const page of [1, 2, 3, 4]) {
      const { body } = await app.fetch<Page>(
        `${AUTH}/board/principals?page=${page}&pageSize=6&scope=Company`,
        { as: 'max' },
      )
      names.push(...body.data.Principals.map(({ Name }) => Name))
    }
    expect(names).toEqual([
      ...['System', 'Admin', 'AccessManager', 'Clerk', 'Rep', 'RepToo', 'Boss', 'Blind', 'Idle'],
      ...['adm', 'bea', 'boss', 'cleo', 'max', 'mia', 'moe', 'rita', 'root', 'u1', 'x'],
    ])
  })

  test('tell what users hold and how many hold a role, in scope', async () => {
    await using app = await startAccessBoard()
    const find = async (as: string, name: string) =>
      (await app.fetch<Page>(`${AUTH}/board/principals?search=${name}`, { as })).body.data
        .Principals
    expect((await find('root', 'u2')).map(({ Roles }) => Roles)).toEqual([['Clerk@SOUTH']])
    expect((await find('root', 'clerk')).map(({ Users }) => Users)).toEqual([4])
    expect((await find('max', 'clerk')).map(({ Users }) => Users)).toEqual([3])
  })

  test('are found in any case of any script', async () => {
    await using app = await startAccessBoard()
    await app.store.write(
      (tx) => tx.run("UPDATE svc_users SET DisplayName = 'Ärztin' WHERE UserName = 'u1'"),
      { company: 'all', because: 'a test' },
    )
    const path = `${AUTH}/board/principals?search=${encodeURIComponent('ärzt')}`
    const { body } = await app.fetch<Page>(path, { as: 'root' })
    expect(body.data.Principals.map(({ Name }) => Name)).toEqual(['u1'])
  })

  test.each([
    '?scope=Everything',
    '?kind=Group',
    '?page=0',
    '?pageSize=201',
    '?page=x',
    '?search=%00',
  ])('%s is a 400', async (query) => {
    await using app = await startAccessBoard()
    expect((await app.fetch(`${AUTH}/board/principals${query}`, { as: 'root' })).status).toBe(400)
  })
})

describe('statistics', () => {
  test('count what the caller reaches', async () => {
    await using app = await startAccessBoard()
    const load = async (as: string, scope = ''): Promise<Record<string, unknown>> =>
      (await app.fetch<{ data: Record<string, unknown> }>(`${AUTH}/statistics${scope}`, { as }))
        .body.data
    expect(await load('root')).toEqual({
      Scope: 'All',
      Users: 12,
      ActiveUsers: 12,
      LockedUsers: 0,
      UsersWithoutRole: 1,
      UsersWithMfa: 0,
      UsersToChangePassword: 0,
      SystemUsers: 1,
      Memberships: 15,
      Roles: 9,
      Resources: 6,
      Grants: 24,
      RowFilters: 2,
      Sessions: 12,
      UsersSignedIn: 12,
      RecentSignIns: 12,
      WeekSignIns: 12,
    })
    const north = { Scope: 'Company', Users: 11, Memberships: 14, Sessions: 11 }
    expect(await load('max', '?scope=All')).toMatchObject(north)
    expect(await load('root', '?scope=Company')).toMatchObject(north)
    expect(await load('root', '?scope=Global')).toMatchObject({ Memberships: 11, Users: 12 })
  })
})

describe('RBAC export and import', () => {
  const load = async (app: Awaited<ReturnType<typeof startAccessBoard>>) =>
    (await app.fetch<Exported>(`${AUTH}/rbac/export`, { as: 'root' })).body.data
  const take = (app: Awaited<ReturnType<typeof startAccessBoard>>, body: object) =>
    app.fetch<Imported>(`${AUTH}/rbac/import`, { as: 'root', body })

  test('what was exported restores the board', async () => {
    await using app = await startAccessBoard()
    const exported = await load(app)
    expect(exported.Files).toEqual([{ FileName: 'rbac.xml', Body: RBAC }])
    expect(exported.Users.slice(8, 11)).toEqual([
      { UserName: 'root', Companies: ['NORTH', 'SOUTH'], Roles: ['System'] },
      { UserName: 'u1', Companies: ['NORTH'], Roles: ['Rep@NORTH'] },
      { UserName: 'u2', Companies: ['SOUTH'], Roles: ['Clerk@SOUTH'] },
    ])
    const before = await describeBoard(app)
    const changes = [
      'role:Rep Depots List +',
      'role:Admin Orders View +',
      'user:9 Role:Boss Member +',
    ]
    expect((await apply(app, 'root', changes)).status).toBe(200)
    const changed = await describeBoard(app)
    const dry = await take(app, { ...exported, DryRun: true })
    const told = {
      Changed: [{ Name: 'Rbac' }],
      Removed: [{ Name: 'AccessBoard' }],
    }
    const users = [{ UserName: 'u2', Given: [], Taken: ['Boss'] }]
    expect(dry.body.data).toMatchObject({ Applied: false, Plan: told, Users: users })
    expect(await describeBoard(app)).toEqual(changed)
    const done = await take(app, exported)
    expect(done.body.data).toMatchObject({ Applied: true, Plan: told, Users: users })
    expect(await describeBoard(app)).toEqual(before)
    expect(await load(app)).toEqual(exported)
  })

  test.each([
    ['what is no XML', '<Rbac', 1, /rbac\.xml:1:/],
    ['an unknown attribute', '<Rbac>\n  <Role Name="Clerk" Foo="1"/>\n</Rbac>', 2, /rbac\.xml:2:/],
    [
      'a row filter that fits nothing',
      RBAC.replace('Region = @User', 'Regoin = @User'),
      11,
      /Regoin/,
    ],
    [
      'another kind of script',
      '<Entity Name="A"><Column Name="Id" Key="true"/></Entity>',
      1,
      /Only Rbac/,
    ],
    ['a role System', RBAC.replace('"Idle"', '"System"'), 25, /System passes every gate/],
  ])(
    '%s is a 400 with file, line and column, and nothing is changed',
    async (_, Body, line, said) => {
      await using app = await startAccessBoard()
      const before = [await describeBoard(app), await load(app)]
      for (const DryRun of [true, false]) {
        const Files = [{ FileName: 'rbac.xml', Body }]
        const { status, body } = await take(app, { Files, DryRun })
        expect([status, body.code]).toEqual([400, 'MODEL_FAULTS'])
        expect(body.faults?.[0]).toMatchObject({ File: 'rbac.xml', Line: line })
        expect(body.error).toMatch(said)
      }
      expect([await describeBoard(app), await load(app)]).toEqual(before)
    },
  )

  test.each([
    ['an unknown user', { UserName: 'nobody', Roles: [] }, 400],
    ['an unknown role', { UserName: 'u1', Roles: ['Nothing'] }, 400],
    ['a company that the user is not of', { UserName: 'u1', Roles: ['Clerk@SOUTH'] }, 400],
    ['the end of the last System user', { UserName: 'root', Roles: ['Clerk'] }, 409],
  ])('%s: %#', async (_, user, status) => {
    await using app = await startAccessBoard()
    const before = await describeBoard(app)
    const Users = [{ UserName: 'x', Roles: ['Clerk'] }, user]
    for (const DryRun of [true, false])
      expect((await take(app, { Users, DryRun })).status).toBe(status)
    expect(await describeBoard(app)).toEqual(before)
  })

  test('holds at the next request, and is audited', async () => {
    await using app = await startAccessBoard()
    expect(await countListed(app, 'x', 'Orders')).toBe(-401)
    expect((await take(app, { Users: [{ UserName: 'X', Roles: ['Clerk@north'] }] })).status).toBe(
      200,
    )
    expect(await countListed(app, 'x', 'Orders')).toBe(5)
    const audited = await app.store.all({
      sql: "SELECT Action, Changes FROM svc_audit WHERE Source = 'rbac/import'",
      args: {},
      runs: 'inline',
    })
    expect(audited).toEqual([{ Action: 'give role', Changes: '{"Role":[null,"Clerk@NORTH"]}' }])
  })

  test('is refused while acting as somebody else', async () => {
    await using app = await startAccessBoard()
    const { Version } = await loadMatrix(app, 'root', { Resources: ['Orders'] })
    expect(Version).toStartWith('All.')
    const { body } = await app.fetch<{ data: { AccessToken: string } }>(
      '/api/v1/impersonation/start',
      { as: 'root', body: { UserId: 2, Reason: 'support', Minutes: 5 } },
    )
    const headers = { Authorization: `Bearer ${body.data.AccessToken}` }
    for (const [path, sent] of [
      ['/rbac/import', { Users: [], DryRun: true }],
      ['/board/apply', { Version, Changes: [], DryRun: true }],
    ] as const)
      expect((await app.fetch(`${AUTH}${path}`, { headers, body: sent })).status).toBe(401)
  })
})
