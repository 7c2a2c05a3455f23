/** Filters of a grid: a chip for each, and a dialog that adds one. */
import { signal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { type GridFilter, gridQuery, setFilters } from '../../state/grid-query.ts'
import { formatField } from '../../fields/kinds.ts'
import { takesNoValue } from '../../fields/operators.ts'
import { Button } from '../button.tsx'
import type { FilterForm } from './filter-form.tsx'
import { Icon } from '../icon.tsx'

interface FilterBarProps {
  metadata: Schemas['MetadataResult']
}

/** The dialog's form and its editors come when it is opened for the first time. */
const loadedForm = signal<typeof FilterForm | undefined>(undefined)

async function open(dialog: HTMLDialogElement | null): Promise<void> {
  loadedForm.value ??= (await import('./filter-form.tsx')).FilterForm
  dialog?.showModal()
}

/** Draws the chips and the button that adds a filter. */
export function FilterBar({ metadata }: FilterBarProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const { filters } = gridQuery.value
  const Form = loadedForm.value
  return (
    <div class="filters">
      {filters.map((filter, at) => (
        <span class="chip" key={JSON.stringify(filter)}>
          {describe(metadata, filter)}
          <button
            class="chip-end"
            type="button"
            aria-label={say('removeFilter', { filter: describe(metadata, filter) })}
            onClick={() => setFilters(filters.filter((_, other) => other !== at))}
          >
            ×
          </button>
        </span>
      ))}
      <Button kind="quiet" onClick={() => void open(dialog.current)}>
        <Icon name="filter" />
        {say('addFilter')}
      </Button>
      <dialog class="dialog" ref={dialog} aria-label={say('addFilter')}>
        {Form && <Form metadata={metadata} onClose={() => dialog.current?.close()} />}
      </dialog>
    </div>
  )
}

/** A filter in words: `Status is New`. */
function describe(
  { Fields }: Schemas['MetadataResult'],
  { Field, Operator, Value }: GridFilter,
): string {
  const field = Fields.find(({ Name }) => Name === Field)
  if (!field) return Field
  const operator = say(`operator_${Operator}`)
  if (takesNoValue(Operator)) return `${field.Label} ${operator}`
  const value = formatField({ ...field, LabelField: null }, { [Field]: Value as string })
  return `${field.Label} ${operator} ${value}`
}
