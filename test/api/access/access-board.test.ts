import { describe, expect, test } from 'bun:test'
import {
  apply,
  countListed,
  describeBoard,
  loadMatrix,
  RBAC,
  rbacBodies,
  startAccessBoard,
} from '../../support/access-board.ts'

const AUTH = '/api/v1/svc/auth'

describe('the matrix', () => {
  test('roles hold rights of their own, users through roles, memberships by scope', async () => {
    await using app = await startAccessBoard()
    const asked = {
      Principals: ['role:Rep', 'role:System', 'user:8', 'user:10'],
      Resources: ['Orders', 'Role:Clerk'],
    }
    const tell = async (as: string, Scope: string): Promise<string[]> => {
      const { Cells } = await loadMatrix(app, as, { ...asked, Scope })
      return Cells.filter(({ Verb }) => ['List', 'Update', 'Approve', 'Member'].includes(Verb)).map(
        (c) => `${c.Principal} ${c.Verb} ${c.State} ${c.Source} ${c.Filtered}`,
      )
    }
    const roles = [
      'role:Rep List granted Rep true',
      'role:Rep Update granted Rep true',
      'role:Rep Approve none null false',
      'role:Rep Member none null false',
      'role:System List granted System false',
      'role:System Update granted System false',
      'role:System Approve granted System false',
      'role:System Member none null false',
    ]
    const u1 = [
      'user:8 List inherited Rep@NORTH true',
      'user:8 Update inherited Rep@NORTH true',
      'user:8 Approve none null false',
      'user:8 Member none null false',
    ]
    const cleo = (member: string): string[] => [
      'user:10 List inherited Clerk false',
      'user:10 Update none null false',
      'user:10 Approve none null false',
      `user:10 Member ${member} Clerk false`,
    ]
    const sorted = (lines: string[]): string[] => [...lines].sort()
    expect(sorted(await tell('root', 'Company'))).toEqual(
      sorted([...roles, ...u1, ...cleo('inherited')]),
    )
    expect(sorted(await tell('root', 'All'))).toEqual(sorted([...roles, ...u1, ...cleo('granted')]))
    const nothing = u1.map((line) =>
      line.replace(/(\w+) (?:none|inherited) .*/, '$1 none null false'),
    )
    expect(sorted(await tell('root', 'Global'))).toEqual(
      sorted([...roles, ...nothing, ...cleo('granted')]),
    )
  })

  test('holds every resource, role and user in scope when nothing is named', async () => {
    await using app = await startAccessBoard()
    const { Principals, Resources } = await loadMatrix(app, 'root')
    expect(Principals.map(({ Name }) => Name)).toEqual([
      ...['System', 'Admin', 'AccessManager', 'Clerk', 'Rep', 'RepToo', 'Boss', 'Blind', 'Idle'],
      ...['adm', 'bea', 'boss', 'cleo', 'max', 'mia', 'moe', 'rita', 'root', 'u1', 'u2', 'x'],
    ])
    expect(Resources.map(({ Id }) => Id).slice(0, 7)).toEqual([
      ...[
        'Depots',
        'Orders',
        'Notifications',
        'ReportDefinitions',
        'SharedViews',
        'WorkflowDefinitions',
      ],
      'Role:System',
    ])
  })

  test.each([
    ['an unknown principal', { Principals: ['user:999'] }, 'user:999'],
    ['what is no principal', { Principals: ['company:1'] }, 'company:1'],
    ['an unknown resource', { Resources: ['Nothing'] }, 'Nothing'],
  ])('%s is a 400 that names it', async (_, body, named) => {
    await using app = await startAccessBoard()
    const { status, text } = await app.fetch(`${AUTH}/board/matrix`, { as: 'root', body })
    expect([status, text.includes(named)]).toEqual([400, true])
  })
})

