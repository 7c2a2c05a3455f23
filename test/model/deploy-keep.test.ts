import { describe, expect, test } from 'bun:test'
import { type Deployment, executeDeploy } from '../../src/model/deploy/deploy.ts'
import { prepareDeploy } from '../../src/model/deploy/prepare.ts'
import { describePlan, formatDiagnostic } from '../../src/model/deploy/report.ts'
import { editRight } from '../../src/model/rbac/edit.ts'
import { compileTexts, findMarks } from '../support/compile-text.ts'
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

/** Changes a script as the access board does. */
async function change(target: DeployTarget, body: string): Promise<Deployment> {
  const { store, models } = target
  const options = { change: { source: 'board', by: 7 } } as const
  const preparation = await prepareDeploy(store, [{ name: 'rbac.xml', body }], options)
  const clock = { now: () => new Date(NOW) }
  return executeDeploy({ store, models, clock }, preparation, options)
}

const stored = async (target: DeployTarget): Promise<unknown[]> =>
  target.rows(
    "SELECT Body, Origin, ExecutedBy FROM svc_scripts WHERE Type = 'Rbac' AND IsCurrent ORDER BY Id",
  )

const currentBodies = async (target: DeployTarget): Promise<unknown[]> =>
  (await stored(target)).map((row) => (row as { Body: unknown }).Body)

const verbsOf = (target: DeployTarget, role = 'Clerk'): string[] => [
  ...(target.models.get().roles.get(role)?.grants[0]?.verbs ?? []),
]

test('an Rbac that was changed here stays so, and the plan says what', async () => {
  await using target = await DeployTarget.open()
  await target.deploy(FILES)
  const changed = withRight(RBAC, 'Export')
  expect((await change(target, changed)).isDone).toBe(true)
  expect(verbsOf(target)).toEqual(['View', 'List', 'Export'])
  const again = await target.deploy(FILES)
  expect(again.isDone).toBe(true)
  expect(describePlan(again.plan)).toEqual([
    'same     Entity Kind (kinds.xml)',
    'same     Rows Kind (kinds.xml)',
    'same     ObjectView Kinds (kinds.xml)',
    'merged   Rbac Rbac (rbac.xml): changed here since its last deploy',
    '  here   Role Clerk has Export on Kinds',
  ])
  expect(await stored(target)).toEqual([{ Body: changed, Origin: 'board', ExecutedBy: 7 }])
  const overwritten = await target.deploy(FILES, { overwrite: true })
  expect(overwritten.plan.changed.map(({ name }) => name)).toEqual(['Rbac'])
  expect(await stored(target)).toEqual([{ Body: RBAC, Origin: 'deploy', ExecutedBy: null }])
  expect(verbsOf(target)).toEqual(['View', 'List'])
})

test('after a change of the board new views open, what the file took away is gone', async () => {
  await using target = await DeployTarget.open()
  const wide = withRight(RBAC, 'Delete')
  await target.deploy({ ...FILES, 'rbac.xml': wide })
  await change(target, withRight(wide, 'Export'))
  const newer = RBAC.replace(
    '  </Role>',
    '    <Grant Resource="More" Verbs="View"/>\n  </Role>\n  <Role Name="Guest"/>',
  )
  const files = {
    'kinds.xml': KINDS.replace('</Model>', '<ObjectView Name="More" Entity="Kind"/></Model>'),
    'rbac.xml': newer,
  }
  const dry = await target.deploy(files, { dryRun: true })
  const { plan, isDone } = await target.deploy(files)
  expect(isDone).toBe(true)
  expect(dry.plan.merged).toEqual(plan.merged)
  expect(plan.merged).toEqual([
    {
      type: 'Rbac',
      name: 'Rbac',
      fileName: 'rbac.xml',
      fromHere: ['Role Clerk has Export on Kinds'],
      fromFile: [
        'Role Clerk has View on More',
        'Role Clerk has no Delete on Kinds',
        'Role Guest is assignable by Admin',
        'Role Guest is there',
      ],
    },
  ])
  const merged = newer.replace('"View List"', '"View List Export"')
  expect(await stored(target)).toEqual([{ Body: merged, Origin: 'merge', ExecutedBy: null }])
  expect(
    target.models
      .get()
      .roles.get('Clerk')
      ?.grants.map(({ resource }) => resource),
  ).toEqual(['Kinds', 'More'])
})

test('the next deploy merges with the last one, and what was revoked stays so', async () => {
  await using target = await DeployTarget.open()
  await target.deploy(FILES)
  await change(target, withRight(RBAC, 'List', false))
  const second = withRight(RBAC, 'Update')
  await target.deploy({ ...FILES, 'rbac.xml': second })
  expect(verbsOf(target)).toEqual(['View', 'Update'])
  const third = withRight(withRight(RBAC, 'Update', false), 'Export')
  await target.deploy({ ...FILES, 'rbac.xml': third })
  expect(verbsOf(target)).toEqual(['View', 'Export'])
  await target.deploy({ ...FILES, 'rbac.xml': third })
  expect(verbsOf(target)).toEqual(['View', 'Export'])
})

