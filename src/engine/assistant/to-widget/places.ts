/** The tables of a widget's query: that of the object, and those that its references lead to. */
import type { Column, Entity } from '../../../model/compiled/entity.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { displayOf } from '../../../model/sql/label.ts'
import { quote } from '../../../model/sql/quote.ts'
import { listViewsOf } from '../../../model/view-index.ts'
import { Grant } from '../../../access/rights/grant.ts'
import { hasRowsOf, isShownToAll, lists, type Reading } from './held-rows.ts'
import { isContextName } from '../../object/context.ts'
import { findLabel } from '../../object/read/labels.ts'

/** A row on the way of a path: its view, and the name of its table in the query. */
interface Place {
  view: View
  entity: Entity
  alias: string
}

/** A field as the query reads it. */
export interface PlacedField {
  field: Field
  place: Place
  /** Its column. */
  sql: string
}

/** Tables are joined as paths, labels and instants ask for them, each once. */
export class Places {
  readonly #joins = new Map<string, { alias: string; text: string }>()
  readonly #base: Place
  readonly #grant: Grant
  readonly #reading: Reading
  /** Views that a name is read from: who lists none of their records sees no names. */
  readonly #named = new Set<View>()

  constructor(base: Place, grant: Grant, reading: Reading) {
    this.#base = base
    this.#grant = grant
    this.#reading = reading
  }

  /** `LEFT JOIN …`, a line each. */
  get joins(): string[] {
    return [...this.#joins.values()].map(({ text }) => text)
  }

  /** Roles that list the object and every record that is named; undefined where all do. */
  get roles(): string[] | undefined {
    const all = [...this.#reading.model.roles.values()]
    const own = all.filter((role) => lists(role, this.#base.view))
    const seeing = own.filter((role) => [...this.#named].every((view) => lists(role, view)))
    const isAll = this.#reading.sql === 'All' || seeing.length === own.length
    return isAll ? undefined : seeing.map(({ name }) => name)
  }

  /** The field of a path; undefined where the dataset might read another value of it. */
  find(path: string): PlacedField | undefined {
    const [last = '', ...steps] = path.split('.').reverse()
    let place: Place | undefined = this.#base
    for (const step of steps.reverse()) place = place && this.#follow(place, step)
    return place && this.#read(place, last)
  }

  /** The local time of an instant. */
  local({ field, place, sql }: PlacedField): string {
    if (FIELD_KINDS[field.type].moment !== 'instant') return sql
    const alias = this.#join(`zone ${sql}`, 'z', (own) => {
      const within = `${sql} >= ${own}.FromAt AND ${sql} < ${own}.ToAt`
      return `LEFT JOIN svc_zone ${own} ON ${within}`
    })
    return `${place.alias}.${quote(field.column?.name ?? '')}, ${alias}.Shift`
  }

  /** The text of the record that a reference means; undefined where it is no plain column. */
  label({ field, place, sql }: PlacedField): string | undefined {
    const looked = this.#reading.model.views.get(field.lookup?.view ?? '')
    const target = looked?.entity ?? this.#entity(field)
    const view = target && this.#viewOf(target)
    const columns = target && listNaming(field, looked, target)
    const [column, ...others] = columns ?? []
    if (!view || !column || others.length > 0 || column.references) return undefined
    const shown = view.fields.find((each) => each.column === column)
    if (!shown || !isShownToAll(this.#reading, view, shown)) return undefined
    if (!FIELD_KINDS[column.type].isText) return undefined
    const alias = this.#joinKeyed(sql, { view, entity: target })
    if (alias === undefined || !findLabel(place.view, field)?.labelSql) return undefined
    this.#named.add(view)
    return `${alias}.${quote(column.name)}`
  }

  #read(place: Place, name: string): PlacedField | undefined {
    const field = place.view.fieldByName.get(name.toLowerCase())
    if (!field || field.labelOf !== undefined || !field.column) return undefined
    if (!isShownToAll(this.#reading, place.view, field)) return undefined
    return { field, place, sql: `${place.alias}.${quote(field.column.name)}` }
  }

  /** The record behind a reference, through the first view of it alone: every reader has that. */
  #follow(from: Place, name: string): Place | undefined {
    const reference = this.#read(from, name)
    const entity = reference && this.#entity(reference.field)
    const view = entity && this.#viewOf(entity)
    if (!view || !hasRowsOf(this.#reading, view, entity)) return undefined
    const alias = this.#joinKeyed(reference.sql, { view, entity })
    return alias === undefined ? undefined : { view, entity, alias }
  }

  #entity({ references, lookup }: Field): Entity | undefined {
    const looked = this.#reading.model.views.get(lookup?.view ?? '')?.entity
    return looked ?? this.#reading.model.entities.get(references ?? '')
  }

  #viewOf(entity: Entity): View | undefined {
    const { model } = this.#reading
    const view = listViewsOf(model, entity.name).find(
      ({ keys, wizard, query }) =>
        keys.length === 1 &&
        keys[0]?.column?.key === true &&
        !wizard &&
        query.parameters.every((each) => isContextName(each, model)),
    )
    const isListed = view && Grant.find(this.#grant.caller, model, view.resource, 'List')
    return isListed && !entity.builtIn ? view : undefined
  }

  #joinKeyed(from: string, { view, entity }: Omit<Place, 'alias'>): string | undefined {
    const [key, ...others] = entity.keys
    if (!key || others.length > 0) return undefined
    return this.#join(`${from} ${view.name}`, 'r', (own) => {
      const joined = `${own}.${quote(key.name)} = ${from}`
      return `LEFT JOIN ${quote(entity.table)} ${own} ON ${joined}`
    })
  }

  #join(key: string, letter: string, compose: (alias: string) => string): string {
    const known = this.#joins.get(key)
    if (known) return known.alias
    const alias = `${letter}${this.#joins.size + 1}`
    this.#joins.set(key, { alias, text: compose(alias) })
    return alias
  }
}

/** The columns that name a record: those of the Lookup, else the Display. */
function listNaming(field: Field, looked: View | undefined, entity: Entity): Column[] {
  const named = field.lookup?.label ?? []
  if (named.length === 0) return displayOf(entity)
  return named.flatMap((name) => looked?.fieldByName.get(name.toLowerCase())?.column ?? [])
}