describe('what they may', () => {
  test('give a role what they hold, at once and in its own script', async () => {
    await using app = await startAccessBoard()
    const answer = await apply(app, 'mia', ['role:Rep Depots View +', 'role:Rep Depots List +'])
    expect([answer.status, answer.body.data.Applied]).toEqual([200, true])
    expect(await countListed(app, 'u1', 'Depots')).toBe(2)
    expect(await rbacBodies(app)).toEqual([
      {
        Name: 'Rbac',
        Body: RBAC.replace(
          'Verbs="View List Update"/>\n',
          'Verbs="View List Update"/>\n    <Grant Resource="Depots" Verbs="View List"/>\n',
        ),
        Origin: 'board',
        ExecutedBy: 3,
      },
    ])
    const back = await apply(app, 'mia', ['role:Rep Depots View -', 'role:Rep Depots List -'])
    expect(back.status).toBe(200)
    expect(await countListed(app, 'u1', 'Depots')).toBe(-401)
    expect(await rbacBodies(app)).toMatchObject([{ Body: RBAC }])
  })

  test('hand on rows under their own filter', async () => {
    await using app = await startAccessBoard()
    expect((await apply(app, 'rita', ['role:RepToo Orders Update +'])).status).toBe(200)
    expect((await apply(app, 'rita', ['user:12 Role:RepToo Member +'])).status).toBe(200)
  })

  test('change memberships of their company', async () => {
    await using app = await startAccessBoard()
    expect(await countListed(app, 'x', 'Orders')).toBe(-401)
    const given = await apply(app, 'max', ['user:12 Role:Clerk Member +'])
    expect(given.status).toBe(200)
    expect(await countListed(app, 'x', 'Orders')).toBe(5)
    expect((await apply(app, 'max', ['user:12 Role:Clerk Member -'])).status).toBe(200)
    expect(await countListed(app, 'x', 'Orders')).toBe(-401)
    const audited = await app.store.all({
      sql: "SELECT UserId, Action, RecordKey, Changes FROM svc_audit WHERE Source = 'access-board' ORDER BY Id",
      args: {},
      runs: 'inline',
    })
    expect(audited).toEqual([
      {
        UserId: 4,
        Action: 'give role',
        RecordKey: '[12]',
        Changes: '{"Role":[null,"Clerk@NORTH"]}',
      },
      {
        UserId: 4,
        Action: 'take role',
        RecordKey: '[12]',
        Changes: '{"Role":["Clerk@NORTH",null]}',
      },
    ])
  })

  test('System gives roles in all companies or in one, and takes them in the scope', async () => {
    await using app = await startAccessBoard()
    const held = async (): Promise<unknown> =>
      (
        await app.store.all({
          sql: "SELECT CompanyId FROM svc_user_roles WHERE UserId = 9 AND Role = 'Clerk' ORDER BY 1",
          args: {},
          runs: 'inline',
        })
      ).map(({ CompanyId }) => CompanyId)
    expect(
      (await apply(app, 'root', ['user:9 Role:Clerk Member +'], { scope: 'Global' })).status,
    ).toBe(200)
    expect(await held()).toEqual([null, 2])
    expect(
      (await apply(app, 'root', ['user:9 Role:Clerk Member -'], { scope: 'Global' })).status,
    ).toBe(200)
    expect(await held()).toEqual([2])
    expect(
      (await apply(app, 'root', ['user:9 Role:Clerk Member -'], { scope: 'All' })).status,
    ).toBe(200)
    expect(await held()).toEqual([])
  })

  test('rights of a built-in role get a script of the board’s own', async () => {
    await using app = await startAccessBoard()
    for (const role of ['Admin', 'AccessManager'])
      expect((await apply(app, 'root', [`role:${role} Orders View +`])).status).toBe(200)
    expect(await rbacBodies(app)).toMatchObject([
      {
        Name: 'AccessBoard',
        Body: [
          '<Rbac Name="AccessBoard">',
          '  <Role Name="Admin">',
          '    <Grant Resource="Orders" Verbs="View"/>',
          '  </Role>',
          '  <Role Name="AccessManager">',
          '    <Grant Resource="Orders" Verbs="View"/>',
          '  </Role>',
          '</Rbac>\n',
        ].join('\n'),
      },
      { Body: RBAC, Origin: 'deploy' },
    ])
    expect(await countListed(app, 'adm', 'Orders')).toBe(5)
  })
})

