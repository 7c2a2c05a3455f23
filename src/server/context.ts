/** What every part of the running server is made with. One value, made by `serve` and by tests. */
import type { Callers } from '../access/callers.ts'
import type { SigningKeys } from '../access/keys.ts'
import type { KeptReader } from '../engine/object/kept.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import type { Settings } from '../kernel/settings.ts'
import type { CurrentModel } from '../model/current.ts'
import type { Store } from '../store/store.ts'

export interface AppContext {
  readonly settings: Settings
  readonly clock: Clock
  readonly log: Log
  /** `engine.db`: the application's records and what the engine must never lose. */
  readonly store: Store
  /** `state.db`: sessions, refresh tokens, throttles. */
  readonly state: Store
  readonly models: CurrentModel
  /** Reads of `store` whose answers are kept until their tables change. */
  readonly kept: KeptReader
  readonly callers: Callers
  readonly keys: SigningKeys
}
