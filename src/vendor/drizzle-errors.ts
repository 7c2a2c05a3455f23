/**
 * Errors of queries, as they were thrown. Drizzle wraps them in an error that repeats the statement
 * and its values: they belong in no log and no answer, and a Failure would not be known for one.
 * Goes when drizzle has a switch for it, or leaves errors of a driver alone.
 */
import { SQLitePreparedQuery } from 'drizzle-orm/sqlite-core'

const runPlain = (_sql: string, _params: unknown[], query: () => Promise<unknown>) => query()

Reflect.set(SQLitePreparedQuery.prototype, 'queryWithCache', runPlain)
