/**
 * Report pages of the bare server. Their statements are those of the model's author, so they are
 * taken as the engine runs them: by hand they would be the same.
 */
import type { Database } from 'libsql'

/** Values by name; one that is left out binds NULL. */
export type RecordedArgs = Record<string, number | string>

/** One statement of a request: its text by number, since many requests share one. */
export interface RecordedStatement {
  text: number
  args: RecordedArgs
}

export interface RecordedReports {
  texts: string[]
  /** By request, which tells its own by `Index`. */
  requests: RecordedStatement[][]
  /** Text around the rows of the statements in the answer of each request. */
  parts: string[][]
}

/** Answers the report of an index; a cell of rows has its facts in a line before them. */
export function planReports(
  database: Database,
  { texts, requests, parts }: RecordedReports,
): (index: number) => string {
  const statements = texts.map((sql) => database.prepare(sql).raw(true))
  const readRows = ({ text, args }: RecordedStatement): string => {
    const cell = String((statements[text]?.get(args) as unknown[] | undefined)?.[0] ?? '')
    return cell.slice(cell.indexOf('\n') + 1)
  }
  return (index) => {
    const cells = (requests[index] ?? []).map(readRows)
    const [first = '', ...others] = parts[index] ?? []
    return first + others.map((text, at) => (cells[at] ?? '') + text).join('')
  }
}
