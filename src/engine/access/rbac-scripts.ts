/** Rbac scripts, which are the one truth about roles, edited here and executed as a deploy is. */
import type { Callers } from '../../access/callers.ts'
import type { Clock } from '../../kernel/clock.ts'
import { invalid } from '../../kernel/failure.ts'
import { plain } from '../../kernel/messages.ts'
import type { CurrentModel } from '../../model/current.ts'
import { prepareDeploy } from '../../model/deploy-plan.ts'
import type { DeployOptions, Preparation } from '../../model/deploy-plan.ts'
import { formatDiagnostic } from '../../model/deploy-report.ts'
import { executeDeploy } from '../../model/deploy.ts'
import type { Model, Script } from '../../model/model.ts'
import type { ModelFile } from '../../model/parse.ts'
import { addRole, editRight, listRoleNames, planRbacBody } from '../../model/rbac-edit.ts'
import type { RightChange } from '../../model/rbac-edit.ts'
import type { Store, Tx } from '../../store/store.ts'

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
  changes: readonly RightChange[]
}

/** Whether a role has the right by its own grants. */
function isHeld(model: Model, { role, resource, right }: RightChange): boolean {
  const grants = model.roles.get(role)?.grants ?? []
  return grants.some(
    (grant) =>
      grant.resource === resource &&
      [...grant.verbs, ...grant.capabilities].some((each) => each === right),
  )
}

/** Those of the changes that change anything. */
export const listEffective = (model: Model, changes: readonly RightChange[]): RightChange[] =>
  changes.filter((change) => isHeld(model, change) !== change.isGranted)

/** The scripts that changes edit, each once; none for changes of what is so already. */
export function planRbacEdits(model: Model, changes: readonly RightChange[]): RbacEdit[] {
  const scripts = model.scripts.filter(({ type }) => type === 'Rbac')
  const effective = listEffective(model, changes)
  const own = scripts.find(({ name }) => name === OWN_NAME)
  const homeOf = (role: string): Script | undefined =>
    scripts.find(({ body }) => listRoleNames(body).includes(role)) ?? own
  const byScript = Map.groupBy(effective, ({ role }) => homeOf(role))
  return [...byScript].map(([script, edits]) => {
    const name = script?.name ?? findFreeName(model, OWN_NAME)
    const body = edits.reduce(
      (text, edit) => editRight(withRole(text, edit.role), edit),
      script?.body ?? planRbacBody(name),
    )
    return { name, file: { name: script?.fileName ?? OWN_FILE, body }, changes: edits }
  })
}

const withRole = (body: string, role: string): string =>
  listRoleNames(body).includes(role) ? body : addRole(body, role)

/** A name for a script that no other has: they are unique across the types of the catalog. */
export function findFreeName(model: Model, wanted: string): string {
  const taken = new Set(model.scripts.map(({ name }) => name.toLowerCase()))
  let name = wanted
  for (let at = 2; taken.has(name.toLowerCase()); at++) name = `${wanted}${at}`
  return name
}

const planOptions = ({ models }: AccessEngine, by: number): DeployOptions => ({
  change: { source: 'board', by, served: models.get() },
})

/** Compiles the model with the edited scripts. 400 for what does not compile. */
export async function prepareEdits(
  engine: AccessEngine,
  files: readonly ModelFile[],
  by: number,
): Promise<Preparation> {
  const options = planOptions(engine, by)
  const preparation = await prepareDeploy(engine.store, files, options, engine.models.compile)
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
