/** The clients that look at one view and see the same rows of it. */
import type { Clock } from '../../kernel/clock.ts'
import type { SqlValue } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { newContext } from '../../engine/object/context.ts'
import {
  describeVisible,
  findVisible,
  type KeyedView,
  listJoined,
  toWireKeys,
} from '../../engine/object/record/visible-keys.ts'
import type { ViewUse } from '../../engine/object/view-access.ts'
import type { HubConnection } from '../../server/hub/hub.ts'

/** Names the audience of a view's use: clients with equal names see the same rows. */
export const nameAudience = (keyed: KeyedView, use: ViewUse): string => {
  const shown = toWireKeys(keyed, use, []) === null ? 'without keys' : 'with keys'
  return `${shown} ${describeVisible(keyed, use)}`
}

/** Count of audiences: each has a topic of its own, which no other client can join. */
let audiences = 0

/** Clients that see the same rows of a view, which are queried once for all of them. */
export class Audience {
  readonly keyed: KeyedView
  readonly name: string
  /** The topic to which its clients subscribe. */
  readonly topic: string
  readonly members = new Set<HubConnection>()
  /** Names of entities whose records may change its rows, beside those of its view. */
  readonly joined: ReadonlySet<string>
  readonly #use: ViewUse

  /** `use` is that of any of its clients: all of them see the same by it. */
  constructor(keyed: KeyedView, use: ViewUse, name: string) {
    this.keyed = keyed
    this.#use = use
    this.name = name
    this.joined = new Set([...listJoined(keyed, use)].map((entity) => entity.name))
    this.topic = `view ${++audiences}`
  }

  get caller(): Caller {
    return this.#use.grant.caller
  }

  /** Finds the records that its clients see now, of those with the given keys. */
  findVisible(
    reader: Reader,
    clock: Clock,
    keys: readonly (readonly SqlValue[])[],
  ): Promise<ReadonlySet<string>> {
    const { grant, context } = this.#use
    const use = { ...this.#use, context: newContext({ clock }, grant.caller, context.model) }
    return findVisible(reader, this.keyed, use, keys)
  }

  /** Returns the key in the form for its clients; null where they do not get it. */
  toWireKeys(key: readonly SqlValue[]): Record<string, unknown> | null {
    return toWireKeys(this.keyed, this.#use, key)
  }
}
