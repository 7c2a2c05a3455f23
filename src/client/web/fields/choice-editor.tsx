/** Choices: options of the model, and records of a lookup, which are searched while one types. */
import '@vaadin/combo-box/vaadin-combo-box.js'
import '@vaadin/multi-select-combo-box/vaadin-multi-select-combo-box.js'
import type { ComboBoxDataProvider } from '@vaadin/combo-box'
import { useMemo, useRef } from 'preact/hooks'
import { take, wire } from '../api/wire.ts'
import { fromText } from './kinds.ts'
import { controlProps } from './editor-props.ts'
import type { EditorProps, MetadataField } from './field-kind.ts'

/** One choice, with the other columns of its row; every value is a text, as the wire has it. */
export interface Choice {
  Value: string
  Label: string
  [column: string]: string
}

const PAGE = 50

/** Choices that were asked for by a typed text, when they come. */
interface Search {
  filter: string
  found: Promise<Choice[]>
}

async function findChoices(
  { field, form }: EditorProps,
  filter: string,
  page: number,
  pageSize: number,
): Promise<Choice[]> {
  const body = {
    FormName: form.name,
    FieldName: field.Name,
    ...(form.action !== undefined && { ActionName: form.action }),
    Parameters: form.values,
    SearchText: filter,
    Page: page + 1,
    PageSize: pageSize,
  }
  return take(wire.POST('/api/v1/svc/object/field-dataset', { body }))
}

/** Pages of choices, by what is typed; the form's other fields narrow them. */
function planProvider(
  latest: { current: EditorProps },
  search: { current: Search | undefined },
): ComboBoxDataProvider<Choice> {
  return async ({ page, pageSize, filter }, callback) => {
    const asked = findChoices(latest.current, filter, page, pageSize)
    if (page === 0) search.current = { filter, found: asked }
    const found = await asked
    const before = page * pageSize + found.length
    callback(found, found.length === pageSize ? before + 1 : before)
  }
}

/** Takes the one choice that a typed text finds: a scanner types both, faster than it is found. */
async function takeSole(
  props: EditorProps,
  filter: string,
  search: Search | undefined,
): Promise<void> {
  const { field, onChange } = props
  const [choice, ...others] = await (search?.filter === filter
    ? search.found
    : findChoices(props, filter, 0, PAGE))
  if (choice && others.length === 0) onChange(fromText(field, choice.Value), choice)
}

/** The choices of a field as properties of a control, and what a typed text finds among them. */
export function useChoices(props: EditorProps) {
  const { field, isReadOnly } = props
  const latest = useRef(props)
  latest.current = props
  // What the choices depend on: with another value of it they are asked for again.
  const depends = [...(field.Lookup?.DependsOn ?? []), ...(field.DataSet?.DependsOn ?? [])]
    .map((name) => String(props.form.values[name]))
    .join('\n')
  const isServed = field.Options.length === 0
  const search = useRef<Search>(undefined)
  const provider = useMemo(() => planProvider(latest, search), [depends])
  const shared = {
    ...controlProps(props),
    itemLabelPath: 'Label',
    itemValuePath: 'Value',
    itemIdPath: 'Value',
    clearButtonVisible: !props.isRequired && !isReadOnly,
    ...(isServed ? { dataProvider: provider, pageSize: PAGE } : { items: field.Options }),
  }
  return { shared, isServed, latest, search }
}

/** The editor of a field whose values are chosen. */
export function ChoiceEditor(props: EditorProps) {
  const { field, value, text, onChange } = props
  const { shared, isServed, latest, search } = useChoices(props)
  if (field.Multiple) return <ManyEditor {...props} shared={shared} />
  const shown = value === null || value === undefined ? '' : String(value)
  const selected = shown === '' ? null : { Value: shown, Label: text ?? labelOf(field, shown) }
  return (
    <vaadin-combo-box
      {...shared}
      selectedItem={selected}
      onKeyDownCapture={({ key, currentTarget: { filter } }) => {
        if ((key !== 'Enter' && key !== 'Tab') || filter === '' || !isServed) return
        const taken = takeSole(latest.current, filter, search.current)
        // Without a form that waits for it, the submit tells that nothing was chosen.
        if (props.onPending) props.onPending(taken)
        else taken.catch(() => undefined)
      }}
      onselected-item-changed={({ detail }) => {
        const chosen = detail.value as Choice | null | undefined
        if ((chosen?.Value ?? '') === shown) return
        onChange(chosen ? fromText(field, chosen.Value) : null, chosen ?? undefined)
      }}
    />
  )
}

const labelOf = (field: MetadataField, value: string): string =>
  field.Options.find(({ Value }) => Value === value)?.Label ?? value

function ManyEditor(props: EditorProps & { shared: object }) {
  const { field, value, text, onChange, shared } = props
  const values = Array.isArray(value) ? value.map(String) : []
  const labels = (text ?? '').split(', ')
  const selected = values.map((each, at) => ({
    Value: each,
    Label: field.Options.length > 0 ? labelOf(field, each) : (labels[at] ?? each),
  }))
  return (
    <vaadin-multi-select-combo-box
      {...shared}
      selectedItems={selected}
      onselected-items-changed={({ detail }) => {
        const chosen = detail.value as Choice[]
        if (chosen.map((each) => each.Value).join('\n') === values.join('\n')) return
        const kept = chosen.map((each) => fromText(field, each.Value))
        onChange(kept.length === 0 ? null : kept, {
          Label: chosen.map(({ Label }) => Label).join(', '),
        })
      }}
    />
  )
}
