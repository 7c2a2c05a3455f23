/**
 * SQL that the engine reads with for a request, with its values: each request is made once in this
 * process, and the statements are written down on their way to the store.
 */
import type { SqlArgs, SqlRead } from '../../src/store/sql.ts'
import type { Store } from '../../src/store/store.ts'
import { QueryCache } from '../../src/engine/object/read/query-cache.ts'
import type { OpenContext } from '../../src/server/open-context.ts'
import { createApp } from '../../src/app.ts'

/** One statement of a request. */
export interface Recorded {
  sql: string
  args: SqlArgs
}

type Call = (...args: unknown[]) => unknown

/** `target` with some methods standing before its own. */
function withBefore<T extends object>(target: T, before: Record<string, (call: Call) => Call>): T {
  return new Proxy(target, {
    get(from, name) {
      const value: unknown = Reflect.get(from, name, from)
      if (typeof value !== 'function') return value
      const own: Call = (...args) => Reflect.apply(value, from, args)
      return before[String(name)]?.(own) ?? own
    },
  })
}

/** Wraps a store, so that every statement that it reads with is written down. */
function recordStore(store: Store, seen: Recorded[]): Store {
  const read =
    (own: Call): Call =>
    (given, ...rest) => {
      const { sql, args } = given as SqlRead
      seen.push({ sql, args })
      return own(given, ...rest)
    }
  return withBefore(store, { text: read, get: read, all: read })
}

export interface RecordedRequest {
  path: string
  body: string
}

/** Statements and answer of a request. */
export interface RecordedRun {
  statements: Recorded[]
  answer: string
}

/**
 * Runs requests one after the other and resolves to what each ran and answered. Throws at a
 * refusal.
 */
export async function recordRequests(
  context: OpenContext,
  token: string,
  requests: readonly RecordedRequest[],
): Promise<RecordedRun[]> {
  const seen: Recorded[] = []
  const store = recordStore(context.store, seen)
  const app = createApp({ ...context, store, queryCache: new QueryCache(store, 0) })
  const recorded: RecordedRun[] = []
  for (const { path, body } of requests) {
    seen.length = 0
    const answer = await app.handle(
      new Request(`http://localhost${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        body,
      }),
    )
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${path} ${body}: ${text}`)
    recorded.push({ statements: [...seen], answer: text })
  }
  return recorded
}
