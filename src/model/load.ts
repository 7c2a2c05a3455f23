/** The deployed model at a start: as it is kept, or compiled where nothing kept can be trusted. */
import { type Reader, type Store, systemScope, type WatchedTable } from '../store/store.ts'
import { compileHere } from './compile/compile-scripts.ts'
import { emptyModel } from './compile/compile.ts'
import type { Script } from './compiled/script.ts'
import { sortScripts } from './deploy/catalog-plan.ts'
import { loadScriptNames, loadScripts } from './deploy/catalog.ts'
import { loadFact, saveFact } from './deploy/facts.ts'
import type { Model } from './model.ts'
import { withRights } from './rbac/rights/compile-rights.ts'
import {
  noteBase,
  readRights,
  RIGHTS_FACT,
  type RightsSnapshot,
} from './rbac/rights/rights-snapshot.ts'
import { type ModelSnapshot, planKey, readModel } from './snapshot/model-snapshot.ts'
import { watchedTables } from './watched-tables.ts'

/** Key of the fact that holds the compiled model. */
export const MODEL_FACT = 'model'

/** A model that is ready to serve. */
export interface LoadedModel {
  model: Model
  watched: readonly WatchedTable[]
  /** Keeps it for the next start; undefined where it was kept. */
  keep: ((store: Store) => Promise<void>) | undefined
}

/**
 * Reads the kept model; compiles the stored scripts where another build of the engine has kept it,
 * or it is damaged. Throws an Error with every fault when this build does not take what an older
 * one stored.
 */
export async function openModel(reader: Reader): Promise<LoadedModel> {
  const names = await loadScriptNames(reader)
  if (names.length === 0) return { model: emptyModel(), watched: [], keep: undefined }
  const key = planKey(names)
  const text = await loadFact(reader, MODEL_FACT)
  if (text === undefined) return compileStored(reader)
  const snapshot = await readModel(text, key)
  if (snapshot) return toLoaded(snapshot)
  const rights = readRights((await loadFact(reader, RIGHTS_FACT)) ?? '', key)
  const base = rights && (await readModel(text, rights.base))
  return base ? openRights(reader, toLoaded(base), rights) : compileStored(reader)
}

const toLoaded = ({ model, watched }: ModelSnapshot): LoadedModel => ({
  model,
  watched,
  keep: undefined,
})

/** The kept model with the rights that were changed since. */
async function openRights(
  reader: Reader,
  loaded: LoadedModel,
  { base, hash, recordHash, openRoles }: RightsSnapshot,
): Promise<LoadedModel> {
  const rbac = await loadScripts(reader, 'Rbac')
  const scripts = (): Script[] =>
    sortScripts([...loaded.model.scripts.filter(({ type }) => type !== 'Rbac'), ...rbac])
  const known = loaded.model.roles
  const model = withRights(loaded.model, { roles: openRoles(known), hash, recordHash, scripts })
  noteBase(model, { key: base, roles: known })
  return { ...loaded, model }
}

/** Loads the deployed model alone, for a command that does not serve; see `openModel`. */
export async function loadModel(reader: Reader): Promise<Model> {
  return (await openModel(reader)).model
}

async function compileStored(reader: Reader): Promise<LoadedModel> {
  const { model, faults, snapshot } = await compileHere(await loadScripts(reader), [])
  if (model === undefined) {
    const lines = faults.map(
      ({ place, message }) => `${place.file}:${place.line}:${place.column}: ${message}`,
    )
    throw new Error(`The stored model does not compile:\n${lines.join('\n')}`)
  }
  const text = await snapshot()
  const keep = (store: Store): Promise<void> =>
    store.write(
      (tx) => saveFact(tx, MODEL_FACT, text),
      systemScope('the compiled model is kept for the next start'),
    )
  return { model, watched: watchedTables(model), keep }
}
