/** The access explorer's trees, and explanations of single decisions. */
import { describe, expect, test } from 'bun:test'
import { ADMINISTRATORS, idOf, ONE, TWO } from '../../support/administrators.ts'
import { type Answer, startApp, type TestApp } from '../../support/app.ts'
import { data, Objects, type Reply } from '../../support/objects.ts'

const BASE = '/api/v1/svc/auth'

interface Node {
  Id: string
  Kind: string
  Label: string
  Children: Node[] | null
}
interface Explained {
  Decision: string
  Reasons: string[]
  RecordJudged: boolean
  Right: string
  Roles: {
    Role: string
    Grants: boolean
    RowFilters: { Sql: string; Applies: boolean; Passes: boolean | null }[]
  }[]
  Fields: { Hidden: string[]; ReadOnly: string[] }
  Permit: { Sql: string; Passes: boolean | null } | null
}

const start = () => startApp({ application: ADMINISTRATORS })
const explore = (app: TestApp, as: string, tree: string, id?: string, more = '') =>
  app.fetch<Reply<Node[]>['body']>(
    `${BASE}/explorer/${tree}?${id === undefined ? '' : `id=${encodeURIComponent(id)}`}${more}`,
    { as },
  )
const below = async (app: TestApp, as: string, tree: string, id?: string, more = '') =>
  data(await explore(app, as, tree, id, more))
const ids = (nodes: Node[]) => nodes.map(({ Id }) => Id)
const ask = (app: TestApp, as: string, user: string, Verb: string, more: object = {}) =>
  app.fetch<Reply<Explained>['body']>(`${BASE}/explain`, {
    as,
    body: { UserId: idOf(user), Object: 'cases', Verb, ...more },
  })
const told = ({ status, body }: Answer<{ code?: string }>) => [status, body.code ?? 'OK']

describe('the explorer', () => {
  test('users, companies, roles, resources, within what the caller manages', async () => {
    await using app = await start()
    const users = await below(app, 'mgr', 'users')
    expect(ids(users)).not.toContain(`user:${idOf('far')}`)
    expect(users.find(({ Id }) => Id === `user:${idOf('both')}`)).toEqual({
      Id: `user:${idOf('both')}`,
      Kind: 'User',
      Label: 'both (both)',
      Children: null,
    })
    const both = `user:${idOf('both')}`
    expect(ids(await below(app, 'mgr', 'users', both))).toEqual([`${both}/company:${ONE}`])
    expect(ids(await below(app, 'sys', 'users', both)).length).toBe(2)
    const there = `${both}/company:${TWO}`
    expect(ids(await below(app, 'sys', 'users', there))).toEqual([
      `${there}/role:Clerk`,
      `${there}/role:Looker`,
    ])
    expect((await explore(app, 'mgr', 'users', there)).status).toBe(404)
    expect(await below(app, 'sys', 'users', `${there}/role:Clerk`)).toEqual([
      {
        Id: `${there}/role:Clerk/resource:Cases`,
        Kind: 'Resource',
        Label: 'Cases',
        Children: [],
      },
    ])
    expect((await explore(app, 'mgr', 'users', `user:${idOf('far')}`)).status).toBe(404)
  })

  test('roles, their rights and holders', async () => {
    await using app = await start()
    const roles = ids(await below(app, 'mgr', 'roles'))
    expect(roles).toEqual(
      ['System', 'Admin', 'AccessManager', 'Boss', 'Clerk', 'Looker', 'Rich', 'Narrow'].map(
        (name) => `role:${name}`,
      ),
    )
    expect(ids(await below(app, 'mgr', 'roles', 'role:Clerk'))).toEqual([
      'role:Clerk/resource:Cases',
      ...['both', 'clerk', 'weak'].map((name) => `role:Clerk/user:${idOf(name)}`),
    ])
    expect((await below(app, 'sys', 'roles', 'role:Clerk')).length).toBe(5)
    const rights = await below(app, 'mgr', 'roles', 'role:Boss/resource:Cases')
    expect(rights.at(-1)).toMatchObject({ Kind: 'Capability', Label: 'Seal cases', Children: [] })
  })

  test('resources, their rights, the roles that grant them and their holders', async () => {
    await using app = await start()
    const [first] = await below(app, 'mgr', 'resources')
    expect(first).toMatchObject({ Id: 'resource:Cases', Kind: 'Resource' })
    const rights = ids(await below(app, 'mgr', 'resources', 'resource:Cases'))
    expect(rights).toContain('resource:Cases/capability:Seal')
    const seal = 'resource:Cases/capability:Seal'
    expect(ids(await below(app, 'mgr', 'resources', seal))).toEqual([
      `${seal}/role:System`,
      `${seal}/role:Boss`,
    ])
    expect(ids(await below(app, 'mgr', 'resources', `${seal}/role:Boss`))).toEqual(
      ['adm', 'mgr', 'wide'].map((name) => `${seal}/role:Boss/user:${idOf(name)}`),
    )
  })

  test('search finds users by what it shows of them: no mail address is tried out', async () => {
    await using app = await start()
    await app.store.write(
      (tx) => tx.run("UPDATE svc_users SET Email = 'post@clerk.example' WHERE UserName = 'clerk'"),
      { company: 'all', because: 'a test' },
    )
    expect(await below(app, 'sys', 'users', undefined, '&search=post@')).toEqual([])
    const path = `${BASE}/users?search=post@`
    const listed = await app.fetch<Reply<{ Rows: { Id: number }[] }>['body']>(path, { as: 'sys' })
    expect(data(listed).Rows.map(({ Id }) => Id)).toEqual([idOf('clerk')])
  })

  test('search and pages narrow; what is no node is a 404', async () => {
    await using app = await start()
    expect(ids(await below(app, 'sys', 'users', undefined, '&search=CLE'))).toEqual([
      `user:${idOf('clerk')}`,
    ])
    expect(await below(app, 'sys', 'roles', undefined, '&page=2')).toEqual([])
    for (const id of ['', 'x', 'role:', 'role:Nobody', 'user:0', 'role:Clerk/user:1/x:1', '%'])
      for (const tree of ['users', 'roles', 'resources'])
        expect((await explore(app, 'sys', tree, id)).status).toBe(404)
    for (const as of ['clerk', 'none'])
      for (const tree of ['users', 'roles', 'resources'])
        expect((await explore(app, as, tree)).status).toBe(401)
  })
})

