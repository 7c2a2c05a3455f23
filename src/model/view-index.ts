/** An index of all views by what callers ask of them, so that they need not read every view. */
import type { Column, Entity } from './compiled/entity.ts'
import type { Field } from './compiled/field.ts'
import type { ParentLink, View, ViewIndex } from './compiled/view.ts'
import type { Model } from './model.ts'

/** Plans the index once, when the views are compiled. Pure. */
export function planViewIndex(views: Iterable<View>): ViewIndex {
  const ofEntity = new Map<string, string[]>()
  const parents = new Map<string, Map<string, ParentLink[]>>()
  for (const view of views) {
    if (view.entity) {
      const names = ofEntity.get(view.entity.name)
      if (names) names.push(view.name)
      else ofEntity.set(view.entity.name, [view.name])
    }
    for (const detail of view.details) {
      const fields = parents.get(detail.view) ?? new Map<string, ParentLink[]>()
      parents.set(detail.view, fields)
      for (const { child, parent } of detail.parent) {
        const links = fields.get(child.toLowerCase()) ?? []
        fields.set(child.toLowerCase(), [...links, { view: view.name, field: parent }])
      }
    }
  }
  return { ofEntity, parents }
}

/** True when a field is on any surface of its view. Key and stamp travel with every row. */
export function isOnSurface(view: View, field: Field): boolean {
  return field.in.size > 0 || view.keys.includes(field) || field.column?.kind === 'stamp'
}

/** True when a field shows a column of the view's entity, whatever it is called there. */
export function isFieldOf(
  { query }: View,
  { name, column: own }: Field,
  { entity, column }: { entity: Entity; column: Column },
): boolean {
  if (own === column) return true
  const output = query.columns.find((each) => each.name === name)
  return (
    output?.table?.toLowerCase() === entity.table.toLowerCase() &&
    output.column?.toLowerCase() === column.name.toLowerCase()
  )
}

/** True for a view on whose records people may comment: it shows their whole key. */
export const takesComments = ({ entity, keys, wizard }: View): boolean =>
  entity?.comments === true &&
  !wizard &&
  entity.keys.every((column) => keys.some((field) => field.column === column))

/** The views of an entity's records, in the model's order. */
export function listViewsOf({ viewIndex, views }: Model, entity: string): View[] {
  const names = viewIndex.ofEntity.get(entity) ?? []
  return names.flatMap((name) => views.get(name) ?? [])
}
