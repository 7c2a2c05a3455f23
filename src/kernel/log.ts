/** The log: one JSON object a line on standard error. */
import { writeSync } from 'node:fs'
import type { Clock } from './clock.ts'

export type LogLevel = 'info' | 'warn' | 'error'

/** Facts of a record. Never a value that a caller sent, a token, or SQL with values in it. */
export type LogFacts = Readonly<Record<string, unknown>>

export interface Log {
  info(message: string, facts?: LogFacts): void
  warn(message: string, facts?: LogFacts): void
  /** `cause` is written with its message and stack, and what caused it in turn. */
  error(message: string, cause?: unknown, facts?: LogFacts): void
  /** A line that is JSON already (the request log). */
  line(json: string): void
  /** Writes out what is still held back. */
  flush(): void
}

const HELD_CHARACTERS_MAX = 64 * 1024
const HELD_MS = 100
/** Causes of causes that are written out. */
const CAUSES_MAX = 4
const STANDARD_ERROR = 2

/**
 * A log to `write`. Records of level info are held back for up to 100 ms and written together, so
 * that a request costs no system call of its own; warnings and errors go out at once.
 */
export function createLog(clock: Clock, write: (text: string) => void = writeStandardError): Log {
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
  const record = (level: LogLevel, message: string, facts?: LogFacts): string =>
    JSON.stringify({ at: clock.now().toISOString(), level, message, ...facts })
  const now = (json: string): void => {
    line(json)
    flush()
  }
  return {
    info: (message, facts) => line(record('info', message, facts)),
    warn: (message, facts) => now(record('warn', message, facts)),
    error: (message, cause, facts) =>
      now(record('error', message, { ...facts, ...(cause !== undefined && describe(cause)) })),
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

/** A full pipe or a closed terminal must not end the server: what cannot be written is dropped. */
function writeStandardError(text: string): void {
  try {
    writeSync(STANDARD_ERROR, text)
  } catch {
    // Nowhere left to say so.
  }
}
