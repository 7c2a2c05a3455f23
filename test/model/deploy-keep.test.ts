import { expect, test } from 'bun:test'
import { executeDeploy } from '../../src/model/deploy.ts'
import type { Deployment } from '../../src/model/deploy.ts'
import { prepareDeploy } from '../../src/model/deploy-plan.ts'
import { tellPlan } from '../../src/model/deploy-report.ts'
import { editRight } from '../../src/model/rbac-edit.ts'
import { DeployTarget, NOW } from '../support/deploy.ts'

const KINDS = `<Model>
  <Entity Name="Kind" Table="kinds">
    <Column Name="Code" Type="Text" Key="true"/><Column Name="Label"/>
  </Entity>
  <Rows Entity="Kind" Key="Code"><Row Code="a" Label="First"/></Rows>
  <ObjectView Name="Kinds" Entity="Kind"/>
</Model>`

const RBAC = `<Rbac>
  <!-- Who may do what. -->
  <Role Name="Clerk">
    <Grant Resource="Kinds" Verbs="View List"/>
  </Role>
</Rbac>
`

const FILES = { 'kinds.xml': KINDS, 'rbac.xml': RBAC }

const withRight = (body: string, right: string, isGranted = true): string =>
  editRight(body, { role: 'Clerk', resource: 'Kinds', right, isGranted })

/** What the access board does to a script. */
async function change(target: DeployTarget, body: string): Promise<Deployment> {
  const { store, models } = target
  const options = { change: { origin: 'board', by: 7 } } as const
  const preparation = await prepareDeploy(store, [{ name: 'rbac.xml', body }], options)
  const clock = { now: () => new Date(NOW) }
  return executeDeploy({ store, models, clock }, preparation, options)
}

const stored = async (target: DeployTarget): Promise<unknown[]> =>
  target.rows(
    "SELECT Body, Origin, ExecutedBy FROM svc_scripts WHERE Type = 'Rbac' AND IsCurrent ORDER BY Id",
  )

test('an Rbac that was changed here is kept, and the plan says so with a diff', async () => {
  await using target = await DeployTarget.open()
  await target.deploy(FILES)
  const changed = withRight(RBAC, 'Export')
  expect((await change(target, changed)).isDone).toBe(true)
  expect(target.models.get().roles.get('Clerk')?.grants[0]?.verbs.has('Export')).toBe(true)
  const again = await target.deploy(FILES)
  expect(again.isDone).toBe(true)
  expect(tellPlan(again.plan)).toEqual([
    'same     Entity Kind (kinds.xml)',
    'same     Rows Kind (kinds.xml)',
    'same     ObjectView Kinds (kinds.xml)',
    'kept     Rbac Rbac (rbac.xml): changed here since its last deploy; --overwrite replaces it',
    '             <!-- Who may do what. -->',
    '             <Role Name="Clerk">',
    '         -     <Grant Resource="Kinds" Verbs="View List"/>',
    '         +     <Grant Resource="Kinds" Verbs="View List Export"/>',
    '             </Role>',
    '           </Rbac>',
  ])
  expect(await stored(target)).toEqual([{ Body: changed, Origin: 'board', ExecutedBy: 7 }])
  const overwritten = await target.deploy(FILES, { overwrite: true })
  expect(overwritten.plan.changed.map(({ name }) => name)).toEqual(['Rbac'])
  expect(await stored(target)).toEqual([{ Body: RBAC, Origin: 'deploy', ExecutedBy: null }])
  expect(target.models.get().roles.get('Clerk')?.grants[0]?.verbs.has('Export')).toBe(false)
})

test('a file that has changed too does not replace what was changed here', async () => {
  await using target = await DeployTarget.open()
  await target.deploy(FILES)
  await change(target, withRight(RBAC, 'Export'))
  const newer = withRight(RBAC, 'Delete')
  const { plan } = await target.deploy({ ...FILES, 'rbac.xml': newer })
  expect(plan.kept).toMatchObject([{ name: 'Rbac', isFileChanged: true }])
  expect(tellPlan(plan)[3]).toContain('last deploy, and so has the file; --overwrite')
})

test('what was changed here and changed back is deployed over again', async () => {
  await using target = await DeployTarget.open()
  await target.deploy(FILES)
  await change(target, withRight(RBAC, 'Export'))
  await change(target, RBAC)
  const newer = withRight(RBAC, 'Delete')
  const { plan } = await target.deploy({ ...FILES, 'rbac.xml': newer })
  expect([plan.kept, plan.changed.map(({ name }) => name)]).toEqual([[], ['Rbac']])
})

test('a file that has taken the change over owns the script again', async () => {
  await using target = await DeployTarget.open()
  await target.deploy(FILES)
  const changed = withRight(RBAC, 'Export')
  await change(target, changed)
  const adopted = await target.deploy({ ...FILES, 'rbac.xml': changed })
  expect([adopted.plan.kept, adopted.plan.changed]).toEqual([[], []])
  expect(await stored(target)).toEqual([{ Body: changed, Origin: 'deploy', ExecutedBy: null }])
  const { plan } = await target.deploy(FILES)
  expect(plan.changed.map(({ name }) => name)).toEqual(['Rbac'])
})

test('--prune spares what was made here, and takes it with --overwrite', async () => {
  await using target = await DeployTarget.open()
  await target.deploy(FILES)
  const own =
    '<Rbac Name="Own"><Role Name="Admin"><Grant Resource="Kinds" Verbs="View"/></Role></Rbac>'
  await change(target, own)
  const spared = await target.deploy(FILES, { prune: true })
  expect([spared.plan.removed, spared.plan.kept.map(({ name }) => name)]).toEqual([[], ['Own']])
  expect(target.models.get().roles.has('Admin')).toBe(true)
  const taken = await target.deploy(FILES, { prune: true, overwrite: true })
  expect(taken.plan.removed.map(({ name }) => name)).toEqual(['Own'])
  expect(target.models.get().roles.has('Admin')).toBe(false)
})

test('a change here writes no reference rows over those that users have changed', async () => {
  await using target = await DeployTarget.open()
  await target.deploy(FILES)
  await target.run("UPDATE kinds SET Label = 'Mine'")
  await change(target, withRight(RBAC, 'Export'))
  expect(await target.rows('SELECT Label FROM kinds')).toEqual([{ Label: 'Mine' }])
})
