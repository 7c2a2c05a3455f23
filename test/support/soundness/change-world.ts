/**
 * A random application in which rows change: a world with the people who look at it, and the
 * writes that come upon it, by every path.
 */
import fc from 'fast-check'
import { type Condition, conditionOf, toSql } from './condition.ts'
import { entityName, printWorld, tableName } from './world-model.ts'
import {
  columnsOf,
  COMPANIES,
  ROW,
  userOf,
  WORLD,
  type World,
  type WorldRow,
  type WorldUser,
} from './world.ts'

/** Paths on which rows change. */
export const PATHS = [
  ...(['create', 'update', 'details', 'delete', 'shift', 'purge', 'mark'] as const),
  ...(['import', 'upsert', 'burst', 'flood'] as const),
]
export type Path = (typeof PATHS)[number]

/** One write; several that are sent at once are one of the kind `burst`. */
export interface Step {
  path: Path
  company: number
  /** Which entity, and which of its rows that are there; taken modulo their number. */
  entity: number
  row: number
  rows: readonly WorldRow[]
}

export interface ChangeWorld extends World {
  onDelete: 'Restrict' | 'Cascade' | 'SetNull'
  /** True when a row counts those that refer to it: they change it. */
  counts: boolean
  /** True when a changed row changes those that refer to it. */
  spreads: boolean
  /** Which rows the authored statements of an entity's actions change, and remove. */
  moved: readonly Condition[]
  purged: readonly Condition[]
  /** The viewer of the views. */
  watchers: readonly WorldUser[]
  steps: readonly Step[]
}

const ROWS_MAX = 3

/** Rows of a flood: more than are told one by one. */
export const FLOOD_ROWS = 510

const pathOf: fc.Arbitrary<Path> = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom(...PATHS.filter((path) => path !== 'flood')) },
  { weight: 1, arbitrary: fc.constant<Path>('flood') },
)

const stepOf = (entities: number): fc.Arbitrary<Step> =>
  fc.record({
    path: pathOf,
    company: fc.integer({ min: 1, max: COMPANIES }),
    entity: fc.nat(entities - 1),
    row: fc.nat(20),
    rows: fc.array(ROW, { minLength: 1, maxLength: ROWS_MAX }),
  })

/** Applications with data, people and writes. */
export const CHANGE_WORLD: fc.Arbitrary<ChangeWorld> = WORLD.chain((world) => {
  const count = world.entities.length
  const condition = conditionOf(columnsOf('generated'), count, 1)
  const conditions = fc.array(condition, { minLength: count, maxLength: count })
  return fc.record({
    ...(Object.fromEntries(
      Object.entries(world).map(([name, value]) => [name, fc.constant(value)]),
    ) as { [Name in keyof World]: fc.Arbitrary<World[Name]> }),
    onDelete: fc.constantFrom('Restrict', 'Cascade', 'SetNull'),
    counts: fc.boolean(),
    spreads: fc.boolean(),
    moved: conditions,
    purged: conditions,
    watchers: fc.array(userOf(world.roles.length), { minLength: 3, maxLength: 4 }),
    steps: fc.array(stepOf(count), { minLength: 6, maxLength: 10 }),
  })
})

/** The same world with a first step of the path that is its turn: so many worlds have each. */
export function withPath(world: ChangeWorld, at: number): ChangeWorld {
  const path = PATHS[at % PATHS.length] ?? 'create'
  return { ...world, steps: world.steps.map((step, nth) => (nth === 0 ? { ...step, path } : step)) }
}

/** The view by which rows of an entity are written; nobody but System has rights on it. */
export const writingView = (world: number, entity: number): string => `W${world}x${entity}`

/** The record sent after all others: every user may see its rows. */
export const MARKS = `<Model><Entity Name="Mark" Table="marks">
<Column Name="Id" Type="Integer" Key="true"/></Entity><ObjectView Name="Marks" Entity="Mark"/>
<Rbac Name="Watching"><Role Name="Watcher"><Grant Resource="Marks" Verbs="List"/></Role></Rbac>
</Model>`

/** The world as one model file. */
export function printChangeWorld(world: ChangeWorld, at: number): string {
  const { onDelete } = world
  const text = printWorld(world, at, {
    onDelete,
    printMore: (entity) => printCount(world, at, entity) + printEffect(world, at, entity),
  })
  const views = world.entities.map((_, entity) => printWriting(world, at, entity))
  return text.replace('</Model>', `${views.join('\n')}\n</Model>`)
}

/** The entities whose rows refer to those of another one. */
const childrenOf = ({ entities }: World, entity: number): number[] =>
  entities.flatMap(({ references }, child) => (references === entity ? [child] : []))

/** A count of what is seen by one company is no value of a row that all of them share. */
function printCount(world: ChangeWorld, at: number, entity: number): string {
  const [child] = childrenOf(world, entity).filter(
    (each) => world.entities[each]?.isTenant === world.entities[entity]?.isTenant,
  )
  if (!world.counts || child === undefined) return ''
  const sql = `SELECT count(*) FROM ${tableName(at, child)} WHERE RefId = @Id`
  const from = entityName(at, child)
  return `<Column Name="Held" Type="Integer"><Compute From="${from}">${sql}</Compute></Column>`
}

function printEffect(world: ChangeWorld, at: number, entity: number): string {
  const [child] = childrenOf(world, entity)
  if (!world.spreads || child === undefined) return ''
  const sql = `UPDATE ${tableName(at, child)} SET A = @A, C = 1 WHERE RefId = @Id`
  return `<On Event="updated"><Sql>${sql}</Sql></On>`
}

function printWriting(world: ChangeWorld, at: number, entity: number): string {
  const table = tableName(at, entity)
  const where = (condition: Condition | undefined): string =>
    condition === undefined ? '0' : toSql(condition, (number) => tableName(at, number))
  const action = (name: string, use: string, sql: string): string =>
    `<RowAction Name="${name}" For="${use}"><Sql><![CDATA[${sql}]]></Sql></RowAction>`
  const details = childrenOf(world, entity).map((child) => {
    const view = writingView(at, child)
    return `<Detail Name="${view}" View="${view}" Parent="RefId=Id"/>`
  })
  return [
    `<ObjectView Name="${writingView(at, entity)}" Entity="${entityName(at, entity)}">`,
    ...details,
    action('Shift', 'View', `UPDATE ${table} SET A = C, B = D WHERE ${where(world.moved[entity])}`),
    action('Purge', 'View', `DELETE FROM ${table} WHERE ${where(world.purged[entity])}`),
    action('Mark', 'Rows', `UPDATE ${table} SET A = coalesce(A, 0) + 1, C = 1 - C WHERE Id = @Id`),
    '</ObjectView>',
  ].join('')
}
