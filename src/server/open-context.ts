/** Opens a data folder as the context that an app is made with. */
import { join } from 'node:path'
import { Callers } from '../access/callers.ts'
import { SigningKeys } from '../access/keys.ts'
import { KeptReader } from '../engine/object/kept.ts'
import { planSettle } from '../engine/object/settle.ts'
import { TextSearch } from '../engine/search/text-search.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import type { Settings } from '../kernel/settings.ts'
import { CurrentModel } from '../model/current.ts'
import { loadModel, watchedTables } from '../model/deploy.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import type { AppContext } from './context.ts'

export interface ContextParts {
  /** The data folder, locked by whoever asks. */
  folder: string
  settings: Settings
  clock: Clock
  log: Log
}

export interface OpenContext extends AppContext {
  /** Settles when the writer's watch stands; without it no write goes through. */
  readonly watching: Promise<void>
  /** Closes both stores, pending writes first. */
  close(): Promise<void>
}

export interface Stores {
  store: Store
  state: Store
}

/** Opens `engine.db` and `state.db`, creating and migrating them where that is due. */
export async function openStores(folder: string, settings: Settings): Promise<Stores> {
  const limits = {
    readTimeoutMs: settings.get('Svc:Sql:Timeout'),
    writeTimeoutMs: settings.get('Svc:Sql:WriteTimeout'),
    writerMaxWaitMs: settings.get('Svc:Writer:MaxWait'),
  }
  const [store, state] = await Promise.all([
    openStore({
      file: join(folder, 'engine.db'),
      migrations: 'engine',
      lanes: settings.get('Svc:Sql:Lanes'),
      limits,
    }),
    openStore({ file: join(folder, 'state.db'), migrations: 'state', lanes: 1, limits }),
  ])
  return { store, state }
}

/** Closes both stores, also when the first one cannot be closed. */
export async function closeStores({ store, state }: Stores): Promise<void> {
  const closed = await Promise.allSettled([store.close(), state.close()])
  for (const result of closed) if (result.status === 'rejected') throw result.reason
}

/** Opens the stores, loads the deployed model and the signing keys. */
export async function openContext(parts: ContextParts): Promise<OpenContext> {
  const { folder, settings, clock, log } = parts
  const stores = await openStores(folder, settings)
  try {
    const { store, state } = stores
    const [model, keys] = await Promise.all([loadModel(store), SigningKeys.open(store, clock)])
    const models = new CurrentModel(model)
    const settleMs = settings.get('Svc:Sql:WriteTimeout')
    store.useSettle(planSettle(models, () => clock.now(), settleMs))
    // Reads begin at once; the first write waits for the watch in the writer's queue.
    const watching = store.watch(watchedTables(model))
    const policy = {
      issuer: settings.get('Svc:Tokens:Issuer'),
      audience: settings.get('Svc:Tokens:Audience'),
      accessLifetime: settings.get('Svc:Tokens:AccessLifetime'),
    }
    const callers = new Callers({ store, state, keys, policy, clock })
    return {
      ...{ settings, clock, log, store, state, models, callers, keys },
      kept: new KeptReader(
        store,
        settings.get('Svc:Cache:MaxBytes'),
        new TextSearch(store, settings.get('Svc:Search:MaxBytes')),
      ),
      watching,
      close: () => closeStores(stores),
    }
  } catch (error) {
    await closeStores(stores)
    throw error
  }
}
