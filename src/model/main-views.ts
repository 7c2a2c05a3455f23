/** The views of an entity in the order in which people think of them. */
import { toPlural } from './adopt/plurals.ts'
import type { NavbarItem } from './compiled/navbar.ts'
import { type View, VIEW_TYPES } from './compiled/view.ts'
import type { Model } from './model.ts'
import { listViewsOf } from './view-index.ts'

const known = new WeakMap<Model, Map<string, readonly View[]>>()

/**
 * Lists the views of an entity by where its records are looked for: first those that the navigation
 * leads to, in its order; then those that are named as the entity, in the singular or plural; then
 * the others, such as views that are made for printing, in the model's order. Forms that begin a
 * new record and wizards come last, since they show no record that is there.
 */
export const listMainViews = (model: Model, entity: string): readonly View[] =>
  known
    .getOrInsertComputed(model, () => new Map<string, readonly View[]>())
    .getOrInsertComputed(entity, () => planOrder(model, entity))

function planOrder(model: Model, entity: string): readonly View[] {
  const places = listTargets(model.navigation)
  const names = new Set([entity, toPlural(entity), toPlural(entity, 'de')].map(toKey))
  const rankOf = ({ name, slug, viewType }: View): number => {
    const { hasSteps, opensNew } = VIEW_TYPES[viewType]
    const place = places.findIndex((each) => each === toKey(name) || each === toKey(slug))
    if (place >= 0 && !hasSteps && !opensNew) return place
    return places.length + (names.has(toKey(name)) ? 0 : hasSteps || opensNew ? 2 : 1)
  }
  return listViewsOf(model, entity)
    .map((view) => ({ view, rank: rankOf(view) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ view }) => view)
}

const toKey = (name: string): string => name.toLowerCase()

/** Names and slugs of the objects that the navigation leads to, in its order. */
const listTargets = (items: readonly NavbarItem[]): string[] =>
  items.flatMap(({ target, items: own }) => [
    ...(target?.kind === 'Object' ? [toKey(target.target)] : []),
    ...listTargets(own),
  ])
