/** Events that effects of the model raise under their own names. */
import type { Effect } from '../../model/compiled/effect.ts'
import type { Model } from '../../model/model.ts'

const named = new WeakMap<Model, ReadonlySet<string>>()

/** Names in lower case. */
export const listNamedEvents = (model: Model): ReadonlySet<string> =>
  named.getOrInsertComputed(model, () => {
    const names = new Set<string>()
    const add = (effects: readonly Effect[]): void => {
      for (const effect of effects)
        if (effect.kind === 'webhook') names.add(effect.event.toLowerCase())
    }
    for (const view of model.views.values()) {
      for (const { effects } of [...view.rowActions, ...view.events]) add(effects)
      add(view.wizard?.effects ?? [])
    }
    for (const { transitions } of model.workflows.values())
      for (const { effects } of transitions) add(effects)
    for (const entity of model.entities.values())
      for (const { effects } of entity.events) add(effects)
    return names
  })
