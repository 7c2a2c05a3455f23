/** What a deploy makes of the script catalog, written. */
import type { Tx } from '../store/store.ts'
import { retireScripts, saveDeployed, saveScripts } from './catalog.ts'
import type { Execution } from './catalog.ts'
import type { CatalogPlan } from './catalog-plan.ts'

/** Writes what is new, changed, merged or gone. */
export async function saveCatalog(
  tx: Tx,
  catalog: CatalogPlan,
  execution: Execution,
): Promise<void> {
  await saveScripts(tx, [...catalog.new, ...catalog.changed, ...catalog.adopted], execution)
  await saveMerged(tx, catalog, execution)
  await retireScripts(tx, catalog.removed)
}

/** What the files say is the base of the next merge; what it was merged to is current. */
async function saveMerged(tx: Tx, { merged }: CatalogPlan, execution: Execution): Promise<void> {
  const bases = merged.filter(({ isNewBase }) => isNewBase)
  const source = execution.source === 'deploy' ? 'merge' : execution.source
  await saveDeployed(
    tx,
    bases.flatMap(({ given }) => given ?? []),
    execution,
  )
  const changed = merged.filter(
    ({ isNewBase, result, stored }) => isNewBase || result?.versionHash !== stored?.versionHash,
  )
  await saveScripts(
    tx,
    changed.flatMap(({ result }) => result ?? []),
    { ...execution, source },
  )
}
