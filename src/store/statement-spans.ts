/** Spans of statements and transactions: the text as it is prepared, never a value. */
import { Lru } from '../kernel/lru.ts'
import { findSpans, runSpan } from '../kernel/tracing.ts'
import { hideValues } from './connection/slow-statements.ts'
import type { SqlRead } from './sql.ts'
import type { Tx } from './store.ts'

/** Characters of a text that a span has. */
const CHARACTERS_MAX = 2000

interface Told {
  verb: string
  text: string
}

const texts = new Lru<string, Told>(500)

function tell(sql: string): Told {
  const known = texts.find(sql)
  if (known) return known
  const text = hideValues(sql).slice(0, CHARACTERS_MAX)
  const verb = /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? 'SQL'
  return texts.keep(sql, { verb, text })
}

/** Runs a statement with a span, where spans are followed. */
export function traceStatement<T>(sql: string, run: () => Promise<T>): Promise<T> {
  if (!findSpans()) return run()
  const plan = () => {
    const { verb, text } = tell(sql)
    const attributes = { 'db.system.name': 'sqlite', 'db.query.text': text }
    return { name: verb, kind: 'client' as const, attributes }
  }
  return runSpan(plan, run)
}

const WRITE = {
  name: 'transaction',
  kind: 'internal',
  attributes: { 'db.system.name': 'sqlite' },
} as const

/** Runs a transaction with a span: its wait for the writer, its statements, its commit. */
export function traceWrite<T>(
  work: (tx: Tx) => Promise<T>,
  write: (work: (tx: Tx) => Promise<T>) => Promise<T>,
): Promise<T> {
  if (!findSpans()) return write(work)
  const traced = (tx: Tx): Promise<T> => {
    traceWithin(tx)
    return work(tx)
  }
  return runSpan(
    () => WRITE,
    () => write(traced),
  )
}

type Run = (what: SqlRead | string, ...rest: unknown[]) => Promise<unknown>

/** The forms of a statement in a transaction; the others go by these. */
const FORMS = ['get', 'all', 'run', 'insert', 'authored'] as const

function traceWithin(tx: Tx): void {
  for (const form of FORMS) {
    const run = tx[form] as Run
    const traced: Run = (what, ...rest) =>
      traceStatement(typeof what === 'string' ? what : what.sql, () => run.call(tx, what, ...rest))
    Reflect.set(tx, form, traced)
  }
}
