/** Probes of a migration: of the stored rows before it touches them, of the new ones at its end. */
import { counted } from '../../kernel/counted.ts'
import { Yielder } from '../../kernel/yielder.ts'
import type { Entity } from '../compiled/entity.ts'
import { planColumn } from './column-schema.ts'
import type { GivenByDeploy } from './given.ts'
import { inCompany, type IndexSchema } from './indexes.ts'
import { isGivenGuid } from './key-changes.ts'
import { planLosses, probeRemovedTable } from './losses.ts'
import { type Probe, rowsOf } from './probe.ts'
import { planProjection, type Projected, projectRows } from './projection.ts'
import { isOpen, type Stages } from './rebuild-reasons.ts'
import type { SchemaMatch, StoredTable, TableMatch } from './schema-match.ts'
import type { Model } from '../model.ts'
import type { Place } from '../parse/element.ts'
import { quote } from '../sql/quote.ts'

/** Questions to the stored rows, and questions that only the rows at the end can answer. */
interface StagedProbes {
  before: Probe[]
  /** Asked when rows, fills and migrations are written; faults all. */
  after: Probe[]
}

/** Plans the questions of a migration. Pure; each is one SELECT with one number. */
export async function planProbes(
  match: SchemaMatch,
  stages: Stages,
  given: GivenByDeploy,
): Promise<StagedProbes> {
  const before = match.removed.map((table) => probeRemovedTable(table, given))
  const after: Probe[] = []
  const yielder = new Yielder()
  for (const table of match.tables) {
    const { stored } = table
    if (stored !== undefined) {
      const isLate = isOpen(table, match, stages)
      before.push(...planLosses(table, stored, given), ...probeKey(table, stored))
      for (const probe of probeTable(table, stored, match))
        if (!isLate && !stages.isHeld && !probe.isLate(stages)) before.push(probe)
        else after.push(probe.late)
    }
    await yielder.yieldWhenDue()
  }
  return { before, after }
}

/** A question that may have to wait: the test for that, and the later question. */
interface LateProbe extends Probe {
  isLate: (stages: Stages) => boolean
  late: Probe
}

function probeTable(table: TableMatch, stored: StoredTable, match: SchemaMatch): LateProbe[] {
  const from = quote(stored.table)
  const projection = planProjection(table)
  const references = projection.flatMap((column) => probeReference(table, column, from, match))
  const others = projection.filter(({ wanted }) => !table.wanted.keys.includes(wanted.name))
  const required = others.flatMap((column) => probeRequired(table, column, from))
  return [...references, ...required, ...probeUniques(table, stored, projection)]
}

const never = (): boolean => false

function probeRequired(
  { entity, wanted: { table } }: TableMatch,
  projected: Projected,
  from: string,
): LateProbe[] {
  const { probe, stored, wanted, column } = projected
  const isHeld = stored?.notNull === true && projected.isLossless === undefined
  if (!wanted.notNull || probe === undefined || isHeld || isGivenGuid(projected)) return []
  const ask = (sql: string): Probe => ({
    kind: 'fault',
    place: column.place,
    sql,
    describe: (count) =>
      `Column ${wanted.name} of ${entity.name} needs a value, and ${rowsOf(count)} would have ` +
      `none: give it a Fill="…" with an expression over the stored row, or a Default`,
  })
  const late = `SELECT count(*) AS n FROM ${quote(table)} WHERE ${quote(wanted.name)} IS NULL`
  return [
    {
      ...ask(`SELECT count(*) AS n FROM ${from} WHERE (${probe}) IS NULL`),
      isLate: never,
      late: ask(late),
    },
  ]
}

