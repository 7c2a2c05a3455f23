/** `On` of entities and views. */
import { listChildren, placeOf, readText, readWords } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { compileEffects, hasEffects } from './effects.ts'
import { suggest } from './fault-list.ts'
import type { LabelScope } from './labels.ts'
import { type Columns, CONTEXT_ONLY } from './parameters.ts'
import { attributeSource, compileCondition } from './sql.ts'
import type { Event } from '../compiled/effect.ts'
import type { Entity } from '../compiled/entity.ts'
import type { Element } from '../parse/element.ts'

/** Events of every record; row actions may not have these names. */
export const BUILT_IN = ['created', 'updated', 'deleted']

/** The subject of events. */
interface EventScope {
  owner: string
  /** The query on whose output `When` is evaluated. */
  query: string
  /** Columns that the effects may name. */
  names: () => Iterable<string>
  /** Columns of the record, for what they held before. */
  columns: Columns
  /** Columns whose changes raise events: not those that the engine writes beside them. */
  told: Columns
  /** Columns that have labels. */
  labels: LabelScope
  /** Columns, in lower case, that are not served to anyone: texts may not use them. */
  unserved?: () => ReadonlySet<string>
  /** Row actions whose names are events too, known once every view is compiled. */
  actions: () => readonly string[]
}

/** Names of the columns of an entity whose changes raise events. */
export const listTold = ({ columns }: Pick<Entity, 'columns'>): string[] =>
  columns.flatMap(({ kind, name }) => (kind === 'declared' ? name : []))

/** The events of an element, in order. Needs the gate. */
export function compileEvents(c: Compilation, element: Element, scope: EventScope): Event[] {
  return listChildren(element, 'On').map((child) => {
    const event = readText(child, 'Event') ?? ''
    c.whenViewed(() => checkEvent(c, child, event, scope))
    const source = attributeSource(c, child, 'When')
    const hasCondition = readText(child, 'When') !== undefined
    const changed = readChanged(c, child, event, scope)
    if (!hasEffects(child)) c.faults.add(child.place, 'An On without effects does nothing')
    return {
      event,
      when: hasCondition
        ? compileCondition(c, source, scope.query, { ...CONTEXT_ONLY, columns: scope.columns })
        : undefined,
      ...(changed && { changed }),
      effects: compileEffects(c, child, scope),
      place: child.place,
    }
  })
}

/** The columns that `Changed` names, as the record's table spells them. */
function readChanged(
  c: Compilation,
  element: Element,
  event: string,
  { owner, told }: EventScope,
): string[] | undefined {
  if (readText(element, 'Changed') === undefined) return undefined
  const refuse = (message: string): void => c.faults.add(placeOf(element, 'Changed'), message)
  if (event === 'deleted') refuse('A deleted record has no changes: leave Changed out')
  const known = [...told()]
  return readWords(element, 'Changed').flatMap((name) => {
    const column = known.find((each) => each.toLowerCase() === name.toLowerCase())
    if (column === undefined) refuse(`${name} is not a column of ${owner}${suggest(name, known)}`)
    return column ?? []
  })
}

function checkEvent(c: Compilation, element: Element, event: string, scope: EventScope): void {
  const known = [...BUILT_IN, ...scope.actions()]
  // The actions of an entity are those of its views: a faulty view may have it.
  if (known.includes(event) || (!c.views.has(scope.owner) && c.hasBrokenView())) return
  const what = 'created, updated, deleted or a row action'
  const message = `${event} is not an event of ${scope.owner}: use ${what}${suggest(event, known)}`
  c.faults.add(placeOf(element, 'Event'), message)
}
