/** The hub's part that sends clients the changes of rows in the views that they look at. */
import { Type } from '@sinclair/typebox'
import { Failure, invalid, tooMany } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { orNull } from '../../kernel/schema.ts'
import { requireView, requireViewUse } from '../../engine/object/read/find-view.ts'
import { findKeyedView, type KeyedView } from '../../engine/object/record/visible-keys.ts'
import type { ViewUse } from '../../engine/object/view-access.ts'
import type { AppContext } from '../../server/context.ts'
import {
  type HubCall,
  type HubChannel,
  type HubConnection,
  hubMethod,
  type HubPart,
} from '../../server/hub/hub.ts'
import { Audience, nameAudience } from './audience.ts'
import { ChangeTeller } from './change-teller.ts'
import { NOTIFICATIONS } from './settings.ts'

/** Views that one client may look at. */
const VIEWS_MAX = 50

/** Seconds after which a client may try another one. */
const RETRY_SECONDS = 1

const NAME = Type.String({ maxLength: 200, description: 'Name or slug of a view' })

const ObjectChanged = Type.Object({
  Object: Type.String({ description: 'The view that this client looks at' }),
  Action: Type.String({
    description:
      'created, updated or deleted, as this client sees it: a row that moves out of sight is ' +
      'deleted, one that comes into sight is created; changed: reload the view, for many ' +
      'rows, or a record that it joins, may be others',
  }),
  Keys: orNull(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Of the row; null with changed, and where the key is hidden from the caller',
    }),
  ),
})

/** The part of object changes: tells rows to clients that see them, before the change or after. */
export function objectChangesPart(app: AppContext, channel: HubChannel): HubPart {
  const objects = new LiveObjects(app, channel)
  return {
    events: {
      objectChanged: {
        description: 'A row of a view that the client subscribes to has changed',
        arguments: { change: ObjectChanged },
      },
    },
    methods: {
      Subscribe: hubMethod({
        description: 'Subscribes to changed rows of a view that the caller may List',
        arguments: { object: NAME },
        run: (call, { object }) => objects.subscribe(call, object),
      }),
      Unsubscribe: hubMethod({
        description: 'Hears of them no longer; the end of the connection says so, too',
        arguments: { object: NAME },
        run: ({ connection, model }, { object }) =>
          objects.unsubscribe(connection, requireView(model, object).name),
      }),
    },
    change: (connection) => objects.regroup(connection),
    close: (connection) => objects.leave(connection),
  }
}

/** The views that a client looks at, by name; undefined while its rights are looked at. */
type Looking = Map<string, Audience | undefined>

class LiveObjects {
  readonly #app: AppContext
  readonly #channel: HubChannel
  readonly #audiences = new Map<string, Audience>()
  readonly #byEntity = new Map<string, Set<Audience>>()
  readonly #byJoined = new Map<string, Set<Audience>>()
  readonly #byConnection = new Map<HubConnection, Looking>()

  constructor(app: AppContext, channel: HubChannel) {
    this.#app = app
    this.#channel = channel
    const teller = new ChangeTeller({
      store: app.store,
      clock: app.clock,
      log: app.log,
      waitMs: app.settings.get(NOTIFICATIONS.changeWait),
      listAudiences: (entity) => this.#byEntity.get(entity.name) ?? [],
      listJoining: (entity) => this.#byJoined.get(entity.name) ?? [],
      publish: (audience, change) => this.#publish(audience, change),
    })
    app.recordChanges.follow(teller)
  }

  /** @throws denied without List, notFound, invalid for a view of no records */
  subscribe({ connection, caller, model }: HubCall, object: string): void {
    const use = requireViewUse(this.#app, { caller, model }, object, ['List'])
    const keyed = findKeyedView(use.view)
    if (!keyed) throw invalid(say`'${use.view.name}' has no records that you can watch for changes`)
    const looking: Looking = this.#byConnection.get(connection) ?? new Map()
    if (looking.has(use.view.name)) return
    if (looking.size >= VIEWS_MAX)
      throw tooMany(say`You can subscribe to at most ${VIEWS_MAX} views at once`, RETRY_SECONDS)
    this.#byConnection.set(connection, looking)
    looking.set(use.view.name, this.#join(connection, keyed, use))
  }

  unsubscribe(connection: HubConnection, name: string): void {
    const looking = this.#byConnection.get(connection)
    this.#part(connection, looking?.get(name))
    looking?.delete(name)
    if (looking?.size === 0) this.#byConnection.delete(connection)
  }

  leave(connection: HubConnection): void {
    for (const audience of this.#byConnection.get(connection)?.values() ?? [])
      this.#part(connection, audience)
    this.#byConnection.delete(connection)
  }

  /**
   * Joins a caller's audiences again after a change, or a check, of their rights or the model: they
   * may see other rows, and were not told of changes meanwhile.
   */
  regroup(connection: HubConnection): void {
    const looking = this.#byConnection.get(connection)
    for (const [name, before] of looking ?? []) {
      const found = this.#findUse(connection, name)
      if (!found) {
        this.unsubscribe(connection, name)
        continue
      }
      this.#part(connection, before)
      const after = this.#join(connection, found.keyed, found.use)
      looking?.set(name, after)
      if (after !== before)
        connection.send('objectChanged', { Object: name, Action: 'changed', Keys: null })
    }
  }

  #findUse(connection: HubConnection, name: string): Found | undefined {
    const { models } = this.#app
    try {
      const by = { caller: connection.caller, model: models.get() }
      const use = requireViewUse(this.#app, by, name, ['List'])
      const keyed = findKeyedView(use.view)
      return keyed && { keyed, use }
    } catch (error) {
      if (error instanceof Failure && error.kind !== 'internal') return undefined
      throw error
    }
  }

  #join(connection: HubConnection, keyed: KeyedView, use: ViewUse): Audience {
    const name = nameAudience(keyed, use)
    const audience = this.#audiences.getOrInsertComputed(name, () => {
      const made = new Audience(keyed, use, name)
      addTo(this.#byEntity, keyed.entity.name, made)
      for (const entity of made.joined) addTo(this.#byJoined, entity, made)
      return made
    })
    audience.members.add(connection)
    connection.subscribe(audience.topic)
    return audience
  }

  #part(connection: HubConnection, audience: Audience | undefined): void {
    if (!audience) return
    connection.unsubscribe(audience.topic)
    audience.members.delete(connection)
    if (audience.members.size > 0) return
    this.#audiences.delete(audience.name)
    removeFrom(this.#byEntity, audience.keyed.entity.name, audience)
    for (const entity of audience.joined) removeFrom(this.#byJoined, entity, audience)
  }

  /** Publishes a change; clients with unchecked rights leave until these are checked. */
  #publish(audience: Audience, change: { Action: string; Keys: unknown }): void {
    for (const connection of audience.members) {
      if (!connection.isUnchecked) continue
      this.#byConnection.get(connection)?.set(audience.keyed.view.name, undefined)
      this.#part(connection, audience)
    }
    const Object = audience.keyed.view.name
    this.#channel.publish(audience.topic, 'objectChanged', { Object, ...change })
  }
}

type AudiencesOf = Map<string, Set<Audience>>

const addTo = (all: AudiencesOf, entity: string, audience: Audience): unknown =>
  all.getOrInsertComputed(entity, () => new Set<Audience>()).add(audience)

function removeFrom(all: AudiencesOf, entity: string, audience: Audience): void {
  const list = all.get(entity)
  list?.delete(audience)
  if (list?.size === 0) all.delete(entity)
}

interface Found {
  keyed: KeyedView
  use: ViewUse
}
