import { describe, expect, test } from 'bun:test'
import { parseModelFile } from '../../src/model/parse/parse.ts'
import { addRole, editRight, listRoleNames, planRbacBody } from '../../src/model/rbac/edit.ts'

const BODY = `<!-- Who may do what. -->
<Rbac>
  <Capability Name="Approve"/>
  <!-- Sells. -->
  <Role  Name='Rep'   Label="Sales &amp; more">
    <Grant Resource="Orders"   Verbs="View List" /> <!-- read only, so far -->
    <Grant Resource='Parts' Capabilities="Execute"/>
    <RowFilter Resource="Orders">Region = @User_Region</RowFilter>
  </Role>
  <Role Name="Idle"/>
  <Role Name="Empty"></Role>
  <Role Name="Flat"><Grant Resource="A" Verbs="View"/><Grant Resource="B" Verbs="View"/></Role>
</Rbac>
`

const give = (body: string, role: string, resource: string, right: string): string =>
  editRight(body, { role, resource, right, isGranted: true })
const take = (body: string, role: string, resource: string, right: string): string =>
  editRight(body, { role, resource, right, isGranted: false })

async function listNames(body: string): Promise<string[]> {
  const { scripts } = await parseModelFile({ name: 'rbac.xml', body })
  return scripts.flatMap(listRoleNames)
}

/** The lines that an edit changed: those gone, and those new. */
function changed(before: string, after: string): string[][] {
  const [a, b] = [before.split('\n'), after.split('\n')]
  return [a.filter((line) => !b.includes(line)), b.filter((line) => !a.includes(line))]
}

async function expectValid(body: string): Promise<void> {
  expect((await parseModelFile({ name: 'rbac.xml', body })).faults).toEqual([])
}

describe('rights in the text of an Rbac script', () => {
  test.each([
    [
      'a verb beside others, in the order of verbs',
      'Rep',
      'Orders',
      'Update',
      [
        ['    <Grant Resource="Orders"   Verbs="View List" /> <!-- read only, so far -->'],
        ['    <Grant Resource="Orders"   Verbs="View List Update" /> <!-- read only, so far -->'],
      ],
    ],
    [
      'a first capability',
      'Rep',
      'Orders',
      'Approve',
      [
        ['    <Grant Resource="Orders"   Verbs="View List" /> <!-- read only, so far -->'],
        [
          '    <Grant Resource="Orders"   Verbs="View List" Capabilities="Approve" /> <!-- read only, so far -->',
        ],
      ],
    ],
    [
      'a first right on a resource',
      'Rep',
      'Depots',
      'View',
      [[], ['    <Grant Resource="Depots" Verbs="View"/>']],
    ],
    [
      'the first right of a role without children',
      'Idle',
      'Orders',
      'View',
      [
        ['  <Role Name="Idle"/>'],
        ['  <Role Name="Idle">', '    <Grant Resource="Orders" Verbs="View"/>'],
      ],
    ],
    [
      'the first right of a role whose element is empty',
      'Empty',
      'Orders',
      'View',
      [
        ['  <Role Name="Empty"></Role>'],
        ['  <Role Name="Empty">', '    <Grant Resource="Orders" Verbs="View"/>'],
      ],
    ],
    [
      'a right on a line of many',
      'Flat',
      'C',
      'View',
      [
        [
          '  <Role Name="Flat"><Grant Resource="A" Verbs="View"/><Grant Resource="B" Verbs="View"/></Role>',
        ],
        [
          '  <Role Name="Flat"><Grant Resource="A" Verbs="View"/><Grant Resource="B" Verbs="View"/><Grant Resource="C" Verbs="View"/></Role>',
        ],
      ],
    ],
  ])('gives %s', async (_, role, resource, right, lines) => {
    const edited = give(BODY, role, resource, right)
    await expectValid(edited)
    expect(changed(BODY, edited)).toEqual(lines)
    expect(give(edited, role, resource, right)).toBe(edited)
  })

  test('takes what it gave: the text is what it was, to the letter', () => {
    for (const [role, resource, right] of [
      ['Rep', 'Orders', 'Update'],
      ['Rep', 'Orders', 'Approve'],
      ['Rep', 'Depots', 'View'],
      ['Flat', 'C', 'View'],
    ] as const)
      expect(take(give(BODY, role, resource, right), role, resource, right)).toBe(BODY)
  })

  test('takes a Grant without any right left, with its line', async () => {
    const edited = take(BODY, 'Rep', 'Parts', 'Execute')
    await expectValid(edited)
    expect(changed(BODY, edited)).toEqual([
      [`    <Grant Resource='Parts' Capabilities="Execute"/>`],
      [],
    ])
    const flat = take(BODY, 'Flat', 'A', 'View')
    expect(flat).toContain('<Role Name="Flat"><Grant Resource="B" Verbs="View"/></Role>')
  })

  test('a comment beside a Grant stays when the Grant goes', () => {
    const edited = take(take(BODY, 'Rep', 'Orders', 'View'), 'Rep', 'Orders', 'List')
    expect(edited).not.toContain('Resource="Orders"   Verbs')
    expect(edited).toContain('<!-- read only, so far -->')
  })

  test('what is said twice is taken twice', () => {
    const body =
      '<Rbac><Role Name="R"><Grant Resource="A" Verbs="View"/><Grant Resource="A" Verbs="View List"/></Role></Rbac>'
    expect(take(body, 'R', 'A', 'View')).toBe(
      '<Rbac><Role Name="R"><Grant Resource="A" Verbs="List"/></Role></Rbac>',
    )
  })

  test('line ends stay what they are', () => {
    const body = BODY.replaceAll('\n', '\r\n')
    const edited = give(give(body, 'Rep', 'Depots', 'View'), 'Idle', 'Orders', 'View')
    expect(edited.replaceAll('\r\n', '')).not.toContain('\n')
    expect(take(give(body, 'Rep', 'Depots', 'View'), 'Rep', 'Depots', 'View')).toBe(body)
  })

  test('a role that is not there, or right that is not held, changes nothing', () => {
    expect(give(BODY, 'Nobody', 'Orders', 'View')).toBe(BODY)
    expect(take(BODY, 'Rep', 'Orders', 'Delete')).toBe(BODY)
  })

  test('a script of its own declares its roles', async () => {
    const body = addRole(addRole(planRbacBody('AccessBoard'), 'Admin'), 'AccessManager')
    await expectValid(body)
    expect(await listNames(body)).toEqual(['Admin', 'AccessManager'])
    expect(await listNames(BODY)).toEqual(['Rep', 'Idle', 'Empty', 'Flat'])
  })
})
