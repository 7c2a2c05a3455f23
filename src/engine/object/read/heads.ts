/**
 * Column headers of files for a view's fields, for exports and for imports alike: names, labels in
 * any language, and labels with names behind them.
 */
import { renderMessage } from '../../../kernel/messages.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import { isServed } from './find-view.ts'
import { findOptionLabel } from './option-labels.ts'

/** A field that a head says. */
export interface SaidField {
  field: Field
  /** The texts below are labels of records or options, rather than keys and values. */
  isLabel: boolean
}

/** The field that a head names, or several that it could be; undefined for an unknown head. */
export type Said = SaidField | readonly SaidField[] | undefined

/** Tells whether a head could be one field as well as another. */
export const isAmbiguous = (said: Said): said is readonly SaidField[] => Array.isArray(said)

/** Heads are compared without regard to case and to blanks around them. */
export const toHeadKey = (head: string): string =>
  head.trim().normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ')

/** A label that is not unlike the others, with the name of its field. */
export const composeLongHead = (label: string, name: string): string => `${label} (${name})`

/** The caller's language, those that the model has texts in, and its own (undefined). */
export const listLanguages = ({ caller, model }: Grant): (string | undefined)[] => [
  ...new Set([caller.language, ...model.languages, undefined]),
]

/** Tells whether labels name the keys or values of a field as well. */
export const hasLabels = ({ references, lookup, link, options }: Field): boolean =>
  references !== undefined || lookup !== undefined || link !== undefined || options.length > 0

/** A column that a head may say. */
interface Column extends SaidField {
  name: string
  /** The field that bears the label; for the label of a record, its own column. */
  labelled: Field
}

/** All heads that a caller may use of a view. */
export class Heads {
  readonly #named = new Map<string, SaidField>()
  readonly #long = new Map<string, SaidField>()
  /** Labels by language, the caller's first. */
  readonly #labelled: readonly ReadonlyMap<string, readonly SaidField[]>[]
  readonly #columns: readonly Column[]
  readonly #languages: readonly (string | undefined)[]

  constructor(view: View, grant: Grant) {
    this.#languages = listLanguages(grant)
    this.#columns = listColumns(view, grant)
    for (const column of this.#columns) put(this.#named, column.name, column)
    for (const language of this.#languages) {
      for (const column of this.#columns) {
        const label = renderMessage(column.labelled.label, language)
        put(this.#long, composeLongHead(label, column.name), column)
      }
    }
    this.#labelled = this.#languages.map((language) => this.#listLabelled(language))
  }

  /** Finds a sheet head's field: both fields if it is the name of one and the label of another. */
  find(head: string): Said {
    const key = toHeadKey(head)
    const named = this.#named.get(key)
    const called = named && this.#labelled[0]?.get(key)?.find(({ field }) => field !== named.field)
    return named && called ? [named, called] : this.findMember(head)
  }

  /** The same of a member of an object, where a name is a name. */
  findMember(head: string): Said {
    const key = toHeadKey(head)
    const said = this.#named.get(key) ?? this.#long.get(key)
    if (said) return said
    const called = this.#labelled.find((labels) => labels.has(key))?.get(key)
    return called?.length === 1 ? called[0] : called
  }

  /** Finds the field of a label that another head of the file has with its key's name behind it. */
  findBeside(head: string, heads: ReadonlySet<string>): SaidField | undefined {
    const key = toHeadKey(head)
    const isParted = (label: string, { field }: Column) =>
      toHeadKey(label) === key && heads.has(toHeadKey(composeLongHead(label, field.name)))
    return this.#columns.find(
      (column) =>
        column.isLabel &&
        this.#languages.some((language) =>
          isParted(renderMessage(column.labelled.label, language), column),
        ),
    )
  }

  isName(head: string): boolean {
    return this.#named.has(toHeadKey(head))
  }

  /** The name by which a mapping says a field, or its labels. */
  nameOf(said: SaidField): string {
    return this.#find(said)?.name ?? said.field.name
  }

  /** Composes a head with the name of its field behind the label, so that it is unique. */
  explain(said: SaidField): string {
    const { field } = said
    const column = this.#find(said)
    const label = renderMessage((column?.labelled ?? field).label, this.#languages[0])
    return composeLongHead(label, column?.name ?? field.name)
  }

  #find({ field, isLabel }: SaidField): Column | undefined {
    return this.#columns.find((each) => each.field === field && each.isLabel === isLabel)
  }

  #listLabelled(language: string | undefined): Map<string, SaidField[]> {
    const labels = new Map<string, SaidField[]>()
    for (const { field, labelled } of this.#columns) {
      const key = toHeadKey(renderMessage(labelled.label, language))
      const others = labels.getOrInsertComputed(key, () => [])
      if (others.every((each) => each.field !== field)) {
        others.push({ field, isLabel: hasLabels(field) })
      }
    }
    return labels
  }
}

function put(heads: Map<string, SaidField>, head: string, { field, isLabel }: SaidField): void {
  const key = toHeadKey(head)
  if (!heads.has(key)) heads.set(key, { field, isLabel })
}

/** Fields by their names first: a query's output under the name of a label is not a label. */
function listColumns(view: View, grant: Grant): Column[] {
  const all = [...view.fieldByName.values(), ...view.linked]
  const byName = new Map(all.map((field) => [field.name.toLowerCase(), field]))
  const fields = all.filter((field) => isServed(view, grant, field))
  const own = fields.filter(({ labelOf }) => labelOf === undefined)
  const labels = fields.flatMap((label): Column[] => {
    const field = byName.get(label.labelOf?.toLowerCase() ?? '')
    return field ? [{ field, isLabel: true, name: label.name, labelled: label }] : []
  })
  const options = own.flatMap((field): Column[] => {
    const label = findOptionLabel(view, field)
    return label ? [{ field, isLabel: true, name: label.name, labelled: field }] : []
  })
  const values = own.map((field) => ({ field, isLabel: false, name: field.name, labelled: field }))
  return [...values, ...labels, ...options]
}
