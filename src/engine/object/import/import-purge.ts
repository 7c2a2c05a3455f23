/** Imports that nobody can take back any more are forgotten, a few rows at a time. */
import type { Clock } from '../../../kernel/clock.ts'
import { eq, lte, readDatabase, txDatabase } from '../../../store/drizzle.ts'
import { systemScope } from '../../../store/store.ts'
import type { Store, Tx } from '../../../store/store.ts'
import { imports, LINES_PER_IMPORT } from '../../../store/tables/imports.ts'

/** Rows of one transaction: so few that no other write waits for them. */
const PURGED_ROWS = 500
/** Each may hold two lists of thousands of keys. */
const PURGED_LISTS = 50

/** Transactions of one call: a stop of the server does not wait for a million rows. */
const TURNS_MAX = 100

/** Deletes rows of imports that have expired, up to a bound, and entries that have none left. */
export async function deleteExpiredImports({
  store,
  clock,
}: {
  store: Store
  clock: Clock
}): Promise<void> {
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    const [expired] = await readDatabase(store)
      .select({ Id: imports.Id })
      .from(imports)
      .where(lte(imports.ExpiresAt, clock.now().toISOString()))
      .limit(1)
    if (!expired) return
    await store.write(
      (tx) => deleteImport(tx, expired.Id),
      systemScope('what an expired import could be taken back by is removed'),
    )
  }
}

/** The entry goes last: as long as it is there, the next look finds the rows that are left. */
async function deleteImport(tx: Tx, id: number): Promise<void> {
  const first = id * LINES_PER_IMPORT
  const range = { first, last: first + LINES_PER_IMPORT - 1 }
  const lists = await tx.run(composePurge('svc_import_lists', PURGED_LISTS), range)
  const rows = await tx.run(composePurge('svc_import_rows', PURGED_ROWS), range)
  if (lists === PURGED_LISTS || rows === PURGED_ROWS) return
  await txDatabase(tx).delete(imports).where(eq(imports.Id, id))
}

const composePurge = (table: string, most: number): string =>
  `DELETE FROM main.${table} WHERE rowid IN ` +
  `(SELECT rowid FROM main.${table} WHERE Row BETWEEN @first AND @last ORDER BY Row LIMIT ${most})`
