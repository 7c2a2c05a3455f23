/** Changes made here, beside a deploy that is rolled back: rights, documents, reference rows. */
import { describe, expect, test } from 'bun:test'
import { executeDeploy } from '../../src/model/deploy/deploy.ts'
import type { DeployOptions } from '../../src/model/deploy/plan.ts'
import { prepareDeploy } from '../../src/model/deploy/prepare.ts'
import { editRight } from '../../src/model/rbac/edit.ts'
import { DeployTarget, NOW } from '../support/deploy.ts'

const KINDS = `<Model>
  <Entity Name="Kind" Table="kinds">
    <Column Name="Code" Type="Text" Key="true"/><Column Name="Label"/>
  </Entity>
  <Rows Entity="Kind" Key="Code"><Row Code="a" Label="First"/></Rows>
  <ObjectView Name="Kinds" Entity="Kind"/>
</Model>`

const RBAC = `<Rbac>
  <Role Name="Clerk">
    <Grant Resource="Kinds" Verbs="View List"/>
  </Role>
</Rbac>
`
const FILES = { 'kinds.xml': KINDS, 'rbac.xml': RBAC }

const withRight = (body: string, right: string, isGranted = true): string =>
  editRight(body, { role: 'Clerk', resource: 'Kinds', right, isGranted })

const rollBack = async (target: DeployTarget, options: DeployOptions = {}) => {
  const { plan, isDone } = await target.deploy({}, { ...options, rollback: true })
  expect([plan.faults, plan.losses, isDone]).toEqual([[], [], true])
  return plan
}

async function change(
  target: DeployTarget,
  files: Record<string, string>,
  source: 'board' | 'designer' = 'board',
): Promise<void> {
  const { store, models } = target
  const options = { change: { source, by: 7 } }
  const list = Object.entries(files).map(([name, body]) => ({ name, body }))
  const preparation = await prepareDeploy(store, list, options)
  const clock = { now: () => new Date(NOW) }
  expect((await executeDeploy({ store, models, clock }, preparation, options)).isDone).toBe(true)
}

const current = (target: DeployTarget, type: string) =>
  target.rows(
    `SELECT Name, Body, Origin, coalesce(DocumentId, Id) AS Document FROM svc_scripts
     WHERE Type = '${type}' AND IsCurrent ORDER BY Name`,
  )

const verbsOf = (target: DeployTarget, role = 'Clerk'): string[] => [
  ...(target.models.get().roles.get(role)?.grants[0]?.verbs ?? []),
]

describe('rights', () => {
  test('changes made here before and since stay, and the same deploy comes again', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(FILES)
    await change(target, { 'rbac.xml': withRight(RBAC, 'Export') })
    const next = { ...FILES, 'rbac.xml': withRight(withRight(RBAC, 'List', false), 'Update') }
    await target.deploy(next)
    expect(verbsOf(target)).toEqual(['View', 'Update', 'Export'])
    const [deployed] = await current(target, 'Rbac')
    await change(target, { 'rbac.xml': withRight(String(deployed?.Body), 'Delete') })
    await rollBack(target)
    expect(verbsOf(target).sort()).toEqual(['Delete', 'Export', 'List', 'View'])
    await target.deploy(FILES)
    expect(verbsOf(target).sort()).toEqual(['Delete', 'Export', 'List', 'View'])
    await target.deploy(next)
    expect(verbsOf(target).sort()).toEqual(['Delete', 'Export', 'Update', 'View'])
  })

  test('rights that were overwritten come back', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(FILES)
    await change(target, { 'rbac.xml': withRight(RBAC, 'Export') })
    const before = await current(target, 'Rbac')
    await target.deploy(FILES, { overwrite: true })
    expect(verbsOf(target)).toEqual(['View', 'List'])
    await rollBack(target)
    expect(await current(target, 'Rbac')).toMatchObject(
      before.map(({ Body, Origin }) => ({ Body, Origin })),
    )
    await target.deploy(FILES)
    expect(verbsOf(target)).toEqual(['View', 'List', 'Export'])
  })

  test('a script that the deploy brought goes, but for what was made of it here', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(FILES)
    const more =
      '<Rbac Name="More"><Role Name="Guest"><Grant Resource="Kinds" Verbs="View"/></Role></Rbac>'
    await target.deploy({ ...FILES, 'more.xml': more })
    await rollBack(target)
    expect([...target.models.get().roles.keys()]).toEqual(['Clerk'])
    await target.deploy({ ...FILES, 'more.xml': more })
    expect(verbsOf(target, 'Guest')).toEqual(['View'])
    const own = more.replace('</Rbac>', '<Role Name="Own"/></Rbac>')
    await change(target, { 'more.xml': own })
    await rollBack(target)
    expect([...target.models.get().roles.keys()].sort()).toEqual(['Clerk', 'Own'])
    await target.deploy({ ...FILES, 'more.xml': more })
    expect([...target.models.get().roles.keys()].sort()).toEqual(['Clerk', 'Guest', 'Own'])
  })

  test('a renamed role goes back with its users', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(FILES)
    await target.run(
      "INSERT INTO svc_users (Id, UserName, UserNameKey, DisplayName, Active, PasswordHash, MustChangePassword, CreatedAt, ChangedAt) VALUES (1, 'ann', 'ann', 'Ann', 1, '', 0, '', '')",
      "INSERT INTO svc_user_roles (UserId, Role, CompanyId) VALUES (1, 'Clerk', NULL)",
    )
    const seller = RBAC.replace('Name="Clerk"', 'Name="Seller" Was="Clerk"')
    await target.deploy({ ...FILES, 'rbac.xml': seller })
    const roles = 'SELECT Role FROM svc_user_roles'
    expect(await target.rows(roles)).toEqual([{ Role: 'Seller' }])
    const plan = await rollBack(target)
    expect(plan.steps).toEqual([
      'role Seller is called Clerk now: its users keep it; change the settings that name it ' +
        'yourself (Svc:Mfa:RequiredRoles)',
    ])
    expect(await target.rows(roles)).toEqual([{ Role: 'Clerk' }])
    expect(verbsOf(target)).toEqual(['View', 'List'])
  })
})

