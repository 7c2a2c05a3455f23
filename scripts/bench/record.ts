/**
 * What SQL the engine runs for a request, with its values: each request is made once in this
 * process, and the statements are written down on their way to the store.
 */
import { createApp } from '../../src/app.ts'
import { QueryCache } from '../../src/engine/object/read/query-cache.ts'
import { planAfterWrite } from '../../src/engine/object/after-write/after-write.ts'
import type { OpenContext } from '../../src/server/open-context.ts'
import type { SqlArgs, SqlRead } from '../../src/store/sql.ts'
import type { Store, Tx } from '../../src/store/store.ts'

/** One statement of a request; `rows` when it returns some. */
export interface Recorded {
  sql: string
  args: SqlArgs
  rows: boolean
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

/** Wraps a transaction, and a store, so that every statement given to them is written down. */
function openRecorder(seen: Recorded[]) {
  const note = (sql: string, args: unknown, rows: boolean): void => {
    seen.push({ sql, args: (args ?? {}) as SqlArgs, rows })
  }
  const read =
    (own: Call): Call =>
    (given, args) => {
      const { sql, args: bound } =
        typeof given === 'string' ? { sql: given, args } : (given as SqlRead)
      note(sql, bound, true)
      return own(given, args)
    }
  const write =
    (own: Call): Call =>
    (sql, args, ...rest) => {
      const text = String(sql)
      note(text, args, /\bRETURNING\b|^\s*(?:WITH\b[\s\S]*\bSELECT|SELECT)\b/i.test(text))
      return own(sql, args, ...rest)
    }
  const reads = { text: read, get: read, all: read }
  const recordTx = (tx: Tx): Tx => withBefore(tx, { ...reads, run: write, authored: write })
  const work =
    (own: Call): Call =>
    (given, ...rest) =>
      own((tx: Tx) => (given as (tx: Tx) => unknown)(recordTx(tx)), ...rest)
  const recordStore = (store: Store): Store => withBefore(store, { ...reads, write: work })
  return { recordStore, recordTx }
}

export interface RecordedRequest {
  path: string
  body: string
}

/** What a request ran and answered. */
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
  const { recordStore, recordTx } = openRecorder(seen)
  const settle = planAfterWrite(context.models, () => context.clock.now())
  context.store.useAfterWrite((tx) => settle(recordTx(tx)))
  const store = recordStore(context.store)
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
