/** Documents to print, drawn by the real helper. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { PrintHead, PrintMessage, PrintReply } from '../../src/engine/pdf/document.ts'
import { Printer } from '../../src/engine/pdf/draw-document.ts'
import { temporaryFolder } from './executable.ts'

export type PrintPart = Exclude<PrintMessage, { do: 'open' | 'end' }>

export const PRINT_HEAD: PrintHead = {
  title: 'A document',
  language: 'en',
  page: { size: 'A4', isLandscape: false },
  running: { company: 'North', title: 'A document' },
  letterhead: undefined,
  foot: { left: 'Printed', right: 'Page {Page} of {Pages}' },
  carried: { forward: 'Carried forward', brought: 'Brought forward' },
  logo: undefined,
  fonts: [],
  createdAt: '2026-11-23T09:00:00Z',
}

/** A printer with a folder of its own. */
export function openPrinter() {
  const folder = temporaryFolder()
  const printer = new Printer({
    timeoutMs: 120_000,
    memoryBytesMax: 1024 ** 3,
    concurrency: 2,
  })
  let made = 0
  return {
    printer,
    /** Draws a document; answers its file and what the helper says of it. */
    async draw(
      head: Partial<PrintHead>,
      parts: readonly PrintPart[],
    ): Promise<PrintReply & { path: string }> {
      const path = join(folder.path, `${made++}.pdf`)
      const whole = { ...PRINT_HEAD, ...head }
      const reply = await printer.draw({ path, head: whole, by: 'test' }, async (drawing) => {
        for (const part of parts) await drawing.send(part)
      })
      return { ...reply, path }
    },
    async [Symbol.asyncDispose]() {
      await printer.close()
      rmSync(folder.path, { recursive: true, force: true })
    },
  }
}

/** A table of text columns, its rows in portions as they come from a report. */
export function planTable(labels: readonly string[], rows: readonly (readonly string[])[]) {
  const columns = labels.map((label) => ({ label, align: 'start' as const }))
  const parts: PrintPart[] = [{ do: 'table', title: '', columns }]
  for (let at = 0; at < rows.length; at += 200)
    parts.push({
      do: 'rows',
      rows: rows.slice(at, at + 200).map((cells) => ({ kind: 'row', cells })),
    })
  return [...parts, { do: 'tableEnd', emptyText: 'Nothing' } satisfies PrintPart]
}

/** Runs a program of poppler. @throws Error for what it complains of */
export function runPoppler(...command: string[]): Buffer {
  const { stdout, stderr, exitCode } = Bun.spawnSync(command)
  if (exitCode !== 0 || stderr.length > 0) throw new Error(`${command[0]}: ${stderr}`)
  return Buffer.from(stdout)
}
