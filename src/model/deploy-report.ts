/** A deploy's plan in words, and as JSON. */
import type { DeployPlan, ScriptName } from './deploy-plan.ts'
import type { Deployment } from './deploy.ts'
import type { Fault } from './element.ts'

/** `file:line:column: message`, as compilers and editors have it. */
export const tellFault = ({ place, message }: Fault): string =>
  `${place.file}:${place.line}:${place.column}: ${message}`

/** The plan, a line a script and a step. */
export function tellPlan(plan: DeployPlan): string[] {
  const tell = (word: string, scripts: readonly ScriptName[]): string[] =>
    scripts.map(({ type, name, fileName }) => `${word.padEnd(8)} ${type} ${name} (${fileName})`)
  return [
    ...tell('new', plan.new),
    ...tell('changed', plan.changed),
    ...tell('removed', plan.removed),
    ...tell('same', plan.same),
    ...plan.steps.map((step) => `${'migrate'.padEnd(8)} ${step}`),
    ...plan.losses.map((loss) => `${'lose'.padEnd(8)} ${loss}`),
  ]
}

/** What became of it, in a sentence. */
export function tellOutcome({ plan, isDone, recordsWritten }: Deployment): string {
  const counts =
    `${plan.new.length} new, ${plan.changed.length} changed, ${plan.removed.length} removed, ` +
    `${plan.same.length} the same; ${plan.steps.length} migration steps`
  if (plan.faults.length > 0) return `Nothing was changed: ${plan.faults.length} faults.`
  if (!isDone) return `Nothing was changed. Planned: ${counts}.`
  const rows = recordsWritten === 0 ? '' : `; ${recordsWritten} records of reference data written`
  return `Deployed: ${counts}${rows}.`
}

/** The plan as `--json` prints it and the HTTP route answers it. */
export function toWirePlan({ plan, isDone, recordsWritten }: Deployment): Record<string, unknown> {
  const names = (scripts: readonly ScriptName[]): unknown[] =>
    scripts.map(({ type, name, fileName }) => ({ Type: type, Name: name, FileName: fileName }))
  const faults = (list: readonly Fault[]): unknown[] =>
    list.map(({ place, message }) => ({
      File: place.file,
      Line: place.line,
      Column: place.column,
      Message: message,
    }))
  return {
    Deployed: isDone,
    New: names(plan.new),
    Changed: names(plan.changed),
    Removed: names(plan.removed),
    Same: names(plan.same),
    Steps: plan.steps,
    Losses: plan.losses,
    Warnings: faults(plan.warnings),
    Faults: faults(plan.faults),
    RecordsWritten: recordsWritten,
  }
}
