/** Preferences of a user: the channels for each kind of notification. */
import { allRows, upsertRow } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { notificationPreferences } from '../../store/tables/notifications.ts'
import type { Effect } from '../../model/compiled/effect.ts'
import { listMainViews } from '../../model/main-views.ts'
import type { ModelText } from '../../model/model-text.ts'
import type { Model } from '../../model/model.ts'
import { toWords } from '../../model/names.ts'
import { NOTICE_KINDS } from './notice-kinds.ts'

/** The channels by which a user gets notifications of a kind. */
interface Channels {
  /** The hub: at once for connected users, and counted as unread. */
  Hub: boolean
  /** Pushes to the user's browsers. */
  Push: boolean
  /** A mail for each notification. */
  Mail: boolean
  /** One mail a day, with the notifications unread then. */
  Digest: boolean
}

/** A user's channels for a kind. */
interface Preference extends Channels {
  Kind: string
}

/** The channels of a kind for which a user has set none. */
const DEFAULT_CHANNELS: Channels = { Hub: true, Push: true, Mail: false, Digest: false }

/** A view or an entity whose effects notify. */
interface KindOwner {
  name: string
  label: ModelText
}

/** Kinds of a model. */
interface KnownKinds {
  /** Labels of the kinds that users choose channels for, sorted by name. */
  labels: ReadonlyMap<string, ModelText>
  /** Kinds that are chosen with another one, and which that is. */
  joined: ReadonlyMap<string, string>
}

const kindsOf = new WeakMap<Model, KnownKinds>()

/** Maps the kinds of the engine and of the model to their labels, sorted by name. */
export const listKinds = (model: Model): ReadonlyMap<string, ModelText> => findKinds(model).labels

/** Finds the kind that users choose channels for by a name in any case; undefined for none. */
export function findKind(model: Model, name: string): string | undefined {
  const { labels, joined } = findKinds(model)
  const isIt = (kind: string): boolean => kind.toLowerCase() === name.toLowerCase()
  const other = [...joined].find(([kind]) => isIt(kind))
  return [...labels.keys()].find(isIt) ?? other?.[1]
}

function findKinds(model: Model): KnownKinds {
  return kindsOf.getOrInsertComputed(model, () => {
    const kinds = new Map<string, ModelText>(Object.entries(NOTICE_KINDS))
    const add = ({ name, label }: KindOwner, effects: readonly Effect[]): void => {
      for (const effect of effects) {
        if (effect.kind !== 'notify') continue
        const { topic } = effect
        if (topic === undefined) kinds.getOrInsert(name, label)
        else kinds.getOrInsert(topic, toWords(topic))
      }
    }
    for (const view of model.views.values()) {
      for (const { effects } of [...view.rowActions, ...view.events]) add(view, effects)
      add(view, view.wizard?.effects ?? [])
    }
    for (const { view: name, transitions } of model.workflows.values()) {
      const label = model.views.get(name)?.label ?? toWords(name)
      for (const { effects } of transitions) add({ name, label }, effects)
    }
    for (const entity of model.entities.values())
      for (const { effects } of entity.events) add(entity, effects)
    const joined = joinEntities(model, kinds)
    return { labels: new Map([...kinds].sort(([a], [b]) => (a < b ? -1 : 1))), joined }
  })
}

/**
 * Joins the kind of an entity to that of its main view, where both have one: Order and Orders are
 * the same to users. Takes them out of the kinds, and says which went where.
 */
function joinEntities(model: Model, kinds: Map<string, ModelText>): ReadonlyMap<string, string> {
  const joined = new Map<string, string>()
  for (const { name } of model.entities.values()) {
    if (!kinds.has(name) || Object.hasOwn(NOTICE_KINDS, name) || model.views.has(name)) continue
    const view = listMainViews(model, name).find((each) => kinds.has(each.name))
    if (!view) continue
    kinds.delete(name)
    kinds.set(view.name, view.label)
    joined.set(name, view.name)
  }
  return joined
}

/** A user's channels for every kind, by name; kinds that no longer exist are left out. */
export async function loadPreferences(
  reader: Reader,
  userId: number,
  model: Model,
): Promise<Preference[]> {
  const rows = await allRows(reader, notificationPreferences, 'WHERE UserId = @userId', { userId })
  const said = new Map(rows.map((row) => [row.Kind, row]))
  return [...listKinds(model).keys()].map((Kind) => {
    const [found = DEFAULT_CHANNELS] = listStored(model, Kind).flatMap(
      (kind) => said.get(kind) ?? [],
    )
    const { Hub, Push, Mail, Digest } = found
    return { Kind, Hub, Push, Mail, Digest }
  })
}

/** The kinds under which the channels of one are stored: its own, then those joined to it. */
const listStored = (model: Model, kind: string): string[] => [
  kind,
  ...[...findKinds(model).joined].flatMap(([other, to]) => (to === kind ? other : [])),
]

const SAVE = `ON CONFLICT (UserId, Kind) DO UPDATE SET Hub = excluded.Hub, Push = excluded.Push,
    Mail = excluded.Mail, Digest = excluded.Digest`

/** Saves a user's channels for some kinds; those for other kinds stay. */
export async function savePreferences(
  tx: Tx,
  { userId, model }: { userId: number; model: Model },
  preferences: readonly Preference[],
): Promise<void> {
  for (const { Kind: kind, Hub, Push, Mail, Digest } of preferences)
    for (const Kind of listStored(model, kind))
      await upsertRow(
        tx,
        notificationPreferences,
        { UserId: userId, Kind, Hub, Push, Mail, Digest },
        SAVE,
      )
}
