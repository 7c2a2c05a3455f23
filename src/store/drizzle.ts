/** Typed queries over the engine's own tables, through the store's connections and statements. */
import { drizzle } from 'drizzle-orm/sqlite-proxy'
import type { AsyncRemoteCallback, SqliteRemoteDatabase } from 'drizzle-orm/sqlite-proxy'
import { Lru } from '../kernel/lru.ts'
import '../vendor/drizzle-errors.ts'
import type { SqlRow, SqlValue } from './sql.ts'
import type { Reader, Tx } from './store.ts'
import { toSqlValue } from './values.ts'

/** The operators of conditions, for the floors above, which do not import drizzle themselves. */
export {
  and,
  asc,
  desc,
  eq,
  gt,
  gte,
  inArray,
  notInArray,
  isNull,
  lt,
  lte,
  ne,
  or,
  sql,
} from 'drizzle-orm'

/** A drizzle database that reads the last commit, at once: for the engine's own tables. */
export function readDatabase(reader: Reader): SqliteRemoteDatabase {
  return drizzle(
    toCallback(
      (sql, args) => reader.get({ sql, args, runs: 'inline' }),
      (sql, args) => reader.all({ sql, args, runs: 'inline' }),
    ),
  )
}

/**
 * A drizzle database within a transaction; never use its `transaction()`. Its `run()` gives no
 * number of rows: use `returning()`.
 */
export function txDatabase(tx: Tx): SqliteRemoteDatabase {
  return drizzle(
    toCallback(
      (sql, args) => tx.get(sql, args),
      (sql, args) => tx.all(sql, args),
      (sql, args) => tx.run(sql, args),
    ),
  )
}

type Args = Record<string, SqlValue>

function toCallback(
  get: (sql: string, args: Args) => Promise<SqlRow | undefined>,
  all: (sql: string, args: Args) => Promise<SqlRow[]>,
  run?: (sql: string, args: Args) => Promise<number>,
): AsyncRemoteCallback {
  return async (text, params: unknown[], method) => {
    const sql = nameParameters(text)
    const args = toArgs(params)
    if (method === 'run' && run !== undefined) {
      await run(sql, args)
      return { rows: [] }
    }
    if (method !== 'get') return { rows: (await all(sql, args)).map(toCells) }
    const row = await get(sql, args)
    // The proxy's type knows no absent row; its code does.
    return { rows: row === undefined ? NO_ROW : toCells(row) }
  }
}

const NO_ROW: never = undefined as never
/** Converts a row by name: a join must not select two columns of one name. */
const toCells = (row: SqlRow): SqlValue[] => Object.values(row)

function toArgs(params: readonly unknown[]): Args {
  const args: Args = {}
  params.forEach((value, at) => (args[`p${at + 1}`] = toSqlValue(value)))
  return args
}

const named = new Lru<string, string>(1000)
const QUOTED_OR_PARAMETER = /'[^']*'|"[^"]*"|`[^`]*`|\?/g

/** Drizzle numbers its parameters by position; the store binds by name. */
function nameParameters(text: string): string {
  const known = named.find(text)
  if (known !== undefined) return known
  let count = 0
  return named.keep(
    text,
    text.replace(QUOTED_OR_PARAMETER, (part) => (part === '?' ? `@p${++count}` : part)),
  )
}
