/** What changes of rights make of the Rbac scripts, which are the one truth about roles. */
import type { Model, Script } from '../../model/model.ts'
import type { ModelFile } from '../../model/parse.ts'
import { addRole, editRight, listRoleNames, planRbacBody } from '../../model/rbac-edit.ts'
import type { RightChange } from '../../model/rbac-edit.ts'
import { findFreeName } from './board-deploy.ts'

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
