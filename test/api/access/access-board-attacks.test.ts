import { describe, expect, test } from 'bun:test'
import { deployModel } from '../../../src/model/deploy/deploy.ts'
import {
  apply,
  countListed,
  DEPOTS,
  describeBoard,
  FILES,
  loadMatrix,
  type MatrixAnswer,
  RBAC,
  rbacBodies,
  startAccessBoard,
} from '../../support/access-board.ts'

const AUTH = '/api/v1/svc/auth'

describe('what access managers may not do', () => {
  test.each([
    ['gives itself System', 'moe', ['user:7 Role:System Member +']],
    ['gives itself Admin', 'moe', ['user:7 Role:Admin Member +']],
    ['gives a role what it does not hold', 'mia', ['role:Idle Orders Delete +']],
    ['gives a role what nobody handed to it', 'moe', ['role:Idle Orders View +']],
    ['gives AccessManager what it does not hold', 'moe', ['role:AccessManager Orders View +']],
    ['gives a capability that it does not hold', 'mia', ['role:Idle Orders Approve +']],
    ['gives a role that grants more than it has', 'mia', ['user:6 Role:Boss Member +']],
    ['touches the role Admin', 'mia', ['role:Admin Orders View +']],
    ['touches the role System', 'mia', ['role:System Orders View -']],
    [
      'empties a role of what it does not hold',
      'moe',
      ['role:Clerk Orders View -', 'role:Clerk Orders List -'],
    ],
    ['empties the roles of another', 'moe', ['user:8 Role:Rep Member -']],
    ['takes a role from somebody who holds more', 'mia', ['user:11 Role:Clerk Member +']],
    ['touches a System user', 'mia', ['user:1 Role:Clerk Member +']],
    ['touches an Admin', 'mia', ['user:2 Role:Clerk Member +']],
    ['gives rows that its filter hides', 'rita', ['role:Idle Orders View +']],
    ['widens a role beyond its own rows', 'rita', ['role:Clerk Orders Update +']],
    ['gives a field that is hidden from it', 'bea', ['role:Idle Orders View +']],
    ['changes roles everywhere from one company', 'max', ['role:Idle Orders View +']],
    [
      'does one thing that it may and one that it may not',
      'mia',
      ['role:Idle Orders View +', 'role:Idle Orders Delete +'],
    ],
  ])('Budibase CVE-2026-48150, -45716: %s', async (_, as, changes) => {
    await using app = await startAccessBoard()
    const before = await describeBoard(app)
    const bodies = await rbacBodies(app)
    for (const dryRun of [true, false]) {
      const { status, body } = await apply(app, as, changes, { dryRun })
      expect([status, body.code]).toEqual([401, 'PERMISSION_DENIED'])
    }
    expect(await describeBoard(app)).toEqual(before)
    expect(await rbacBodies(app)).toEqual(bodies)
  })

  test('Budibase CVE-2026-48150: RBAC import and export by an Admin or AccessManager', async () => {
    await using app = await startAccessBoard()
    for (const as of ['adm', 'mia', 'u1', 'x']) {
      const body = { Users: [{ UserName: as, Roles: ['System'] }] }
      const taken = await app.fetch(`${AUTH}/rbac/import`, { as, body })
      const given = await app.fetch(`${AUTH}/rbac/export`, { as })
      expect([taken.status, given.status]).toEqual([401, 401])
    }
  })

  test('Craft CVE-2026-41128: no scope widens a company’s manager', async () => {
    await using app = await startAccessBoard()
    const own = await loadMatrix(app, 'max', { Scope: 'Company' })
    const { Principals, Cells, Scope } = await loadMatrix(app, 'max', { Scope: 'All' })
    expect([Scope, Principals, Cells]).toEqual(['Company', own.Principals, own.Cells])
    expect(Principals.some(({ Name }) => Name === 'u2')).toBe(false)
    const global = await loadMatrix(app, 'max', { Scope: 'Global' })
    expect(global.Principals.map(({ Id }) => Id)).toEqual(own.Principals.map(({ Id }) => Id))
    for (const body of [{ Principals: ['user:9'] }, { Principals: ['user:9'], Scope: 'All' }]) {
      const answer = await app.fetch<MatrixAnswer>(`${AUTH}/board/matrix`, { as: 'max', body })
      expect(answer.status).toBe(400)
    }
    const there = await apply(app, 'max', ['user:9 Role:Clerk Member -'], { scope: 'All' })
    const nobody = await apply(app, 'max', ['user:99 Role:Clerk Member -'], { scope: 'All' })
    expect([there.status, there.body.error]).toEqual([
      400,
      nobody.body.error?.replace('user:99', 'user:9'),
    ])
    const everywhere = await apply(app, 'max', ['user:12 Role:Clerk Member +'], { scope: 'Global' })
    expect(everywhere.status).toBe(401)
  })

  test('takes List where the rows of View would stand in for it, and be more', async () => {
    await using app = await startAccessBoard()
    const half =
      '  <Role Name="Half">\n    <Grant Resource="Orders" Verbs="View List"/>\n' +
      '    <RowFilter Resource="Orders" Verbs="List">Region = @User_Region</RowFilter>\n  </Role>\n'
    const Files = [{ FileName: 'rbac.xml', Body: RBAC.replace('</Rbac>', `${half}</Rbac>`) }]
    const taken = await app.fetch(`${AUTH}/rbac/import`, { as: 'root', body: { Files } })
    expect(taken.status).toBe(200)
    expect((await apply(app, 'rita', ['role:Half Orders List -'])).status).toBe(401)
    expect((await apply(app, 'mia', ['role:Half Orders List -'])).status).toBe(200)
  })

  test('nobody without one of the three roles is let in', async () => {
    await using app = await startAccessBoard()
    for (const as of ['u1', 'cleo', 'boss', 'x'])
      for (const [path, body] of [
        ['/statistics', undefined],
        ['/board/principals', undefined],
        ['/board/matrix', {}],
        ['/board/apply', { Version: 'All.x', Changes: [] }],
      ] as const) {
        const { status } = await app.fetch(`${AUTH}${path}`, { as, ...(body && { body }) })
        expect([path, as, status]).toEqual([path, as, 401])
      }
  })

  test('a session that acts as somebody else changes nothing', async () => {
    await using app = await startAccessBoard()
    const { body } = await app.fetch<{ data: { AccessToken: string } }>(
      '/api/v1/impersonation/start',
      { as: 'root', body: { UserId: 3, Reason: 'support', Minutes: 5 } },
    )
    const headers = { Authorization: `Bearer ${body.data.AccessToken}` }
    const Version = (await loadMatrix(app, 'mia', { Resources: ['Orders'] })).Version
    for (const DryRun of [true, false]) {
      const answer = await app.fetch(`${AUTH}/board/apply`, {
        headers,
        body: { Version, Changes: [], DryRun },
      })
      expect(answer.status).toBe(401)
    }
  })
})

