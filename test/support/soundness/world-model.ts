/** A world as the files of a model. Worlds stand side by side in one model, by their number. */
import { toSql } from './condition.ts'
import type { World, WorldFilter } from './world.ts'

export const entityName = (world: number, entity: number): string => `E${world}x${entity}`
export const tableName = (world: number, entity: number): string => `e${world}x${entity}`
export const viewName = (world: number): string => `V${world}`
export const roleName = (world: number, role: number): string => `R${world}x${role}`

/** The roles of worlds, and the attributes that their conditions may name. */
export function printRoles(worlds: readonly World[], first = 0): string {
  return [
    '<Rbac>',
    '<Capability Name="Approve"/>',
    '<UserAttribute Name="Region" Type="Text"/><UserAttribute Name="Level" Type="Integer"/>',
    ...worlds.flatMap((world, at) =>
      world.roles.map((_, role) => printRole(world, first + at, role)),
    ),
    '</Rbac>',
  ].join('\n')
}

/** Additions of a test to the entities of a world. */
export interface EntityParts {
  /** The fate of a row when the row that it refers to is removed. */
  onDelete?: 'Restrict' | 'Cascade' | 'SetNull'
  /** Further columns and effects of an entity, by its number. */
  printMore?: (entity: number) => string
}

/** The world's entities and its view as one model file. */
export function printWorld(world: World, at: number, parts: EntityParts = {}): string {
  return [
    '<Model>',
    ...world.entities.map((_, entity) => printEntity(world, at, entity, parts)),
    printView(world, at),
    printNavbar(world, at),
    '</Model>',
  ].join('\n')
}

function printEntity(world: World, at: number, number: number, parts: EntityParts): string {
  const { onDelete = 'Restrict', printMore } = parts
  const entity = world.entities[number]
  const target = entity?.references
  return [
    `<Entity Name="${entityName(at, number)}" Table="${tableName(at, number)}" Display="B"`,
    `${entity?.isTenant ? ' Company="CompanyId"' : ''}>`,
    '<Column Name="Id" Type="Integer" Key="true" Identity="true"/>',
    entity?.isTenant ? '<Column Name="CompanyId" Type="Integer" Required="true"/>' : '',
    '<Column Name="A" Type="Integer"/><Column Name="B" Type="Text"/>',
    '<Column Name="C" Type="Boolean"/><Column Name="D" Type="Date"/>',
    target === undefined
      ? ''
      : `<Column Name="RefId" References="${entityName(at, target)}" OnDelete="${onDelete}"/>`,
    printMore?.(number) ?? '',
    '</Entity>',
  ].join('')
}

function printView(world: World, at: number): string {
  const { entity } = world.view
  const query = planQuery(world, at)
  const head = `<ObjectView Name="${viewName(at)}" Entity="${entityName(at, entity)}"`
  const authored = query === undefined ? '' : `<TableQuery><![CDATA[${query}]]></TableQuery>`
  return `${head}>${authored}${APPROVAL}</ObjectView>`
}

export const itemName = (world: number, of: 'Rows' | 'Texts'): string => `I${world}${of}`

/** One badge says which rows count, the other one reads a column that a role may hide. */
function printNavbar(world: World, at: number): string {
  const table = tableName(at, world.view.entity)
  const item = (of: 'Rows' | 'Texts', figure: string): string =>
    `<Item Name="${itemName(at, of)}" Object="${viewName(at)}">` +
    `<Badge>SELECT ${figure} FROM ${table}</Badge></Item>`
  const rows = item('Rows', 'coalesce(sum(Id), 0) * 100 + count(*)')
  return `<Navbar Name="N${at}">${rows}${item('Texts', 'count(B)')}</Navbar>`
}

const APPROVAL =
  '<Permit Capability="Approve" When="Id &gt; 0"/>' +
  '<RowAction Name="Approve" Capability="Approve"><Dispatch Type="showAlert" Message="Done"/></RowAction>'

function planQuery({ entities, view }: World, at: number): string | undefined {
  const own = tableName(at, view.entity)
  const parent = tableName(at, entities[view.entity]?.references ?? 0)
  const child = entities.findIndex(({ references }) => references === view.entity)
  const joined = 'SELECT e.*, p.A AS ParentA, p.B AS ParentB FROM'
  switch (view.shape) {
    case 'generated':
      return undefined
    case 'some':
      return `SELECT e.* FROM ${own} e WHERE e.A >= 0 OR e.B IS NULL`
    case 'parent':
      return `${joined} ${own} e LEFT JOIN ${parent} p ON p.Id = e.RefId`
    case 'withParent':
      return `${joined} ${own} e JOIN ${parent} p ON p.Id = e.RefId`
    case 'children': {
      const kids = `SELECT count(*) FROM ${tableName(at, child)} k WHERE k.RefId = e.Id`
      return `SELECT e.*, (${kids}) AS Kids FROM ${own} e`
    }
  }
}

function printRole(world: World, at: number, number: number): string {
  const role = world.roles[number]
  const resource = viewName(at)
  const verbs = role?.verbs.join(' ') ?? ''
  const granted = [
    verbs === '' ? '' : ` Verbs="${verbs}"`,
    role?.approves ? ' Capabilities="Approve"' : '',
  ].join('')
  return [
    `<Role Name="${roleName(at, number)}">`,
    granted === '' ? '' : `<Grant Resource="${resource}"${granted}/>`,
    ...(role?.filters ?? []).map((filter) => printFilter(filter, at)),
    role?.hides ? `<FieldRule Resource="${resource}" Field="B" Access="Hidden"/>` : '',
    '</Role>',
  ].join('')
}

function printFilter({ verbs, condition }: WorldFilter, at: number): string {
  const only = verbs ? ` Verbs="${verbs.join(' ')}"` : ''
  const sql = toSql(condition, (entity) => tableName(at, entity))
  return `<RowFilter Resource="${viewName(at)}"${only}><![CDATA[${sql}]]></RowFilter>`
}
