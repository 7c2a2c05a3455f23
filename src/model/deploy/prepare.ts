/** Makes the plan of a deploy: from the files, the catalog and the stored rows. */
import { Semaphore } from '../../kernel/semaphore.ts'
import type { StateReader } from '../../store/store.ts'
import { type Compiler, COMPILER_HERE, type CompileScripts } from '../compile/compile-scripts.ts'
import { sortFaults, withoutKnown } from '../compile/fault-list.ts'
import type { FaultyScript } from '../compile/faulty-scripts.ts'
import { findWide } from '../compile/wide-entities.ts'
import type { Script } from '../compiled/script.ts'
import { findRepeats, planCatalog } from './catalog-plan.ts'
import { loadChangedHere, loadDeployedRbac, loadScripts } from './catalog.ts'
import { probeLostDrafts } from './draft-losses.ts'
import { loadFact } from './facts.ts'
import { describeOutdatedWork } from './outdated-work.ts'
import { type DeployOptions, type DeployPlan, namesOf, type Preparation, refuse } from './plan.ts'
import { nothingDeployed, planRollback } from './rollback.ts'
import { describeStale } from './stale-scripts.ts'
import { type DeployBase, prepareTables } from './tables.ts'
import { loadDoneMigrations } from '../migrate/model-migrations.ts'
import { loadStoredSchema, SCHEMA_FACT } from '../migrate/stored-schema.ts'
import type { Diagnostic } from '../parse/element.ts'
import type { ModelFile, ParsedFile } from '../parse/parse.ts'
import { planRbacDeploy } from '../rbac/deploy.ts'
import { type PreparedRights, prepareRights } from '../rbac/rights/change-rights.ts'

const EMPTY: DeployBase = {
  scripts: [],
  changedHere: [],
  deployedRbac: new Map(),
  schema: { tables: [], foreign: new Set() },
  done: new Map(),
  reader: { all: () => Promise.resolve([]) },
}

/** Plans a deploy, the first one without a reader. Reads, and changes nothing. */
export async function planDeploy(
  reader: StateReader | undefined,
  files: readonly ModelFile[],
  options: DeployOptions,
): Promise<DeployPlan> {
  return (await prepareDeploy(reader, files, options)).plan
}

/**
 * Parses and compiles by `compiler`, and asks the stored rows; all faults are in the plan.
 * @throws unavailable (503) when too many deploys wait for others
 */
export function prepareDeploy(
  reader: StateReader | undefined,
  files: readonly ModelFile[],
  options: DeployOptions,
  compiler = COMPILER_HERE,
): Promise<Preparation> {
  const { change, prune = false } = options
  if (options.rollback) return prepareRollback(reader, options, compiler)
  if (reader && change?.served) {
    const { served, parsed } = change
    return prepareRights(reader, served, { files, parsed }, prune).then((rights) =>
      rights ? toPreparation(rights) : prepareWhole(reader, files, options, compiler),
    )
  }
  return prepareWhole(reader, files, options, compiler)
}

function toPreparation(ready: PreparedRights): Preparation {
  const { catalog, warnings } = ready
  const nothing = { steps: [], losses: [], outdated: [], faults: [] }
  return { plan: { ...namesOf(catalog), ...nothing, warnings }, ready }
}

function prepareWhole(
  reader: StateReader | undefined,
  files: readonly ModelFile[],
  options: DeployOptions,
  { parse, compile }: Compiler,
): Promise<Preparation> {
  const { change, by } = options
  const input = loadInput(reader, parse(files), change?.document?.script)
  // A caller that waits for its turn sees the rejection then.
  input.catch(() => undefined)
  const work = async (): Promise<Preparation> =>
    judgeResources(await prepare(await input, options, compile), options)
  return preparing.run(work, String(change?.by ?? by ?? ''))
}

function prepareRollback(
  reader: StateReader | undefined,
  options: DeployOptions,
  { compile }: Compiler,
): Promise<Preparation> {
  if (!reader) throw nothingDeployed()
  const work = async (): Promise<Preparation> =>
    judgeResources(await planRollback(reader, await loadBase(reader), options, compile), options)
  return preparing.run(work, String(options.by ?? ''))
}