const filtered = (text: string): string =>
  RBAC.replace('  </Role>', `    <RowFilter Resource="Kinds">${text}</RowFilter>\n  </Role>`)

test('a row filter that both sides changed is a conflict, and nothing is deployed', async () => {
  await using target = await DeployTarget.open()
  await target.deploy({ ...FILES, 'rbac.xml': filtered("Code = 'a'") })
  await change(target, filtered("Code = 'b'"))
  const before = await target.dump()
  const conflicting = { ...FILES, 'rbac.xml': filtered("Code = 'c'") }
  for (const dryRun of [true, false]) {
    const { plan, isDone } = await target.deploy(conflicting, { dryRun })
    expect(isDone).toBe(false)
    expect(plan.faults.map(formatDiagnostic)).toEqual([
      'rbac.xml:3:3: Role Clerk: the row filter on Kinds was changed here and in the files since ' +
        `the last deploy (here "Code = 'b'", in the files "Code = 'c'"): make them the ` +
        "same, or use --overwrite to take the files'",
    ])
  }
  expect(await target.dump()).toBe(before)
  expect((await target.deploy(conflicting, { overwrite: true })).isDone).toBe(true)
  expect(target.models.get().roles.get('Clerk')?.rowFilters[0]?.condition.text).toBe("Code = 'c'")
})

test('a role that moves to another file keeps what was changed of it here', async () => {
  await using target = await DeployTarget.open()
  await target.deploy(FILES)
  await change(target, withRight(RBAC, 'List', false))
  const { plan, isDone } = await target.deploy({
    'kinds.xml': KINDS,
    'rbac.xml': '<Rbac/>',
    'roles.xml': RBAC.replace('<Rbac>', '<Rbac Name="Roles">'),
  })
  expect([isDone, plan.faults]).toEqual([true, []])
  expect(verbsOf(target)).toEqual(['View'])
})

test('a role that the board gave rights, and files declare now, is one', async () => {
  await using target = await DeployTarget.open()
  await target.deploy(FILES)
  const own =
    '<Rbac Name="Own">\n  <Role Name="Admin"><Grant Resource="Kinds" Verbs="View"/></Role>\n</Rbac>'
  await change(target, own)
  const declared = RBAC.replace(
    '</Rbac>',
    '  <Role Name="Admin"><Grant Resource="Kinds" Verbs="List"/></Role>\n</Rbac>',
  )
  const { plan } = await target.deploy({ ...FILES, 'rbac.xml': declared })
  expect(plan.faults).toEqual([])
  expect(verbsOf(target, 'Admin').sort()).toEqual(['List', 'View'])
})

test('a right that was given here goes with its view, and no other brings it back', async () => {
  await using target = await DeployTarget.open()
  await target.deploy(FILES)
  await change(target, withRight(RBAC, 'Export'))
  const gone = { 'kinds.xml': KINDS.replace('<ObjectView Name="Kinds" Entity="Kind"/>', '') }
  await target.deploy({ ...gone, 'rbac.xml': RBAC }, { prune: true })
  expect(verbsOf(target)).toEqual(['View', 'List'])
  await target.deploy(FILES)
  expect(verbsOf(target)).toEqual(['View', 'List'])
})

test('--prune takes out what was deployed, whatever was changed of it here', async () => {
  await using target = await DeployTarget.open()
  await target.deploy(FILES)
  await change(target, withRight(RBAC, 'Export'))
  const { plan } = await target.deploy({ 'kinds.xml': KINDS }, { prune: true })
  expect(plan.removed.map(({ name }) => name)).toEqual(['Rbac'])
  expect(target.models.get().roles.has('Clerk')).toBe(false)
})

test('a script that an import took out here does not come back with the next deploy', async () => {
  await using target = await DeployTarget.open()
  await target.deploy(FILES)
  const { store, models } = target
  const options = { prune: 'Rbac', change: { source: 'import', by: 7 } } as const
  const other = { name: 'other.xml', body: '<Rbac Name="Other"><Role Name="Guest"/></Rbac>' }
  const preparation = await prepareDeploy(store, [other], options)
  const clock = { now: () => new Date(NOW) }
  expect((await executeDeploy({ store, models, clock }, preparation, options)).isDone).toBe(true)
  expect([...models.get().roles.keys()]).toEqual(['Guest'])
  const { plan } = await target.deploy(FILES)
  expect(plan.merged).toMatchObject([
    { name: 'Rbac', fromHere: expect.arrayContaining(['Role Clerk is gone']) },
  ])
  expect([...models.get().roles.keys()]).toEqual(['Guest'])
  await target.deploy(FILES, { overwrite: true })
  expect([...models.get().roles.keys()].sort()).toEqual(['Clerk', 'Guest'])
})

