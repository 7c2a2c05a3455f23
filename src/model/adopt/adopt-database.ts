/** Adopts another program's database: its tables as a model, its rows with their keys. */
import type { Clock } from '../../kernel/clock.ts'
import type { SourceFile } from '../../store/file/source-file.ts'
import type { StateReader, Store, Tx } from '../../store/store.ts'
import type { FileTarget } from './load-files.ts'
import { loadTables, type TakenTable } from './load-tables.ts'
import { TakenNames, toPascal } from './names.ts'
import { type Adoption, planAdoption } from './plan-adoption.ts'
import { type ApplicationNames, writeModel } from './write-model.ts'
import type { DeclaredParameters } from '../compile/parameters.ts'
import type { FieldType } from '../compiled/field-features.ts'
import type { Script } from '../compiled/script.ts'
import { loadScripts } from '../deploy/catalog.ts'
import { executeDeploy } from '../deploy/deploy.ts'
import type { DeployPlan } from '../deploy/plan.ts'
import { prepareDeploy } from '../deploy/prepare.ts'
import type { Diagnostic } from '../parse/element.ts'
import type { ModelFile } from '../parse/parse.ts'

/** The source to adopt, and the model that was written of it. */
export interface PlannedAdoption extends Adoption {
  files: readonly ModelFile[]
  names: ApplicationNames
}

/** The result of an adoption. */
export interface AdoptionResult {
  taken: readonly TakenTable[]
  faults: readonly Diagnostic[]
}

/** Names of the deployed application clash with those of the adopted one. */
export class AdoptionClash extends Error {
  override readonly name = 'AdoptionClash'
}

/** Reads the database and writes its model, beside the deployed one. @throws SourceError */
export async function planDatabase(
  source: SourceFile,
  title: string,
  reader: StateReader | undefined,
): Promise<PlannedAdoption> {
  const scripts = reader ? await loadScripts(reader) : []
  const adoption = await planAdoption(source, listDeclared(scripts))
  const names = findNames(scripts, toPascal(title, 'Adopted'))
  return { ...adoption, names, files: writeModel(adoption.model, names) }
}

/** The attributes and sequences that a deployed application binds by their names. */
function listDeclared(scripts: readonly Script[]): DeclaredParameters {
  const list = (kind: string): Map<string, FieldType> =>
    new Map(
      scripts.flatMap(({ element }) =>
        element.children.flatMap(({ name, attributes }) =>
          name === kind && attributes.Name ? [[attributes.Name, 'Text'] as const] : [],
        ),
      ),
    )
  return { attributes: list('UserAttribute'), sequences: list('Sequence') }
}

/** Finds the names; a deployed application keeps its navigation and its roles. */
function findNames(scripts: readonly Script[], title: string): ApplicationNames {
  const taken = new TakenNames(scripts.map(({ name }) => name))
  const roles = new TakenNames(
    scripts
      .filter(({ type }) => type === 'Rbac')
      .flatMap(({ element }) =>
        element.children.flatMap(({ attributes }) => attributes.Name ?? []),
      ),
  )
  const rbac = taken.take('Rbac', `${title}Rbac`)
  return {
    role: roles.take('Manager', `${title}Manager`),
    navbar: taken.take('Main', `${title}Navigation`),
    rbac: rbac === 'Rbac' ? undefined : rbac,
  }
}

/**
 * Checks the model against the deployed one, and changes nothing; returns its faults.
 * @throws AdoptionClash
 */
export async function checkAdoption(
  { files }: PlannedAdoption,
  reader: StateReader | undefined,
): Promise<readonly Diagnostic[]> {
  const { plan } = await prepareDeploy(reader, files, { dryRun: true })
  requireNew(plan)
  return plan.faults
}

/** The place of files, which are on the disk before their rows are committed. */
interface FileStage extends FileTarget {
  finish(): Promise<void>
}

/** Target of the rows, and what is done once nothing prevents it. */
interface AdoptionTarget {
  store: Store
  clock: Clock
  files: FileStage
  onReady: () => void
}

/**
 * Deploys the model and takes the rows over in one transaction; with faults nothing is changed.
 * @throws AdoptionClash, LoadError, SourceError.
 */
export async function executeAdoption(
  source: SourceFile,
  { model, files }: PlannedAdoption,
  { store, clock, files: stage, onReady }: AdoptionTarget,
): Promise<AdoptionResult> {
  const preparation = await prepareDeploy(store, files, {})
  requireNew(preparation.plan)
  if (preparation.plan.faults.length === 0) onReady()
  let taken: readonly TakenTable[] = []
  const load = async (tx: Tx): Promise<void> => {
    taken = await loadTables(source, model, { tx, files: stage, now: clock.now() })
    await stage.finish()
  }
  const parts = { store, models: undefined, clock, load }
  const { plan } = await executeDeploy(parts, preparation, {})
  return { taken, faults: plan.faults }
}

/** Most names in a refusal. */
const TOLD = 5

/** Refuses scripts that exist already: a table or view of the same name belongs to someone else. */
function requireNew({ changed, same, kept, merged }: DeployPlan): void {
  const clashes = [...changed, ...same, ...kept, ...merged].map(
    ({ type, name }) => `${type} ${name}`,
  )
  if (clashes.length === 0) return
  const rest = clashes.length > TOLD ? ` and ${clashes.length - TOLD} more` : ''
  throw new AdoptionClash(
    `The deployed application already has ${clashes.slice(0, TOLD).join(', ')}${rest}: ` +
      'adopt into an empty data folder, or import the rows into what is there',
  )
}
