/** `serve --watch`: deploys model files and loads extensions again as they change. */
import { watch } from 'node:fs'
import { makeFolder } from '../kernel/durable.ts'
import { deployModel } from '../model/deploy.ts'
import type { Deployment } from '../model/deploy.ts'
import {
  formatDiagnostic,
  describeKept,
  tellMerged,
  describeOutcome,
} from '../model/deploy-report.ts'
import { readModelFolder } from '../model/folder.ts'
import type { ModelFile } from '../model/parse.ts'
import type { AppContext } from '../server/context.ts'
import { CommandFailure, complain, printLine } from './output.ts'

/** Editors write a file in several steps, and several files at once. */
const QUIET_MS = 150

/**
 * Deploys the folder now and after each change, one deploy at a time, until it is disposed of.
 * Faults are printed, and the model before goes on serving.
 */
export async function watchFolder(context: AppContext, folder: string): Promise<AsyncDisposable> {
  const followed = followFolder(folder, () => tryDeploy(context, folder))
  await followed.run()
  return followed
}

/** Loads the extensions again after each change of their folder, which is made where it is not. */
export function watchExtensions({ extensions, log }: AppContext): AsyncDisposable {
  makeFolder(extensions.folder)
  return followFolder(extensions.folder, async () => {
    try {
      const { scripts, handlers, faults } = await extensions.reload()
      for (const { File, RpcChannel: Line, Message } of faults)
        complain(`extensions/${File}${Line === null ? '' : `:${Line}`}: ${Message}`)
      printLine(`extensions: ${scripts.size} scripts, ${handlers.size} handlers`)
    } catch (error) {
      log.error('extensions cannot be loaded', error)
    }
  })
}

interface Followed extends AsyncDisposable {
  /** Does the work now. */
  run(): Promise<void>
}

/** Does work, which never rejects, after each change of a folder, one at a time. */
function followFolder(folder: string, work: () => Promise<void>): Followed {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> = Promise.resolve()
  const run = (): Promise<void> => (running = running.then(work))
  const watcher = watchFiles(folder, () => {
    clearTimeout(timer)
    timer = setTimeout(run, QUIET_MS)
  })
  return {
    run,
    [Symbol.asyncDispose]: async () => {
      watcher.close()
      clearTimeout(timer)
      await running
    },
  }
}

function watchFiles(folder: string, onChange: () => void): { close(): void } {
  try {
    return watch(folder, { recursive: true }, onChange)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailure(`Cannot watch ${folder}: ${reason}`)
  }
}

async function tryDeploy(context: AppContext, folder: string): Promise<void> {
  try {
    await deployFiles(context, await readModelFolder(folder))
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error))
  }
}

/** Deploys model files into the running server and says what became of it. */
export async function deployFiles(
  { store, models, clock, callers }: AppContext,
  files: readonly ModelFile[],
): Promise<Deployment> {
  const deployment = await deployModel(store, models, files, {}, clock)
  // Roles may go by another name.
  callers.forgetAll()
  for (const fault of deployment.plan.faults) complain(formatDiagnostic(fault))
  for (const loss of deployment.plan.losses) complain(`would lose ${loss}`)
  const { plan } = deployment
  for (const line of [...describeKept(plan), ...tellMerged(plan)]) printLine(line)
  printLine(describeOutcome(deployment))
  return deployment
}
