/** Preferences of a user: the channels for each kind of notification. */
import { allRows, upsertRow } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { notificationPreferences } from '../../store/tables/notifications.ts'
import type { Effect } from '../../model/compiled/effect.ts'
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

const kindsOf = new WeakMap<Model, ReadonlyMap<string, ModelText>>()

/** Maps the kinds of the engine and of the model to their labels, sorted by name. */
export function listKinds(model: Model): ReadonlyMap<string, ModelText> {
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
    return new Map([...kinds].sort(([a], [b]) => (a < b ? -1 : 1)))
  })
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
    const { Hub, Push, Mail, Digest } = said.get(Kind) ?? DEFAULT_CHANNELS
    return { Kind, Hub, Push, Mail, Digest }
  })
}

const SAVE = `ON CONFLICT (UserId, Kind) DO UPDATE SET Hub = excluded.Hub, Push = excluded.Push,
    Mail = excluded.Mail, Digest = excluded.Digest`

/** Saves a user's channels for some kinds; those for other kinds stay. */
export async function savePreferences(
  tx: Tx,
  userId: number,
  preferences: readonly Preference[],
): Promise<void> {
  for (const { Kind, Hub, Push, Mail, Digest } of preferences)
    await upsertRow(
      tx,
      notificationPreferences,
      { UserId: userId, Kind, Hub, Push, Mail, Digest },
      SAVE,
    )
}
