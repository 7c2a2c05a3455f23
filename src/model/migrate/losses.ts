/** Losses of stored rows by a migration, and rows it would open: refused unless allowed. */
import type { Column } from '../compiled/entity.ts'
import { FieldFault } from '../fields/field-kind.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import type { ColumnSchema } from './column-schema.ts'
import { type GivenByDeploy, NOTHING_GIVEN } from './given.ts'
import { type Probe, rowsOf } from './probe.ts'
import { findQueryFill, planConversion, planProjection, type Projected } from './projection.ts'
import type { SchemaMatch, StoredTable, TableMatch } from './schema-match.ts'
import { quote, quoteText } from '../sql/quote.ts'

/** Returns the probe for a removed entity with its rows, but for those that were `given`. */
export const probeRemovedTable = (table: StoredTable, given: GivenByDeploy): Probe => ({
  kind: 'loss',
  isLasting: true,
  place: undefined,
  sql:
    `SELECT ${['count(*)', ...countGiven(table, given)].join(' - ')} AS n ` +
    `FROM ${quote(table.table)}`,
  describe: (count) => `entity ${table.entity}: ${rowsOf(count)} of table ${table.table}`,
})

/**
 * Probes stored values that another type holds without a loss, but that are not the same when they
 * are given back their former type: the text `12` is `12.0` after it was a Decimal. Pure.
 */
export const probeConverted = ({ tables }: SchemaMatch): Probe[] =>
  tables.flatMap(({ entity, columns, stored: table }) =>
    columns.flatMap(({ stored, wanted, column, follows }): Probe[] => {
      if (!table || !stored || stored.type === wanted.type || follows !== undefined) return []
      if (stored.isDerived || wanted.isDerived) return []
      const name = quote(stored.name)
      const { value, isLossless = '1' } = planConversion(name, stored.type, wanted)
      const back = planConversion(`(${value})`, wanted.type, stored).value
      return [
        {
          kind: 'loss',
          isLasting: true,
          place: column.place,
          sql:
            `SELECT count(*) AS n FROM ${quote(table.table)} ` +
            `WHERE (${isLossless}) IS TRUE AND (${back}) IS NOT ${name}`,
          describe: (count) =>
            `${entity.name}.${wanted.name} became ${wanted.type}: values in ${rowsOf(count)} ` +
            `that would be written otherwise as ${stored.type} again`,
        },
      ]
    }),
  )

const countGiven = ({ entity }: StoredTable, { tables }: GivenByDeploy): string[] =>
  tables.flatMap((table) => (table.entity === entity ? `(${table.count})` : []))

/** The questions of one table. Pure. Values of new columns that were `given` are no loss. */
export function planLosses(table: TableMatch, stored: StoredTable, given: GivenByDeploy): Probe[] {
  const from = quote(stored.table)
  return [
    ...probeRemovedColumns(table, stored, given),
    ...planProjection(table).flatMap((column) => [
      ...probeKept(table, column, from),
      ...probeFitted(table, column, from),
      ...probeKeyLength(table, column, from),
      ...probeOptions(table, column, from),
      ...probeNewReference(table, column, from),
    ]),
    ...probeComputed(table, from),
    ...probeCompany(table, stored, from),
    ...probeAudit(table, stored, from),
    ...probeReads(table, stored, from),
  ]
}

/** A deploy that is rolled back numbered the rows itself: nobody entered those keys. */
const probeRemovedColumns = (
  { entity, removed }: TableMatch,
  stored: StoredTable,
  given: GivenByDeploy,
): Probe[] =>
  removed
    .filter((column) => !column.isDerived && !(given !== NOTHING_GIVEN && column.identity))
    .map((column) => ({
      kind: 'loss',
      isLasting: true,
      place: entity.place,
      sql: countValues(stored, column, given),
      describe: (count) =>
        `${entity.name}.${column.name} is removed: its values in ${rowsOf(count)}`,
    }))

