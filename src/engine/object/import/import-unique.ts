/** Rows of an import that collide with others, by keys and unique indexes, in its stage. */
import { type Message, say } from '../../../kernel/messages.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import { planIndexes } from '../../../model/migrate/indexes.ts'
import { quote } from '../../../model/sql/quote.ts'
import type { ImportPlan } from './import-plan.ts'

/** Rows of the stage, in the order of the file, each with its number from 1. */
export const ROWS = 'staged.svc_import'

/** Expressions over a row `s` of the stage. */
export interface StagedSql {
  /** By lower-case name of the column: its cell in a new record; undefined for a constant. */
  cells: ReadonlyMap<string, string>
  /** Key of the stored record, in the entity's order. */
  keys: readonly string[]
  /** Lists of keys as JSON, in the order of `ImportColumns.lists`. */
  lists: readonly string[]
}

/** Unique values: rows that another row, of the file or the table, excludes are refused. */
interface UniqueRule {
  kind: 'own' | 'other'
  field: string
  message: Message
  /** They find `n, line, @rule`. */
  statements: readonly UniqueStatement[]
}

/** A statement that finds rows that cannot stay. */
interface UniqueStatement {
  sql: string
  /** Cheaper, and without a row where the statement would find none. */
  before?: string
}

/** Rules whose columns are all in the stage; the writer checks rules with a condition. */
export function planUnique(plan: ImportPlan, staged: StagedSql): UniqueRule[] {
  const { entity, view } = plan
  const company = entity.company?.toLowerCase()
  const rules: UniqueRule[] = [planSameRecord(staged)]
  const rowOf = new Map(plan.own.map(({ cell, row }) => [cell, row]))
  for (const { columns, isShared, ...rule } of listUnique(entity)) {
    const own = columns.map((name) => name.toLowerCase()).filter((name) => name !== company)
    const cells = own.flatMap((name) => staged.cells.get(name) ?? [])
    if (cells.length !== own.length || own.length === 0) continue
    // A referenced row is its own key, which no stored record has yet.
    const known = (cell: string) =>
      rowOf.has(cell) ? `coalesce(s.${cell}, -s.${rowOf.get(cell)})` : `s.${cell}`
    // Rows without a number draw one each.
    const isDrawn = own.some((name) => entity.columnByName.get(name)?.sequence !== undefined)
    const nullsEqual = rule.nullsEqual && (!isDrawn || plan.request.takeover)
    const names = own.map((name) => entity.columnByName.get(name)?.name ?? name)
    const field = view.fields.find(({ column }) => column?.name.toLowerCase() === own[0])
    rules.push({
      kind: cells.some((cell) => rowOf.has(cell)) ? 'own' : 'other',
      field: field?.name ?? '',
      message: say`${field?.label ?? entity.label} is already in use`,
      statements: [
        planTwice(cells.map(known), nullsEqual ? '1' : notNull(cells.map(known))),
        planTaken(plan, { names, cells: cells.map(known), nullsEqual, isShared, staged }),
      ],
    })
  }
  return rules
}

interface UniqueColumns {
  columns: readonly string[]
  nullsEqual: boolean
  /** Companies share the values, and one that another company has is taken for all. */
  isShared: boolean
}

/** The key and the unique indexes; of a key that the file does not have no cell is there. */
function listUnique(entity: Entity): UniqueColumns[] {
  const columns = entity.keys.map(({ name }) => name)
  const isShared = entity.company === undefined || !columns.includes(entity.company)
  const indexes = planIndexes(entity).filter(
    ({ unique, isForNulls, where }) => unique && !isForNulls && where === null,
  )
  return [
    { columns, nullsEqual: false, isShared },
    ...indexes.map((index) => ({ ...index, isShared: false })),
  ]
}

function planSameRecord({ keys }: StagedSql): UniqueRule {
  return {
    kind: 'other',
    field: '',
    message: say`An earlier row of the file has the same record`,
    statements: [planTwice(keys, 'isNew = 0')],
  }
}

const notNull = (cells: readonly string[]): string =>
  cells.map((cell) => `${cell} IS NOT NULL`).join(' AND ')

/** Most files have no value twice, which takes a third of the time to see that a window takes. */
function planTwice(list: readonly string[], where: string): UniqueStatement {
  const cells = list.join(', ')
  return {
    before: `SELECT 1 FROM ${ROWS} s WHERE ${where} GROUP BY ${cells} HAVING count(*) > 1 LIMIT 1`,
    sql:
      `SELECT n, line, @rule FROM (SELECT n, line, row_number() OVER (PARTITION BY ` +
      `${cells} ORDER BY n) AS nth FROM ${ROWS} s WHERE ${where}) WHERE nth > 1`,
  }
}

/** New records that have what a stored one has that no row of the file changes. */
function planTaken(
  { entity, grant, request }: ImportPlan,
  rule: {
    names: readonly string[]
    cells: readonly string[]
    nullsEqual: boolean
    isShared: boolean
    staged: StagedSql
  },
): UniqueStatement {
  const { names, cells, nullsEqual, isShared, staged } = rule
  const equals = nullsEqual ? 'IS' : '='
  const same = names.map((name, at) => `t.${quote(name)} ${equals} ${cells[at]}`)
  if (entity.company && !grant.allCompanies && !isShared)
    same.unshift(`t.${quote(entity.company)} = @company`)
  const own = entity.keys.map(({ name }, at) => `u.${staged.keys[at]} = t.${quote(name)}`)
  const isChanged = `EXISTS (SELECT 1 FROM ${ROWS} u WHERE u.isNew = 0 AND ${own.join(' AND ')})`
  const isLeft = request.mode === 'insert' ? '' : ` AND NOT ${isChanged}`
  return {
    sql:
      `SELECT n, line, @rule FROM ${ROWS} s WHERE isNew = 1 AND EXISTS (SELECT 1 FROM ` +
      `main.${quote(entity.table)} t WHERE ${same.join(' AND ')}${isLeft})`,
  }
}
