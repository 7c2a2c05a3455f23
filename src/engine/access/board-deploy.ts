/** Rbac scripts that are edited here, executed by the path of a deploy. */
import { invalid } from '../../kernel/failure.ts'
import { plain } from '../../kernel/messages.ts'
import { prepareDeploy } from '../../model/deploy-plan.ts'
import type { DeployOptions, Preparation } from '../../model/deploy-plan.ts'
import { formatDiagnostic } from '../../model/deploy-report.ts'
import { executeDeploy } from '../../model/deploy.ts'
import type { DeployParts } from '../../model/deploy.ts'
import type { CurrentModel } from '../../model/current.ts'
import type { Model } from '../../model/model.ts'
import type { ModelFile } from '../../model/parse.ts'
import type { Tx } from '../../store/store.ts'

/** What changes the model that serves. */
type BoardParts = DeployParts & { models: CurrentModel }

const planOptions = (served: Model, by: number): DeployOptions => ({
  change: { origin: 'board', by, served },
})

/** Compiles the model with the edited scripts. 400 for what does not compile. */
export async function prepareBoardDeploy(
  { store, models }: Pick<BoardParts, 'store' | 'models'>,
  files: readonly ModelFile[],
  by: number,
): Promise<Preparation> {
  const preparation = await prepareDeploy(store, files, planOptions(models.get(), by))
  const [fault] = preparation.plan.faults
  if (fault) throw invalid(plain(formatDiagnostic(fault)))
  return preparation
}

/** Executes the scripts as a change of the board; `within` runs first, in the same transaction. */
export async function executeBoardDeploy(
  parts: BoardParts,
  prepared: Preparation,
  by: number,
  within: (tx: Tx) => Promise<void>,
): Promise<void> {
  const options = planOptions(parts.models.get(), by)
  const { isDone, plan } = await executeDeploy(parts, prepared, options, within)
  const [fault] = plan.faults
  if (!isDone) throw invalid(plain(fault ? formatDiagnostic(fault) : plan.losses.join()))
}

/** A name for a script that no other has: they are unique across the types of the catalog. */
export function findFreeName(model: Model, wanted: string): string {
  const taken = new Set(model.scripts.map(({ name }) => name.toLowerCase()))
  let name = wanted
  for (let at = 2; taken.has(name.toLowerCase()); at++) name = `${wanted}${at}`
  return name
}