/** SQL that counts the values of a column; where a deploy is rolled back, but for what it gave. */
function countValues(stored: StoredTable, column: ColumnSchema, given: GivenByDeploy): string {
  const name = quote(column.name)
  const from = quote(stored.table)
  if (given === NOTHING_GIVEN) return `SELECT count(${name}) AS n FROM ${from}`
  const fills = given.columns.flatMap((each) =>
    each.entity === stored.entity && each.column === column.name ? each.value : [],
  )
  const values = [...(column.default === null ? [] : [column.default]), ...fills]
  const others = values.map((value) => ` AND ${name} IS NOT ${value}`).join('')
  return `SELECT count(*) AS n FROM ${from} WHERE ${name} IS NOT NULL${others}`
}

/** Probes stored values of columns that are computed from now on: nothing else has them. */
const probeComputed = ({ entity, columns }: TableMatch, from: string): Probe[] =>
  columns.flatMap(({ stored, wanted, column }): Probe[] => {
    if (!stored || stored.isDerived || !wanted.isDerived) return []
    return [
      {
        kind: 'loss',
        isLasting: true,
        place: column.place,
        sql: `SELECT count(${quote(stored.name)}) AS n FROM ${from}`,
        describe: (count) =>
          `${entity.name}.${wanted.name} becomes computed: its values in ${rowsOf(count)}`,
      },
    ]
  })

function probeKept({ entity }: TableMatch, projected: Projected, from: string): Probe[] {
  const { isLossless, stored, wanted, column } = projected
  if (isLossless === undefined || stored === undefined) return []
  const name = `${entity.name}.${wanted.name}`
  return [
    {
      kind: 'loss',
      isLasting: true,
      place: column.place,
      sql:
        `SELECT count(*) AS n FROM ${from} ` +
        `WHERE ${quote(stored.name)} IS NOT NULL AND (${isLossless}) IS NOT TRUE`,
      describe: (count) =>
        `${name} becomes ${wanted.type}: its values in ${rowsOf(count)} that are no ${wanted.type}`,
    },
  ]
}

/** Probes rounding by a smaller Scale and cutting by MaxLength; computed values are redone. */
function probeFitted({ entity }: TableMatch, projected: Projected, from: string): Probe[] {
  const { unfitted, value, wanted, column } = projected
  if (unfitted === undefined || value === undefined || wanted.isDerived) return []
  const name = `${entity.name}.${wanted.name}`
  const describe = (count: number): string =>
    wanted.scale === null
      ? `${name} gets MaxLength ${wanted.maxLength}: its values in ${rowsOf(count)} that are longer`
      : `${name} gets Scale ${wanted.scale}: values in ${rowsOf(count)} with more decimal places`
  const sql =
    `SELECT count(*) AS n FROM ${from} ` +
    `WHERE (${unfitted}) IS NOT NULL AND (${unfitted}) IS NOT (${value})`
  return [{ kind: 'loss', isLasting: true, place: column.place, sql, describe }]
}

/** A key is never cut: two could become one. */
function probeKeyLength({ entity }: TableMatch, projected: Projected, from: string): Probe[] {
  const { stored, wanted, column, probe } = projected
  const isSmaller = (stored?.maxLength ?? 0) > (wanted.maxLength ?? Infinity)
  if (!column.key || !isSmaller || wanted.references !== null || probe === undefined) return []
  return [
    {
      kind: 'fault',
      place: column.place,
      sql: `SELECT count(*) AS n FROM ${from} WHERE length(${probe}) > ${wanted.maxLength}`,
      describe: (count) =>
        `${entity.name}.${wanted.name} gets MaxLength ${wanted.maxLength}, and the keys of ` +
        `${rowsOf(count)} are longer: keys are never truncated`,
    },
  ]
}

