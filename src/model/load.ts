/** The deployed model at a start: as it is kept, or compiled where nothing kept can be trusted. */
import type { Reader, Store, WatchedTable } from '../store/store.ts'
import { loadFact, loadScriptNames, loadScripts, saveFact } from './catalog.ts'
import { compileModel, emptyModel, letTranslate } from './compile/compile.ts'
import { listTranslations } from './compile/translate.ts'
import { planKey, readModel, writeModel } from './kept/kept-model.ts'
import type { Model } from './model.ts'
import { watchedTables } from './watched-tables.ts'

/** Where the compiled model is kept. */
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
  const kept = text === undefined ? undefined : readModel(text, key)
  if (!kept) return compileStored(reader)
  letTranslate(kept.model, () => kept.memory, kept.readScripts, kept.translations)
  return { model: kept.model, watched: kept.watched, keep: undefined }
}

/** The deployed model alone, for a command that serves nobody; see `openModel`. */
export async function loadModel(reader: Reader): Promise<Model> {
  return (await openModel(reader)).model
}

async function compileStored(reader: Reader): Promise<LoadedModel> {
  const { model, faults, remember } = await compileModel(await loadScripts(reader))
  if (model === undefined) {
    const lines = faults.map(
      ({ place, message }) => `${place.file}:${place.line}:${place.column}: ${message}`,
    )
    throw new Error(`The stored model does not compile:\n${lines.join('\n')}`)
  }
  const watched = watchedTables(model)
  const keep = async (store: Store): Promise<void> => {
    const translations = await listTranslations(model)
    const text = await writeModel({ model, watched, memory: remember(), translations })
    await store.write((tx) => saveFact(tx, MODEL_FACT, text), { company: 'all' })
  }
  return { model, watched, keep }
}
