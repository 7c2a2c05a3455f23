/** What the watch's triggers go by: whose rows may be written, and whether the log is silent. */
import type { Connection } from './connection.ts'
import type { Statement } from './statement.ts'
import { CONTEXT_TABLE, SILENT } from './watch.ts'

const SET = `UPDATE temp.${CONTEXT_TABLE} SET Company = @company, Silent = @silent`

/** Tables that a foreign key leads to: what happens there may go on to watched tables. */
const REFERENCED = `SELECT DISTINCT lower(f."table") AS Name
  FROM main.sqlite_schema AS s, pragma_foreign_key_list(s.name) AS f WHERE s.type = 'table'`

/**
 * The context table of one connection. It is brought up to date only before a statement that
 * triggers may fire for: most of what a transaction does in between only reads.
 */
export class WatchContext {
  readonly #connection: Connection
  /** What stands in the table; undefined when a rollback may have changed it back. */
  #applied: { company: number | null; isSilent: boolean } | undefined
  #referenced: ReadonlySet<unknown> | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Whether a statement may touch a watched table, itself or by a foreign key. */
  mayFire({ isSelect, ownTarget }: Statement): boolean {
    if (isSelect) return false
    return ownTarget === undefined || this.#listReferenced().has(ownTarget)
  }

  /** Sets whose rows may be written (null: everybody's), and whether the log is silent. */
  apply(company: number | null, isSilent: boolean): void {
    const applied = this.#applied
    if (applied?.company === company && applied.isSilent === isSilent) return
    const silent = isSilent ? SILENT : 0
    this.#connection.statement(SET).run({ company, silent })
    this.#applied = { company, isSilent }
  }

  /** After a rollback the table is as it was before, which is not tracked. */
  forget(): void {
    this.#applied = undefined
  }

  #listReferenced(): ReadonlySet<unknown> {
    return (this.#referenced ??= new Set(
      this.#connection
        .statement(REFERENCED)
        .all({})
        .map(({ Name }) => Name),
    ))
  }
}
