/** Changes of rights alone: the same model as a whole compilation gives, without one. */
import { expect, test } from 'bun:test'
import { renderMessage } from '../../src/kernel/messages.ts'
import { compileModel } from '../../src/model/compile/compile.ts'
import { loadScripts } from '../../src/model/deploy/catalog.ts'
import { executeDeploy } from '../../src/model/deploy/deploy.ts'
import { prepareDeploy } from '../../src/model/deploy/prepare.ts'
import { openModel } from '../../src/model/load.ts'
import type { Model } from '../../src/model/model.ts'
import { RIGHTS_FACT } from '../../src/model/rbac/rights/rights-snapshot.ts'
import { ALL } from '../store/temporary.ts'
import { RBAC, startAccessBoard } from '../support/access-board.ts'
import type { TestApp } from '../support/app.ts'
import { DeployTarget, NOW } from '../support/deploy.ts'
import { SHOP } from '../support/shop-model.ts'

const importRbac = (app: TestApp, body: string) =>
  app.fetch('/api/v1/svc/auth/rbac/import', {
    as: 'root',
    body: { Files: [{ FileName: 'rbac.xml', Body: body }] },
  })

const BOARD = '/api/v1/svc/auth/board'

const served = (app: TestApp): Model => app.context.models.get()

/** The roles that a compilation of all stored scripts gives. */
async function compileRoles(app: TestApp): Promise<Model['roles'] | undefined> {
  return (await compileModel(await loadScripts(app.store))).model?.roles
}

const SHORT: [string, (rbac: string) => string][] = [
  [
    'a grant',
    (rbac) => rbac.replace('Verbs="View List"/> <!--', 'Verbs="View List Export"/> <!--'),
  ],
  [
    'a role that loses all',
    (rbac) => rbac.replace(/<Role Name="Boss">[^]*?<\/Role>/, '<Role Name="Boss"/>'),
  ],
  ['a field rule that goes', (rbac) => rbac.replace(/<FieldRule .*\/>/, '')],
  [
    'a row filter of another role, with verbs of its own',
    (rbac) =>
      rbac.replace(
        '<Role Name="Idle"/>',
        '<Role Name="Idle"><Grant Resource="Orders" Verbs="View List Update"/>' +
          '<RowFilter Resource="Orders" Verbs="Update">Region = @User_Region</RowFilter></Role>',
      ),
  ],
  [
    'a capability',
    (rbac) => rbac.replace('Verbs="View List Update"', 'Verbs="View" Capabilities="Approve"'),
  ],
]

test.each(SHORT)('%s goes the short way, and comes to the same', async (_, edit) => {
  await using app = await startAccessBoard()
  const before = served(app)
  const views = [...before.views.values()]
  expect(edit(RBAC)).not.toBe(RBAC)
  expect((await importRbac(app, edit(RBAC))).status).toBe(200)
  expect(served(app)).not.toBe(before)
  expect([...served(app).views.values()].every((view, at) => view === views[at])).toBe(true)
  const whole = await compileRoles(app)
  expect(whole).toBeDefined()
  expect([...served(app).roles]).toEqual([...(whole ?? [])])
  expect(served(app).hash).toBe(
    (await compileModel(await loadScripts(app.store))).model?.hash ?? '',
  )
})

test('what the board gives and takes comes to the same, also at the next start', async () => {
  await using app = await startAccessBoard()
  const apply = async (Principal: string, Resource: string, Verb: string, Grant: boolean) => {
    const matrix = { as: 'root', body: {} } as const
    const { body } = await app.fetch<{ data: { Version: string } }>(`${BOARD}/matrix`, matrix)
    const { Version } = body.data
    const Changes = [{ Principal, Resource, Verb, Grant }]
    const answer = await app.fetch(`${BOARD}/apply`, { as: 'root', body: { Version, Changes } })
    expect(answer.status).toBe(200)
  }
  const [view] = served(app).views.values()
  await apply('role:Clerk', 'Depots', 'Export', true)
  await apply('role:Idle', 'Orders', 'List', true)
  await apply('role:Idle', 'Orders', 'View', true)
  await apply('role:Idle', 'Orders', 'List', false)
  expect(served(app).views.get(view?.name ?? '')).toBe(view)
  const whole = await compileRoles(app)
  expect(whole?.get('Idle')?.grants[0]?.verbs).toEqual(new Set(['View']))
  expect([...served(app).roles]).toEqual([...(whole ?? [])])
  const opened = await openModel(app.store)
  expect(opened.keep).toBeUndefined()
  expect([...opened.model.roles]).toEqual([...served(app).roles])
})

