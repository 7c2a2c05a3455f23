/** Oracle of a world: what its user may see, worked out in memory from the documents' promises. */
import { judge, orderValues, type Surroundings, type Value, type Values } from './condition.ts'
import type { Verb, World, WorldRole, WorldRow } from './world.ts'
import { compareTexts } from '../text-order.ts'

/** A stored row with its key, and its reference as it was stored. */
export interface StoredRow extends WorldRow {
  Id: number
  RefId: number | null
}

export interface Sight {
  /** True when the grid answers at all. */
  lists: boolean
  /** True when the right List is held: its rows are those of `keys`. */
  holdsList: boolean
  /** True when the read-only view answers, and the form. */
  views: boolean
  edits: boolean
  /** True when column B is there. */
  seesB: boolean
  /** The sortable ones of the columns that the world asks for. */
  sort: World['sort']
  /** Keys of the rows that may be seen, in the order that was asked for. */
  keys: number[]
  rows: ReadonlyMap<number, Values>
  /** True when the capability Approve is held at all, and the keys of the rows that it reaches. */
  approves: boolean
  approved: ReadonlySet<number>
  /** True when Export is held, and the keys of the rows that leave as a file by it. */
  exports: boolean
  exported: ReadonlySet<number>
  /** Keys of the rows that a print of their record shows. */
  printed: ReadonlySet<number>
  /** The stored rows that a badge beside the view counts; undefined where its item is not there. */
  counted: readonly StoredRow[] | undefined
  /** True when some role hides column B: a badge that reads it may be missing then. */
  mayHideB: boolean
}

/** The caller, by the ids that the engine gave. */
export interface Asker {
  userId: number
}

/** The rows of a world's view that a user in a company sees. */
export function foresee(world: World, stored: readonly StoredRow[][], asker: Asker): Sight {
  const roles = rolesInForce(world)
  const { isSystem } = world.user
  const granting = roles.filter(({ verbs, approves }) => verbs.length > 0 || approves)
  const holds = (verb: Verb) => isSystem || granting.some(({ verbs }) => verbs.includes(verb))
  const scope = new Scope(world, stored)
  const reading = holds('List') ? 'List' : 'View'
  const around = scope.around(asker)
  const all = scope.rows(world.view.entity).flatMap((row) => {
    const values = scope.project(row)
    return values ? [values] : []
  })
  const reach = (right: Verb | 'Approve'): Values[] =>
    all.filter((values) => isSystem || isAllowed(granting, right, values, around))
  const reads = holds('List') || holds('View')
  const reached = reads ? reach(reading) : []
  const taken = reach('Export').filter((values) => reached.includes(values))
  // Without Export a role that shows the row says whether it may leave.
  const printed = reached.filter((values) =>
    holds('Export')
      ? taken.includes(values)
      : isAllowed(granting, reading, values, around, 'Export'),
  )
  const approved = reach('Approve').filter((values) => !reads || reached.includes(values))
  const seesB = isSystem || !hidesB(granting)
  const showsB = (values: Values) => isSystem || isShown(granting, reading, values, around)
  const seen = reached.map((values) => (showsB(values) ? values : { ...values, B: null }))
  const ofCompany = new Scope({ ...world, user: { ...world.user, allCompanies: false } }, stored)
  const keys = new Set(reached.map(({ Id }) => Number(Id)))
  const counted = ofCompany.rows(world.view.entity).filter(({ Id }) => isSystem || keys.has(Id))
  const asked = world.sort.filter(({ Field }) => Field !== 'B' || seesB)
  return {
    lists: holds('View'),
    holdsList: holds('List'),
    views: holds('View'),
    edits: holds('View') || holds('Update'),
    seesB,
    sort: asked,
    keys: orderRows(asked, seen).map(({ Id }) => Number(Id)),
    rows: new Map(seen.map((values) => [Number(values.Id), values])),
    approves: isSystem || granting.some(({ approves }) => approves),
    approved: new Set(approved.map(({ Id }) => Number(Id))),
    exports: holds('Export'),
    exported: new Set(taken.map(({ Id }) => Number(Id))),
    printed: new Set(printed.map(({ Id }) => Number(Id))),
    counted: holds('View') ? counted : undefined,
    mayHideB: !isSystem && granting.some(({ hides }) => hides),
  }
}

