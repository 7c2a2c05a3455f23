/** The hub's part that shows which other users have a record open. */
import { Type } from '@sinclair/typebox'
import { Failure, tooMany } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { View } from '../../model/compiled/view.ts'
import type { RecordPlace } from '../../engine/comments/comment-records.ts'
import { missingRecord } from '../../engine/object/form/load-form.ts'
import { readParameters } from '../../engine/object/parameters.ts'
import { requireView, requireViewUse } from '../../engine/object/read/find-view.ts'
import {
  isReadable,
  keyValues,
  requireViewKey,
  type ViewKey,
} from '../../engine/object/record/record.ts'
import { toWire } from '../../engine/object/value.ts'
import type { AppContext } from '../../server/context.ts'
import { type HubCall, type HubConnection, hubMethod, type HubPart } from '../../server/hub/hub.ts'
import { type Opening, PresenceRoom } from './presence-room.ts'

/** Records that one client may have open. */
const OPEN_MAX = 50

/** Seconds after which a client may try to open another one. */
const RETRY_SECONDS = 1

const NAME = Type.String({ maxLength: 200, description: 'Name or slug of a view' })
const KEYS = Type.Record(Type.String(), Type.Unknown(), { description: 'Values of its key fields' })
const RECORD = { object: NAME, keys: KEYS }

const PresenceEvent = Type.Object({
  Object: Type.String({ description: 'The view by which this client has it open' }),
  Keys: Type.Record(Type.String(), Type.Unknown()),
  Users: Type.Array(
    Type.Object({ Id: Type.Integer(), DisplayName: Type.String(), Since: Type.String() }),
    { description: 'Those who have it open, oneself among them; at most 50' },
  ),
})

const CommentsEvent = Type.Object({
  Object: PresenceEvent.properties.Object,
  Keys: PresenceEvent.properties.Keys,
})

/** Records are open as long as a client says so, and is connected, and its caller sees them. */
export function presencePart(app: AppContext): HubPart {
  const presence = new Presence(app)
  app.commentChanges.subscribe((place) => presence.tellComments(place))
  return {
    events: {
      presence: {
        description: 'Who has a record open that this client has open, too',
        arguments: { presence: PresenceEvent },
      },
      commentsChanged: {
        description: 'A record that this client has open has other comments; load them again',
        arguments: { record: CommentsEvent },
      },
    },
    methods: {
      Open: hubMethod({
        description: 'Says that the caller has a record open, which they may View',
        arguments: RECORD,
        run: (call, { object, keys }) => presence.open(call, object, keys),
      }),
      Close: hubMethod({
        description: 'Says that it is open no longer; the end of the connection says so, too',
        arguments: RECORD,
        run: (call, { object, keys }) => presence.close(call, object, keys),
      }),
    },
    change: (connection) => presence.judge(connection),
    close: (connection) => presence.leave(connection),
  }
}

/** Open records of a client, by its name for them. */
type Openings = Map<string, { room: PresenceRoom; opening: Opening }>

class Presence {
  readonly #app: AppContext
  readonly #rooms = new Map<string, PresenceRoom>()
  readonly #byConnection = new Map<HubConnection, Openings>()

  constructor(app: AppContext) {
    this.#app = app
  }

  /** @throws notFound for a record that the caller does not see, denied without View */
  async open(call: HubCall, object: string, keys: Record<string, unknown>): Promise<void> {
    const { connection, caller, model, signal } = call
    const { view } = requireViewUse(this.#app, { caller, model }, object, ['View'])
    const key = requireViewKey(view, readParameters(keys))
    const named = { object: view.name, keys: toKeys(key) }
    if (!(await this.#sees(connection, named))) throw missingRecord()
    if (signal.aborted) return
    const openings: Openings = this.#byConnection.get(connection) ?? new Map()
    const place = nameOpening(view, key)
    if (openings.has(place)) return
    if (openings.size >= OPEN_MAX)
      throw tooMany(say`You can have at most ${OPEN_MAX} records open at once`, RETRY_SECONDS)
    const opening: Opening = {
      connection,
      ...named,
      since: this.#app.clock.now(),
      isVisible: () => this.#sees(connection, named),
      expel: () => this.#close(connection, place),
    }
    const room = this.#enter(nameRoom(caller.companyId, view, key))
    openings.set(place, { room, opening })
    this.#byConnection.set(connection, openings)
    room.add(opening)
  }

  /** Closes a record; does nothing for one that the client does not have open. */
  close({ connection, model }: HubCall, object: string, keys: Record<string, unknown>): void {
    const view = requireView(model, object)
    this.#close(connection, nameOpening(view, requireViewKey(view, readParameters(keys))))
  }

  /** Announces a caller's changed rights, which may change what clients see of each other. */
  judge(connection: HubConnection): void {
    for (const { room } of this.#byConnection.get(connection)?.values() ?? []) room.announce()
  }

  /** Tells those who have a record open that its comments changed. */
  tellComments({ CompanyId, Entity, RecordKey }: RecordPlace): void {
    const key = JSON.parse(RecordKey) as unknown
    void this.#rooms.get(JSON.stringify([CompanyId, Entity, key]))?.tellComments()
  }

  leave(connection: HubConnection): void {
    const openings = this.#byConnection.get(connection)
    this.#byConnection.delete(connection)
    for (const { room, opening } of openings?.values() ?? []) room.delete(opening)
  }

  #close(connection: HubConnection, place: string): void {
    const openings = this.#byConnection.get(connection)
    const open = openings?.get(place)
    openings?.delete(place)
    if (openings?.size === 0) this.#byConnection.delete(connection)
    open?.room.delete(open.opening)
  }

  #enter(name: string): PresenceRoom {
    const known = this.#rooms.get(name)
    if (known) return known
    const room: PresenceRoom = new PresenceRoom(() => {
      if (this.#rooms.get(name) === room) this.#rooms.delete(name)
    })
    this.#rooms.set(name, room)
    return room
  }

  /** Returns true when a client's caller sees a record, by the rights and the model of now. */
  async #sees({ caller }: HubConnection, { object, keys }: NamedRecord): Promise<boolean> {
    const { models, queryCache, log } = this.#app
    try {
      const use = requireViewUse(this.#app, { caller, model: models.get() }, object, ['View'])
      return await isReadable(queryCache, use, requireViewKey(use.view, readParameters(keys)))
    } catch (error) {
      const isRefusal = error instanceof Failure && error.kind !== 'internal'
      if (!isRefusal) log.error('who sees a record could not be read', error)
      return false
    }
  }
}

/** A record as the wire names it. */
type NamedRecord = Pick<Opening, 'object' | 'keys'>

const toKeys = ({ values }: ViewKey): Record<string, unknown> =>
  Object.fromEntries(values.map(({ field, value }) => [field.name, toWire(field, value)]))

/** Names a record within one client. */
const nameOpening = ({ name }: View, { values }: ViewKey): string =>
  JSON.stringify([name, ...values.map(({ value }) => value)])

/** One record has one room in a company, by whichever of its views it is open. */
function nameRoom(companyId: number, view: View, { values }: ViewKey): string {
  const { entity } = view
  const columns = values.flatMap(({ field, value }) =>
    field.column ? [{ field, column: field.column, value }] : [],
  )
  const isOfEntity = entity?.keys.every((key) => columns.some(({ column }) => column === key))
  const name =
    entity && isOfEntity === true
      ? [entity.name, keyValues(entity, { values: columns })]
      : [view.name, values.map(({ value }) => value), 'view']
  return JSON.stringify([companyId, ...name])
}
