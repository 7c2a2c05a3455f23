/**
 * Drizzle wraps whatever a query throws in an error that repeats the statement and its values: they
 * belong in no log and no answer, and a Failure would not be known for one. Here what was thrown
 * comes out as it is.
 * Goes when drizzle has a switch for it, or leaves what a driver throws alone.
 */
import { SQLitePreparedQuery } from 'drizzle-orm/sqlite-core'

const runPlain = (_sql: string, _params: unknown[], query: () => Promise<unknown>) => query()

Reflect.set(SQLitePreparedQuery.prototype, 'queryWithCache', runPlain)