describe('Was', () => {
  const NAMED = `<Rbac>
  <Capability Name="Approve"/>
  <Role Name="Clerk"><Grant Resource="Kinds" Verbs="View" Capabilities="Approve"/></Role>
</Rbac>`
  const RENAMED = `<Rbac>
  <Capability Name="Sign" Was="Approve"/>
  <Role Name="Seller" Was="Clerk"><Grant Resource="Kinds" Verbs="View" Capabilities="Sign"/></Role>
</Rbac>`
  const ACTING = KINDS.replace(
    '<ObjectView Name="Kinds" Entity="Kind"/>',
    `<ObjectView Name="Kinds" Entity="Kind"><Permit Capability="Approve" When="1"/>
    <RowAction Name="Sign" Capability="Approve"><Notify Role="Clerk" Title="Signed"/></RowAction></ObjectView>`,
  )
  const HOLDERS = [
    "INSERT INTO svc_companies (Id, Code, Name, TimeZone, Active, CreatedAt) VALUES (1, 'ONE', 'One', 'UTC', 1, '')",
    "INSERT INTO svc_users (Id, UserName, UserNameKey, DisplayName, Active, PasswordHash, MustChangePassword, CreatedAt, ChangedAt) VALUES (1, 'ann', 'ann', 'Ann', 1, '', 0, '', '')",
    "INSERT INTO svc_user_roles (UserId, Role, CompanyId) VALUES (1, 'Clerk', NULL), (1, 'Clerk', 1), (1, 'Seller', 1)",
  ]

  test('users keep a renamed role, roles a renamed capability, by whatever path', async () => {
    await using target = await DeployTarget.open()
    await target.deploy({ 'kinds.xml': ACTING, 'rbac.xml': NAMED })
    await target.run(...HOLDERS)
    await change(target, withRight(withRight(NAMED, 'Export'), 'View', false))
    await change(
      target,
      '<Rbac Name="Own"><Role Name="Admin"><Grant Resource="Kinds" Capabilities="Approve"/></Role></Rbac>',
    )
    const { plan, isDone } = await target.deploy({ 'rbac.xml': RENAMED })
    expect([isDone, plan.faults]).toEqual([true, []])
    expect(plan.steps).toEqual([
      'capability Approve is called Sign now: everyone who has it keeps it',
      'role Clerk is called Seller now: its users keep it; change the settings that ' +
        'name it yourself (Svc:Mfa:RequiredRoles)',
    ])
    expect(plan.warnings.map(({ message }) => message)).toEqual([
      'Capability Approve is called Sign now: use that name',
      'Capability Approve is called Sign now: use that name',
      'Role Clerk is called Seller now: use that name',
    ])
    const { roles, views } = target.models.get()
    const grantOf = (role: string) => {
      const [grant] = roles.get(role)?.grants ?? []
      return [...(grant?.verbs ?? []), ...(grant?.capabilities ?? [])]
    }
    expect([...roles.keys()].sort()).toEqual(['Admin', 'Seller'])
    expect([grantOf('Seller'), grantOf('Admin')]).toEqual([['Export', 'Sign'], ['Sign']])
    const view = views.get('Kinds')
    expect(view?.permits.map(({ capability }) => capability)).toEqual(['Sign'])
    expect(view?.rowActions[0]).toMatchObject({
      capability: 'Sign',
      effects: [{ recipients: { role: 'Seller' } }],
    })
    expect(
      await target.rows('SELECT Role, CompanyId FROM svc_user_roles ORDER BY CompanyId'),
    ).toEqual([
      { Role: 'Seller', CompanyId: null },
      { Role: 'Seller', CompanyId: 1 },
    ])
    const audited = await target.rows("SELECT Changes FROM svc_audit WHERE Action = 'rename role'")
    expect(audited).toEqual([
      { Changes: '{"Role":["Clerk","Seller"]}' },
      { Changes: '{"Role":["Clerk@ONE","Seller@ONE"]}' },
    ])
    const bodies = await currentBodies(target)
    for (const body of bodies) expect(body).not.toMatch(/Capabilities="Approve"|Name="Clerk"/)
    const spelled = ACTING.replaceAll('"Approve"', '"Sign"').replace('"Clerk"', '"Seller"')
    const clean = RENAMED.replaceAll(/ Was="\w+"/g, '')
    const later = await target.deploy({ 'kinds.xml': spelled, 'rbac.xml': clean })
    expect([later.plan.faults, later.plan.warnings]).toEqual([[], []])
    expect([grantOf('Seller'), grantOf('Admin')]).toEqual([['Export', 'Sign'], ['Sign']])
  })

  test.each([
    ['a role that is there still', '<Role Name="Seller" ¦Was="Clerk"/><Role Name="Clerk"/>'],
    ['a role that two were', '<Role Name="A" Was="Clerk"/><Role Name="B" ¦Was="Clerk"/>'],
    ['a built-in role', '<Role Name="Chief" ¦Was="Admin"/>'],
  ])('%s cannot be the former name', async (_, roles) => {
    const text = `<Rbac>${roles}</Rbac>`
    const { faults } = await compileTexts({ 'rbac.xml': text })
    expect(faults).toEqual([expect.stringContaining(`rbac.xml:${findMarks(text)[0] ?? ''} Was: `)])
  })
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
