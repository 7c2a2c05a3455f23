/** A random application with its data and one user: what the engine is held against. */
import fc from 'fast-check'
import { type Condition, type ConditionColumn, conditionOf, type Value } from './condition.ts'

export const COMPANIES = 2

export type Verb = 'List' | 'View' | 'Update' | 'Export'

export interface WorldEntity {
  isTenant: boolean
  /** Number of the entity that `RefId` points to; itself excluded. */
  references: number | undefined
}

/** How a view reads its entity. */
export type Shape = 'generated' | 'parent' | 'withParent' | 'some' | 'children'

export interface WorldView {
  entity: number
  shape: Shape
}

export interface WorldFilter {
  verbs: readonly Verb[] | undefined
  condition: Condition
}

export interface WorldRole {
  verbs: readonly Verb[]
  filters: readonly WorldFilter[]
  /** True when it grants the capability Approve. */
  approves: boolean
  /** True when it hides column B. */
  hides: boolean
}

export interface WorldRow {
  company: number
  A: Value
  B: Value
  C: Value
  D: Value
  /** Which of the referenced entity's rows that fit, if any; taken modulo their number. */
  ref: number | null
}

export interface WorldUser {
  company: number
  /** Number of a role, and the company in which it holds; undefined: in all. */
  roles: readonly { role: number; company: number | undefined }[]
  isSystem: boolean
  allCompanies: boolean
  region: string | undefined
  level: number | undefined
}

export interface World {
  entities: readonly WorldEntity[]
  view: WorldView
  roles: readonly WorldRole[]
  user: WorldUser
  rows: readonly (readonly WorldRow[])[]
  sort: { Field: string; Direction: 'asc' | 'desc' }[]
  pageSize: number
  /** Rows whose form is asked for, by their place; the last is one that does not exist. */
  asked: readonly number[]
}

const NUMBERS = [-1, 0, 1, 2, 3]
const TEXTS = ['', 'a', 'b', 'A', 'ä', 'Öl', "o'b"]
const DAYS = ['2026-01-31', '2026-02-01', '2026-03-29']

const COLUMNS: readonly ConditionColumn[] = [
  { name: 'A', type: 'number', values: NUMBERS },
  { name: 'B', type: 'text', values: TEXTS },
  { name: 'C', type: 'number', values: [0, 1] },
  { name: 'D', type: 'text', values: DAYS },
]
const PARENT: readonly ConditionColumn[] = [
  { name: 'ParentA', type: 'number', values: NUMBERS },
  { name: 'ParentB', type: 'text', values: TEXTS },
]
const KIDS: ConditionColumn = { name: 'Kids', type: 'number', values: NUMBERS }

/** The columns of a view that conditions may name. */
export function columnsOf(shape: Shape): readonly ConditionColumn[] {
  if (shape === 'parent' || shape === 'withParent') return [...COLUMNS, ...PARENT]
  return shape === 'children' ? [...COLUMNS, KIDS] : COLUMNS
}

const orNull = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { freq: 3 })

/** One row, of any entity. */
export const ROW: fc.Arbitrary<WorldRow> = fc.record({
  company: fc.integer({ min: 1, max: COMPANIES }),
  A: orNull(NUMBERS),
  B: orNull(TEXTS),
  C: orNull([0, 1]),
  D: orNull(DAYS),
  ref: fc.option(fc.nat(20)),
})

/** Entities refer backwards only, and a shared one never to a tenant's. */
const ENTITIES: fc.Arbitrary<WorldEntity[]> = fc
  .array(fc.record({ isTenant: fc.boolean(), refers: fc.boolean() }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((drawn) =>
    drawn.map(({ isTenant, refers }, at) => {
      const target = drawn.findIndex((other, index) => index < at && (isTenant || !other.isTenant))
      return { isTenant, references: refers && target >= 0 ? target : undefined }
    }),
  )

function shapesOf(entities: readonly WorldEntity[], entity: number): Shape[] {
  const isParent = entities.some(({ references }) => references === entity)
  return [
    'generated',
    'some',
    ...(entities[entity]?.references === undefined ? [] : (['parent', 'withParent'] as const)),
    ...(isParent ? (['children'] as const) : []),
  ]
}

const viewOf = (entities: readonly WorldEntity[]): fc.Arbitrary<WorldView> =>
  fc.nat(entities.length - 1).chain((entity) =>
    fc.record({
      entity: fc.constant(entity),
      shape: fc.constantFrom(...shapesOf(entities, entity)),
    }),
  )

const VERBS = fc.subarray<Verb>(['List', 'View', 'Update', 'Export'])

function roleOf(shape: Shape, tables: number): fc.Arbitrary<WorldRole> {
  const condition = conditionOf(columnsOf(shape), tables)
  return fc.record({
    verbs: fc.oneof(
      { weight: 3, arbitrary: fc.constant<Verb[]>(['List', 'View', 'Update', 'Export']) },
      { weight: 2, arbitrary: VERBS },
    ),
    filters: fc.array(
      fc.record({
        verbs: fc.option(
          VERBS.filter((v) => v.length > 0),
          { nil: undefined },
        ),
        condition,
      }),
      { maxLength: 2 },
    ),
    approves: fc.boolean(),
    hides: fc.boolean(),
  })
}

/** Somebody with some of the roles of a world that has so many. */
export const userOf = (roles: number): fc.Arbitrary<WorldUser> =>
  fc.record({
    company: fc.integer({ min: 1, max: COMPANIES }),
    roles: fc.array(
      fc.record({
        role: fc.nat(roles - 1),
        company: fc.option(fc.integer({ min: 1, max: COMPANIES }), { nil: undefined }),
      }),
      { maxLength: 3 },
    ),
    isSystem: fc.integer({ min: 0, max: 11 }).map((n) => n === 0),
    allCompanies: fc.boolean(),
    region: fc.option(fc.constantFrom(...TEXTS), { nil: undefined }),
    level: fc.option(fc.constantFrom(...NUMBERS), { nil: undefined }),
  })

/** Applications with data, one user and one question. */
export const WORLD: fc.Arbitrary<World> = ENTITIES.chain((entities) =>
  viewOf(entities).chain((view) =>
    fc.array(roleOf(view.shape, entities.length), { minLength: 1, maxLength: 3 }).chain((roles) =>
      fc.record({
        entities: fc.constant(entities),
        view: fc.constant(view),
        roles: fc.constant(roles),
        user: userOf(roles.length),
        rows: fc.tuple(...entities.map(() => fc.array(ROW, { maxLength: 12 }))),
        sort: fc.array(
          fc.record({
            Field: fc.constantFrom('A', 'B', 'C', 'D'),
            Direction: fc.constantFrom('asc' as const, 'desc' as const),
          }),
          { maxLength: 2 },
        ),
        pageSize: fc.integer({ min: 1, max: 9 }),
        asked: fc.array(fc.nat(12), { minLength: 1, maxLength: 2 }),
      }),
    ),
  ),
)