const rolesInForce = ({ user, roles }: World): WorldRole[] => {
  const held = user.roles.filter(({ company }) => company === undefined || company === user.company)
  return [...new Set(held.map(({ role }) => role))].flatMap((role) => roles[role] ?? [])
}

/**
 * Roles add up: any that grants the right lets a row through that passes all of its filters; of a
 * capability those of reading.
 */
function isAllowed(
  roles: readonly WorldRole[],
  right: Verb | 'Approve',
  row: Values,
  around: Surroundings,
  further?: Verb,
): boolean {
  const verbs = further === undefined ? narrowed(right) : [...narrowed(right), further]
  return roles.some(
    ({ verbs: held, approves, filters }) =>
      (right === 'Approve' ? approves : held.includes(right)) &&
      filters
        .filter((filter) => verbs.some((verb) => filter.verbs?.includes(verb) ?? true))
        .every(({ condition }) => judge(condition, row, around) === true),
  )
}

const narrowed = (right: Verb | 'Approve'): Verb[] =>
  right === 'Approve' ? ['List', 'View'] : [right]

/** A field is hidden where every role that lets rows be read hides it. */
function hidesB(roles: readonly WorldRole[]): boolean {
  const readers = roles.filter(({ verbs }) => verbs.includes('List') || verbs.includes('View'))
  const judging = readers.length > 0 ? readers : roles
  return judging.length > 0 && judging.every(({ hides }) => hides)
}

/** A row shows the field where a role that reaches it does; one that lists none reaches by View. */
function isShown(
  roles: readonly WorldRole[],
  reading: Verb,
  row: Values,
  around: Surroundings,
): boolean {
  const showing = roles.filter(({ hides }) => !hides)
  return showing.some((role) =>
    isAllowed([role], role.verbs.includes(reading) ? reading : 'View', row, around),
  )
}

/** The rows of a world as the company of its user sees them. */
class Scope {
  readonly #world: World
  readonly #stored: readonly StoredRow[][]

  constructor(world: World, stored: readonly StoredRow[][]) {
    this.#world = world
    this.#stored = stored
  }

  rows(entity: number): StoredRow[] {
    const { user, entities } = this.#world
    const isHeld = entities[entity]?.isTenant && !(user.isSystem && user.allCompanies)
    const rows = this.#stored[entity] ?? []
    return isHeld ? rows.filter(({ company }) => company === user.company) : rows
  }

  around({ userId }: Asker): Surroundings {
    const { user } = this.#world
    const parameters = {
      CurrentUserId: userId,
      CurrentCompanyId: user.company,
      // An attribute without a text is as good as none.
      User_Region: user.region || null,
      User_Level: user.level ?? null,
    }
    const among = (entity: number): Value[] =>
      this.rows(entity).flatMap(({ A, C }) => (C === 1 ? [A] : []))
    return { parameters, among }
  }

  /** The output row of the view; undefined where its query leaves the row out. */
  project(row: StoredRow): Values | undefined {
    const { view, entities } = this.#world
    const own = { Id: row.Id, A: row.A, B: row.B, C: row.C, D: row.D }
    if (view.shape === 'generated') return own
    if (view.shape === 'some')
      return (row.A !== null && Number(row.A) >= 0) || row.B === null ? own : undefined
    if (view.shape === 'children') {
      const child = entities.findIndex(({ references }) => references === view.entity)
      return { ...own, Kids: this.rows(child).filter(({ RefId }) => RefId === row.Id).length }
    }
    const target = entities[view.entity]?.references ?? 0
    const parent = this.rows(target).find(({ Id }) => Id === row.RefId)
    if (!parent && view.shape === 'withParent') return undefined
    return { ...own, ParentA: parent?.A ?? null, ParentB: parent?.B ?? null }
  }
}

/** By the fields asked for, each once, then by the key in the last direction. */
function orderRows(sort: World['sort'], rows: readonly Values[]): Values[] {
  const named = sort.filter(({ Field }, at) => sort.findIndex((s) => s.Field === Field) === at)
  const all = [...named, { Field: 'Id', Direction: named.at(-1)?.Direction ?? 'asc' }]
  return [...rows].sort((a, b) => {
    for (const { Field, Direction } of all) {
      const [one, other] = [a[Field] ?? null, b[Field] ?? null]
      const areTexts = typeof one === 'string' && typeof other === 'string'
      const order = areTexts ? compareTexts(one, other) : orderValues(one, other)
      if (order !== 0) return Direction === 'desc' ? -order : order
    }
    return 0
  })
}
