/** Computed columns: their queries, what they are computed from, and the order in which. */
import { tokenize } from '../../store/gate/tokenize.ts'
import { ZONE_TABLE } from '../../store/read/zone-table.ts'
import { findChild, placeOf, readWords } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { describePlace } from './fault-list.ts'
import { scopeOf } from './parameters.ts'
import { compileScalar, textSource } from './sql.ts'
import type { AuthoredSql } from '../compiled/authored-sql.ts'
import type { Column, ComputedColumn, ComputeLink, Entity } from '../compiled/entity.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import type { Element } from '../parse/element.ts'

/** The Compute of a column, if it has one. Needs the gate. */
export function compileCompute(
  c: Compilation,
  element: Element,
  entity: Entity,
  column: Column,
): void {
  const child = findChild(element, 'Compute')
  if (!child) return
  const refuse = (message: string, place = child.place) => c.faults.add(place, message)
  const from = readWords(child, 'From').flatMap((name) => c.findEntity(name, child, 'From') ?? [])
  const names = () => entity.columns.map((each) => each.name)
  const sql = compileScalar(
    c,
    textSource(c, child),
    scopeOf(names, { columns: names, isKept: true }),
  )
  if (column.key || column.sequence !== undefined || column.name === entity.company) {
    refuse(`${column.name} is set by the engine: it cannot be computed`)
  }
  if (FIELD_KINDS[column.type].structure === 'files')
    refuse(`${column.name} cannot be computed: it is a File`)
  if (column.default !== undefined) {
    const place = findChild(element, 'Default')?.place ?? placeOf(element, 'Default')
    refuse(`${column.name} is computed, so its Default would never be seen: leave it out`, place)
  }
  if (!sql) return
  requireOwnReads(c, child, { entity, column, sql })
  warnOfZone(c, child, column, sql)
  warnOfUnnamed(c, child, { entity, column, sql, from })
  const links = from.flatMap((source) => compileLinks(c, child, { entity, column, sql, source }))
  column.compute = { sql, from: from.map((source) => source.name), links }
}

interface ComputeSource {
  entity: Entity
  column: Column
  sql: AuthoredSql
  source: Entity
}

/** A record of all companies would keep the figures of whichever company wrote last. */
function requireOwnReads(
  c: Compilation,
  element: Element,
  { entity, column, sql }: Omit<ComputeSource, 'source'>,
): void {
  if (entity.company !== undefined) return
  for (const table of sql.reads) {
    const read = c.entityByTable.get(table.toLowerCase())
    if (read?.company === undefined) continue
    c.faults.add(
      element.place,
      `${entity.name} is shared by all companies and ${read.name} is a company's own, so ` +
        `${column.name} would depend on who wrote last: select it in a TableQuery, or give ` +
        `${entity.name} a Company`,
    )
  }
}

/** Warns of a stored value by the zone of one caller, which others read in theirs. */
function warnOfZone(c: Compilation, element: Element, column: Column, sql: AuthoredSql): void {
  if (!sql.reads.includes(ZONE_TABLE)) return
  const message = `${column.name} is stored in the time zone of the last user who wrote it`
  c.faults.warn(element.place, `${message}: select it in a TableQuery`)
}

/**
 * A query over other records without a From is most often a forgotten one: their changes leave the
 * figure as it was. Who names some of them has chosen.
 */
function warnOfUnnamed(
  c: Compilation,
  element: Element,
  { entity, column, sql, from }: Omit<ComputeSource, 'source'> & { from: readonly Entity[] },
): void {
  if (from.length > 0) return
  for (const table of sql.reads) {
    const read = c.entityByTable.get(table.toLowerCase())
    if (!read || read.builtIn || read === entity) continue
    const message = `a write of ${read.name} does not compute ${column.name} again`
    c.faults.warn(element.place, `The query reads ${table}, but ${message}: add it to From`)
  }
}

/** Compiles the links from a written record of a From entity to the records to compute again. */
function compileLinks(
  c: Compilation,
  element: Element,
  { entity, column, sql, source }: ComputeSource,
): ComputeLink[] {
  const place = placeOf(element, 'From')
  if (source.builtIn) {
    c.faults.add(place, `From: the engine keeps ${source.name}, so nothing is computed from it`)
    return []
  }
  const table = source.table.toLowerCase()
  if (!sql.reads.some((read) => read.toLowerCase() === table)) {
    c.faults.add(
      place,
      `From: the query does not read ${source.table}, the table of ${source.name}`,
    )
    return []
  }
  const named = listNames(sql)
  const refers = (from: Entity, to: Entity) =>
    from.columns.filter(({ name, references }) => {
      return references === to.name && named.has(name.toLowerCase())
    })
  const links: ComputeLink[] = [
    ...refers(source, entity).map(({ name }) => link('child', source, name)),
    ...refers(entity, source).map(({ name }) => link('parent', source, name)),
  ]
  if (links.length > 0) return links
  c.faults.warn(
    place,
    `From: the query of ${column.name} follows no reference between ${source.name} and ` +
      `${entity.name}, so each write of ${source.name} computes every ${entity.name} again`,
  )
  return [{ kind: 'all', entity: source.name }]
}

const link = (kind: 'child' | 'parent', source: Entity, column: string): ComputeLink => ({
  kind,
  entity: source.name,
  column,
})

/** Lists lower-case names and parameters of a query. */
function listNames(sql: AuthoredSql): ReadonlySet<string> {
  const kinds = new Set(['word', 'name', 'parameter'])
  return new Set(tokenize(sql.text).flatMap(({ kind, key }) => (kinds.has(kind) ? [key] : [])))
}

/** Plans all computed columns, each after those it is computed from; a circle is a fault. */
export function planComputes(c: Compilation): ComputedColumn[] {
  const all = [...c.entities.values()].flatMap((entity) =>
    entity.columns.flatMap((column) =>
      column.compute ? [{ entity, column, compute: column.compute }] : [],
    ),
  )
  const ordered = new Set<ComputedColumn>()
  const visit = (node: ComputedColumn, path: readonly ComputedColumn[]): void => {
    if (ordered.has(node)) return
    const at = path.indexOf(node)
    if (at >= 0) return refuseCircle(c, path.slice(at))
    for (const other of all) if (isComputedFrom(node, other)) visit(other, [...path, node])
    ordered.add(node)
  }
  for (const node of all) {
    visit(node, [])
  }
  return [...ordered]
}

/** True when one column takes its value from another: of its own record, or of what it reads. */
export function isComputedFrom(node: ComputedColumn, other: ComputedColumn): boolean {
  const { sql, from } = node.compute
  const { entity, column } = other
  const isOwn = entity === node.entity
  if (!isOwn && !from.includes(entity.name)) return false
  const name = column.name.toLowerCase()
  if (isOwn && sql.parameters.some((parameter) => parameter.toLowerCase() === name)) return true
  const cell = `${entity.table}.${column.name}`.toLowerCase()
  return sql.cells.some((each) => each.toLowerCase() === cell)
}

function refuseCircle(c: Compilation, circle: readonly ComputedColumn[]): void {
  const names = [...circle, ...circle.slice(0, 1)].map(
    ({ entity, column }) => `${entity.name}.${column.name} (${describePlace(column.place)})`,
  )
  const path = names.join(' from ')
  const message = `Computed from itself: ${path}. Take one of them out of the circle`
  for (const { column } of circle.slice(0, 1)) c.faults.add(column.place, message)
}
