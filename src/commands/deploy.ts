/** `appengine deploy MODELDIR` and `appengine deploy --rollback`. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Value } from '@sinclair/typebox/value'
import { openReadOnly } from '../store/file/open.ts'
import { readStoreLimits } from '../store/floor.ts'
import { type Deployment, deployModel } from '../model/deploy/deploy.ts'
import type { DeployOptions } from '../model/deploy/plan.ts'
import { planDeploy } from '../model/deploy/prepare.ts'
import {
  describeOutcome,
  describePlan,
  formatDiagnostic,
  fromWirePlan,
  toWirePlan,
} from '../model/deploy/report.ts'
import { DeployResult } from '../model/deploy/schema.ts'
import { readModelFolder } from '../model/parse/folder.ts'
import type { ModelFile } from '../model/parse/parse.ts'
import type { Stores } from '../server/open-context.ts'
import { configure } from '../app.ts'
import { type Arguments, UsageError } from './arguments.ts'
import { type HeldFolder, withStores } from './data-folder.ts'
import { listExtensionResources } from './extension-resources.ts'
import { explainFolder } from './model-files.ts'
import { CommandFailure, complain, EXIT, printLine } from './output.ts'
import { postToServer, type Remote } from './remote.ts'

/**
 * Deploys a folder of model files into the data folder or a server: all of them or none. With
 * `--rollback` it rolls the last deploy there back instead.
 */
export async function runDeploy(args: Arguments): Promise<number> {
  const rollback = args.has('rollback')
  const files = rollback ? requireNoFiles(args) : await readFiles(args)
  const options = {
    rollback,
    dryRun: args.has('dry-run'),
    allowDataLoss: args.has('allow-data-loss'),
    prune: args.has('prune'),
    overwrite: args.has('overwrite'),
    loadResources: () => listExtensionResources(args),
  }
  const deployment = await deploy(args, files, options)
  printDeployment(args, deployment)
  const { faults, losses } = deployment.plan
  if (faults.length > 0) return EXIT.failed
  if (losses.length === 0 || options.allowDataLoss) return EXIT.done
  complain('This would lose data. Use --allow-data-loss to allow it')
  return EXIT.failed
}

async function readFiles(args: Arguments): Promise<ModelFile[]> {
  const folder = args.words[0]
  if (folder === undefined)
    throw new UsageError(
      'MODELDIR is missing. Usage: appengine deploy MODELDIR, or appengine deploy --rollback',
    )
  return readModelFolder(folder).catch(explainFolder)
}

function requireNoFiles(args: Arguments): [] {
  if (args.words.length > 0 || args.has('prune'))
    throw new UsageError(
      '--rollback rolls the last deploy back: it goes without MODELDIR and --prune',
    )
  return []
}

/** The way out when a server holds the folder. */
const IN_USE =
  'The data folder is in use. Deploy into its server with --url URL --token T, the access token ' +
  'of a System user; or stop the server and run this again.'

async function deploy(
  args: Arguments,
  files: readonly ModelFile[],
  options: DeployOptions,
): Promise<Deployment> {
  const url = args.find('url')
  if (url !== undefined) return deployRemote({ url, token: args.require('token') }, files, options)
  if (args.has('token')) throw new UsageError('--token goes with --url')
  if (options.dryRun) return planDry(args, files, options)
  const work = ({ store }: Stores, { clock }: HeldFolder) =>
    deployModel(store, undefined, files, options, clock)
  return withStores(args, work, IN_USE)
}

/** A dry run takes no lock and makes no data folder, so it also runs beside a server. */
async function planDry(
  args: Arguments,
  files: readonly ModelFile[],
  options: DeployOptions,
): Promise<Deployment> {
  const folder = resolve(args.dataFolder)
  const settings = configure({ dataFolder: folder, flags: args.settings })
  const file = join(folder, 'engine.db')
  const limits = readStoreLimits(settings)
  const reader = existsSync(file) ? await openReadOnly(file, limits) : undefined
  try {
    const plan = await planDeploy(reader, files, options)
    return { plan, isDone: false, recordsWritten: 0 }
  } finally {
    await reader?.close()
  }
}

function printDeployment(args: Arguments, deployment: Deployment): void {
  const { plan } = deployment
  for (const fault of plan.faults) complain(formatDiagnostic(fault))
  if (args.json) {
    printLine(JSON.stringify(toWirePlan(deployment)))
    return
  }
  for (const warning of plan.warnings) complain(`warning: ${formatDiagnostic(warning)}`)
  for (const line of describePlan(plan)) printLine(line)
  printLine(describeOutcome(deployment))
}

const PATH = 'api/v1/svc/scripts'

/**
 * Sends the files and gives what the server made of them, faults and losses included.
 * @throws CommandFailure with the server's own sentence for every other refusal.
 */
export async function deployRemote(
  { url, token }: Remote,
  files: readonly ModelFile[],
  options: DeployOptions,
): Promise<Deployment> {
  const body = JSON.stringify({
    Files: files.map((file) => ({ FileName: file.name, Body: file.body })),
    DryRun: options.dryRun,
    AllowDataLoss: options.allowDataLoss,
    Prune: options.prune,
    Overwrite: options.overwrite,
    ...(options.rollback && { Rollback: true }),
  })
  const { data, plan, error, status } = await postToServer({ url, token }, PATH, body)
  const result = data ?? plan
  if (Value.Check(DeployResult, result)) return fromWirePlan(result)
  throw new CommandFailure(error ?? `${url} is not an Application Engine server (status ${status})`)
}
