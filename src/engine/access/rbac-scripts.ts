/** Rbac scripts, which are the one truth about roles, edited here and executed as a deploy is. */
import type { Clock } from '../../kernel/clock.ts'
import { invalid } from '../../kernel/failure.ts'
import { plain } from '../../kernel/messages.ts'
import type { Store, Tx } from '../../store/store.ts'
import type { Script } from '../../model/compiled/script.ts'
import type { CurrentModel } from '../../model/current.ts'
import { executeDeploy } from '../../model/deploy/deploy.ts'
import type { DeployOptions, Preparation } from '../../model/deploy/plan.ts'
import { prepareDeploy } from '../../model/deploy/prepare.ts'
import { formatDiagnostic } from '../../model/deploy/report.ts'
import type { Model } from '../../model/model.ts'
import type { ModelFile } from '../../model/parse/parse.ts'
import { addRole, listRoleNames, planRbacBody, type RightChange } from '../../model/rbac/edit.ts'
import { editText, readEdited } from '../../model/rbac/rights/edit-script.ts'
import type { Callers } from '../../access/callers/callers.ts'

/** The parts of the server that access is changed with. */
export interface AccessEngine {
  readonly store: Store
  readonly models: CurrentModel
  readonly callers: Callers
  readonly clock: Clock
}

/** The Rbac script of the board's own: for built-in roles that no other script declares. */
const OWN_NAME = 'AccessBoard'
const OWN_FILE = 'access-board.xml'

/** A script to be executed, and what its roles gain or lose by it. */
export interface RbacEdit {
  name: string
  file: ModelFile
  /** The script that the file holds; undefined where it has to be parsed to be trusted. */
  script: Script | undefined
  changes: readonly RightChange[]
}

/** True when a role has the right by its own grants. */
function isHeld(model: Model, { role, resource, right }: RightChange): boolean {
  const grants = model.roles.get(role)?.grants ?? []
  return grants.some(
    (grant) =>
      grant.resource === resource &&
      [...grant.verbs, ...grant.capabilities].some((each) => each === right),
  )
}

/** Returns the changes that have an effect: the right is not already as asked. */
export const listEffective = (model: Model, changes: readonly RightChange[]): RightChange[] =>
  changes.filter((change) => isHeld(model, change) !== change.isGranted)

/** The scripts that changes edit, each once; none for changes that are already in effect. */
export async function planRbacEdits(
  model: Model,
  changes: readonly RightChange[],
): Promise<RbacEdit[]> {
  const effective = listEffective(model, changes)
  if (effective.length === 0) return []
  const scripts = model.scripts.filter(({ type }) => type === 'Rbac')
  const own = scripts.find(({ name }) => name === OWN_NAME)
  const homes = new Map(scripts.toReversed().flatMap((each) => listRoles(each)))
  const byScript = Map.groupBy(effective, ({ role }) => homes.get(role) ?? own)
  const edits: RbacEdit[] = []
  for (const [script, own] of byScript) edits.push(await planEdit(model, script, own))
  return edits
}

/** The roles of a script, each with the script. */
const listRoles = (script: Script): [role: string, script: Script][] =>
  listRoleNames(script).map((role) => [role, script])

async function planEdit(
  model: Model,
  stored: Script | undefined,
  changes: readonly RightChange[],
): Promise<RbacEdit> {
  const name = stored?.name ?? findFreeName(model, OWN_NAME)
  const declared = new Set(stored ? listRoleNames(stored) : [])
  const missing = [...new Set(changes.map(({ role }) => role))].filter(
    (role) => !declared.has(role),
  )
  const base = missing.reduce(addRole, stored?.body ?? planRbacBody(name))
  const body = await editText(base, changes, stored)
  const file = { name: stored?.fileName ?? OWN_FILE, body }
  return { name, file, script: stored && readEdited(stored, body, changes), changes }
}

/** A name for a script that no other has: they are unique across the types of the catalog. */
export function findFreeName(model: Model, wanted: string): string {
  const taken = new Set(model.scripts.map(({ name }) => name.toLowerCase()))
  let name = wanted
  for (let at = 2; taken.has(name.toLowerCase()); at++) name = `${wanted}${at}`
  return name
}

const planOptions = (
  { models }: AccessEngine,
  by: number,
  parsed?: readonly Script[],
): DeployOptions => ({ change: { source: 'board', by, served: models.get(), parsed } })

/** Compiles the model with the edited scripts. 400 for scripts that do not compile. */
export async function prepareEdits(
  engine: AccessEngine,
  edits: readonly Pick<RbacEdit, 'file' | 'script'>[],
  by: number,
): Promise<Preparation> {
  const files = edits.map(({ file }) => file)
  const parsed = edits.flatMap(({ script }) => script ?? [])
  const options = planOptions(engine, by, parsed.length < edits.length ? undefined : parsed)
  const preparation = await prepareDeploy(engine.store, files, options, engine.models.compiler)
  const [fault] = preparation.plan.faults
  if (fault) throw invalid(plain(formatDiagnostic(fault)))
  return preparation
}

/** Executes the scripts as a change of the board; `within` runs first, in the same transaction. */
export async function executeEdits(
  engine: AccessEngine,
  prepared: Preparation,
  by: number,
  within: (tx: Tx) => Promise<void>,
): Promise<void> {
  const { isDone, plan } = await executeDeploy(engine, prepared, planOptions(engine, by), within)
  const [fault] = plan.faults
  if (!isDone) throw invalid(plain(fault ? formatDiagnostic(fault) : plan.losses.join()))
}