function probeReference(
  { entity, wanted: { table } }: TableMatch,
  projected: Projected,
  from: string,
  match: SchemaMatch,
): LateProbe[] {
  const { probe, stored, wanted, column, isSame, follows } = projected
  const { references } = wanted
  if (references === null || probe === undefined || follows !== undefined) return []
  const wasHeld = stored?.references !== null && stored?.references !== undefined
  if (isSame && wasHeld && isSameTarget(stored.references?.table, references.table, match))
    return []
  const parents = parentKeys(references, match)
  const parent = match.tables.find((one) => one.wanted.table === references.table)
  const ask = (sql: string): Probe => ({
    kind: 'fault',
    place: column.place,
    sql,
    describe: (count) =>
      `Column ${wanted.name} of ${entity.name} references ${column.references}, and ` +
      `${rowsOf(count)} would refer to records that do not exist`,
  })
  const orphans = (value: string, of: string, keys: string | undefined): string =>
    `SELECT count(*) AS n FROM (SELECT ${value} AS v FROM ${of}) ` +
    `WHERE v IS NOT NULL${keys === undefined ? '' : ` AND v NOT IN (${keys})`}`
  const keys = `SELECT ${quote(references.key)} FROM ${quote(references.table)}`
  return [
    {
      ...ask(orphans(probe, from, parents)),
      isLate: ({ rows }) =>
        parent !== undefined && (rows.has(parent.entity.name) || parent.keyChange !== undefined),
      late: ask(orphans(quote(wanted.name), quote(table), keys)),
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

function probeKey(table: TableMatch, stored: StoredTable): Probe[] {
  const { entity, wanted } = table
  const projection = planProjection(table)
  const keys = projection.filter((one) => wanted.keys.includes(one.wanted.name))
  const isNumbered = keys.some((one) => one.value === undefined || isGivenGuid(one))
  const isHeld = keys.every(
    (one) => one.isSame && one.stored !== undefined && stored.keys.includes(one.stored.name),
  )
  const from = quote(stored.table)
  const required = keys.flatMap((key) => probeRequired(table, key, from))
  if (isNumbered || (isHeld && keys.length === stored.keys.length)) return required
  const columns = wanted.keys.map(quote).join(', ')
  return [
    ...required,
    {
      kind: 'fault',
      place: entity.place,
      sql: countDuplicates(projectRows(table, from), columns, ''),
      describe: (count) =>
        `Rows of ${entity.name} would share ${counted(count, 'value')} of the key`,
    },
  ]
}

const countDuplicates = (rows: string, columns: string, where: string): string =>
  `SELECT count(*) AS n FROM ` +
  `(SELECT 1 FROM ${rows}${where} GROUP BY ${columns} HAVING count(*) > 1)`

function probeUniques(
  table: TableMatch,
  stored: StoredTable,
  projection: readonly Projected[],
): LateProbe[] {
  const isNew = (index: IndexSchema): boolean =>
    !stored.indexes.some((one) => one.name === index.name) ||
    projection.some((one) => index.columns.includes(one.wanted.name) && !one.isSame)
  const uniques = table.wanted.indexes.filter((index) => index.unique && !index.isForNulls)
  return uniques.filter(isNew).map((index) => probeUnique(table, stored, index))
}

function probeUnique(table: TableMatch, stored: StoredTable, index: IndexSchema): LateProbe {
  const { entity, wanted } = table
  const conditions = index.where === null ? [] : [`(${index.where}\n)`]
  if (!index.nullsEqual)
    conditions.push(...index.columns.map((name) => `${quote(name)} IS NOT NULL`))
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  const columns = index.columns.map(quote).join(', ')
  const rule = `${entity.name} is to be unique by ${index.columns.join(' ')}`
  const ask = (rows: string): Probe => ({
    kind: 'fault',
    place: placeOf(entity, index),
    sql: countDuplicates(rows, columns, where),
    describe: (count) => `${rule}, but stored rows share ${counted(count, 'value')}`,
  })
  return {
    ...ask(projectRows(table, quote(stored.table))),
    isLate: never,
    late: ask(quote(wanted.table)),
  }
}

function placeOf(entity: Entity, index: IndexSchema): Place {
  const declared = entity.indexes.find(
    (one) => one.unique && inCompany(entity, one.columns).join() === index.columns.join(),
  )
  const column = entity.columnByName.get(index.columns.at(-1)?.toLowerCase() ?? '')
  return declared?.place ?? column?.place ?? entity.place
}

/** Probes every reference: it leads to a record, and not to one of another company. Pure. */
export function planWrittenProbes(
  written: readonly Entity[],
  model: Pick<Model, 'entities'>,
): Probe[] {
  return written.flatMap((entity) => {
    const held = referencesOf(entity, model)
    return held.flatMap(({ column, table, key, company }): Probe[] => {
      const from = `SELECT count(*) AS n FROM ${quote(entity.table)} AS r WHERE r.${quote(column)}`
      const parent = `SELECT 1 FROM ${quote(table)} AS p WHERE p.${quote(key)} = r.${quote(column)}`
      const at = { kind: 'fault', place: entity.place } as const
      const orphans: Probe = {
        ...at,
        sql: `${from} IS NOT NULL AND NOT EXISTS (${parent})`,
        describe: (count) =>
          `${entity.name}.${column}: ${rowsOf(count)} would refer to records that do not exist`,
      }
      if (company === undefined || entity.company === undefined) return [orphans]
      const own = `r.${quote(entity.company)}`
      const crossing: Probe = {
        ...at,
        sql: `${from} IS NOT NULL AND EXISTS (${parent} AND p.${quote(company)} IS NOT ${own})`,
        describe: (count) =>
          `${entity.name}.${column}: ${rowsOf(count)} would refer to a record of another company`,
      }
      return [orphans, crossing]
    })
  })
}

interface HeldReference {
  column: string
  table: string
  key: string
  /** The tenant column of the referenced entity. */
  company: string | undefined
}

const referencesOf = (entity: Entity, model: Pick<Model, 'entities'>): HeldReference[] =>
  entity.columns.flatMap((column) => {
    const { references } = planColumn(entity, column, model)
    if (references === null) return []
    const { table, key } = references
    const company = model.entities.get(column.references ?? '')?.company
    return [{ column: column.name, table, key, company }]
  })
