/** Reads of the bare server: pages of orders, and one order. */
import type { Database } from 'libsql'
import { FORM, type PageSql } from './orders-sql.ts'

const PAGE_SIZE = 50

const PERMISSIONS =
  '{"Create":true,"Update":true,"Delete":true,"Export":true,"Import":false,' +
  '"Capabilities":["Cancel","Copy"],"Fields":{"Cost":"Hidden","Margin":"Hidden"}}'

/** The one user whom the bare server knows. */
export interface Caller {
  company: number
  region: string
  user: number
}

/** The request of a page. */
export interface PageBody {
  /** Arguments of the page's condition. */
  Arguments: (string | number)[]
  /** The row that the page goes on behind. */
  After?: [orderedAt: string, id: number]
  /** True when rows are counted. */
  Count: boolean
}

/** A statement of which the first cell is asked for. */
export function prepareCell(database: Database, sql: string): (...args: unknown[]) => unknown {
  const statement = database.prepare(sql).raw(true)
  return (...args) => (statement.get(...args) as unknown[] | undefined)?.[0]
}

/** The last row in the text of a page: `{"` cannot stand within a text of JSON. */
const readLast = (rows: string): { OrderedAt: string; Id: number } =>
  JSON.parse(rows.slice(rows.lastIndexOf('{"'), -1)) as { OrderedAt: string; Id: number }

/** Answers a page of orders. */
export function planPage(
  database: Database,
  sql: PageSql,
  { company, region }: Caller,
): (body: PageBody) => string {
  const page = prepareCell(database, sql.page)
  const after = prepareCell(database, sql.after)
  const more = prepareCell(database, sql.more)
  const count = prepareCell(database, sql.count)
  return ({ Arguments, After, Count }) => {
    const found = After
      ? after(company, region, ...Arguments, ...After)
      : page(company, region, ...Arguments)
    const total = Count ? Number(count(company, region, ...Arguments)) : null
    const rows = typeof found === 'string' ? found : '[]'
    const last = found === null ? undefined : readLast(rows)
    const hasNext =
      last !== undefined &&
      (After || total === null
        ? more(company, region, ...Arguments, last.OrderedAt, last.Id) === 1
        : total > PAGE_SIZE)
    const pagination = {
      Page: 1,
      PageSize: PAGE_SIZE,
      TotalRows: total,
      TotalPages: total === null ? null : Math.ceil(total / PAGE_SIZE),
      TotalIsExact: total !== null,
      HasNext: hasNext,
      NextCursor: hasNext ? btoa(JSON.stringify([last.OrderedAt, last.Id])) : null,
    }
    return (
      `{"Rows":${rows},"Pagination":${JSON.stringify(pagination)},` +
      `"Permissions":${PERMISSIONS}}`
    )
  }
}

/** Answers one order. */
export function planForm(
  database: Database,
  { company, region }: Caller,
): (body: { Id: number }) => string {
  const form = prepareCell(database, FORM)
  return ({ Id }) => {
    const values = String(form(Id, company, region))
    const canSubmit = values.includes('"Permit__Update":true')
    return (
      `{"Values":${values},"Permissions":${PERMISSIONS},"CanSubmit":${canSubmit},` +
      `"FormLoadTime":"${new Date().toISOString()}","IsNew":false}`
    )
  }
}
