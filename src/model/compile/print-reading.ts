/** Reads texts, fields and conditions for the parts of a print. */
import { placeOf, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { suggest } from './fault-list.ts'
import { compileWhen } from './field-condition.ts'
import { listConditionFields } from '../compiled/field-condition.ts'
import type { Field } from '../compiled/field.ts'
import type { View } from '../compiled/view.ts'
import type { ModelText } from '../model-text.ts'
import type { Element } from '../parse/element.ts'
import { isOnSurface } from '../view-index.ts'

/** Names that texts may use beside the fields: facts of the caller who prints. */
export const PRINT_NAMES: readonly string[] = ['CompanyName', 'Today', 'CurrentUserName']

const NAMED = /\{([A-Za-z][A-Za-z0-9_]*)\}/g

/** Reads the parts of one print, and notes which fields of the record they need. */
export class PrintReading {
  readonly c: Compilation
  readonly view: View
  /** Names of fields as the view spells them. */
  readonly fields = new Set<string>()

  /** Datasets of a report by name, in place of Details. */
  readonly tables: readonly { name: string; view: View }[] | undefined

  constructor(c: Compilation, view: View, tables?: PrintReading['tables']) {
    this.c = c
    this.view = view
    this.tables = tables
  }

  /** A text of an attribute; a fault for each `{Name}` that names nothing, or nothing served. */
  findText(
    element: Element,
    attribute: string,
    further: readonly string[] = PRINT_NAMES,
  ): ModelText | undefined {
    const text = this.c.findText(element, attribute)
    const written = readText(element, attribute) ?? ''
    for (const { 1: name = '', index } of written.matchAll(NAMED)) {
      const field = this.view.fieldByName.get(name.toLowerCase())
      if (field ? this.#take(field) : further.includes(name)) continue
      const place = this.c.texts.placeInAttribute(element, attribute, index)
      const names = [...this.#names(), ...further]
      const why = field ? 'is not served (In="None")' : `is not known here${suggest(name, names)}`
      this.c.faults.add(place, `${attribute}: {${name}} ${why}`)
    }
    return text
  }

  /** A field that an attribute names, as the view spells it; a fault for one that is not served. */
  findField(element: Element, attribute: string, name: string): Field | undefined {
    const field = this.view.fieldByName.get(name.toLowerCase())
    if (field && this.#take(field)) return field
    this.c.faults.add(placeOf(element, attribute), this.#explain(attribute, name, field))
    return undefined
  }

  /** Finds the condition on a part: on served fields alone, since its absence reveals them. */
  findWhen(element: Element): ReturnType<typeof compileWhen> {
    const scope = { owner: this.view.name, fields: this.view.fieldByName }
    const when = compileWhen(this.c, element, scope)
    for (const name of when ? listConditionFields(when) : []) this.findField(element, 'When', name)
    return when
  }

  #take(field: Field): boolean {
    if (!isOnSurface(this.view, field)) return false
    this.fields.add(field.name)
    return true
  }

  #explain(attribute: string, name: string, field: Field | undefined): string {
    return field
      ? `${attribute}: ${name} is not served (In="None")`
      : `${attribute}: ${this.view.name} has no field ${name}${suggest(name, this.#names())}`
  }

  #names(): string[] {
    const served = this.view.fields.filter((field) => isOnSurface(this.view, field))
    return served.map(({ name }) => name)
  }
}
