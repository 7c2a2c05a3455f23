/** Texts of a print with their `{Name}`s filled in, in the language of the document. */
import { renderMessage } from '../../kernel/messages.ts'
import { dayIn } from '../../kernel/zones.ts'
import type { Field } from '../../model/compiled/field.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import type { ModelText } from '../../model/model-text.ts'
import { findLabel } from '../object/read/labels.ts'
import type { PrintRecord } from './template-record.ts'
import { dayText, plainText, textOfValue, type ValueStyle } from './value-text.ts'

const NAMED = /\{([A-Za-z][A-Za-z0-9_]*)\}/g

/** Fills texts from a record, within what its caller sees, and with facts of that caller. */
export class PrintTexts {
  readonly style: ValueStyle
  readonly #record: PrintRecord
  readonly #facts: Readonly<Record<string, string>>

  constructor(record: PrintRecord, style: ValueStyle, companyName: string) {
    const { caller, now } = record.use.context
    this.#record = record
    this.style = style
    this.#facts = {
      CompanyName: companyName,
      Today: dayText(dayIn(now, style.zone), style),
      CurrentUserName: caller?.userName ?? '',
    }
  }

  /** A text of the model in the document's language, before anything is filled in. */
  render(text: ModelText | undefined): string {
    return text === undefined ? '' : renderMessage(text, this.style.language)
  }

  /** A text as people read it; fields that the caller does not see are empty. */
  fill(text: ModelText | undefined): string {
    return this.#fill(text, (field) => this.textOf(field))
  }

  /** The text as it reads where no field has a value. */
  empty(text: ModelText | undefined): string {
    return this.render(text).replace(NAMED, '')
  }

  /** The same with values in wire form, for machines. */
  fillRaw(text: ModelText | undefined): string {
    return this.#fill(text, (field) => rawText(field, this.#record.values[field.name]))
  }

  /** A field's value: the label of its option or of the record that it refers to, with its unit. */
  textOf(field: Field): string {
    const { use, values, labels } = this.#record
    const picked = labels.get(field.name.toLowerCase())
    if (picked !== undefined) return picked
    const label = findLabel(use.view, field)
    const named = label && values[label.name]
    if (label && typeof named === 'string') return plainText(label, named, this.style)
    return textOfValue(field, values[field.name], this.style)
  }

  /** The values of fields in a row; of those that the caller sees, and that are not empty. */
  write(names: readonly string[]): string {
    const texts = names.flatMap((name) => {
      const field = this.#record.findField(name)
      return field ? [this.textOf(field)] : []
    })
    return texts.filter((text) => text !== '').join(' ')
  }

  #fill(text: ModelText | undefined, write: (field: Field) => string): string {
    return this.render(text).replace(NAMED, (whole, name: string) => {
      const field = this.#record.findField(name)
      if (field) return write(field)
      if (this.#record.use.view.fieldByName.has(name.toLowerCase())) return ''
      return this.#facts[name] ?? whole
    })
  }
}

function rawText({ type, scale }: Field, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (FIELD_KINDS[type].number === 'scaled' && typeof value === 'number')
    return value.toFixed(scale ?? 2)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
