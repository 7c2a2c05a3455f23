/** Rbac scripts that are edited here, executed by the path of a deploy. */
import { invalid } from '../../kernel/failure.ts'
import { plain } from '../../kernel/messages.ts'
import { prepareDeploy } from '../../model/deploy-plan.ts'
import type { DeployOptions, Preparation } from '../../model/deploy-plan.ts'
import { tellFault } from '../../model/deploy-report.ts'
import { executeDeploy } from '../../model/deploy.ts'
import type { DeployParts } from '../../model/deploy.ts'
import type { Model } from '../../model/model.ts'
import type { ModelFile } from '../../model/parse.ts'
import type { Store, Tx } from '../../store/store.ts'

const planOptions = (by: number): DeployOptions => ({ change: { origin: 'board', by } })

/** Compiles the whole model with the edited scripts. 400 for what does not compile. */
export async function prepareBoardDeploy(
  store: Store,
  files: readonly ModelFile[],
  by: number,
): Promise<Preparation> {
  const preparation = await prepareDeploy(store, files, planOptions(by))
  const [fault] = preparation.plan.faults
  if (fault) throw invalid(plain(tellFault(fault)))
  return preparation
}

/** Executes the scripts as a change of the board; `within` runs first, in the same transaction. */
export async function executeBoardDeploy(
  parts: DeployParts,
  prepared: Preparation,
  by: number,
  within: (tx: Tx) => Promise<void>,
): Promise<void> {
  const { isDone, plan } = await executeDeploy(parts, prepared, planOptions(by), within)
  const [fault] = plan.faults
  if (!isDone) throw invalid(plain(fault ? tellFault(fault) : plan.losses.join()))
}

/** A name for a script that no other has: they are unique across the types of the catalog. */
export function findFreeName(model: Model, wanted: string): string {
  const taken = new Set(model.scripts.map(({ name }) => name.toLowerCase()))
  let name = wanted
  for (let at = 2; taken.has(name.toLowerCase()); at++) name = `${wanted}${at}`
  return name
}
