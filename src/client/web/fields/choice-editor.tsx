/** Choices: options of the model, and records of a lookup, which are searched while one types. */
import '@vaadin/combo-box/vaadin-combo-box.js'
import '@vaadin/multi-select-combo-box/vaadin-multi-select-combo-box.js'
import { type ReadonlySignal, signal, useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { say } from '../texts/texts.ts'
import { addressOf } from '../state/address.ts'
import { beginNewRecord } from '../state/new-records.ts'
import { findTarget, type LookupTarget } from '../state/objects.ts'
import {
  type Choice,
  CHOICES_PAGE,
  drawChoice,
  findChoices,
  isCreate,
  planProvider,
  type Search,
} from './choice-list.ts'
import { fromText } from './kinds.ts'
import { controlProps } from './editor-props.ts'
import type { EditorProps, MetadataField } from './field-kind.ts'

/** Takes the one choice that a typed text finds: a scanner types both, faster than it is found. */
async function takeSole(
  props: EditorProps,
  filter: string,
  search: Search | undefined,
): Promise<void> {
  const { field, onChange } = props
  const [choice, ...others] = await (search?.filter === filter
    ? search.found
    : findChoices(props, filter))
  if (choice && others.length === 0) onChange(fromText(field, choice.Value), choice)
}

/** A typed text that is still to be taken when its list closes; it is forgotten with a choice. */
interface TypedText {
  forget(): void
  follow(text: string, isOpen: boolean): void
  /** Takes what the text finds, unless the list closes with a choice. */
  settle(): void
}

/** Follows what is typed: a click beside the list takes it as Tab and Enter do. */
function useTypedText(
  latest: ChoiceProps['latest'],
  search: { readonly current: Search | undefined },
): TypedText {
  const typed = useRef('')
  return useMemo(() => {
    const forget = (): void => void (typed.current = '')
    const takeTyped = async (text: string): Promise<void> => {
      // The choice with which the list closes comes behind that, in the same task.
      await Promise.resolve()
      if (typed.current !== text) return
      forget()
      await takeSole(latest.current, text, search.current)
    }
    return {
      forget,
      follow: (text, isOpen) => {
        // A list that has closed empties its filter.
        if (text !== '' || isOpen) typed.current = text
      },
      settle: () => {
        if (typed.current !== '') pend(latest.current, takeTyped(typed.current))
      },
    }
  }, [])
}

/** Has a form wait for a value; without one that does, the submit tells that it is missing. */
function pend({ onPending }: EditorProps, taken: Promise<void>): void {
  if (onPending) onPending(taken)
  else taken.catch(() => undefined)
}

/** The object of the field's records; it is asked for beside, and without it nothing is missing. */
function useTarget({
  Lookup,
  References,
}: MetadataField): ReadonlySignal<LookupTarget | undefined> {
  const target = useSignal<LookupTarget | undefined>(undefined)
  const asked = Lookup === null ? undefined : `${Lookup.View} ${References}`
  useEffect(() => {
    findTarget({ Lookup, References }).then(
      (found) => (target.value = found),
      () => undefined,
    )
  }, [asked])
  return target
}

/** Has a record made, and hands it on as the choice that it is in the list of the field. */
function createChoice(
  latest: { readonly current: EditorProps },
  { slug }: LookupTarget,
  { Typed = '' }: Choice,
  onMade: (choice: Choice) => void,
): void {
  beginNewRecord({
    slug,
    typed: Typed,
    onMade: (key, name) => {
      const [value] = Object.values(key).map(String)
      if (value === undefined) return
      const bare = { Value: value, Label: name }
      const listed = findChoices(latest.current, name).then(
        (found) => onMade(found.find(({ Value }) => Value === value) ?? bare),
        () => onMade(bare),
      )
      latest.current.onPending?.(listed)
    },
  })
}

/** The object of a field without one that records are to be made in. */
const noTarget = signal<LookupTarget | undefined>(undefined)

/** The choices of a field as properties of a control, and what a typed text finds among them. */
export function useChoices(
  props: EditorProps,
  target: ReadonlySignal<LookupTarget | undefined> = noTarget,
) {
  const { field, isReadOnly } = props
  const latest = useRef(props)
  latest.current = props
  // What the choices depend on: with another value of it they are asked for again.
  const depends = [...(field.Lookup?.DependsOn ?? []), ...(field.DataSet?.DependsOn ?? [])]
    .map((name) => String(props.form.values[name]))
    .join('\n')
  const isServed = field.Options.length === 0
  const search = useRef<Search>(undefined)
  const mayCreate = target.value?.canCreate === true
  const provider = useMemo(() => planProvider(latest, search, target), [depends, mayCreate])
  const shared = {
    ...controlProps(props),
    itemLabelPath: 'Label',
    itemValuePath: 'Value',
    itemIdPath: 'Value',
    clearButtonVisible: !props.isRequired && !isReadOnly,
    ...(isServed
      ? { dataProvider: provider, pageSize: CHOICES_PAGE, renderer: drawChoice }
      : { items: field.Options }),
  }
  return { shared, isServed, latest, search }
}

/** The editor of a field whose values are chosen. */
export function ChoiceEditor(props: EditorProps) {
  const target = useTarget(props.field)
  const { shared, latest, search } = useChoices(props, target)
  const parts = { latest, search, target: target.value, shared }
  return props.field.Multiple ? (
    <ManyEditor {...props} {...parts} />
  ) : (
    <OneEditor {...props} {...parts} />
  )
}

interface ChoiceProps extends EditorProps {
  latest: { readonly current: EditorProps }
  search: { readonly current: Search | undefined }
  target: LookupTarget | undefined
  shared: object
}

function OneEditor(props: ChoiceProps) {
  const { field, value, text, onChange, latest, search, target, shared } = props
  const shown = value === null || value === undefined ? '' : String(value)
  const label = text ?? labelOf(field, shown)
  // The same object while it is the same choice: another one takes a text back that is typed.
  const selected = useMemo(
    () => (shown === '' ? null : { Value: shown, Label: label }),
    [shown, label],
  )
  const take = (choice: Choice): void =>
    latest.current.onChange(fromText(field, choice.Value), choice)
  const typed = useTypedText(latest, search)
  return (
    <vaadin-combo-box
      {...shared}
      selectedItem={selected}
      onKeyDownCapture={({ key, currentTarget: { filter } }) => {
        if (key !== 'Enter' && key !== 'Tab' && key !== 'Escape') return
        typed.forget()
        if (key === 'Escape' || filter === '' || field.Options.length > 0) return
        pend(latest.current, takeSole(latest.current, filter, search.current))
      }}
      onfilter-changed={({ detail, currentTarget }) =>
        typed.follow(detail.value, isOpen(currentTarget))
      }
      onopened-changed={({ detail }) => {
        if (!detail.value && field.Options.length === 0) typed.settle()
      }}
      onselected-item-changed={({ detail, currentTarget }) => {
        typed.forget()
        const chosen = detail.value as Choice | null | undefined
        if ((chosen?.Value ?? '') === shown) return
        if (chosen && isCreate(chosen)) {
          ;(currentTarget as unknown as { selectedItem: unknown }).selectedItem = selected
          if (target) createChoice(latest, target, chosen, take)
          return
        }
        onChange(chosen ? fromText(field, chosen.Value) : null, chosen ?? undefined)
      }}
    >
      {target && selected && props.isCell !== true && (
        <OpenLink target={target} value={shown} name={selected.Label} />
      )}
    </vaadin-combo-box>
  )
}

const isOpen = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.hasAttribute('opened')

interface OpenLinkProps {
  target: LookupTarget
  value: string
  name: string
}

/** Leads to the chosen record; out of a dialog in a tab of its own, so that the dialog stays. */
function OpenLink({ target, value, name }: OpenLinkProps) {
  const address = addressOf(['object', target.slug, value])
  const label = say('openRecord', { name })
  return (
    <a
      slot="prefix"
      class="choice-open"
      href={address}
      title={label}
      aria-label={label}
      onClick={(event) => {
        if (!event.currentTarget.closest('dialog')) return
        event.preventDefault()
        open(address, '_blank', 'noopener')
      }}
    >
      ↗
    </a>
  )
}

const labelOf = (field: MetadataField, value: string): string =>
  field.Options.find(({ Value }) => Value === value)?.Label ?? value

function ManyEditor({ field, value, text, onChange, latest, target, shared }: ChoiceProps) {
  const values = Array.isArray(value) ? value.map(String) : []
  const labels = (text ?? '').split(', ')
  const selected = values.map((each, at) => ({
    Value: each,
    Label: field.Options.length > 0 ? labelOf(field, each) : (labels[at] ?? each),
  }))
  const take = (chosen: readonly Choice[]): void => {
    const kept = chosen.map((each) => fromText(field, each.Value))
    onChange(kept.length === 0 ? null : kept, {
      Label: chosen.map(({ Label }) => Label).join(', '),
    })
  }
  return (
    <vaadin-multi-select-combo-box
      {...shared}
      selectedItems={selected}
      onselected-items-changed={({ detail, currentTarget }) => {
        const chosen = detail.value as Choice[]
        if (chosen.map((each) => each.Value).join('\n') === values.join('\n')) return
        const create = chosen.find(isCreate)
        if (!create) return take(chosen)
        ;(currentTarget as unknown as { selectedItems: unknown }).selectedItems = selected
        if (target) createChoice(latest, target, create, (made) => take([...selected, made]))
      }}
    />
  )
}
