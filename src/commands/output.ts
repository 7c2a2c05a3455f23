/** Results go to standard output, complaints to standard error (contract, The command line). */
import type { Arguments } from './arguments.ts'

/** Exit codes of every command. */
export const EXIT = { done: 0, failed: 1, wrongWords: 2 } as const

/** A command could not do what it was asked for: its message is printed, the exit code is 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
}

/** One result: its sentence for people, or `value` under `--json`. */
export function printResult(args: Arguments, sentence: string, value: unknown): void {
  printLine(args.json ? JSON.stringify(value) : sentence)
}

/** A line of a result. */
export function printLine(text: string): void {
  process.stdout.write(text + '\n')
}

/** A line of complaint. */
export function complain(text: string): void {
  process.stderr.write(text + '\n')
}

/** Columns of equal width; the last one is not padded. */
export function planTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  const line = (row: readonly string[]): string =>
    row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  ')
  return rows.map((row) => line(row).trimEnd()).join('\n')
}
