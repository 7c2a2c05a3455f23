/** `appengine deploy MODELDIR`. */
import { deployModel } from '../model/deploy.ts'
import type { Deployment } from '../model/deploy.ts'
import { tellFault, tellOutcome, tellPlan, toWirePlan } from '../model/deploy-report.ts'
import { readModelFolder } from '../model/folder.ts'
import type { Arguments } from './arguments.ts'
import { withStores } from './data-folder.ts'
import { explainFolder } from './model-files.ts'
import { complain, EXIT, printLine } from './output.ts'

/** Deploys a folder of model files into the data folder: all of them, or none and exit code 1. */
export async function runDeploy(args: Arguments): Promise<number> {
  const files = await readModelFolder(args.word(0)).catch(explainFolder)
  const options = {
    dryRun: args.has('dry-run'),
    allowDataLoss: args.has('allow-data-loss'),
    prune: args.has('prune'),
    overwrite: args.has('overwrite'),
  }
  const deployment = await withStores(args, ({ store }, { clock }) =>
    deployModel(store, undefined, files, options, clock),
  )
  printDeployment(args, deployment)
  const { faults, losses } = deployment.plan
  if (faults.length > 0) return EXIT.failed
  if (losses.length === 0 || options.allowDataLoss) return EXIT.done
  complain('This would lose data; --allow-data-loss lets it happen')
  return EXIT.failed
}

function printDeployment(args: Arguments, deployment: Deployment): void {
  const { plan } = deployment
  for (const fault of plan.faults) complain(tellFault(fault))
  if (args.json) {
    printLine(JSON.stringify(toWirePlan(deployment)))
    return
  }
  for (const warning of plan.warnings) complain(`warning: ${tellFault(warning)}`)
  for (const line of tellPlan(plan)) printLine(line)
  printLine(tellOutcome(deployment))
}
