/** A deploy's plan in words, and as JSON. */
import { counted } from '../../kernel/counted.ts'
import { SCRIPT_TYPES } from '../compiled/script.ts'
import type { Deployment } from './deploy.ts'
import type { DeployPlan, KeptName, MergedName, ScriptName } from './plan.ts'
import type { DeployResult } from './schema.ts'
import type { Diagnostic } from '../parse/element.ts'

/** `file:line:column: message`, as compilers and editors have it. */
export const formatDiagnostic = ({ place, message }: Diagnostic): string =>
  `${place.file}:${place.line}:${place.column}: ${message}`

/** The plan, a line a script and a step; of a rollback first which deploy it rolls back. */
export function describePlan(plan: DeployPlan): string[] {
  const describe = (word: string, scripts: readonly ScriptName[]): string[] =>
    scripts.map(({ type, name, fileName }) => `${word.padEnd(8)} ${type} ${name} (${fileName})`)
  const { rollback } = plan
  return [
    ...(rollback ? [`Rolling back the deploy of ${rollback.deployedAt}`] : []),
    ...describe('new', plan.new),
    ...describe('changed', plan.changed),
    ...describe('removed', plan.removed),
    ...describe('same', plan.same),
    ...describeKept(plan),
    ...describeMerged(plan),
    ...plan.steps.map((step) => `${'migrate'.padEnd(8)} ${step}`),
    ...plan.losses.map((loss) => `${'lose'.padEnd(8)} ${loss}`),
    ...plan.outdated.map((work) => `${'outdate'.padEnd(8)} ${work}`),
  ]
}

/** Describes scripts kept as they were changed here, with how they differ from their files. */
export function describeKept({ kept }: Pick<DeployPlan, 'kept'>): string[] {
  return kept.flatMap(({ type, name, fileName, isFileChanged, diff }) => [
    `${'kept'.padEnd(8)} ${type} ${name} (${fileName}): changed here since its last deploy` +
      `${isFileChanged ? ', and so was the file' : ''}; --overwrite replaces it`,
    ...diff.map((line) => `${''.padEnd(8)} ${line}`.trimEnd()),
  ])
}

/** Describes merged scripts: the changes made here that stay, and those that the files bring. */
export function describeMerged({ merged }: Pick<DeployPlan, 'merged'>): string[] {
  const word = (text: string): string => text.padEnd(8)
  return merged.flatMap(({ type, name, fileName, fromHere, fromFile }) => [
    `${word('merged')} ${type} ${name} (${fileName}): changed here since its last deploy`,
    ...fromHere.map((line) => `${word('  here')} ${line}`),
    ...fromFile.map((line) => `${word('  file')} ${line}`),
  ])
}

/** Describes the outcome of a deployment in a sentence. */
export function describeOutcome({ plan, isDone, recordsWritten }: Deployment): string {
  const counts =
    `${plan.new.length} new, ${plan.changed.length} changed, ${plan.removed.length} removed, ` +
    `${plan.same.length} the same; ${plan.kept.length === 0 ? '' : `${plan.kept.length} kept; `}` +
    `${plan.merged.length === 0 ? '' : `${plan.merged.length} merged; `}` +
    counted(plan.steps.length, 'migration step')
  const { rollback } = plan
  if (rollback?.rolledBackAt !== undefined)
    return `Nothing was changed: this deploy was rolled back already, at ${rollback.rolledBackAt}.`
  const faults = counted(plan.faults.length, 'fault')
  if (plan.faults.length > 0) return `Nothing was changed: ${faults}.`
  if (!isDone) return `Nothing was changed. Planned: ${counts}.`
  const rows =
    recordsWritten === 0 ? '' : `; ${counted(recordsWritten, 'record')} of reference data written`
  return `${rollback ? 'Rolled back' : 'Deployed'}: ${counts}${rows}.`
}

/** A fault as it is answered. */
export const toWireFault = ({ place, message }: Diagnostic) => ({
  File: place.file,
  Line: place.line,
  Column: place.column,
  Message: message,
})

