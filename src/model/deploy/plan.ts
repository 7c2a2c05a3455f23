/** The plan of a deploy, script by script, with what would be lost. */
import type { CompiledScripts } from '../compile/compile-scripts.ts'
import type { Script, ScriptType } from '../compiled/script.ts'
import type { CatalogPlan, KeptScript, MergedScript } from './catalog-plan.ts'
import type { Execution } from './catalog.ts'
import type { LastDeploy } from './last-deploy.ts'
import type { TouchedScripts } from './rollback-catalog.ts'
import type { PlannedRows } from './rows-plan.ts'
import type { DeploySql } from './sql.ts'
import { diffLines } from './text-diff.ts'
import type { Migration } from '../migrate/migration.ts'
import type { PlannedMigration } from '../migrate/model-migrations.ts'
import type { Probe } from '../migrate/probe.ts'
import type { Model } from '../model.ts'
import type { Diagnostic } from '../parse/element.ts'
import type { Rename } from '../rbac/facts.ts'
import type { PreparedRights } from '../rbac/rights/change-rights.ts'

export interface DeployOptions {
  /** Rolls the last deploy back; files and `prune` do not count then. */
  rollback?: boolean
  dryRun?: boolean
  /** Allows the listed losses. */
  allowDataLoss?: boolean
  /** Takes what the files do not hold out of the model: all of it, or scripts of one type. */
  prune?: boolean | ScriptType
  /** Replaces what was changed here since its last deploy. */
  overwrite?: boolean
  /**
   * Gives the resources that extensions bring, which are no warning; called where there is such a
   * warning.
   */
  loadResources?: () => Promise<ReadonlySet<string>>
  /** The user who deploys; undefined on the command line. */
  by?: number
  /**
   * A change of the model here other than a deploy of files: it replaces the scripts that it names,
   * and writes no reference rows.
   */
  change?: Pick<Execution, 'by' | 'document'> & {
    source: Exclude<Execution['source'], 'deploy'>
    /** The model that serves: what changes its rights alone goes a short way. */
    served?: Model
    /** The scripts of the files, where they are known to be valid. */
    parsed?: readonly Script[] | undefined
  }
}

/** A script, as a plan names it. */
export interface ScriptName {
  type: Script['type']
  name: string
  fileName: string
}

/** A script that is kept as it was changed here. */
export interface KeptName extends ScriptName {
  /** True when the file has changed too since the last deploy. */
  isFileChanged: boolean
  /** Difference from the file to the kept script: `- ` in the file alone, `+ ` here alone. */
  diff: readonly string[]
}

/** An Rbac script that was changed here, and merges with what is deployed. */
export interface MergedName extends ScriptName {
  /** Changes made here that stay, and changes that the files bring: a sentence each. */
  fromHere: readonly string[]
  fromFile: readonly string[]
}

/** A deploy as planned or done. With faults, or losses not allowed, it does nothing. */
export interface DeployPlan {
  new: readonly ScriptName[]
  changed: readonly ScriptName[]
  same: readonly ScriptName[]
  removed: readonly ScriptName[]
  /** Reports and workflows that were changed here since their last deploy. */
  kept: readonly KeptName[]
  merged: readonly MergedName[]
  /** The steps of the migration, a sentence each. */
  steps: readonly string[]
  /** Losses of the deploy, a sentence each. */
  losses: readonly string[]
  /** Open work that cannot go on, or not with all that was given in it, a sentence each. */
  outdated: readonly string[]
  warnings: readonly Diagnostic[]
  faults: readonly Diagnostic[]
  /** Set where it rolls the last deploy back. */
  rollback?: RolledBack
}

/** The deploy that is rolled back: instants in ISO form. */
interface RolledBack {
  deployedAt: string
  /** Set where it was rolled back before; nothing is left to do. */
  rolledBackAt: string | undefined
}

/** The deploy that a deploy rolls back, with its text in the database. */
export interface Undo {
  last: LastDeploy
  text: string
  touched: TouchedScripts
}

/** A deploy that is ready to run. */
export interface PreparedDeploy {
  kind: 'deploy'
  catalog: CatalogPlan
  model: Model
  migration: Migration
  rows: readonly PlannedRows[]
  /** Renamed roles and capabilities. */
  renames: readonly Rename[]
  /** Fills by query and migrations. */
  sql: DeploySql
  /** Migrations that are done without being run. */
  needless: readonly PlannedMigration[]
  /** Probes of stored rows that lose something: later rows may lose the same, and nothing else. */
  lossy: readonly Probe[]
  /** The model as the next start reads it. */
  snapshot: CompiledScripts['snapshot']
  /** Set where it rolls the last deploy back. */
  undo?: Undo
}

/** The plan, and what it takes to carry it out; without faults only. */
export interface Preparation {
  plan: DeployPlan
  ready: PreparedDeploy | PreparedRights | undefined
}

/** Reports a deploy with faults. */
export function refuse(
  faults: readonly Diagnostic[],
  catalog?: CatalogPlan,
  warnings: readonly Diagnostic[] = [],
): Preparation {
  const plan = { ...namesOf(catalog), steps: [], losses: [], outdated: [], warnings, faults }
  return { plan, ready: undefined }
}

/** Lists the scripts of a plan by what happens to each, by name. */
export function namesOf(
  catalog: CatalogPlan | undefined,
): Pick<DeployPlan, 'new' | 'changed' | 'same' | 'removed' | 'kept' | 'merged'> {
  const names = (scripts: readonly Script[] = []): ScriptName[] =>
    scripts.map(({ type, name, fileName }) => ({ type, name, fileName }))
  return {
    new: names(catalog?.new),
    changed: names(catalog?.changed),
    same: names(catalog?.same),
    removed: names(catalog?.removed),
    kept: (catalog?.kept ?? []).map(describeKept),
    merged: (catalog?.merged ?? []).flatMap(describeMerged),
  }
}

function describeKept({ stored, given, isFileChanged }: KeptScript): KeptName {
  const { type, name, fileName } = given ?? stored
  const diff = given ? diffLines(given.body, stored.body) : []
  return { type, name, fileName, isFileChanged, diff }
}

function describeMerged({ result, fromHere, fromFile }: MergedScript): MergedName[] {
  if (!result) return []
  const { type, name, fileName } = result
  return [{ type, name, fileName, fromHere, fromFile }]
}
