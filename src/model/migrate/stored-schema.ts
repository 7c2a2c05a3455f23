/** The schema that the last deploy left, compared with the database. */
import { Yielder, yieldNow } from '../../kernel/yielder.ts'
import type { SqlRow } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import type { FieldType } from '../compiled/field-features.ts'
import type { Script } from '../compiled/script.ts'
import { DECIMAL_SCALE_DEFAULT } from '../fields/decimal.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { TEXT_LENGTH_DEFAULT } from '../fields/text.ts'
import type { ColumnSchema } from './column-schema.ts'
import type { StoredTable } from './schema-match.ts'
import type { TableSchema } from './table-schema.ts'
import type { Element } from '../parse/element.ts'
import { quote, quoteText } from '../sql/quote.ts'

/** Name of the fact that keeps it. */
export const SCHEMA_FACT = 'schema'

/** A table of the fact, and its SQL as the database had it after the migration. */
interface FactTable {
  schema: TableSchema
  sql: string
  /** Set where values are converted on a change of type; earlier versions left days as instants. */
  isConverted: true
}

export interface StoredSchema {
  tables: StoredTable[]
  /** Lower-case names of tables that are neither the engine's nor the model's. */
  foreign: ReadonlySet<string>
}

/**
 * Loads the stored tables; `scripts` are those of the last deploy, by which a fact of an earlier
 * version is completed. The database has the last word: a table or index that is not there is
 * not stored, and a table that was changed by other means has the columns that it has.
 */
export async function loadStoredSchema(
  fact: string | undefined,
  reader: RowSource,
  scripts: readonly Script[] = [],
): Promise<StoredSchema> {
  const written: WrittenTable[] = fact === undefined ? [] : JSON.parse(fact)
  const stored = written.map(({ schema, sql, isConverted }) => ({
    schema: completeSchema(schema, scripts),
    sql,
    isConverted,
  }))
  await yieldNow()
  const found = await loadObjects(reader)
  const tables: StoredTable[] = []
  for (const { schema, sql, isConverted } of stored) {
    const actual = found.tables.get(schema.table.toLowerCase())
    if (actual === undefined) continue
    const indexes = schema.indexes.filter((index) => found.indexes.has(index.name.toLowerCase()))
    const isDrifted = actual !== sql
    const columns = isDrifted ? await loadColumns(schema, reader) : schema.columns
    const table = { ...schema, indexes, columns, isDrifted }
    tables.push(isConverted ? table : await findDays(table, reader))
  }
  const known = new Set(stored.map(({ schema }) => schema.table.toLowerCase()))
  const names = [...found.tables.keys()].filter((name) => !known.has(name) && !isEngines(name))
  return { tables, foreign: new Set(names) }
}

/** The fact to keep after a migration to these tables. */
export async function planSchemaFact(
  schema: readonly TableSchema[],
  reader: RowSource,
): Promise<string> {
  const { tables } = await loadObjects(reader)
  const yielder = new Yielder()
  const parts: string[] = []
  for (const table of schema) {
    const sql = tables.get(table.table.toLowerCase()) ?? ''
    parts.push(JSON.stringify({ schema: table, sql, isConverted: true } satisfies FactTable))
    await yielder.yieldWhenDue()
  }
  return `[${parts.join()}]`
}

/** A fact may be that of an earlier version, which held less. */
interface WrittenTable {
  schema: Omit<TableSchema, 'columns' | 'company' | 'audit' | 'reads'> &
    Partial<Pick<TableSchema, 'company' | 'audit' | 'reads'>> & {
      columns: readonly WrittenColumn[]
    }
  sql: string
  isConverted?: boolean
}

type Added = 'scale' | 'maxLength' | 'options' | 'was'
type WrittenColumn = Omit<ColumnSchema, Added> & Partial<Pick<ColumnSchema, Added>>

