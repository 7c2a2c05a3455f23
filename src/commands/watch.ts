/** `serve --watch`: deploys model files and loads extensions again as they change. */
import { watch } from 'node:fs'
import { type Background, Loop, type LoopOptions } from '../kernel/background.ts'
import { makeFolder } from '../kernel/durable.ts'
import { type Deployment, deployModel } from '../model/deploy/deploy.ts'
import {
  describeKept,
  describeMerged,
  describeOutcome,
  formatDiagnostic,
} from '../model/deploy/report.ts'
import { readModelFolder } from '../model/parse/folder.ts'
import type { ModelFile } from '../model/parse/parse.ts'
import type { AppContext } from '../server/context.ts'
import { CommandFailure, complain, printLine } from './output.ts'

/** Editors write a file in several steps, and several files at once. */
const QUIET_MS = 150

/**
 * Deploys the folder now and after each change, one deploy at a time. Faults are printed, and the
 * model before goes on serving.
 */
export function watchFolder(context: AppContext, folder: string): Background {
  const deploy = () => tryDeploy(context, folder)
  return followFolder(folder, MODEL_PATH, {
    name: 'model files',
    prepare: deploy,
    steps: [deploy],
    log: context.log,
    failure: 'the model files cannot be deployed',
  })
}

/**
 * A model file, or a folder, which has no dot in its name. What else changes in a folder is not of
 * the model: a data folder in it, which each deploy writes to, would deploy for ever.
 */
const MODEL_PATH = /(?:\.xml|(?:^|[\\/])[^.\\/]+)$/i

/** Whatever an extension may import. */
const ANY_PATH = /^/

/** Loads the extensions again after each change of their folder, which is made where it is not. */
export function watchExtensions({ extensions, log }: AppContext): Background {
  makeFolder(extensions.folder)
  const reload = async () => {
    const { scripts, handlers, faults } = await extensions.reload()
    for (const { File, Line, Message } of faults)
      complain(`extensions/${File}${Line === null ? '' : `:${Line}`}: ${Message}`)
    printLine(`extensions: ${scripts.size} scripts, ${handlers.size} handlers`)
  }
  const failure = 'extensions cannot be loaded'
  const options = { name: 'extensions', steps: [reload], failure, log }
  return followFolder(extensions.folder, ANY_PATH, options)
}

/** A run after each change of such paths in a folder, one at a time. */
const followFolder = (folder: string, paths: RegExp, options: LoopOptions): Background =>
  new Loop({
    ...options,
    waitsFirst: true,
    follow: (wake) => {
      const watcher = watchFiles(folder, (path) => {
        if (path === null || paths.test(path)) wake(QUIET_MS)
      })
      return () => watcher.close()
    },
  })

function watchFiles(folder: string, onChange: (path: string | null) => void): { close(): void } {
  try {
    return watch(folder, { recursive: true }, (_event, path) => onChange(path))
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
  { store, models, clock, callers, extensions }: AppContext,
  files: readonly ModelFile[],
): Promise<Deployment> {
  const options = { loadResources: () => extensions.listResources() }
  const deployment = await deployModel(store, models, files, options, clock)
  // Roles may go by another name.
  callers.forgetAll()
  for (const fault of deployment.plan.faults) complain(formatDiagnostic(fault))
  for (const loss of deployment.plan.losses) complain(`would lose ${loss}`)
  const { plan } = deployment
  for (const work of plan.outdated) complain(`outdates ${work}`)
  for (const line of [...describeKept(plan), ...describeMerged(plan)]) printLine(line)
  printLine(describeOutcome(deployment))
  return deployment
}
