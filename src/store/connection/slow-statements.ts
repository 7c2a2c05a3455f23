/**
 * Statements that took long off the event loop, for the log: their text without values, their plan
 * and on whose account they ran.
 */
import { type Account, findAccount } from '../../kernel/charged.ts'
import { Lru } from '../../kernel/lru.ts'
import type { BoundValues } from './bind-order.ts'
import { fileOf, type NativeDatabase, openNative, prepareNative } from './native.ts'

/** A statement that was slow. */
export interface SlowStatement {
  /** Its text; `?` stands for each value that was written into it. */
  readonly sql: string
  readonly milliseconds: number
  /** Lines of its plan, as SQLite explains it; empty where it has none, or many were just made. */
  readonly plan: readonly string[]
  readonly account: Account | undefined
  /** Slow runs of the same text since the one before that was reported. */
  readonly unreported: number
}

/** Plans of a minute: to make one takes some milliseconds on the serving thread. */
const PLANS_MAX = 30

/** Statements that are remembered, so that each is reported once a minute. */
const STATEMENTS_MAX = 200
const QUIET_MS = 60_000
const CHARACTERS_MAX = 4000
const PLAN_LINES_MAX = 50

/** A run of a statement: its connection, its text and its values, of which none is reported. */
interface SlowRun {
  readonly database: NativeDatabase
  readonly text: string
  readonly bound: BoundValues
}

interface Reported {
  at: number
  unreported: number
}

/** Follows the statements of this process that take at least `fromMs`. */
export class SlowStatements {
  readonly fromMs: number
  readonly #report: (statement: SlowStatement) => void
  readonly #reported = new Lru<string, Reported>(STATEMENTS_MAX)
  #plans = 0
  #plansSince = -Infinity

  constructor(fromMs: number, report: (statement: SlowStatement) => void) {
    this.fromMs = fromMs
    this.#report = report
  }

  /** Notes a run that has ended, well or not. */
  note(run: SlowRun, milliseconds: number): void {
    const { text } = run
    const now = performance.now()
    const known = this.#reported.find(text)
    if (known && now - known.at < QUIET_MS) {
      known.unreported++
      return
    }
    this.#reported.keep(text, { at: now, unreported: 0 })
    this.#report({
      sql: hideValues(text).slice(0, CHARACTERS_MAX),
      milliseconds: Math.round(milliseconds),
      plan: this.#explain(run, now),
      account: findAccount(),
      unreported: known?.unreported ?? 0,
    })
  }

  #explain(run: SlowRun, now: number): string[] {
    if (now - this.#plansSince >= QUIET_MS) {
      this.#plansSince = now
      this.#plans = 0
    }
    return this.#plans++ < PLANS_MAX ? explain(run) : []
  }
}

let current: SlowStatements | undefined

/** Follows slow statements from here on; undefined: none. One server runs in a process. */
export function followSlow(statements: SlowStatements | undefined): void {
  current = statements
}

/** The follower of slow statements, if there is one. */
export const findFollower = (): SlowStatements | undefined => current

/** Statements that have a plan; to explain a PRAGMA may run it. */
const PLANNED = /^\s*(?:SELECT|WITH|INSERT|REPLACE|UPDATE|DELETE|VALUES)\b/i

/**
 * Explains a statement on a connection of its own: the package keeps what was explained open, which
 * a commit, or an interrupt, of the one that ran it would meet.
 */
function explain({ database, text, bound }: SlowRun): string[] {
  const file = fileOf(database)
  if (file === undefined || !PLANNED.test(text)) return []
  let own: NativeDatabase | undefined
  try {
    own = openNative(file, 'ro')
    const statement = prepareNative(own, `EXPLAIN QUERY PLAN ${text}`)
    const rows = [...statement.iterate(bound)].slice(0, PLAN_LINES_MAX)
    return rows.map((row) => hideValues(String(row.at(-1))))
  } catch {
    // Its tables may be temporary, or gone by now: the line goes without a plan.
    return []
  } finally {
    own?.close()
  }
}

/** `Name = 'x' AND N > 5` becomes `Name = '?' AND N > ?`; names and parameters stay. */
export const hideValues = (sql: string): string =>
  sql
    .replace(/'(?:[^']|'')*'/g, "'?'")
    .replace(/(?<![\w?@:$."[\]])\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w"\]])/gi, '?')
