/** `appengine check MODELDIR`, `appengine check`, `appengine check --audit`. */
import { checkModel } from '../model/check.ts'
import { formatDiagnostic } from '../model/deploy-report.ts'
import { readModelFolder } from '../model/folder.ts'
import type { Arguments } from './arguments.ts'
import { runCheckAudit } from './check-audit.ts'
import { runCheckData } from './check-data.ts'
import { explainFolder } from './model-files.ts'
import { complain, EXIT, printLine } from './output.ts'

/** Checks a folder of model files, or the data folder, or with `--audit` its audit log. */
export async function runCheck(args: Arguments): Promise<number> {
  if (args.has('audit')) return runCheckAudit(args)
  const [folder] = args.words
  return folder === undefined ? runCheckData(args) : checkFolder(args, folder)
}

/** Names every fault of a folder of model files, and prints each grid's query plan. */
async function checkFolder(args: Arguments, folder: string): Promise<number> {
  const files = await readModelFolder(folder).catch(explainFolder)
  const { faults, warnings, plans } = await checkModel(files)
  for (const fault of faults) complain(formatDiagnostic(fault))
  for (const warning of warnings) complain(`warning: ${formatDiagnostic(warning)}`)
  if (args.json) {
    printLine(JSON.stringify({ Faults: faults, Warnings: warnings, Plans: plans }))
  } else {
    for (const { view, plan } of plans) printLine([view, ...plan.map(indent)].join('\n'))
    printLine(`${files.length} files, ${faults.length} faults, ${warnings.length} warnings.`)
  }
  return faults.length > 0 ? EXIT.failed : EXIT.done
}

const indent = (line: string): string => `  ${line}`
