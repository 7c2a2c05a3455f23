/**
 * Random conditions in SQL, and their truth worked out in memory by SQL's three values: true, false
 * and null for unknown.
 */
import fc from 'fast-check'

export type Value = string | number | null
export type Truth = boolean | null
export type Values = Readonly<Record<string, Value>>

export type Operator = '=' | '<>' | '<' | '<=' | '>' | '>='

/** The right-hand side of a comparison. */
export type Operand =
  | { kind: 'literal'; value: Value }
  | { kind: 'column'; name: string }
  | { kind: 'parameter'; name: string }

export type Condition =
  | { kind: 'compare'; column: string; operator: Operator; with: Operand }
  | { kind: 'null'; column: string; not: boolean }
  | { kind: 'in'; column: string; values: readonly Value[]; not: boolean }
  /** `A IN (SELECT x.A FROM <table> x WHERE x.C = 1)`, `table` by the number of its entity. */
  | { kind: 'among'; table: number; not: boolean }
  | { kind: 'not'; of: Condition }
  | { kind: 'both' | 'either'; left: Condition; right: Condition }

/** The inputs of a condition besides the row. */
export interface Surroundings {
  parameters: Values
  /** The values of A in the rows of an entity with C = 1, as far as the caller's company sees. */
  among(table: number): readonly Value[]
}

/** A column that conditions may name, and values that it is compared with. */
export interface ConditionColumn {
  name: string
  type: 'number' | 'text'
  values: readonly Value[]
}

const OPERATORS: readonly Operator[] = ['=', '<>', '<', '<=', '>', '>=']

/** Conditions over columns of a view; `tables` is how many entities there are. */
export function conditionOf(
  columns: readonly ConditionColumn[],
  tables: number,
  depth = 2,
): fc.Arbitrary<Condition> {
  const leaf = fc.constantFrom(...columns).chain((column) => leafOf(column, columns, tables))
  if (depth === 0) return leaf
  const inner = conditionOf(columns, tables, depth - 1)
  return fc.oneof(
    { weight: 4, arbitrary: leaf },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('both' as const, 'either' as const),
        left: inner,
        right: inner,
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('not' as const), of: inner }) },
  )
}

function leafOf(
  column: ConditionColumn,
  columns: readonly ConditionColumn[],
  tables: number,
): fc.Arbitrary<Condition> {
  const literals = column.values.filter((value) => value !== null)
  const peers = columns.filter(({ type }) => type === column.type)
  const parameters =
    column.type === 'text' ? ['User_Region'] : ['CurrentUserId', 'CurrentCompanyId', 'User_Level']
  const operand: fc.Arbitrary<Operand> = fc.oneof(
    fc.record({ kind: fc.constant('literal' as const), value: fc.constantFrom(...literals) }),
    fc.record({
      kind: fc.constant('column' as const),
      name: fc.constantFrom(...peers.map(({ name }) => name)),
    }),
    fc.record({ kind: fc.constant('parameter' as const), name: fc.constantFrom(...parameters) }),
  )
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('compare' as const),
        column: fc.constant(column.name),
        operator: fc.constantFrom(...OPERATORS),
        with: operand,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('null' as const),
        column: fc.constant(column.name),
        not: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('in' as const),
        column: fc.constant(column.name),
        values: fc.array(fc.constantFrom(...literals), { minLength: 1, maxLength: 3 }),
        not: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('among' as const),
        table: fc.nat(tables - 1),
        not: fc.boolean(),
      }),
    },
  )
}

/** The condition as an author writes it; `tableName` gives an entity's table by its number. */
export function toSql(condition: Condition, tableName: (table: number) => string): string {
  const not = 'not' in condition && condition.not ? 'NOT ' : ''
  switch (condition.kind) {
    case 'compare':
      return `${condition.column} ${condition.operator} ${operandSql(condition.with)}`
    case 'null':
      return `${condition.column} IS ${not}NULL`
    case 'in':
      return `${condition.column} ${not}IN (${condition.values.map(literalSql).join(', ')})`
    case 'among':
      return `A ${not}IN (SELECT x.A FROM ${tableName(condition.table)} x WHERE x.C = 1)`
    case 'not':
      return `NOT (${toSql(condition.of, tableName)})`
    default: {
      const word = condition.kind === 'both' ? 'AND' : 'OR'
      return `(${toSql(condition.left, tableName)} ${word} ${toSql(condition.right, tableName)})`
    }
  }
}

function operandSql(operand: Operand): string {
  if (operand.kind === 'literal') return literalSql(operand.value)
  return operand.kind === 'column' ? operand.name : `@${operand.name}`
}

const literalSql = (value: Value): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

/** The truth of a condition for a row. */
export function judge(condition: Condition, row: Values, around: Surroundings): Truth {
  const cell = 'column' in condition ? (row[condition.column] ?? null) : null
  switch (condition.kind) {
    case 'compare':
      return compare(cell, condition.operator, operandValue(condition.with, row, around))
    case 'null':
      return (cell === null) !== condition.not
    case 'in':
      return negate(isAmong(cell, condition.values), condition.not)
    case 'among':
      return negate(isAmong(row.A ?? null, around.among(condition.table)), condition.not)
    case 'not':
      return negate(judge(condition.of, row, around), true)
    default: {
      const left = judge(condition.left, row, around)
      const right = judge(condition.right, row, around)
      const decisive = condition.kind === 'either'
      if (left === decisive || right === decisive) return decisive
      return left === null || right === null ? null : !decisive
    }
  }
}

function operandValue(operand: Operand, row: Values, around: Surroundings): Value {
  if (operand.kind === 'literal') return operand.value
  return (operand.kind === 'column' ? row[operand.name] : around.parameters[operand.name]) ?? null
}

const negate = (truth: Truth, not: boolean): Truth => (truth === null ? null : truth !== not)

function isAmong(cell: Value, values: readonly Value[]): Truth {
  if (values.length === 0) return false
  if (cell === null) return null
  if (values.includes(cell)) return true
  return values.includes(null) ? null : false
}

function compare(left: Value, operator: Operator, right: Value): Truth {
  if (left === null || right === null) return null
  const order = orderValues(left, right)
  if (operator === '=') return order === 0
  if (operator === '<>') return order !== 0
  if (operator === '<') return order < 0
  if (operator === '<=') return order <= 0
  return operator === '>' ? order > 0 : order >= 0
}

/** SQLite's order of values of one type: numbers by size, texts by their bytes; null is least. */
export function orderValues(left: Value, right: Value): number {
  if (left === null || right === null) return Number(left !== null) - Number(right !== null)
  if (typeof left === 'string' && typeof right === 'string')
    return Buffer.compare(Buffer.from(left), Buffer.from(right))
  return Number(left) - Number(right)
}
