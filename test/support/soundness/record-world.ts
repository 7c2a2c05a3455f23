/**
 * A random application of records with a list of keys (`Through`), a detail, a file and an action
 * of authored SQL, with its data and one user.
 */
import fc from 'fast-check'
import {
  type Condition,
  type ConditionColumn,
  conditionOf,
  toSql,
  type Value,
} from './condition.ts'

/** The entities by number, as conditions name them. */
export const ENTITY = { doc: 0, tag: 1, line: 2 } as const
export type EntityName = keyof typeof ENTITY
const NAMES: readonly EntityName[] = ['doc', 'tag', 'line']

export type RecordVerb = 'List' | 'View' | 'Update'

/** A role's grant on the view of an entity, and the rows that it reaches. */
export interface RoleOn {
  verbs: readonly RecordVerb[]
  filter: Condition | undefined
}

export interface RecordRole extends Readonly<Record<EntityName, RoleOn>> {
  /** True when it grants the capability of the action. */
  stamps: boolean
  /** True when it hides the file. */
  hidesFile: boolean
  /** True when it lets lines and docs be exported, and made by an import. */
  transfers: boolean
}

export interface WorldRecord {
  company: 1 | 2
  A: Value
  B: Value
  C: Value
  D: Value
  /** Of a line: which doc of those that fit; taken modulo their number. */
  ref: number
  /** Of a doc: whether it has a file. */
  hasFile: boolean
}

export interface RecordWorld {
  isTenant: Readonly<Record<EntityName, boolean>>
  roles: readonly RecordRole[]
  user: {
    company: 1 | 2
    roles: readonly number[]
    isSystem: boolean
    region: string | undefined
    level: number | undefined
  }
  rows: Readonly<Record<EntityName, readonly WorldRecord[]>>
  /** Pairs of a doc and a tag by place, modulo their numbers. */
  links: readonly (readonly [number, number])[]
  /** Which docs the authored UPDATE of the action changes. */
  stamped: Condition
  /** Docs that are asked for by key; beyond the last one there is none. */
  asked: readonly number[]
}

const NUMBERS = [-1, 0, 1, 2]
const TEXTS = ['a', 'b', 'ä']
const DAYS = ['2026-01-31', '2026-03-29']
const COLUMNS: readonly ConditionColumn[] = [
  { name: 'A', type: 'number', values: NUMBERS },
  { name: 'B', type: 'text', values: TEXTS },
  { name: 'C', type: 'number', values: [0, 1] },
  { name: 'D', type: 'text', values: DAYS },
]

const CONDITION = conditionOf(COLUMNS, NAMES.length, 1)
const COMPANY = fc.constantFrom(1 as const, 2 as const)
const orNull = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { freq: 4 })

const ROLE_ON: fc.Arbitrary<RoleOn> = fc.record({
  verbs: fc.oneof(
    { weight: 3, arbitrary: fc.constant<RecordVerb[]>(['List', 'View', 'Update']) },
    { weight: 1, arbitrary: fc.subarray<RecordVerb>(['List', 'View', 'Update']) },
  ),
  filter: fc.option(CONDITION, { freq: 2 }).map((condition) => condition ?? undefined),
})

const ROLE: fc.Arbitrary<RecordRole> = fc.record({
  doc: ROLE_ON,
  tag: ROLE_ON,
  line: ROLE_ON,
  stamps: fc.boolean(),
  hidesFile: fc.boolean(),
  transfers: fc.boolean(),
})

const RECORD: fc.Arbitrary<WorldRecord> = fc.record({
  company: COMPANY,
  A: orNull(NUMBERS),
  B: orNull(TEXTS),
  C: orNull([0, 1]),
  D: orNull(DAYS),
  ref: fc.nat(20),
  hasFile: fc.boolean(),
})

/** A shared entity refers to no row of a company: lines of a tenant's docs are a tenant's. */
const TENANTS = fc
  .record({ doc: fc.boolean(), tag: fc.boolean(), line: fc.boolean() })
  .map(({ doc, tag, line }) => ({ doc, tag, line: line || doc }))

/** Applications with data, one user and one question. */
export const RECORD_WORLD: fc.Arbitrary<RecordWorld> = fc.record({
  isTenant: TENANTS,
  roles: fc.array(ROLE, { minLength: 2, maxLength: 3 }),
  user: fc.record({
    company: COMPANY,
    roles: fc.subarray([0, 1, 2], { minLength: 1 }),
    isSystem: fc.integer({ min: 0, max: 11 }).map((drawn) => drawn === 0),
    region: fc.constantFrom(...TEXTS, undefined),
    level: fc.constantFrom(...NUMBERS, undefined),
  }),
  rows: fc.record({
    doc: fc.array(RECORD, { minLength: 1, maxLength: 6 }),
    tag: fc.array(RECORD, { maxLength: 5 }),
    line: fc.array(RECORD, { maxLength: 8 }),
  }),
  links: fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { maxLength: 10 }),
  stamped: CONDITION,
  asked: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 3 }),
})

