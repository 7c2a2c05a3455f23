/** The dialog before an action runs: its question, and its parameters as a form. */
import { useSignal } from '@preact/signals'
import { say } from '../../texts/texts.ts'
import { ServerError } from '../../api/server-error.ts'
import type { Schemas } from '../../api/wire.ts'
import { holds } from '../../state/conditions.ts'
import { planSent } from '../../state/sent-value.ts'
import { FieldEditor } from '../../fields/editors.tsx'
import type { MetadataField } from '../../fields/field-kind.ts'
import { type ActionCall, runAction } from './run-action.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { Fault } from '../fault.tsx'

type Values = Schemas['FieldValues']

/** A parameter as a field of a form, its label beside it. */
const fieldOf = (parameter: Schemas['ActionParameter']): MetadataField => ({
  ...parameter,
  Key: false,
  ReadOnly: false,
  Hidden: false,
  Searchable: false,
  In: ['Form'],
  Stamp: false,
  LabelField: `${parameter.Name}__Label`,
  Through: null,
})

const startOf = ({ Parameters }: ActionCall['action']): Values =>
  Object.fromEntries(
    Parameters.flatMap(({ Name, Default }) =>
      Default?.Value === undefined ? [] : [[Name, Default.Value]],
    ),
  )

/** The parameters as the request bears them; null for one without a value. */
const planGiven = ({ Parameters }: ActionCall['action'], values: Values): Values =>
  Object.fromEntries(Parameters.map(({ Name }) => [Name, planSent(values[Name]) ?? null])) as Values

/** Draws the dialog of an action; it closes once the action ran. */
export function ActionDialog({ call, onClose }: { call: ActionCall; onClose(): void }) {
  const { action, metadata, rows } = call
  const values = useSignal<Values>(startOf(action))
  const faults = useSignal<Readonly<Record<string, string>>>({})
  const fault = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const fields = action.Parameters.map(fieldOf).filter(
    ({ VisibleWhen }) => VisibleWhen === null || holds(VisibleWhen, values.value),
  )
  const run = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    if (isBusy.value) return
    isBusy.value = true
    fault.value = undefined
    try {
      await runAction(call, planGiven(action, values.value))
      onClose()
    } catch (thrown) {
      const told = thrown instanceof ServerError ? thrown.refusal.fieldErrors : undefined
      faults.value = Object.fromEntries(
        Object.entries(told ?? {}).map(([name, text]) => [name, String(text)]),
      )
      if (!told || !fields.some(({ Name }) => told[Name] !== undefined)) fault.value = thrown
    } finally {
      isBusy.value = false
    }
  }
  return (
    <Dialog label={action.Label} onClose={onClose}>
      <form class="dialog-form" noValidate onSubmit={(event) => void run(event)}>
        <h2>{action.Label}</h2>
        {action.Confirm !== null && <p>{action.Confirm}</p>}
        {rows.length > 1 && <p class="quiet">{say('selected', { count: rows.length })}</p>}
        <Fault of={fault.value} />
        {fields.map((field) => (
          <FieldEditor
            key={field.Name}
            field={field}
            value={values.value[field.Name]}
            text={labelOf(values.value, field)}
            isReadOnly={false}
            isRequired={field.Required || holds(field.RequiredWhen, values.value)}
            fault={faults.value[field.Name]}
            form={{ name: metadata.Slug, values: values.value, action: action.Name }}
            onChange={(value, choice) => {
              values.value = {
                ...values.value,
                [field.Name]: value as Values[string],
                [`${field.Name}__Label`]: choice?.Label ?? null,
              }
            }}
          />
        ))}
        <div class="buttons">
          <Button kind="primary" isSubmit disabled={isBusy.value}>
            {isBusy.value ? say('working') : action.Label}
          </Button>
          <Button onClick={onClose}>{say('cancel')}</Button>
        </div>
      </form>
    </Dialog>
  )
}

function labelOf(values: Values, { LabelField }: MetadataField): string | undefined {
  const label = LabelField === null ? undefined : values[LabelField]
  return typeof label === 'string' ? label : undefined
}