function completeSchema(schema: WrittenTable['schema'], scripts: readonly Script[]): TableSchema {
  const { columns, company, audit, reads } = schema
  const element = scripts.find(
    ({ type, name }) => type === 'Entity' && name === schema.entity,
  )?.element
  return {
    ...schema,
    company: company === undefined ? (element?.attributes.Company ?? null) : company,
    audit: audit ?? element?.attributes.Audit === 'Enabled',
    reads: reads ?? false,
    columns: columns.map((column) => {
      const child = element?.children.find(
        ({ name, attributes }) => name === 'Column' && attributes.Name === column.name,
      )
      return { ...rulesOf(column.type, child), ...column }
    }),
  }
}

/** Reads the rules that a declared column has for its values. */
function rulesOf(type: FieldType, declared?: Element): Pick<ColumnSchema, Added> {
  const numberOf = (name: string): number | undefined => {
    const text = declared?.attributes[name]
    return text === undefined ? undefined : Number(text)
  }
  const options = declared?.children.filter(({ name }) => name === 'Option') ?? []
  return {
    scale:
      FIELD_KINDS[type].number === 'scaled' ? (numberOf('Scale') ?? DECIMAL_SCALE_DEFAULT) : null,
    maxLength: FIELD_KINDS[type].isText ? (numberOf('MaxLength') ?? TEXT_LENGTH_DEFAULT) : null,
    options: options.map(({ attributes }) => attributes.Value ?? ''),
    was: declared?.attributes.Was ?? null,
  }
}

const DAY = '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'

/** Marks the DateTime columns in which rows hold days. */
async function findDays(table: StoredTable, reader: RowSource): Promise<StoredTable> {
  const columns: ColumnSchema[] = []
  for (const column of table.columns) {
    const where = `${quote(column.name)} GLOB '${DAY}'`
    const sql = `SELECT EXISTS (SELECT 1 FROM ${quote(table.table)} WHERE ${where}) AS found`
    const isFound =
      FIELD_KINDS[column.type].moment === 'instant' && (await askRows(reader, sql))[0]?.found === 1
    columns.push(isFound ? { ...column, holdsDays: true } : column)
  }
  return { ...table, columns }
}

const isEngines = (name: string): boolean => /^(svc_|sqlite_|_|libsql_)/.test(name)

/** All that is asked of the database is all rows of a statement. */
export type RowSource = Pick<Reader, 'all'>

/** All rows of a SELECT of the engine's own, which has no parameters; beside the serving thread. */
export const askRows = (reader: RowSource, sql: string): Promise<SqlRow[]> =>
  reader.all({ sql, args: {}, runs: 'lane' })

async function loadObjects(reader: RowSource): Promise<{
  tables: Map<string, string>
  indexes: Set<string>
}> {
  const rows = await askRows(
    reader,
    `SELECT type, name, iif(type = 'table', sql, NULL) AS sql FROM sqlite_schema
     WHERE type IN ('table', 'index')`,
  )
  const named = (type: string): SqlRow[] => rows.filter((row) => row.type === type)
  const nameOf = (row: SqlRow): string => String(row.name).toLowerCase()
  return {
    tables: new Map(named('table').map((row) => [nameOf(row), String(row.sql)])),
    indexes: new Set(named('index').map(nameOf)),
  }
}

async function loadColumns(schema: TableSchema, reader: RowSource): Promise<ColumnSchema[]> {
  const rows = await askRows(
    reader,
    `SELECT name, type, "notnull" AS required FROM pragma_table_info(${quoteText(schema.table)})`,
  )
  return rows.map((row) => {
    const name = String(row.name)
    const known = schema.columns.find((column) => column.name.toLowerCase() === name.toLowerCase())
    const type = typeStoredAs(String(row.type))
    if (known !== undefined && FIELD_KINDS[known.type].sqlType === FIELD_KINDS[type].sqlType)
      return { ...known, notNull: row.required === 1 }
    const unknown = { identity: false, default: null, references: null, isDerived: false }
    return { ...rulesOf(type), ...unknown, name, type, notNull: row.required === 1 }
  })
}

function typeStoredAs(declared: string): FieldType {
  if (/int/i.test(declared)) return 'Integer'
  return /real|floa|doub/i.test(declared) ? 'Decimal' : 'Text'
}