/** Names in the model of the world with this number. */
export const recordTable = (at: number, entity: EntityName | 'link'): string => `${entity}${at}`
export const recordView = (at: number, entity: EntityName): string => `View${entity}${at}`
export const recordRole = (at: number, role: number): string => `Role${at}x${role}`
const entityOf = (at: number, entity: EntityName | 'link'): string => `Entity${entity}${at}`

const tableByNumber =
  (at: number) =>
  (number: number): string =>
    recordTable(at, NAMES[number] ?? 'doc')

/** The middle entity of the list is a company's as soon as one of its ends is. */
export const isLinkTenant = ({ isTenant }: RecordWorld): boolean => isTenant.doc || isTenant.tag

/** The world's entities and views as one model file. */
export function printRecordWorld(world: RecordWorld, at: number): string {
  const reference = (name: string, to: EntityName, more = ''): string =>
    `<Column Name="${name}" References="${entityOf(at, to)}"${more}/>`
  const columns =
    '<Column Name="A" Type="Integer"/><Column Name="B" Type="Text"/>' +
    '<Column Name="C" Type="Boolean"/><Column Name="D" Type="Date"/>'
  const stamp = '<Column Name="Stamp" Type="Integer"/><Column Name="Note" Type="Text"/>'
  const entity = (name: EntityName | 'link', isTenant: boolean, body: string): string =>
    `<Entity Name="${entityOf(at, name)}" Table="${recordTable(at, name)}"` +
    `${name === 'link' ? '' : ' Display="B"'}${isTenant ? ' Company="CompanyId"' : ''}>` +
    '<Column Name="Id" Type="Integer" Key="true" Identity="true"/>' +
    `${isTenant ? '<Column Name="CompanyId" Type="Integer" Required="true"/>' : ''}${body}</Entity>`
  const view = (name: EntityName, body = ''): string =>
    `<ObjectView Name="${recordView(at, name)}" Entity="${entityOf(at, name)}">${body}</ObjectView>`
  const { isTenant } = world
  return [
    '<Model>',
    entity('doc', isTenant.doc, `${columns}${stamp}<Column Name="F" Type="File"/>`),
    entity('tag', isTenant.tag, columns),
    entity('line', isTenant.line, `${columns}${stamp}${reference('DocId', 'doc')}`),
    entity(
      'link',
      isLinkTenant(world),
      reference('DocId', 'doc', ' Required="true"') + reference('TagId', 'tag', ' Required="true"'),
    ),
    view('tag'),
    view('line'),
    view(
      'doc',
      `<Field Name="Tags" Multiple="true" Through="${entityOf(at, 'link')}" In="Grid Form View Export"/>` +
        `<Detail Name="Lines" View="${recordView(at, 'line')}" Parent="DocId=Id"/>` +
        printAction(world, at),
    ),
    '</Model>',
  ].join('\n')
}

/** Authored SQL is held to the company, and to nothing else. */
function printAction({ stamped }: RecordWorld, at: number): string {
  const count = 'SET Stamp = coalesce(Stamp, 0) + 1'
  const where = toSql(stamped, tableByNumber(at))
  return (
    '<RowAction Name="Stamp" Capability="Stamp">' +
    `<Sql><![CDATA[UPDATE ${recordTable(at, 'doc')} ${count} WHERE ${where}]]></Sql>` +
    `<Sql>UPDATE ${recordTable(at, 'line')} ${count} WHERE DocId = @Id</Sql>` +
    '</RowAction>'
  )
}

/** The roles of worlds, and the attributes that their conditions may name. */
export function printRecordRoles(worlds: readonly RecordWorld[]): string {
  return [
    '<Rbac><Capability Name="Stamp"/>',
    '<UserAttribute Name="Region" Type="Text"/><UserAttribute Name="Level" Type="Integer"/>',
    ...worlds.flatMap(({ roles }, at) => roles.map((role, number) => printRole(role, at, number))),
    '</Rbac>',
  ].join('\n')
}

const TRANSFER = ['Create', 'Export', 'Import']

function printRole(role: RecordRole, at: number, number: number): string {
  const grants = NAMES.map((name) => {
    const { verbs, filter } = role[name]
    const capability = name === 'doc' && role.stamps ? ' Capabilities="Stamp"' : ''
    const resource = `Resource="${recordView(at, name)}"`
    const all = [...verbs, ...(role.transfers && name !== 'tag' ? TRANSFER : [])]
    const granted = all.length > 0 ? ` Verbs="${all.join(' ')}"` : ''
    if (granted === '' && capability === '') return ''
    const rows = filter
      ? `<RowFilter ${resource}><![CDATA[${toSql(filter, tableByNumber(at))}]]></RowFilter>`
      : ''
    return `<Grant ${resource}${granted}${capability}/>${rows}`
  })
  const rule = role.hidesFile
    ? `<FieldRule Resource="${recordView(at, 'doc')}" Field="F" Access="Hidden"/>`
    : ''
  return `<Role Name="${recordRole(at, number)}">${grants.join('')}${rule}</Role>`
}
