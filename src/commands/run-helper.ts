/**
 * `appengine helper KIND PID`: what the engine, of that process id, starts itself as, for work in a
 * process of its own.
 */
import { type HelperWork, runHelperWork } from '../engine/process/helper-port.ts'
import type { HelperKind } from '../engine/process/helper-process.ts'
import { type Arguments, UsageError } from './arguments.ts'
import { EXIT } from './output.ts'

/** The work of each kind, imported when it is asked for. */
const WORKS: Readonly<Record<HelperKind, () => Promise<HelperWork>>> = {
  'run-extension': async () =>
    (await import('../engine/extensions/extension-process.ts')).runExtension,
  'compile-model': async () =>
    (await import('../engine/process/compile-helper.ts')).compileModelForParent,
  'read-definition': async () =>
    (await import('../engine/versioned-documents/definition-text.ts')).readDefinitionForParent,
  'back-up': async () => (await import('../engine/backups/backup-helper.ts')).backUpForParent,
  'read-sheet': async () => (await import('../engine/sheets/read-sheet.ts')).readSheet,
  'draw-document': async () => (await import('../engine/pdf/draw-for-parent.ts')).drawForParent,
}

/** Runs the work of a kind until it is done, or nobody waits for it. */
export async function runHelper(args: Arguments): Promise<number> {
  const load = findWork(args.word(0))
  await runHelperWork(await load(), Number(args.word(1)))
  return EXIT.done
}

function findWork(kind: string): () => Promise<HelperWork> {
  const found = Object.entries(WORKS).find(([name]) => name === kind)?.[1]
  if (!found) throw new UsageError(`There is no helper "${kind}"`)
  return found
}