const report = (title: string): string =>
  `<Report Name="Labels" Label="${title}"><DataSets><DataSet Name="All"><Sql>SELECT Code FROM kinds</Sql></DataSet></DataSets><Widgets><Widget Name="All" Kind="Table" DataSet="All"/></Widgets></Report>`

describe('documents', () => {
  const files = (title: string) => ({ ...FILES, 'report.xml': report(title) })

  test('one that was changed here since is kept with how it differs, or replaced', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(files('One'))
    await target.deploy(files('Two'))
    await change(target, { 'report.xml': report('Own') }, 'designer')
    const dry = await target.deploy({}, { rollback: true, dryRun: true, overwrite: true })
    expect(dry.plan.changed.map(({ name }) => name)).toEqual(['Labels'])
    const { kept } = await rollBack(target)
    expect(kept.map(({ name, isFileChanged }) => [name, isFileChanged])).toEqual([['Labels', true]])
    expect(await current(target, 'Report')).toMatchObject([{ Body: report('Own') }])
  })

  test('one that was overwritten, or taken out, comes back as the same document', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(files('One'))
    await change(target, { 'report.xml': report('Own') }, 'designer')
    const before = await current(target, 'Report')
    await target.deploy(files('One'), { overwrite: true })
    await rollBack(target)
    expect(await current(target, 'Report')).toEqual(before)
    await target.deploy(files('Two'), { overwrite: true })
    const deployed = await current(target, 'Report')
    await target.deploy(FILES, { prune: true })
    expect(await current(target, 'Report')).toEqual([])
    await rollBack(target)
    expect(await current(target, 'Report')).toEqual(deployed)
  })

  test('the draft of one that goes is a loss, of a deploy too', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(FILES)
    await target.deploy(files('One'))
    await target.run(
      `INSERT INTO svc_drafts SELECT Id, 'text', '', Id, '${NOW}', 7 FROM svc_scripts
       WHERE Type = 'Report' AND IsCurrent`,
    )
    const lost = ['Report Labels is removed: its draft']
    const back = await target.deploy({}, { rollback: true })
    expect([back.plan.losses, back.isDone]).toEqual([lost, false])
    const pruned = await target.deploy(FILES, { prune: true })
    expect([pruned.plan.losses, pruned.isDone]).toEqual([lost, false])
    expect(await target.rows('SELECT count(*) AS n FROM svc_drafts')).toEqual([{ n: 1 }])
    const done = await target.deploy({}, { rollback: true, allowDataLoss: true })
    expect([done.plan.losses, done.isDone]).toEqual([lost, true])
  })
})

test('reference rows that the deploy changed are as before, others stay as they are', async () => {
  await using target = await DeployTarget.open()
  const others =
    '<Model><Entity Name="Other" Table="others"><Column Name="Code" Key="true"/><Column Name="Label"/></Entity><Rows Entity="Other" Key="Code"><Row Code="x" Label="X"/></Rows></Model>'
  await target.deploy({ ...FILES, 'others.xml': others })
  const next = KINDS.replace('Label="First"/>', 'Label="Second"/><Row Code="b" Label="New"/>')
  await target.deploy({ ...FILES, 'kinds.xml': next, 'others.xml': others })
  await target.run("UPDATE others SET Label = 'own'")
  await rollBack(target)
  expect(await target.rows('SELECT * FROM kinds ORDER BY Code')).toEqual([
    { Code: 'a', Label: 'First' },
    { Code: 'b', Label: 'New' },
  ])
  expect(await target.rows('SELECT Label FROM others')).toEqual([{ Label: 'own' }])
})
