/** Authored SQL through the gate: facts for the model, faults with their place in the file. */
import { SqlFault } from '../../store/gate/fault.ts'
import type { GateFacts } from '../../store/gate/gate.ts'
import { columnScales, columnTypes, namedTypes, WORKFLOW_INSTANTS } from './column-types.ts'
import type { Compilation } from './compilation.ts'
import { findOutputScales } from './output-scales.ts'
import { checkParameter, contextTypeOf, type ParameterScope } from './parameters.ts'
import { adviseOnSql, type SqlNames } from './sql-advice.ts'
import type { AuthoredCondition, AuthoredSql, OutputColumn } from '../compiled/authored-sql.ts'
import type { Element, Place } from '../parse/element.ts'
import { planShadows, withShadows } from '../sql/shadow.ts'

/** A text of SQL in a model file. */
export interface SqlSource {
  text: string
  place: Place
  /** Returns the place of the character at an offset. */
  placeAt(offset: number): Place
}

/** The SQL that is an element's text. */
export function textSource(c: Compilation, element: Element): SqlSource {
  return {
    text: element.text,
    place: element.place,
    placeAt: (offset) => c.texts.placeInText(element, offset),
  }
}

/** The SQL that is an attribute's value. */
export function attributeSource(c: Compilation, element: Element, name: string): SqlSource {
  return {
    text: element.attributes[name] ?? '',
    place: element.place,
    placeAt: (offset) => c.texts.placeInAttribute(element, name, offset),
  }
}

/** A statement that only reads. Undefined, with a fault, when the gate refuses it. */
export function compileRead(
  c: Compilation,
  source: SqlSource,
  scope: ParameterScope,
): AuthoredSql | undefined {
  return compile(c, source, scope, () => c.gate.read(source.text, composeShadows(c)))
}

/** A read whose first cell is the answer: one output column. */
export function compileScalar(
  c: Compilation,
  source: SqlSource,
  scope: ParameterScope,
): AuthoredSql | undefined {
  const sql = compileRead(c, source, scope)
  if (sql && sql.columns.length !== 1) {
    c.faults.add(source.placeAt(firstWord(source.text)), 'This query must have one output column')
    return undefined
  }
  return sql
}

/** An INSERT, UPDATE or DELETE. */
export function compileWrite(
  c: Compilation,
  source: SqlSource,
  scope: ParameterScope,
): AuthoredSql | undefined {
  return compile(c, source, scope, () => c.gate.write(source.text, composeShadows(c)))
}

/** A statement that writes or reads, whichever it opens with. */
export function compileStatement(
  c: Compilation,
  source: SqlSource,
  scope: ParameterScope,
): AuthoredSql | undefined {
  return compile(c, source, scope, () =>
    c.gate.isWrite(source.text)
      ? c.gate.write(source.text, composeShadows(c))
      : c.gate.read(source.text, composeShadows(c)),
  )
}

/** A condition on the output columns of a query. */
export function compileCondition(
  c: Compilation,
  source: SqlSource,
  query: string,
  scope: ParameterScope,
): AuthoredCondition | undefined {
  try {
    const facts = c.gate.condition(source.text, query, composeShadows(c))
    checkParameters(c, source, facts.parameters, scope)
    warnOf(c, source, scope, [])
    return { text: source.text, place: source.place, ...facts }
  } catch (error) {
    addSqlFault(c, source, error, query)
    return undefined
  }
}

/** Returns why a condition does not fit a query; undefined when it does. */
export function findMisfit(c: Compilation, source: SqlSource, query: string): string | undefined {
  try {
    c.gate.condition(source.text, query, composeShadows(c))
    return undefined
  } catch (error) {
    if (error instanceof SqlFault) return error.message
    throw error
  }
}

/** The common table expressions that hold the tables of a statement to the company. */
function composeShadows(c: Compilation): (tables: readonly string[]) => string {
  return (tables) => withShadows(planShadows(c, tables, 'company'))
}

function compile(
  c: Compilation,
  source: SqlSource,
  scope: ParameterScope,
  ask: () => GateFacts,
): AuthoredSql | undefined {
  try {
    const facts = ask()
    const outputs = facts.columns.map((column) => column.name)
    checkParameters(c, source, facts.parameters, scope, outputs)
    warnOf(c, source, scope, [...facts.reads, ...facts.writes])
    const columns = withScales(c, source.text, facts)
    return { text: source.text, place: source.place, ...facts, columns }
  } catch (error) {
    addSqlFault(c, source, error)
    return undefined
  }
}

/** Warns of what gives wrong figures without a word. */
function warnOf(
  c: Compilation,
  source: SqlSource,
  scope: ParameterScope,
  tables: readonly string[],
): void {
  const columnOf = columnTypes(c, tables)
  const known = namedTypes(c)
  const isOfWorkflows = tables.some((table) => table.startsWith('svc_workflow_'))
  const names: SqlNames = {
    // A condition names columns of a query; a parameter, those of a record.
    columnOf: (key) => {
      if (isOfWorkflows && WORKFLOW_INSTANTS.has(key)) return 'DateTime'
      return tables.length > 0 ? columnOf(key) : known.get(key)
    },
    parameterOf: (key) => contextTypeOf(key) ?? scope.types?.get(key) ?? known.get(key),
    isBound: (key) => scope.types?.has(key) ?? false,
  }
  for (const { offset, message, isOfZone } of adviseOnSql(source.text, names))
    if (!(isOfZone && scope.isKept)) c.faults.warn(source.placeAt(offset), message)
}

const NO_SCALES: ReadonlyMap<string, number> = new Map()

/** Returns the output columns, adding decimal places to those computed from Decimals. */
function withScales(
  c: Compilation,
  text: string,
  { columns, reads, writes }: GateFacts,
): OutputColumn[] {
  const isReckoned = columns.some(({ table }) => table === undefined)
  const scales = isReckoned
    ? findOutputScales(text, columnScales(c, [...reads, ...writes]))
    : NO_SCALES
  return columns.map((column) => {
    const scale = column.table === undefined ? scales.get(column.name.toLowerCase()) : undefined
    return scale === undefined ? column : { ...column, scale }
  })
}

function addSqlFault(c: Compilation, source: SqlSource, error: unknown, query = ''): void {
  if (!(error instanceof SqlFault)) throw error
  if (c.faulty.isNamedIn(source.text) || c.faulty.isNamedIn(query)) return
  c.faults.add(source.placeAt(error.offset), error.message)
}

function checkParameters(
  c: Compilation,
  source: SqlSource,
  parameters: readonly string[],
  scope: ParameterScope,
  outputs: readonly string[] = [],
): void {
  for (const name of parameters) {
    const message = checkParameter(name, scope, c, outputs)
    if (message === undefined) continue
    const offset = source.text.search(new RegExp(`@${name}(?![A-Za-z0-9_])`))
    c.faults.add(source.placeAt(Math.max(0, offset)), message)
  }
}

/** Returns the offset of the first character that is not a blank. */
function firstWord(text: string): number {
  return Math.max(0, text.search(/\S/))
}
