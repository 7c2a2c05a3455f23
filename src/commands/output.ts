/**
 * Results go to standard output, complaints to standard error (src/server/README.md, The command
 * line).
 */
import { writeSync } from 'node:fs'
import type { Arguments } from './arguments.ts'

/** Exit codes of every command. */
export const EXIT = { done: 0, failed: 1, wrongWords: 2 } as const

/** A command could not do what it was asked for: its message is printed, the exit code is 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
}

/** Prints one result: its sentence for people, or `value` under `--json`. */
export function printResult(args: Arguments, sentence: string, value: unknown): void {
  printLine(args.json ? JSON.stringify(value) : sentence)
}

const STANDARD_OUTPUT = 1
const STANDARD_ERROR = 2

/**
 * A line of a result. It is with its reader, or in the system's pipe, when this returns: the
 * process may end at once. Throws `CommandFailure` when standard output cannot be written.
 */
export function printLine(text: string): void {
  try {
    writeWhole(STANDARD_OUTPUT, text + '\n')
  } catch (error) {
    throw new CommandFailure(`Standard output cannot be written: ${messageOf(error)}`)
  }
}

/** Writes a line of complaint; silent where even that cannot be written. */
export function complain(text: string): void {
  try {
    writeWhole(STANDARD_ERROR, text + '\n')
  } catch (error) {
    if (!hasCode(error)) throw error
  }
}

/** Milliseconds to wait for the reader of a pipe that does not block. */
const FULL_PIPE_WAIT_MS = 5

/**
 * The process's own stream says that it has written what it still holds, and an exit cuts that
 * off. A reader that has left (`| head`) has what it wanted.
 */
function writeWhole(descriptor: number, text: string): void {
  const bytes = Buffer.from(text)
  let written = 0
  while (written < bytes.length) {
    try {
      written += writeSync(descriptor, bytes, written)
    } catch (error) {
      if (!hasCode(error)) throw error
      if (error.code === 'EPIPE') return
      if (error.code !== 'EAGAIN') throw error
      Bun.sleepSync(FULL_PIPE_WAIT_MS)
    }
  }
}

const hasCode = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** Columns of equal width; the last one is not padded. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  const line = (row: readonly string[]): string =>
    row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  ')
  return rows.map((row) => line(row).trimEnd()).join('\n')
}
