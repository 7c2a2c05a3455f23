/** The hub's part that sends clients the badges of their navigation when they change. */
import { Type } from '@sinclair/typebox'
import { Yielder } from '../../kernel/yielder.ts'
import type { TableChanges } from '../../store/store.ts'
import { describeBadges, loadBadges } from '../../engine/navbar/badges.ts'
import type { AppContext } from '../../server/context.ts'
import type { HubConnection, HubPart } from '../../server/hub/hub.ts'

/** Milliseconds of changes that one message reports together. */
const PAUSE_MS = 250

/** Milliseconds between two looks at badges that depend on the day or the instant. */
const TIMED_MS = 60_000

const Badges = Type.Record(
  Type.String(),
  Type.Object({ Kind: Type.String(), Value: Type.Union([Type.Number(), Type.Boolean()]) }),
  { description: 'All of the caller’s, as `/api/v1/svc/navbar/badges` gives them' },
)

/** A client loads its badges by REST first; after that it gets each change. */
export function liveBadgesPart(app: AppContext): HubPart {
  const badges = new LiveBadges(app)
  return {
    events: {
      badges: {
        description: 'A badge of the caller’s navigation may be another than before',
        arguments: { badges: Badges },
      },
    },
    open: (connection) => badges.enter(connection),
    change: (connection) => badges.look(connection),
    close: (connection) => badges.leave(connection),
  }
}

class LiveBadges {
  readonly #app: AppContext
  /** Last badges told to each client; undefined before the first time. */
  readonly #told = new Map<HubConnection, string | undefined>()
  #changed: Set<string> | 'all' = new Set()
  #isTimed = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #minutes: ReturnType<typeof setInterval> | undefined

  constructor(app: AppContext) {
    this.#app = app
    app.store.follow({
      follows: () => false,
      begin: () => {},
      end: (changes) => this.#noteChanges(changes),
    })
  }

  enter(connection: HubConnection): void {
    this.#told.set(connection, undefined)
    void this.#learn(connection)
    this.#minutes ??= setInterval(() => {
      this.#isTimed = true
      this.#tellSoon()
    }, TIMED_MS).unref()
  }

  /** Learns the badges that its client finds by REST now, which it need not be told. */
  async #learn(connection: HubConnection): Promise<void> {
    try {
      const text = JSON.stringify(await loadBadges(this.#app, connection.caller))
      const isUntold = this.#told.has(connection) && this.#told.get(connection) === undefined
      if (isUntold) this.#told.set(connection, text)
    } catch (error) {
      this.#app.log.error('badges could not be read', error)
    }
  }

  leave(connection: HubConnection): void {
    this.#told.delete(connection)
    if (this.#told.size > 0) return
    clearInterval(this.#minutes)
    this.#minutes = undefined
  }

  /** Sends badges that a change of rights or model has changed. Never rejects. */
  look(connection: HubConnection): Promise<void> {
    return this.#told.has(connection) ? this.#tellSafely(connection) : Promise.resolve()
  }

  #noteChanges(changes: TableChanges): void {
    if (this.#told.size === 0) return
    if (changes === 'all') this.#changed = 'all'
    else if (this.#changed !== 'all') for (const table of changes.keys()) this.#changed.add(table)
    this.#tellSoon()
  }

  #tellSoon(): void {
    this.#timer ??= setTimeout(() => void this.#tellAll(), PAUSE_MS).unref()
  }

  async #tellAll(): Promise<void> {
    const [changed, isTimed] = [this.#changed, this.#isTimed]
    this.#changed = new Set()
    this.#isTimed = false
    const yielder = new Yielder()
    for (const connection of this.#told.keys()) {
      if (connection.isUnchecked) continue
      await this.#tellSafely(connection, async () => {
        const causes = await describeBadges(this.#app, connection.caller)
        const isMeant = changed === 'all' || causes.tables.some((table) => changed.has(table))
        return isMeant || (isTimed && causes.isTimed)
      })
      await yielder.yieldWhenDue()
    }
    this.#timer = undefined
    if (this.#hasChanges()) this.#tellSoon()
  }

  #hasChanges(): boolean {
    return this.#changed === 'all' || this.#changed.size > 0
  }

  /** Tells one client; a failure keeps no other from being told, and ends no connection. */
  async #tellSafely(connection: HubConnection, isMeant?: () => Promise<boolean>): Promise<void> {
    try {
      if (!isMeant || (await isMeant())) await this.#tell(connection)
    } catch (error) {
      this.#app.log.error('badges could not be told', error)
    }
  }

  async #tell(connection: HubConnection): Promise<void> {
    const badges = await loadBadges(this.#app, connection.caller)
    const text = JSON.stringify(badges)
    if (connection.isUnchecked || this.#told.get(connection) === text) return
    if (!this.#told.has(connection)) return
    this.#told.set(connection, text)
    connection.send('badges', badges)
  }
}
