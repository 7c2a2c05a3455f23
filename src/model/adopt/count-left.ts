/**
 * Rows of tables that are not taken. A virtual table is never read, since its module might run
 * whatever the file says: its rows are counted where SQLite's own modules keep them, in a plain
 * table beside it.
 */
import type { SourceFile } from '../../store/file/source-file.ts'
import type { LeftObject } from './source-schema.ts'
import { listInnerTables } from './virtual-tables.ts'
import { quote, quoteText } from '../sql/quote.ts'

/** Adds to each object the number of rows that only it holds. @throws SourceError */
export async function countLeft(
  source: SourceFile,
  left: readonly LeftObject[],
): Promise<LeftObject[]> {
  const counted: LeftObject[] = []
  for (const object of left) counted.push({ ...object, ...(await countRows(source, object)) })
  return counted
}

/** Counts the rows of a plain table. @throws SourceError */
export async function countTable(source: SourceFile, table: string): Promise<number> {
  const [row] = await source.all(`SELECT count(*) AS n FROM main.${quote(table)} NOT INDEXED`)
  return Number(row?.n)
}

/** The table that an index of texts is of: `content='posts'`; `content=''` keeps no texts. */
const CONTENT = /\bcontent\s*=\s*(?:'([^']*)'|"([^"]*)"|`([^`]*)`|([\w.]+))/i

/** Of the tables beside a virtual one, how many hold a row for each row. */
const FULL = 2

async function countRows(
  source: SourceFile,
  { kind, name, sql, remark }: LeftObject,
): Promise<Pick<LeftObject, 'rows' | 'remark'>> {
  if (remark !== undefined) return {}
  if (kind === 'table') return { rows: await countTable(source, name) }
  if (kind !== 'virtual table') return {}
  const of = findContent(sql)
  if (of !== undefined && of !== '') return { remark: `an index of ${of}, which holds its rows` }
  for (const beside of listInnerTables(name, sql).slice(0, FULL)) {
    const [found] = await source.all(
      `SELECT 1 AS n FROM main.sqlite_schema
       WHERE type = 'table' AND rootpage > 0 AND name = ${quoteText(beside)}`,
    )
    if (found) return { rows: await countTable(source, beside) }
  }
  return { remark: 'its rows cannot be counted' }
}

function findContent(sql: string): string | undefined {
  const [, ...names] = CONTENT.exec(sql) ?? []
  return names.find((name) => name !== undefined)
}