const LONG: [string, (rbac: string) => string][] = [
  [
    'a new role',
    (rbac) => rbac.replace('<Role Name="Idle"/>', '<Role Name="Idle"/><Role Name="New"/>'),
  ],
  ['a label', (rbac) => rbac.replace('<Role Name="Idle"/>', '<Role Name="Idle" Label="At rest"/>')],
  [
    'a row filter that no role has',
    (rbac) => rbac.replace('Region = @User_Region', "Region = 'x'"),
  ],
  [
    'a new capability',
    (rbac) => rbac.replace('<Capability Name="Approve"/>', '$&<Capability Name="Sign"/>'),
  ],
]

test.each(LONG)('%s compiles the whole model', async (_, edit) => {
  await using app = await startAccessBoard()
  const [view] = served(app).views.values()
  expect((await importRbac(app, edit(RBAC))).status).toBe(200)
  expect(served(app).views.get(view?.name ?? '')).not.toBe(view)
  expect([...served(app).roles]).toEqual([...((await compileRoles(app)) ?? [])])
})

test('a fault is told with its place, and nothing changes', async () => {
  await using app = await startAccessBoard()
  const before = served(app)
  const answer = await importRbac(app, RBAC.replace('Field="Cost"', 'Field="Coast"'))
  expect(answer.status).toBe(400)
  expect(answer.text).toContain('Orders has no field Coast')
  expect(served(app)).toBe(before)
})

test('a start serves them from what is kept, in every language', async () => {
  await using app = await startAccessBoard()
  const edit = SHORT[0]?.[1] ?? String
  await importRbac(app, edit(RBAC))
  // Once more on top of it: the base is that of the kept model still.
  await importRbac(app, edit(RBAC).replace(/<FieldRule .*\/>/, ''))
  const opened = await openModel(app.store)
  expect(opened.keep).toBeUndefined()
  expect([...opened.model.roles]).toEqual([...served(app).roles])
  expect(opened.model.hash).toBe(served(app).hash)
  const identify = ({ scripts }: Model) =>
    scripts.map(({ name, versionHash }) => name + versionHash)
  expect(identify(opened.model)).toEqual(identify(served(app)))
  expect(opened.model.roles.get('Blind')?.fieldRules).toEqual([])
})

test('a start compiles the model where what is stored of its rights is damaged', async () => {
  await using app = await startAccessBoard()
  await importRbac(app, (SHORT[0]?.[1] ?? String)(RBAC))
  const damage = "UPDATE svc_facts SET Value = replace(Value, 'A', 'B') WHERE Name = @name"
  await app.store.write((tx) => tx.run(damage, { name: RIGHTS_FACT }), ALL)
  const opened = await openModel(app.store)
  expect(opened.keep).toBeDefined()
  expect([...opened.model.roles]).toEqual([...served(app).roles])
})

test('labels stay translated: in what serves, and at the next start', async () => {
  await using target = await DeployTarget.open()
  const { store, models } = target
  const german = '<Texts Language="de"><Text Of="Role.Clerk">Sachbearbeiter</Text></Texts>'
  const rbac = (verbs: string) =>
    '<Rbac><Role Name="Clerk"><Grant Resource="Customers" Verbs="' + verbs + '"/></Role></Rbac>'
  const shop = SHOP.replace(/<Rbac>[^]*<\/Rbac>/, '')
  await target.deploy({ 'shop.xml': shop, 'rbac.xml': rbac('View'), 'de.xml': german })
  const before = models.get()
  const options = { change: { source: 'board', by: 7, served: before } } as const
  const files = [{ name: 'rbac.xml', body: rbac('View List') }]
  const preparation = await prepareDeploy(store, files, options)
  expect(preparation.ready?.kind).toBe('rights')
  await executeDeploy({ store, models, clock: { now: () => new Date(NOW) } }, preparation, options)
  const opened = await openModel(store)
  expect(opened.keep).toBeUndefined()
  for (const { roles } of [models.get(), opened.model]) {
    const clerk = roles.get('Clerk')
    expect([...(clerk?.grants[0]?.verbs ?? [])]).toEqual(['View', 'List'])
    expect(renderMessage(clerk?.label ?? '', 'de')).toBe('Sachbearbeiter')
    expect(renderMessage(clerk?.label ?? '', 'en')).toBe('Clerk')
  }
})