/** The plan as `--json` prints it and the HTTP route answers it. */
export function toWirePlan({ plan, isDone, recordsWritten }: Deployment): DeployResult {
  const names = (scripts: readonly ScriptName[]) =>
    scripts.map(({ type, name, fileName }) => ({ Type: type, Name: name, FileName: fileName }))
  return {
    Deployed: isDone,
    New: names(plan.new),
    Changed: names(plan.changed),
    Removed: names(plan.removed),
    Same: names(plan.same),
    Kept: plan.kept.map(toWireKept),
    Merged: plan.merged.map(toWireMerged),
    Steps: [...plan.steps],
    Losses: [...plan.losses],
    Outdated: [...plan.outdated],
    Warnings: plan.warnings.map(toWireFault),
    Faults: plan.faults.map(toWireFault),
    RecordsWritten: recordsWritten,
    ...(plan.rollback && { Rollback: toWireRollback(plan.rollback) }),
  }
}

const toWireRollback = ({ deployedAt, rolledBackAt }: NonNullable<DeployPlan['rollback']>) => ({
  DeployedAt: deployedAt,
  RolledBackAt: rolledBackAt ?? null,
})

/** The plan of `toWirePlan`, as it came from elsewhere. */
interface WirePlan {
  Deployed: boolean
  New: WireName[]
  Changed: WireName[]
  Removed: WireName[]
  Same: WireName[]
  Kept: (WireName & { FileChanged: boolean; Diff: string[] })[]
  /** Left out by a server of before. */
  Merged?: (WireName & { FromHere: string[]; FromFile: string[] })[]
  Steps: string[]
  Losses: string[]
  /** Left out by a server of before. */
  Outdated?: string[]
  Warnings: ReturnType<typeof toWireFault>[]
  Faults: ReturnType<typeof toWireFault>[]
  RecordsWritten: number
  Rollback?: ReturnType<typeof toWireRollback>
}

interface WireName {
  Type: string
  Name: string
  FileName: string
}

/** Reads a deployment from its plan. @throws Error for an unknown type of script. */
export function fromWirePlan(plan: WirePlan): Deployment {
  return {
    isDone: plan.Deployed,
    recordsWritten: plan.RecordsWritten,
    plan: {
      new: plan.New.map(fromWireName),
      changed: plan.Changed.map(fromWireName),
      removed: plan.Removed.map(fromWireName),
      same: plan.Same.map(fromWireName),
      kept: plan.Kept.map((kept) => ({
        ...fromWireName(kept),
        isFileChanged: kept.FileChanged,
        diff: kept.Diff,
      })),
      merged: (plan.Merged ?? []).map((merged) => ({
        ...fromWireName(merged),
        fromHere: merged.FromHere,
        fromFile: merged.FromFile,
      })),
      steps: plan.Steps,
      losses: plan.Losses,
      outdated: plan.Outdated ?? [],
      warnings: plan.Warnings.map(fromWireFault),
      faults: plan.Faults.map(fromWireFault),
      ...(plan.Rollback && {
        rollback: {
          deployedAt: plan.Rollback.DeployedAt,
          rolledBackAt: plan.Rollback.RolledBackAt ?? undefined,
        },
      }),
    },
  }
}

function fromWireName({ Type, Name, FileName }: WireName): ScriptName {
  const type = SCRIPT_TYPES.find((each) => each === Type)
  if (!type)
    throw new Error(`The server has scripts of a type that this program does not know, ${Type}`)
  return { type, name: Name, fileName: FileName }
}

const fromWireFault = ({
  File,
  Line,
  Column,
  Message,
}: WirePlan['Faults'][number]): Diagnostic => ({
  place: { file: File, line: Line, column: Column },
  message: Message,
})

const toWireKept = ({ type, name, fileName, isFileChanged, diff }: KeptName) => ({
  Type: type,
  Name: name,
  FileName: fileName,
  FileChanged: isFileChanged,
  Diff: [...diff],
})

const toWireMerged = ({ type, name, fileName, fromHere, fromFile }: MergedName) => ({
  Type: type,
  Name: name,
  FileName: fileName,
  FromHere: [...fromHere],
  FromFile: [...fromFile],
})
