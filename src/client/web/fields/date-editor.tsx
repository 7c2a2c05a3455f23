/**
 * The editors of dates, times and instants. A Date is a text of the calendar, in no zone, and an
 * instant is typed in the zone of the user.
 */
import '@vaadin/date-picker/vaadin-date-picker.js'
import '@vaadin/date-time-picker/vaadin-date-time-picker.js'
import '@vaadin/time-picker/vaadin-time-picker.js'
import { language, zone } from '../texts/texts.ts'
import { dateTexts } from './date-texts.ts'
import { controlProps } from './editor-props.ts'
import type { EditorProps } from './field-kind.ts'
import { instantOf, wallTimeOf } from './zone-time.ts'

const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : String(value)

/** Draws a day of the calendar. */
export function DateEditor(props: EditorProps) {
  const { value, onChange } = props
  const shown = textOf(value)
  return (
    <vaadin-date-picker
      {...controlProps(props)}
      i18n={dateTexts(language.value)}
      value={shown}
      onvalue-changed={({ detail }) => {
        if ((detail.value ?? '') !== shown) onChange(detail.value || null)
      }}
    />
  )
}

/** An instant in the zone of the user; seconds stay what they were unless the time changes. */
export function DateTimeEditor(props: EditorProps) {
  const { value, onChange } = props
  const shown = value === null || value === undefined ? '' : wallTimeOf(textOf(value), zone.value)
  const { name: _, ...control } = controlProps(props)
  return (
    <vaadin-date-time-picker
      {...control}
      i18n={dateTexts(language.value)}
      step={60}
      value={shown.slice(0, 16)}
      onvalue-changed={({ detail }) => {
        const typed = detail.value ?? ''
        if (typed !== shown.slice(0, 16))
          onChange(typed === '' ? null : instantOf(`${typed.slice(0, 16)}:00`, zone.value))
      }}
    />
  )
}

/** Draws a time of the day. */
export function TimeEditor(props: EditorProps) {
  const { value, onChange } = props
  const shown = textOf(value)
  return (
    <vaadin-time-picker
      {...controlProps(props)}
      step={60}
      value={shown}
      onvalue-changed={({ detail }) => {
        if ((detail.value ?? '') !== shown.slice(0, 5) && (detail.value ?? '') !== shown)
          onChange(detail.value || null)
      }}
    />
  )
}
