/**
 * Work in progress that does not fit the model of a deploy: open instances of workflows, which are
 * held to the version that they began with, and runs of wizards, which go on with the current
 * wizard. The plan of the deploy counts them and gives advice.
 */
import { counted } from '../../kernel/counted.ts'
import { Yielder } from '../../kernel/yielder.ts'
import type { CompiledScripts } from '../compile/compile-scripts.ts'
import type { Script, ScriptType } from '../compiled/script.ts'
import type { Wizard } from '../compiled/wizard.ts'
import type { CatalogPlan } from './catalog-plan.ts'
import { readPinnedScript } from './pinned-script.ts'
import { compareText } from '../fields/field-kind.ts'
import { joinMisfit, listMisfits } from '../fields/misfits.ts'
import { listMoves, type Migration } from '../migrate/migration.ts'
import { askRows, type RowSource } from '../migrate/stored-schema.ts'
import type { Model } from '../model.ts'

/** A deploy, and the rows that it meets. */
interface OutdatingDeploy {
  reader: RowSource
  catalog: CatalogPlan
  model: Model
  migration: Migration
  compile: (scripts: readonly Script[]) => Promise<Pick<CompiledScripts, 'model'>>
}

/** Changes of other types leave workflows and wizards as they are. */
const OUTDATING: readonly ScriptType[] = ['Entity', 'ObjectView', 'StoredProcedure', 'Rbac']

/** Most versions compiled for one plan: those with the most instances. */
const VERSIONS_MAX = 20

/**
 * Most scripts that they are compiled with, together: a version needs the whole model beside it. Of
 * a model of 600 scripts 20 versions took eleven times as long as the deploy itself.
 */
const SCRIPTS_MAX = 2000

const countVersions = (scripts: number): number =>
  Math.max(1, Math.min(VERSIONS_MAX, Math.floor(SCRIPTS_MAX / scripts)))

/** A sentence for each workflow and wizard; none where the deploy changes nothing they rest on. */
export async function describeOutdatedWork(deploy: OutdatingDeploy): Promise<string[]> {
  const { catalog, reader } = deploy
  const moved = [...catalog.new, ...catalog.changed, ...catalog.removed]
  if (!moved.some(({ type }) => OUTDATING.includes(type))) return []
  const tables = await askRows(
    reader,
    `SELECT name FROM sqlite_schema WHERE name IN ('svc_workflow_instances', 'svc_wizard_runs')`,
  )
  const has = (table: string): boolean => tables.some(({ name }) => name === table)
  return [
    ...(has('svc_workflow_instances') ? await describeInstances(deploy) : []),
    ...(has('svc_wizard_runs') ? await describeRuns(deploy) : []),
  ]
}

const INSTANCES = `SELECT Workflow, VersionHash, Entity, count(*) AS Count
  FROM svc_workflow_instances WHERE Status = 'Running'
  GROUP BY Workflow, VersionHash, Entity ORDER BY Count DESC, Workflow, VersionHash`

interface InstanceGroup {
  Workflow: string
  VersionHash: string
  Entity: string
  Count: number
}

async function describeInstances(deploy: OutdatingDeploy): Promise<string[]> {
  const { reader, model, migration } = deploy
  const renamed = new Map(listMoves(migration).map(({ was, entity }) => [was, entity.name]))
  const groups = (await askRows(reader, INSTANCES)) as unknown as InstanceGroup[]
  const outdated = new Map<string, number>()
  let unknown = 0
  let versions = countVersions(deploy.catalog.scripts.length)
  for (const group of groups) {
    const { Workflow: name, VersionHash: hash, Entity: was, Count } = group
    const current = model.workflows.get(name)
    if (current?.versionHash !== hash && versions-- <= 0) {
      unknown += Count
      continue
    }
    const pinned = current?.versionHash === hash ? current : await compilePinned(deploy, group)
    const entity = model.views.get(pinned?.view ?? '')?.entity?.name
    if (entity === (renamed.get(was) ?? was)) continue
    outdated.set(name, (outdated.get(name) ?? 0) + Count)
  }
  return [
    ...[...outdated].map(([name, count]) => describeInstance(model, name, count)),
    ...(unknown === 0
      ? []
      : [`${openOf(unknown, 'instance')} of other versions of workflows: not checked`]),
  ]
}

function describeInstance({ workflows }: Model, name: string, count: number): string {
  const what = `${openOf(count, 'instance')} of the workflow ${name}`
  if (!workflows.has(name)) return `${what} cannot continue: the workflow is no longer in the model`
  return (
    `${what} cannot continue with the version they began with, which no longer fits the model: ` +
    'migrate each (POST /api/v1/svc/workflow/instances/{id}/migrate) or cancel it'
  )
}

async function compilePinned(
  { reader, catalog, compile }: OutdatingDeploy,
  { Workflow: name, VersionHash: hash }: InstanceGroup,
) {
  const script = await readPinnedScript(reader, { name, hash })
  if (!script) return undefined
  const others = catalog.scripts.filter((each) => each.type !== 'Workflow' || each.name !== name)
  const { model } = await compile([...others, script])
  return model?.workflows.get(name)
}

/** Runs that are read at a time. */
const RUNS_READ = 200

interface StoredRun {
  Id: string
  Wizard: string
  Given: string
}

/** The effect of a deploy on the runs of one wizard. */
interface OutdatedRuns {
  count: number
  /** `Step.Field` of what they lose; all of them where the wizard is gone. */
  fields: Set<string> | 'all'
}

async function describeRuns({ reader, model }: OutdatingDeploy): Promise<string[]> {
  const found = new Map<string, OutdatedRuns>()
  const yielder = new Yielder()
  for (let after = ''; ;) {
    const runs = (await askRows(
      reader,
      `SELECT Id, Wizard, Given FROM svc_wizard_runs WHERE Id > '${after}'
       ORDER BY Id LIMIT ${RUNS_READ}`,
    )) as unknown as StoredRun[]
    for (const { Wizard, Given } of runs) {
      noteRun(found, Wizard, findLosses(model.views.get(Wizard)?.wizard, Given))
      await yielder.yieldWhenDue()
    }
    const last = runs.at(-1)
    if (!last || runs.length < RUNS_READ) break
    // Base64url of the engine's own: without a quote.
    after = last.Id
  }
  // Runs come in the order of their Ids, which are random.
  return [...found]
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, { count, fields }]) => describeRun(name, count, fields))
}

function findLosses(wizard: Wizard | undefined, given: string): readonly string[] | 'all' {
  if (!wizard) return 'all'
  return listMisfits(wizard, JSON.parse(given) as Record<string, unknown>).map(({ step, field }) =>
    joinMisfit(step, field),
  )
}

function noteRun(
  found: Map<string, OutdatedRuns>,
  wizard: string,
  losses: readonly string[] | 'all',
): void {
  if (losses.length === 0) return
  const known = found.getOrInsertComputed(wizard, () => ({ count: 0, fields: new Set() }))
  known.count++
  if (losses === 'all') known.fields = 'all'
  else if (known.fields !== 'all') for (const each of losses) known.fields.add(each)
}

function describeRun(name: string, count: number, fields: OutdatedRuns['fields']): string {
  const what = `${openOf(count, 'run')} of the wizard ${name}`
  if (fields === 'all') return `${what} cannot continue: the wizard is no longer in the model`
  const lost = [...fields].sort(compareText).join(', ')
  return `${what} ${count === 1 ? 'loses' : 'lose'} what was entered in ${lost}`
}

const openOf = (count: number, what: string): string => counted(count, `open ${what}`)
