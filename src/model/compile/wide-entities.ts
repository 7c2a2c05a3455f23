/** Entities that are wider than the engine can serve, counted before anything of them is stored. */
import { COLUMNS_MAX } from '../../store/write/watch.ts'
import type { Entity } from '../compiled/entity.ts'
import type { Model } from '../model.ts'
import type { Diagnostic } from '../parse/element.ts'

/** Columns of an import's stage for each reference of an entity to itself: its text and its row. */
const STAGED_FOR_OWN = 2

/**
 * Finds a fault for each entity with more than `COLUMNS_MAX` columns, including the engine's own. A
 * reference to the entity itself counts as three: an import stores its text and the row of the file
 * that it means. So does a key that is one of several: its stored value is looked up beside its new
 * one. Pure.
 */
export function findWide({ entities }: Pick<Model, 'entities'>): Diagnostic[] {
  return [...entities.values()].flatMap((entity) => {
    const count = countPlaces(entity)
    if (count <= COLUMNS_MAX) return []
    return [{ place: entity.place, message: explainWide(entity, count) }]
  })
}

const listOwn = ({ name, columns }: Entity) =>
  columns.filter(({ references }) => references === name)

const countPlaces = (entity: Entity): number =>
  entity.columns.length + STAGED_FOR_OWN * listOwn(entity).length + entity.keys.length - 1

function explainWide(entity: Entity, count: number): string {
  const { name, columns, keys } = entity
  const added = columns.filter(({ kind }) => kind === 'stamp' || kind === 'tracking').length
  const notes = [
    ...(added > 0 ? [`${added} of them the engine's`] : []),
    ...(listOwn(entity).length > 0 ? ['each that refers to itself counts as three'] : []),
    ...(keys.length > 1 ? ['each key behind the first counts twice'] : []),
  ]
  const said = notes.length === 0 ? '' : ` (${notes.join('; ')})`
  return (
    `Entity ${name} has ${format(count)} columns${said}; at most ${format(COLUMNS_MAX)}. ` +
    `Move some to an entity of their own that refers to ${name}`
  )
}

const format = (count: number): string => count.toLocaleString('en-US')