describe('deploys', () => {
  const deploy = (
    app: Awaited<ReturnType<typeof startAccessBoard>>,
    files: typeof FILES,
    prune = false,
  ) => deployModel(app.store, app.context.models, files, { prune }, app.context.clock)

  test('Directus: a view taken out and added again brings no stale rights', async () => {
    await using app = await startAccessBoard()
    expect(
      (await apply(app, 'root', ['role:Rep Depots View +', 'role:Rep Depots List +'])).status,
    ).toBe(200)
    expect(await countListed(app, 'u1', 'Depots')).toBe(2)
    const without = FILES.filter(({ name }) => name !== 'depots.xml')
    const gone = await deploy(app, without, true)
    expect(gone.plan.removed.map(({ name }) => name)).toEqual(['Depots'])
    expect(await countListed(app, 'u1', 'Depots')).toBe(-404)
    await deploy(app, [...without, { name: 'depots.xml', body: DEPOTS }])
    expect(await countListed(app, 'u1', 'Depots')).toBe(-401)
    // Of a clerk the files say so.
    expect(await countListed(app, 'cleo', 'Depots')).toBe(2)
    expect(await countListed(app, 'root', 'Depots')).toBe(2)
    const board = await describeBoard(app)
    expect(board.filter((cell) => /role:Rep Depots /.test(cell))).toEqual([])
  })

  test('one that was merged is what an export of the Rbac shows', async () => {
    await using app = await startAccessBoard()
    expect((await apply(app, 'root', ['role:Rep Depots View +'])).status).toBe(200)
    const files = FILES.map((file) => ({
      ...file,
      body: file.body.replace('<Role Name="Idle"/>', '<Role Name="Idle" Label="At rest"/>'),
    }))
    expect((await deploy(app, files)).plan.merged).toMatchObject([
      {
        fromHere: ['Role Rep has View on Depots'],
        fromFile: ['Role Idle is called "At rest"'],
      },
    ])
    const { body } = await app.fetch<{ data: { Files: { Body: string }[] } }>(
      `${AUTH}/rbac/export`,
      { as: 'root' },
    )
    const [exported] = body.data.Files
    expect(exported?.Body).toContain('Label="At rest"')
    expect(exported?.Body).toContain('<Grant Resource="Depots" Verbs="View"/>')
  })

  test('a field that is taken out and added again is as hidden as its rule says', async () => {
    await using app = await startAccessBoard()
    const hidden = async (): Promise<boolean> => {
      const { body } = await app.fetch<{ data: { Rows: object[] } }>(
        '/api/v1/svc/object/Orders/table',
        { as: 'bea', body: {} },
      )
      const [row] = body.data.Rows
      return row !== undefined && !('Cost' in row)
    }
    expect(await hidden()).toBe(true)
    expect((await apply(app, 'root', ['role:Idle Orders View +'])).status).toBe(200)
    expect((await deploy(app, FILES)).plan.merged).toHaveLength(1)
    expect(await hidden()).toBe(true)
  })
})