describe('changes', () => {
  test.each([
    ['a principal that is not there', ['role:Nobody Orders View +'], 'role:Nobody'],
    ['a resource that is not there', ['role:Clerk Nothing View +'], 'Nothing'],
    ['a verb that is not there', ['role:Clerk Orders Fly +'], 'Fly'],
    ['a right for a user', ['user:8 Orders View +'], 'through roles'],
    ['a role in a role', ['role:Clerk Role:Rep Member +'], 'member of another role'],
    ['another verb of a membership', ['user:8 Role:Rep View +'], 'Member'],
    ['a role that is not there', ['user:8 Role:Nobody Member +'], 'Role:Nobody'],
    ['rights of System', ['role:System Orders View -'], 'System always has all rights'],
    ['one cell twice', ['role:Idle Orders View +', 'role:Idle Orders View -'], 'same cell'],
    [
      'a membership of all companies, taken in one',
      ['user:10 Role:Clerk Member -'],
      'Global scope',
    ],
  ])('of %s: 400 that says so, and nothing is changed', async (_, changes, named) => {
    await using app = await startAccessBoard()
    const before = await describeBoard(app)
    const good = 'role:Idle Depots View +'
    const { status, text } = await apply(app, 'root', [good, ...changes], { scope: 'Company' })
    expect([status, text.includes(named) ? named : text]).toEqual([400, named])
    expect(await describeBoard(app)).toEqual(before)
  })

  test('the last System user stays, and with them all that was asked for', async () => {
    await using app = await startAccessBoard()
    const before = await describeBoard(app)
    const bodies = await rbacBodies(app)
    const changes = ['role:Idle Orders View +', 'user:1 Role:System Member -']
    for (const dryRun of [true, false]) {
      const { status } = await apply(app, 'root', changes, { dryRun })
      expect(status).toBe(409)
    }
    expect([await describeBoard(app), await rbacBodies(app)]).toEqual([before, bodies])
    expect(await countListed(app, 'root', 'Orders')).toBe(5)
  })

  test('of a board that moved: 409, and of two with one version one wins', async () => {
    await using app = await startAccessBoard()
    const { Version: version } = await loadMatrix(app, 'root', { Resources: ['Orders'] })
    const both = await Promise.all(
      ['role:Idle Orders View +', 'role:Idle Depots View +', 'user:12 Role:Clerk Member +'].map(
        (each) => apply(app, 'root', [each], { version }),
      ),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const late = await apply(app, 'root', ['role:Idle Orders List +'], { version })
    expect([late.status, late.body.code]).toEqual([409, 'CONFLICT'])
    const winner = both.find(({ status }) => status === 200)
    const next = { version: winner?.body.data.Version ?? '' }
    expect((await apply(app, 'root', ['role:Idle Orders List +'], next)).status).toBe(200)
  })

  test('that make no difference leave the board as it is', async () => {
    await using app = await startAccessBoard()
    const { body } = await apply(app, 'root', [
      'role:Clerk Orders View +',
      'user:9 Role:Rep Member -',
    ])
    expect(body.data).toMatchObject({ Applied: true, Impact: [] })
    expect(await rbacBodies(app)).toMatchObject([{ Body: RBAC, Origin: 'deploy' }])
  })
})

describe('the impact', () => {
  test('tells the rows that each user can list; a dry run changes nothing', async () => {
    await using app = await startAccessBoard()
    const before = await describeBoard(app)
    const changes = [
      'user:8 Role:Clerk Member +',
      'role:Clerk Depots List -',
      'role:Clerk Depots View -',
    ]
    const dry = await apply(app, 'root', changes, { scope: 'Company', dryRun: true })
    expect(dry.body.data.Applied).toBe(false)
    expect(await describeBoard(app)).toEqual(before)
    const rows = dry.body.data.Impact.map(
      (i) =>
        `${i.Name}@${i.Company} ${i.Resource} ${i.RowsBefore} ${i.RowsAfter} ` +
        `+${i.VerbsGained} -${i.VerbsLost}`,
    )
    expect(rows.sort()).toEqual([
      'Clerk@null Depots null null + -View,List',
      'cleo@NORTH Depots 2 0 + -View,List',
      'max@NORTH Depots 2 0 + -View,List',
      'mia@NORTH Depots 2 0 + -View,List',
      'u1@NORTH Orders 2 5 + -',
    ])
    const listed = (): Promise<number[]> =>
      Promise.all([countListed(app, 'u1', 'Orders'), countListed(app, 'cleo', 'Depots')])
    expect(await listed()).toEqual([2, 2])
    const done = await apply(app, 'root', changes, { scope: 'Company' })
    expect(done.body.data.Impact).toEqual(dry.body.data.Impact)
    expect(await listed()).toEqual([5, -401])
  })

  test('counts in each company of a user, and all of them for System', async () => {
    await using app = await startAccessBoard()
    const { body } = await apply(app, 'root', ['user:10 Role:Clerk Member -'], { dryRun: true })
    const told = body.data.Impact.map((i) => [i.Company, i.Object, i.RowsBefore, i.RowsAfter])
    expect(told.sort()).toEqual([
      ['NORTH', 'Depots', 2, 0],
      ['NORTH', 'Orders', 5, 0],
      ['SOUTH', 'Depots', 0, 0],
      ['SOUTH', 'Orders', 1, 0],
    ])
  })
})
