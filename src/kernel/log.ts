/** The log: one JSON object a line on standard error. */
import { writeSync } from 'node:fs'
import type { Clock } from './clock.ts'

/** Levels from the one that is always written to the one that only a search for a fault needs. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

/** Facts of a record. Never a value that a caller sent, a token, or SQL with values in it. */
type LogFacts = Readonly<Record<string, unknown>>

export interface Log {
  /** Checks that records of a level are written. */
  writes(level: LogLevel): boolean
  debug(message: string, facts?: LogFacts): void
  info(message: string, facts?: LogFacts): void
  warn(message: string, facts?: LogFacts): void
  /** `cause` is written with its message and stack, and what caused it in turn. */
  error(message: string, cause?: unknown, facts?: LogFacts): void
  /** A line of level info that is JSON already (the request log). */
  line(json: string): void
  /** Writes out records that are still held back. */
  flush(): void
}

const HELD_CHARACTERS_MAX = 64 * 1024
const HELD_MS = 100
/** Causes of causes that are written out. */
const CAUSES_MAX = 4
const STANDARD_ERROR = 2

/**
 * A log to `write`, of records up to `level`. Those of levels info and debug are held back for up
 * to 100 ms and written together, so that a request costs no system call of its own; warnings and
 * errors go out at once.
 */
export function createLog(
  clock: Clock,
  write: (text: string) => void = writeStandardError,
  level: LogLevel = 'info',
): Log {
  let held = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (held === '') return
    const text = held
    held = ''
    write(text)
  }
  const line = (json: string): void => {
    held += json + '\n'
    if (held.length > HELD_CHARACTERS_MAX) return flush()
    timer ??= setTimeout(flush, HELD_MS).unref()
  }
  const writes = (of: LogLevel): boolean => LOG_LEVELS.indexOf(of) <= LOG_LEVELS.indexOf(level)
  const record = (of: LogLevel, message: string, facts?: LogFacts): void => {
    if (!writes(of)) return
    line(JSON.stringify({ at: clock.now().toISOString(), level: of, message, ...facts }))
    if (of === 'warn' || of === 'error') flush()
  }
  return {
    writes,
    debug: (message, facts) => record('debug', message, facts),
    info: (message, facts) => record('info', message, facts),
    warn: (message, facts) => record('warn', message, facts),
    error: (message, cause, facts) =>
      record('error', message, { ...facts, ...(cause !== undefined && describe(cause)) }),
    line,
    flush,
  }
}

function describe(cause: unknown, depth = 0): LogFacts {
  if (!(cause instanceof Error)) return { cause: String(cause) }
  const hasMore = cause.cause !== undefined && depth < CAUSES_MAX
  const inner = hasMore ? { because: describe(cause.cause, depth + 1) } : {}
  const code: unknown = Reflect.get(cause, 'code')
  const coded = typeof code === 'string' ? { code } : {}
  return { cause: cause.message, ...coded, stack: cause.stack, ...inner }
}

/**
 * Writes to standard error. A full pipe or a closed terminal must not end the server: what cannot
 * be written is dropped.
 */
export function writeStandardError(text: string): void {
  try {
    writeSync(STANDARD_ERROR, text)
  } catch {
    // Nowhere left to say so.
  }
}
