import { listChildren, placeOf, readFlag, readText, readWords } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { findColumn } from './find-column.ts'
import { CONTEXT_ONLY } from './parameters.ts'
import { attributeSource, compileCondition, type SqlSource } from './sql.ts'
import type { Entity, Index } from '../compiled/entity.ts'
import type { Element } from '../parse/element.ts'
import { quote } from '../sql/quote.ts'

/** The indexes of an entity; one with an unknown column is a fault and left out. */
export function compileIndexes(c: Compilation, element: Element, entity: Entity): Index[] {
  return listChildren(element, 'Index').flatMap((child) => {
    const columns = readWords(child, 'Columns').map((name) =>
      findColumn(c, child, entity, 'Columns', name),
    )
    const names = columns.flatMap((column) => (column ? [column.name] : []))
    if (names.length < columns.length) return []
    if (new Set(names).size < names.length) {
      c.faults.add(placeOf(child, 'Columns'), 'A column is listed twice')
    }
    const where = readText(child, 'Where')
    if (where !== undefined) c.whenGated(() => checkWhere(c, child, entity))
    const unique = readFlag(child, 'Unique') ?? false
    return [{ columns: names, unique, where, place: child.place }]
  })
}

/**
 * A partial index knows its own row only: no parameter, no query, nothing that changes by itself.
 */
function checkWhere(c: Compilation, element: Element, entity: Entity): void {
  const source = attributeSource(c, element, 'Where')
  const condition = compileCondition(c, source, tableQuery(entity), {
    ...CONTEXT_ONLY,
    isKept: true,
  })
  if (!condition) return
  checkPure(c, source, condition.parameters, 'The Where of an Index')
}

/** A fault unless an expression speaks of nothing but its row. */
export function checkPure(
  c: Compilation,
  source: SqlSource,
  parameters: readonly string[],
  what: string,
): void {
  const query = source.text.search(/\b(select|values|with)\b/i)
  if (query >= 0) c.faults.add(source.placeAt(query), `${what} cannot hold a query`)
  const [parameter] = parameters
  if (parameter === undefined) return
  const offset = source.text.indexOf(`@${parameter}`)
  c.faults.add(source.placeAt(offset), `${what} cannot name the parameter @${parameter}`)
}

/** Every row of an entity's table, for conditions on its columns. */
export function tableQuery(entity: Entity): string {
  return `SELECT * FROM ${quote(entity.table)}`
}
