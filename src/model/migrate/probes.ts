/** What a migration asks the stored rows before it touches them. */
import type { Steps } from '../compile/steps.ts'
import type { Place } from '../element.ts'
import { quote } from '../quote.ts'
import type { Entity } from '../model.ts'
import { inCompany } from './indexes.ts'
import type { IndexSchema } from './indexes.ts'
import type { SchemaMatch, StoredTable, TableMatch } from './match.ts'
import { planProjection, projectRows } from './projection.ts'
import type { Projected } from './projection.ts'

/** A question that counts rows: any is a fault, or a loss that the caller may allow. */
export interface Probe {
  kind: 'fault' | 'loss'
  /** Undefined for an entity that is gone. */
  place: Place | undefined
  sql: string
  /** The sentence for a count. */
  tell: (count: number) => string
}

/** Plans the questions of a migration. Pure; each is one SELECT with one number. */
export function* planProbes(match: SchemaMatch): Steps<Probe[]> {
  const probes = match.removed.map(probeRemovedTable)
  for (const table of match.tables) {
    if (table.stored !== undefined) probes.push(...probeTable(table, table.stored, match))
    yield
  }
  return probes
}

/** `4 rows`, `1 row`. */
export const rowsOf = (count: number): string => `${count} ${count === 1 ? 'row' : 'rows'}`

const probeRemovedTable = (table: StoredTable): Probe => ({
  kind: 'loss',
  place: undefined,
  sql: `SELECT count(*) AS n FROM ${quote(table.table)}`,
  tell: (count) => `entity ${table.entity}: ${rowsOf(count)} of table ${table.table}`,
})

function probeTable(table: TableMatch, stored: StoredTable, match: SchemaMatch): Probe[] {
  const from = quote(stored.table)
  const projection = planProjection(table)
  return [
    ...probeRemovedColumns(table, from),
    ...projection.flatMap((column) => [
      ...probeKept(table, column, from),
      ...probeRequired(table, column, from),
      ...probeReference(table, column, from, match),
    ]),
    ...probeKey(table, stored, projection, from),
    ...probeUniques(table, stored, projection, from),
  ]
}

const probeRemovedColumns = ({ entity, removed }: TableMatch, from: string): Probe[] =>
  removed
    .filter((column) => !column.isDerived)
    .map((column) => ({
      kind: 'loss',
      place: entity.place,
      sql: `SELECT count(${quote(column.name)}) AS n FROM ${from}`,
      tell: (count) => `${entity.name}.${column.name} is removed: its values in ${rowsOf(count)}`,
    }))

function probeKept({ entity }: TableMatch, projected: Projected, from: string): Probe[] {
  const { isKept, stored, wanted, column } = projected
  if (isKept === undefined || stored === undefined) return []
  const name = `${entity.name}.${wanted.name}`
  return [
    {
      kind: 'loss',
      place: column.place,
      sql:
        `SELECT count(*) AS n FROM ${from} ` +
        `WHERE ${quote(stored.name)} IS NOT NULL AND (${isKept}) IS NOT TRUE`,
      tell: (count) =>
        `${name} becomes ${wanted.type}: its values in ${rowsOf(count)} that are no ${wanted.type}`,
    },
  ]
}

function probeRequired({ entity }: TableMatch, projected: Projected, from: string): Probe[] {
  const { value, stored, wanted, column } = projected
  const isHeld = stored?.notNull === true && projected.isKept === undefined
  if (!wanted.notNull || value === undefined || isHeld) return []
  return [
    {
      kind: 'fault',
      place: column.place,
      sql: `SELECT count(*) AS n FROM ${from} WHERE (${value}) IS NULL`,
      tell: (count) =>
        `Column ${wanted.name} of ${entity.name} needs a value, and ${rowsOf(count)} would have ` +
        `none: give it a Fill="…" with an expression over the stored row, or a Default`,
    },
  ]
}