/** Takes warnings about resources back that extensions bring. */
async function judgeResources(
  preparation: Preparation,
  { loadResources }: DeployOptions,
): Promise<Preparation> {
  const { plan } = preparation
  if (!loadResources || plan.warnings.every(({ resource }) => resource === undefined))
    return preparation
  const warnings = withoutKnown(plan.warnings, await loadResources())
  return { ...preparation, plan: { ...plan, warnings } }
}

/** Prepares one deploy after another, in order of arrival: each holds much memory meanwhile. */
const preparing = new Semaphore(1)

/** The input of a deploy: given scripts with their faults, and the base that they meet. */
interface DeployInput {
  given: readonly Script[]
  faults: readonly Diagnostic[]
  /** Scripts of files that have faults. */
  faulty: readonly FaultyScript[]
  base: DeployBase
}

async function loadInput(
  reader: StateReader | undefined,
  parsing: Promise<readonly ParsedFile[]>,
  document: Script | undefined,
): Promise<DeployInput> {
  const parsed = await parsing
  const faults = parsed.flatMap((file) => file.faults)
  const given = [...parsed.flatMap((file) => file.scripts), ...(document ? [document] : [])]
  const faulty = parsed.flatMap((file) => file.faulty)
  const base = reader ? withoutFaulty(await loadBase(reader), faulty) : EMPTY
  return { given, faults, faulty, base }
}

/** Leaves faulty scripts, which are deployed again, out of the base: they need not match it. */
function withoutFaulty(base: DeployBase, faulty: readonly FaultyScript[]): DeployBase {
  const isFaulty = ({ type, name }: Script): boolean =>
    faulty.some((each) => each.type === type && each.name === name)
  return { ...base, scripts: base.scripts.filter((script) => !isFaulty(script)) }
}

async function prepare(
  { given, faults, faulty, base }: DeployInput,
  options: DeployOptions,
  compile: CompileScripts,
): Promise<Preparation> {
  const isReplaced = (options.overwrite ?? false) || options.change !== undefined
  const planned = planCatalog(base.scripts, given, {
    prune: options.prune ?? false,
    changedHere: isReplaced ? [] : base.changedHere,
    former: options.change?.document?.former,
  })
  const rbac = await planRbacDeploy(planned, {
    given,
    deployed: base.deployedRbac,
    isReplaced,
    isRemovedHere: options.change !== undefined,
  })
  const { catalog } = rbac
  const compileBeside = (scripts: readonly Script[]) => compile(scripts, faulty)
  const compiled = await compileBeside(catalog.scripts)
  const { model } = compiled
  const repeats = findRepeats(given)
  const wide = model ? findWide(model) : []
  const own = [...faults, ...rbac.faults, ...repeats, ...wide]
  if (model === undefined || own.length > 0) {
    const explained = await describeStale(catalog, given, compiled.faults, compileBeside)
    // Warnings beside scripts that were not compiled would be guesses.
    if (faults.length > 0) return refuse(sortFaults([...own, ...explained]))
    return refuse(sortFaults([...own, ...explained]), catalog, compiled.warnings)
  }
  const isDeploy = options.change === undefined
  const prepared = await prepareTables(
    base,
    rbac,
    { ...compiled, model },
    {
      rowsOf: isDeploy ? 'all' : new Set(),
      probes: isDeploy ? probeLostDrafts(catalog.removed) : [],
    },
  )
  if (!isDeploy || prepared.ready?.kind !== 'deploy') return prepared
  const work = { ...prepared.ready, reader: base.reader, compile: compileBeside }
  return { ...prepared, plan: { ...prepared.plan, outdated: await describeOutdatedWork(work) } }
}

/** Loads all of the base in one state: another deploy may commit between two reads. */
async function loadBase(reader: StateReader): Promise<DeployBase> {
  const parts = await reader.snapshot('the base of a deploy', async (state) => {
    const scripts = await loadScripts(state)
    const schema = await loadStoredSchema(await loadFact(state, SCHEMA_FACT), state, scripts)
    const changedHere = await loadChangedHere(state)
    const deployedRbac = await loadDeployedRbac(state)
    const done = await loadDoneMigrations(state)
    return { scripts, schema, changedHere, deployedRbac, done }
  })
  return { ...parts, reader }
}