/** Options that are taken away while rows have them: the rows keep them, as no option any more. */
function probeOptions({ entity }: TableMatch, projected: Projected, from: string): Probe[] {
  const { stored, wanted, column } = projected
  if (stored === undefined || stored.type !== wanted.type || wanted.options.length === 0) return []
  const removed = stored.options.filter((option) => !wanted.options.includes(option))
  if (removed.length === 0) return []
  const values = removed.flatMap((option) => toLiteral(option, column) ?? [])
  return [
    {
      kind: 'loss',
      place: column.place,
      sql:
        `SELECT count(*) AS n FROM ${from} ` +
        `WHERE ${quote(stored.name)} IN (${values.join(', ')})`,
      describe: (count) =>
        `${entity.name}.${wanted.name} loses the options ${removed.join(', ')}: ${rowsOf(count)} ` +
        `${count === 1 ? 'has' : 'have'} one of them`,
    },
  ]
}

function toLiteral(option: string, column: Column): string | undefined {
  const value = FIELD_KINDS[column.type].parse(option, column)
  if (value === null || value instanceof FieldFault) return undefined
  return typeof value === 'string' ? quoteText(value) : String(value)
}

/** Probes a new reference, whose values may be old keys or new ones. */
function probeNewReference({ entity }: TableMatch, projected: Projected, from: string): Probe[] {
  const { stored, wanted, column, isAmbiguous } = projected
  if (stored === undefined || !isAmbiguous) return []
  return [
    {
      kind: 'fault',
      place: column.place,
      sql: `SELECT count(${quote(stored.name)}) AS n FROM ${from}`,
      describe: (count) =>
        `Column ${wanted.name} of ${entity.name} is to reference ${column.references}, which ` +
        `gets another key by this deploy, and of ${rowsOf(count)} it cannot be told whether they ` +
        `hold old keys or new ones: deploy the reference first, then the key`,
    },
  ]
}

function probeCompany(table: TableMatch, stored: StoredTable, from: string): Probe[] {
  const { entity, wanted } = table
  const company = planProjection(table).find((column) => column.wanted.name === wanted.company)
  const loss = (sql: string, describe: Probe['describe']): Probe[] => [
    { kind: 'loss', place: entity.place, sql, describe },
  ]
  if (stored.company === null) {
    if (company === undefined) return []
    const value = findQueryFill(company) || !company.probe ? 'NULL' : company.probe
    const others = `EXISTS (SELECT 1 FROM svc_companies AS c WHERE c.Id IS NOT (${value}))`
    return loss(
      `SELECT count(*) AS n FROM ${from} WHERE ${findQueryFill(company) ? MANY_COMPANIES : others}`,
      (count) => `${entity.name} gets a Company: ${rowsOf(count)} would be hidden from the others`,
    )
  }
  if (company === undefined)
    return loss(
      `SELECT count(*) AS n FROM ${from}`,
      (count) => `${entity.name} loses its Company: ${rowsOf(count)} would be open to all of them`,
    )
  const own = quote(stored.company)
  if (company.probe === own) return []
  return loss(
    `SELECT count(*) AS n FROM ${from} WHERE ${own} IS NOT (${company.probe ?? 'NULL'})`,
    (count) => `${entity.name} gets another Company: ${rowsOf(count)} would go to another company`,
  )
}

const MANY_COMPANIES = '(SELECT count(*) FROM svc_companies) > 1'

const probeAudit = ({ entity }: TableMatch, stored: StoredTable, from: string): Probe[] =>
  stored.audit && !entity.audit
    ? [
        {
          kind: 'loss',
          place: entity.place,
          sql: `SELECT count(*) AS n FROM ${from}`,
          describe: (count) =>
            `${entity.name} loses its Audit: changes of ${rowsOf(count)} would not be recorded`,
        },
      ]
    : []

const probeReads = ({ entity }: TableMatch, stored: StoredTable, from: string): Probe[] =>
  stored.reads && entity.audit && !entity.logsReads
    ? [
        {
          kind: 'loss',
          place: entity.place,
          sql: `SELECT count(*) AS n FROM ${from}`,
          describe: (count) =>
            `${entity.name} loses the log of its reads: who is shown ${rowsOf(count)} would not ` +
            'be recorded',
        },
      ]
    : []
