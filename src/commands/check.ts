/** `appengine check MODELDIR`. */
import { checkModel } from '../model/check.ts'
import { tellFault } from '../model/deploy-report.ts'
import { readModelFolder } from '../model/folder.ts'
import type { Arguments } from './arguments.ts'
import { explainFolder } from './model-files.ts'
import { complain, EXIT, printLine } from './output.ts'

/** Names every fault of a folder of model files, and prints each grid's query plan. */
export async function runCheck(args: Arguments): Promise<number> {
  const files = await readModelFolder(args.word(0)).catch(explainFolder)
  const { faults, warnings, plans } = await checkModel(files)
  for (const fault of faults) complain(tellFault(fault))
  for (const warning of warnings) complain(`warning: ${tellFault(warning)}`)
  if (args.json) {
    printLine(JSON.stringify({ Faults: faults, Warnings: warnings, Plans: plans }))
  } else {
    for (const { view, plan } of plans) printLine([view, ...plan.map(indent)].join('\n'))
    printLine(`${files.length} files, ${faults.length} faults, ${warnings.length} warnings.`)
  }
  return faults.length > 0 ? EXIT.failed : EXIT.done
}

const indent = (line: string): string => `  ${line}`
