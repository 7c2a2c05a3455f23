/** One value of a condition: typed or chosen, a day, a period by its word, another field. */
import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { say, zone } from '../../texts/texts.ts'
import type { FilterScalar } from '../../state/filter-tree.ts'
import { findValueLabel, keepValueLabel } from '../../state/value-labels.ts'
import {
  type CountedWord,
  DATE_COUNT_MAX,
  DATE_SIDES,
  DATE_UNITS,
  DATE_WORDS,
  readCounted,
  readDateWord,
  sayDateItem,
  writeCounted,
} from '../../fields/date-words.ts'
import { FieldEditor } from '../../fields/editors.tsx'
import type { MetadataField } from '../../fields/field-kind.ts'
import { type ValueKind, valueKindsOf, withChoices } from '../../fields/filter-kinds.ts'
import { instantOf, wallTimeOf } from '../../fields/zone-time.ts'
import type { ValueProps } from './builder.ts'

interface OneProps extends ValueProps {
  label: string
  value: FilterScalar | null
  /** Values of other fields that hold beside it. */
  given: Readonly<Record<string, FilterScalar>>
  onChange(value: FilterScalar | null): void
  valueField?: string | undefined
  /** Fields that it may be compared with. */
  fields?: readonly MetadataField[]
  onField?(name: string | undefined): void
}

/** A way to give the value, another field among them. */
type Way = ValueKind | 'field'

/** The way in which a value is given. */
function wayOf({ field, value, valueField }: OneProps): Way {
  const kinds = valueKindsOf(field)
  if (valueField !== undefined) return 'field'
  if (kinds.includes('word') && readDateWord(value)) return 'word'
  if (kinds.includes('counted') && readCounted(value)) return 'counted'
  const isInstant = typeof value === 'string' && value.includes('T')
  return kinds.includes('time') && isInstant ? 'time' : (kinds[0] ?? 'value')
}

/** The value with which a way begins. */
const BEGINNINGS: Readonly<Record<ValueKind, () => FilterScalar | null>> = {
  value: () => null,
  day: () => null,
  time: () => {
    const now = new Date().toISOString()
    return instantOf(`${wallTimeOf(now, zone.value).slice(0, 10)}T00:00:00`, zone.value)
  },
  word: () => 'today',
  counted: () => 'last7Days',
}

/** Draws the choice of the way, where there are several, and its editor. */
export function OneValue(props: OneProps) {
  const { field, fields = [], onChange, onField, label } = props
  const way = useSignal<Way>(wayOf(props))
  const ways: Way[] = [...valueKindsOf(field), ...(fields.length > 0 ? (['field'] as const) : [])]
  const choose = (chosen: Way | undefined): void => {
    if (chosen === undefined) return
    way.value = chosen
    if (chosen === 'field') onField?.('')
    else onChange(BEGINNINGS[chosen]())
  }
  const Editor = EDITORS[way.value]
  return (
    <div class="filter-one">
      {ways.length > 1 && (
        <select
          class="select"
          aria-label={`${label}: ${say('valueKind')}`}
          value={way.value}
          onChange={({ currentTarget: { value } }) => choose(ways.find((each) => each === value))}
        >
          {ways.map((each) => (
            <option key={each} value={each}>
              {say(`valueKind_${each}`)}
            </option>
          ))}
        </select>
      )}
      <Editor {...props} />
    </div>
  )
}

/** The editor of the field's own kind, or of another type in its place. */
function TypedValue({ type, ...props }: OneProps & { type?: MetadataField['Type'] }) {
  const { builder, field, value, fault, given, label, onChange } = props
  const { Slug } = builder.metadata
  const labelled = (each: FilterScalar) => ({ object: Slug, field: field.Name, value: each })
  const shown = withChoices({
    ...field,
    ...(type !== undefined && { Type: type }),
    Label: label,
    Help: null,
    MaxLength: null,
    Pattern: null,
    Multiple: false,
  })
  return (
    <FieldEditor
      field={shown}
      value={value}
      text={value === null ? undefined : findValueLabel(labelled(value))}
      isReadOnly={false}
      isRequired={false}
      fault={fault}
      isCell
      form={{ name: Slug, values: given }}
      onChange={(typed, choice) => {
        const scalar = toScalar(typed)
        if (scalar !== null && choice?.Label !== undefined)
          keepValueLabel(labelled(scalar), choice.Label)
        onChange(scalar)
      }}
    />
  )
}

const toScalar = (value: unknown): FilterScalar | null =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : null

const DayValue = (props: OneProps) => <TypedValue {...props} type="Date" />
const TimeValue = (props: OneProps) => <TypedValue {...props} type="DateTime" />

function WordValue({ value, label, onChange }: OneProps) {
  return (
    <select
      class="select"
      aria-label={label}
      value={readDateWord(value) ?? ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      {DATE_WORDS.map((each) => (
        <option key={each} value={each}>
          {sayDateItem(each)}
        </option>
      ))}
    </select>
  )
}

/** The last or next days, weeks, months or years, by their number. */
function CountedValue({ value, label, fault, onChange }: OneProps) {
  const parts = useSignal<CountedWord>(
    readCounted(value) ?? { side: 'last', count: 7, unit: 'Days' },
  )
  const counted = parts.value
  /** A number that is none, or too great, is told when the filters are applied. */
  const set = (changes: Partial<CountedWord>): void => {
    const { count } = (parts.value = { ...counted, ...changes })
    const isCount = Number.isInteger(count) && count > 0 && count <= DATE_COUNT_MAX
    onChange(isCount ? writeCounted(parts.value) : null)
  }
  return (
    <span class="filter-counted" role="group" aria-label={label}>
      <select
        class="select"
        aria-label={say('dateSide')}
        value={counted.side}
        onChange={({ currentTarget }) =>
          set({ side: DATE_SIDES.find((each) => each === currentTarget.value) ?? 'last' })
        }
      >
        {DATE_SIDES.map((each) => (
          <option key={each} value={each}>
            {say(`dateSide_${each}`)}
          </option>
        ))}
      </select>
      <input
        class="select"
        type="number"
        min={1}
        max={DATE_COUNT_MAX}
        required
        aria-label={say('dateCount')}
        aria-invalid={fault !== undefined}
        value={Number.isNaN(counted.count) ? '' : counted.count}
        onInput={({ currentTarget }) => set({ count: currentTarget.valueAsNumber })}
      />
      <select
        class="select"
        aria-label={say('dateUnit')}
        value={counted.unit}
        onChange={({ currentTarget }) =>
          set({ unit: DATE_UNITS.find((each) => each === currentTarget.value) ?? 'Days' })
        }
      >
        {DATE_UNITS.map((each) => (
          <option key={each} value={each}>
            {say(`dateUnit_${each}`)}
          </option>
        ))}
      </select>
    </span>
  )
}

function FieldValue({ fields = [], valueField = '', onField }: OneProps) {
  return (
    <select
      class="select"
      aria-label={say('otherField')}
      value={valueField}
      onChange={({ currentTarget }) => onField?.(currentTarget.value)}
    >
      <option value="" disabled>
        {say('otherField')}
      </option>
      {fields.map(({ Name, Label }) => (
        <option key={Name} value={Name}>
          {Label}
        </option>
      ))}
    </select>
  )
}

const EDITORS: Readonly<Record<Way, ComponentType<OneProps>>> = {
  value: TypedValue,
  day: DayValue,
  time: TimeValue,
  word: WordValue,
  counted: CountedValue,
  field: FieldValue,
}
