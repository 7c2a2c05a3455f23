/** An object view. */
import type { RowAction } from './action.ts'
import type { AuthoredCondition, AuthoredSql } from './authored-sql.ts'
import type { Event } from './effect.ts'
import type { Entity } from './entity.ts'
import type { FieldFeatures } from './field-features.ts'
import type { Field } from './field.ts'
import type { Validate } from './validate.ts'
import type { ViewHints } from './view-hints.ts'
import type { Wizard } from './wizard.ts'
import type { ModelText } from '../model-text.ts'
import type { Element, Place } from '../parse/element.ts'

export interface Section {
  label: ModelText
  tab: ModelText | undefined
  columns: number
  fields: readonly string[]
}

export interface SortItem {
  field: string
  direction: 'asc' | 'desc'
}

export interface Preset {
  name: string
  label: ModelText
  where: AuthoredCondition
  isDefault: boolean
}

/** A condition on rows for a capability or verb: served as `Permit__<Capability>` and enforced. */
export interface Permit {
  capability: string
  when: AuthoredCondition
}

export interface Detail {
  name: string
  view: string
  /** Child field to parent field. */
  parent: readonly { child: string; parent: string }[]
  label: ModelText
}

/** All that the engine asks of a type of view. */
interface ViewFacets {
  /** Leads through the steps of a wizard: it reads no record. */
  hasSteps: boolean
  /** Opens for a new record. */
  opensNew: boolean
  /** Shows many records at once. */
  isGrid: boolean
}

const PLAIN: ViewFacets = { hasSteps: false, opensNew: false, isGrid: false }

const TYPES = {
  Grid: { ...PLAIN, isGrid: true },
  Form: { ...PLAIN, opensNew: true },
  View: PLAIN,
  Wizard: { ...PLAIN, hasSteps: true },
} satisfies Readonly<Record<string, ViewFacets>>

export type ViewType = keyof typeof TYPES

/** One row a type; the only place that lists them. */
export const VIEW_TYPES: Readonly<Record<ViewType, ViewFacets>> = TYPES

/** An object view: a grid, a form, a read-only view or a wizard. */
export interface View {
  name: string
  slug: string
  label: ModelText
  /** Other words for it, separated by commas. */
  synonyms?: ModelText | undefined
  viewType: ViewType
  versionHash: string
  entity: Entity | undefined
  resource: string
  /** The authored TableQuery, or the generated one over the entity's table. */
  query: AuthoredSql
  isGenerated: boolean
  formQuery: AuthoredSql | undefined
  insert: AuthoredSql | undefined
  update: AuthoredSql | undefined
  delete: AuthoredSql | undefined
  /** Every output column once, in the order of the view. */
  fields: readonly Field[]
  /**
   * Lists of keys through another entity (`Through`), each followed by its list of labels: no
   * output columns, so not among `fields`.
   */
  linked: readonly Field[]
  /** Fields and lists of keys together, in the order of the view. */
  listed: readonly Field[]
  /** Fields by lower-case name, with the labels `<Field>__Label`, which are not output columns. */
  fieldByName: ReadonlyMap<string, Field>
  /** Declared `<Parameter>`s of its queries, by lower-case name. */
  parameters: ReadonlyMap<string, FieldFeatures>
  keys: readonly Field[]
  sections: readonly Section[]
  sort: readonly SortItem[]
  presets: readonly Preset[]
  search: { title: string | undefined; text: readonly string[] } | undefined
  /** How clients may draw it beside its grid. */
  hints: ViewHints
  permits: readonly Permit[]
  rowActions: readonly RowAction[]
  details: readonly Detail[]
  validates: readonly Validate[]
  events: readonly Event[]
  /** The wizard that a view of the type Wizard leads through. */
  wizard: Wizard | undefined
  element: Element
  place: Place
}

/** Names of views, by what they are about. */
export interface ViewIndex {
  /** Names of views by their entity, in the model's order. */
  ofEntity: ReadonlyMap<string, readonly string[]>
  /** Parent links by view and by field, in lower case, by which Details hold it to a parent. */
  parents: ReadonlyMap<string, ReadonlyMap<string, readonly ParentLink[]>>
}

/** The field of a view that a Detail takes the parent from. */
export interface ParentLink {
  view: string
  field: string
}
