/** The query of a view: authored, or generated over the entity's table. */
import { findChild, listChildren, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { queryScope } from './parameters.ts'
import { compileRead, textSource } from './sql.ts'
import type { AuthoredSql, OutputColumn } from '../compiled/authored-sql.ts'
import type { Entity } from '../compiled/entity.ts'
import type { Element } from '../parse/element.ts'
import { quote } from '../sql/quote.ts'

/** Compiles the TableQuery, else all columns of the entity, else undefined with a fault. */
export function compileViewQuery(
  c: Compilation,
  element: Element,
  entity: Entity | undefined,
): AuthoredSql | undefined {
  const authored = findChild(element, 'TableQuery')
  if (!authored) return entity && generateQuery(entity)
  const declared = listChildren(element, 'Parameter').map((child) => readText(child, 'Name') ?? '')
  const sql = compileRead(
    c,
    textSource(c, authored),
    queryScope(() => declared),
  )
  return sql && entity && !hasKeys(c, authored, sql, entity) ? undefined : sql
}

/** `SELECT` of every column; it needs no gate, since all of it is known. */
export function generateQuery(entity: Entity): AuthoredSql {
  const names = entity.columns.map((column) => quote(column.name))
  return {
    text: `SELECT ${names.join(', ')} FROM ${quote(entity.table)}`,
    place: entity.place,
    parameters: [],
    reads: [entity.table],
    writes: [],
    columns: entity.columns.map((column) => ({
      name: column.name,
      table: entity.table,
      column: column.name,
    })),
    cells: entity.columns.map((column) => `${entity.table}.${column.name}`),
    mayRunInline: true,
    withAt: undefined,
  }
}

/** A query without rows or columns, for a wizard. */
export function emptyQuery(element: Element): AuthoredSql {
  return {
    text: 'SELECT NULL WHERE 0',
    place: element.place,
    parameters: [],
    reads: [],
    writes: [],
    columns: [],
    cells: [],
    mayRunInline: true,
    withAt: undefined,
  }
}

/** A fault for each key column that the query does not put out (How a query is composed). */
function hasKeys(c: Compilation, element: Element, sql: AuthoredSql, entity: Entity): boolean {
  const missing = entity.keys.filter((key) => {
    const output = sql.columns.find((column) => sameName(column.name, key.name))
    return !output || isForeign(output, entity)
  })
  for (const key of missing) {
    const message = `The TableQuery does not return ${key.name}, the key of ${entity.name}`
    c.faults.add(element.place, `${message}: add ${entity.table}.${key.name}`)
  }
  const stamp = entity.columns.find((column) => column.kind === 'stamp')
  if (stamp && !sql.columns.some((column) => sameName(column.name, stamp.name))) {
    const message = `The TableQuery does not return ${stamp.name}, so nothing can be saved`
    c.faults.warn(element.place, `${message}: add ${entity.table}.${stamp.name}`)
  }
  return missing.length === 0
}

/** True when an output column comes straight from another entity's table. */
function isForeign(output: OutputColumn, entity: Entity): boolean {
  return output.table !== undefined && !sameName(output.table, entity.table)
}

/** Compares names without case, as SQL does. */
export function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
