/**
 * The log in a file, `Svc:Log:File`. A file that is full or old becomes `NAME.1`, the one before it
 * `NAME.2`, and the oldest goes.
 */
import { closeSync, fstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import type { Clock } from './clock.ts'
import { bytes, DAY, duration, HOUR, integer, MB, text } from './setting.ts'

export const LOG_FILE = {
  file: text(
    'Svc:Log:File',
    'The file that the server writes its log to, in place of standard error; below the data folder',
    '',
  ),
  bytesMax: bytes(
    'Svc:Log:MaxBytes',
    'Size of a log file after which another one is begun',
    100 * MB,
    [64 * 1024, 100 * 1024 * MB],
  ),
  ageMax: duration('Svc:Log:MaxAge', 'Age of a log file after which another one is begun', DAY, [
    HOUR,
    3650 * DAY,
  ]),
  keep: integer('Svc:Log:Keep', 'Earlier log files that are kept', 14, [1, 1000]),
}

interface LogFileOptions {
  readonly path: string
  readonly bytesMax: number
  readonly ageMs: number
  readonly keep: number
  readonly clock: Clock
  /** Takes what the file does not, with the reason. */
  readonly fallback: (text: string) => void
}

/** For its owner alone: lines name users and addresses. */
const MODE = 0o600

/** One log file, open for adding. */
export class LogFile {
  readonly #options: LogFileOptions
  #handle: number | undefined
  #bytes = 0
  /** The instant when the file was begun, in milliseconds. */
  #begunAt = 0
  #isFaulty = false

  /** Opens the file, or makes it. @throws the system's error where that cannot be done */
  constructor(options: LogFileOptions) {
    this.#options = options
    this.#open()
  }

  /** Adds whole lines; another file is begun before them where that is due. Never throws. */
  readonly write = (lines: string): void => {
    const data = Buffer.from(lines)
    try {
      if (this.#isDue(data.length)) this.#rotate()
      const handle = this.#handle ?? this.#open()
      for (let at = 0; at < data.length;) at += writeSync(handle, data, at)
      this.#bytes += data.length
      this.#isFaulty = false
    } catch (error) {
      this.close()
      this.#report(error)
      this.#options.fallback(lines)
    }
  }

  /** Opens the path again: another program has renamed the file. */
  reopen(): void {
    this.close()
    try {
      this.#open()
    } catch (error) {
      this.#report(error)
    }
  }

  close(): void {
    const handle = this.#handle
    this.#handle = undefined
    if (handle !== undefined) closeSync(handle)
  }

  #open(): number {
    const handle = openSync(this.#options.path, 'a', MODE)
    const { size, birthtimeMs, mtimeMs } = fstatSync(handle)
    const now = this.#options.clock.now().getTime()
    this.#handle = handle
    this.#bytes = size
    // A system that does not know when a file was made says 0; a clock may have been set back.
    this.#begunAt = size === 0 ? now : Math.min(now, birthtimeMs > 0 ? birthtimeMs : mtimeMs)
    return handle
  }

  #isDue(more: number): boolean {
    const { bytesMax, ageMs, clock } = this.#options
    if (this.#handle === undefined || this.#bytes === 0) return false
    const now = clock.now().getTime()
    if (now < this.#begunAt) this.#begunAt = now
    return this.#bytes + more > bytesMax || now - this.#begunAt >= ageMs
  }

  #rotate(): void {
    const { path, keep } = this.#options
    this.close()
    rmSync(`${path}.${keep}`, { force: true })
    for (let number = keep - 1; number > 0; number--)
      rename(`${path}.${number}`, `${path}.${number + 1}`)
    rename(path, `${path}.1`)
    this.#open()
  }

  /** Says once why the file takes nothing. */
  #report(error: unknown): void {
    if (this.#isFaulty) return
    this.#isFaulty = true
    const { clock, fallback } = this.#options
    const cause = error instanceof Error ? error.message : String(error)
    const message = 'the log file cannot be written: lines go to standard error meanwhile'
    const at = clock.now().toISOString()
    fallback(`${JSON.stringify({ at, level: 'error', message, cause })}\n`)
  }
}

/** Renames a file that may not be there. */
function rename(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}