function probeReference(
  { entity }: TableMatch,
  projected: Projected,
  from: string,
  match: SchemaMatch,
): Probe[] {
  const { value, stored, wanted, column, isSame } = projected
  const { references } = wanted
  if (references === null || value === undefined) return []
  const wasHeld = stored?.references !== null && stored?.references !== undefined
  if (isSame && wasHeld && isSameTarget(stored.references?.table, references.table, match))
    return []
  const parents = parentKeys(references, match)
  const orphan = parents === undefined ? '' : ` AND v NOT IN (${parents})`
  return [
    {
      kind: 'fault',
      place: column.place,
      sql:
        `SELECT count(*) AS n FROM (SELECT ${value} AS v FROM ${from}) ` +
        `WHERE v IS NOT NULL${orphan}`,
      tell: (count) =>
        `Column ${wanted.name} of ${entity.name} references ${column.references}, and ` +
        `${rowsOf(count)} would point to none that is there`,
    },
  ]
}

/** The same parent still, whatever its table is called now. */
function isSameTarget(stored: string | undefined, wanted: string, match: SchemaMatch): boolean {
  const parent = match.tables.find((table) => table.wanted.table === wanted)
  return stored === (parent === undefined ? wanted : parent.stored?.table)
}

/** The keys that will be there, as SQL; undefined: none, since the table is new. */
function parentKeys(
  { table, key }: { table: string; key: string },
  match: SchemaMatch,
): string | undefined {
  const parent = match.tables.find((one) => one.wanted.table === table)
  if (parent === undefined) return `SELECT ${quote(key)} FROM ${quote(table)}`
  if (parent.stored === undefined) return undefined
  return `SELECT ${quote(key)} FROM ${projectRows(parent, quote(parent.stored.table))}`
}

function probeKey(
  table: TableMatch,
  stored: StoredTable,
  projection: readonly Projected[],
  from: string,
): Probe[] {
  const { entity, wanted } = table
  const keys = projection.filter((one) => wanted.keys.includes(one.wanted.name))
  const isNumbered = keys.some((one) => one.value === undefined)
  const isHeld = keys.every(
    (one) => one.isSame && one.stored !== undefined && stored.keys.includes(one.stored.name),
  )
  if (isNumbered || (isHeld && keys.length === stored.keys.length)) return []
  const columns = wanted.keys.map(quote).join(', ')
  return [
    {
      kind: 'fault',
      place: entity.place,
      sql: countDoubles(projectRows(table, from), columns, ''),
      tell: (count) => `Rows of ${entity.name} would stand ${countTimes(count)} of the key`,
    },
  ]
}

const countTimes = (count: number): string =>
  `twice or more under ${count} ${count === 1 ? 'value' : 'values'}`

const countDoubles = (rows: string, columns: string, where: string): string =>
  `SELECT count(*) AS n FROM ` +
  `(SELECT 1 FROM ${rows}${where} GROUP BY ${columns} HAVING count(*) > 1)`

function probeUniques(
  table: TableMatch,
  stored: StoredTable,
  projection: readonly Projected[],
  from: string,
): Probe[] {
  const isNew = (index: IndexSchema): boolean =>
    !stored.indexes.some((one) => one.name === index.name) ||
    projection.some((one) => index.columns.includes(one.wanted.name) && !one.isSame)
  const uniques = table.wanted.indexes.filter((index) => index.unique && !index.isForNulls)
  return uniques.filter(isNew).map((index) => probeUnique(table, index, from))
}

function probeUnique(table: TableMatch, index: IndexSchema, from: string): Probe {
  const { entity } = table
  const conditions = index.where === null ? [] : [`(${index.where}\n)`]
  if (!index.nullsEqual)
    conditions.push(...index.columns.map((name) => `${quote(name)} IS NOT NULL`))
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  const columns = index.columns.map(quote).join(', ')
  const rule = `${entity.name} is to be unique by ${index.columns.join(' ')}`
  return {
    kind: 'fault',
    place: placeOf(entity, index),
    sql: countDoubles(projectRows(table, from), columns, where),
    tell: (count) => `${rule}, and stored rows stand ${countTimes(count)}`,
  }
}

function placeOf(entity: Entity, index: IndexSchema): Place {
  const declared = entity.indexes.find(
    (one) => one.unique && inCompany(entity, one.columns).join() === index.columns.join(),
  )
  const column = entity.columnByName.get(index.columns.at(-1)?.toLowerCase() ?? '')
  return declared?.place ?? column?.place ?? entity.place
}