/** Cases of ONE: an open one of the north, a sealed one of the south. */
async function startWithCases() {
  const app = await start()
  const office = new Objects(app)
  const add = async (as: string, values: Record<string, unknown>): Promise<unknown> =>
    ((await office.save(as, 'Cases', values)).Keys as { Id: number }).Id
  const north = await add('adm', { Title: 'n', Region: 'north', Cost: 5 })
  const south = await add('adm', { Title: 's', Region: 'south', State: 'sealed' })
  const far = await add('far', { Title: 'f' }).catch(() => undefined)
  return { app, office, north, south, far, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

describe('explain', () => {
  test('agrees with what the user gets, record by record', async () => {
    await using world = await startWithCases()
    const { app, office, north, south } = world
    const users = ['clerk', 'weak', 'mgr', 'none', 'both', 'adm']
    for (const user of users)
      for (const Id of [north, south]) {
        const asUser = await office.call(user, '/cases/view', { Parameters: { Id } })
        const { Decision } = data(await ask(app, 'sys', user, 'View', { Keys: { Id } }))
        const expected = { 200: 'allowed', 401: 'denied', 404: 'notFound' }[asUser.status]
        // A user of both companies signed in to ONE, as the others.
        expect([user, Id, Decision]).toEqual([user, Id, expected ?? ''])
        const remark = { Id, Title: 'changed' }
        const saved = await office.submit(user, 'Cases', remark)
        const update = data(await ask(app, 'sys', user, 'Update', { Keys: { Id } }))
        const wanted = { 200: 'allowed', 401: 'denied', 404: 'notFound', 400: 'notPermittedNow' }
        expect([user, Id, update.Decision]).toEqual([user, Id, Reflect.get(wanted, saved.status)])
      }
  })

  test('tells each grant, filter, field rule and permit', async () => {
    await using world = await startWithCases()
    const { app, north, south } = world
    const seen = data(await ask(app, 'mgr', 'clerk', 'Update', { Keys: { Id: north } }))
    expect(seen).toMatchObject({
      Object: 'Cases',
      Resource: 'Cases',
      Right: 'Update',
      CompanyId: ONE,
      Decision: 'allowed',
      RecordJudged: true,
      Roles: [
        {
          Role: 'Clerk',
          Label: 'Clerk',
          CompanyId: ONE,
          Grants: true,
          RowFilters: [{ Verbs: null, Sql: 'Region = @User_Region', Applies: true, Passes: true }],
          FieldRules: [{ Field: 'Cost', Access: 'Hidden' }],
        },
      ],
      Fields: { Hidden: ['Cost'], ReadOnly: [] },
      Permit: { Sql: "State = 'open'", Passes: true },
    })
    const hidden = data(await ask(app, 'mgr', 'clerk', 'Update', { Keys: { Id: south } }))
    expect(hidden.Decision).toBe('notFound')
    expect(hidden.Roles[0]?.RowFilters[0]?.Passes).toBe(false)
    const closed = data(await ask(app, 'sys', 'mgr', 'Seal', { Keys: { Id: south } }))
    expect(closed).toMatchObject({ Decision: 'notPermittedNow', Permit: { Passes: false } })
    const none = data(await ask(app, 'mgr', 'none', 'View'))
    expect(none).toMatchObject({ Decision: 'denied', Roles: [] })
    expect(none.Reasons.slice(0, 2)).toEqual([
      'No role of the user grants View on Cases',
      'Boss would grant it, but only System can assign that role',
    ])
  })

  test('tells nothing of a record that whoever asks does not see', async () => {
    await using world = await startWithCases()
    const { app, north, south } = world
    // `weak` sees the north alone, and no Cost.
    const hidden = data(await ask(app, 'weak', 'mgr', 'Update', { Keys: { Id: south } }))
    const missing = data(await ask(app, 'weak', 'mgr', 'Update', { Keys: { Id: 99_999 } }))
    expect(hidden).toEqual(missing)
    expect(hidden).toMatchObject({ Decision: 'dependsOnRecord', RecordJudged: false })
    const own = data(await ask(app, 'weak', 'mgr', 'Update', { Keys: { Id: north } }))
    expect(own).toMatchObject({ Decision: 'allowed', RecordJudged: true })
    // What a filter says of a field that is hidden from the asker would tell its value.
    const rich = { Role: 'Rich', CompanyId: ONE }
    await app.fetch(`${BASE}/users/${idOf('none')}/roles`, { as: 'sys', body: rich })
    const withheld = data(await ask(app, 'weak', 'none', 'View', { Keys: { Id: north } }))
    expect(withheld).toMatchObject({ Decision: 'dependsOnRecord', RecordJudged: false })
    const open = data(await ask(app, 'mgr', 'none', 'View', { Keys: { Id: north } }))
    expect(open).toMatchObject({ Decision: 'allowed', RecordJudged: true })
    const other = { Keys: { Id: north }, CompanyId: TWO }
    expect(data(await ask(app, 'wide', 'both', 'View', other)).RecordJudged).toBe(false)
  })

  test('without a record: what is decided, and what depends on one', async () => {
    await using app = await start()
    const decide = async (user: string, verb: string, more: object = {}) =>
      data(await ask(app, 'sys', user, verb, more)).Decision
    expect(await decide('mgr', 'View')).toBe('allowed')
    expect(await decide('clerk', 'View')).toBe('dependsOnRecord')
    expect(await decide('clerk', 'List')).toBe('allowed')
    expect(await decide('clerk', 'Create')).toBe('dependsOnRecord')
    expect(await decide('mgr', 'Create')).toBe('allowed')
    expect(await decide('clerk', 'Export')).toBe('denied')
    expect(await decide('sys', 'Delete')).toBe('dependsOnRecord')
    expect(await decide('far', 'View')).toBe('denied')
    expect(await decide('far', 'View', { CompanyId: TWO })).toBe('dependsOnRecord')
    await app.fetch(`${BASE}/users/${idOf('clerk')}/lock`, { as: 'sys', body: {} })
    const locked = data(await ask(app, 'sys', 'clerk', 'View'))
    expect([locked.Decision, locked.Reasons]).toEqual(['denied', ['The user is locked']])
  })

  test('only about what is there for the caller', async () => {
    await using app = await start()
    expect((await ask(app, 'mgr', 'far', 'View')).status).toBe(404)
    expect((await ask(app, 'mgr', 'both', 'View', { CompanyId: TWO })).status).toBe(404)
    expect((await ask(app, 'mgr', 'clerk', 'View', { Object: 'nothing' })).status).toBe(404)
    expect((await ask(app, 'mgr', 'clerk', 'Nothing')).status).toBe(400)
    expect((await ask(app, 'mgr', 'clerk', 'View', { Keys: { Title: 'n' } })).status).toBe(400)
    expect((await ask(app, 'mgr', 'clerk', 'View', { Keys: { Id: {} } })).status).toBe(400)
    expect(told(await ask(app, 'clerk', 'clerk', 'View'))).toEqual([401, 'PERMISSION_DENIED'])
  })
})
