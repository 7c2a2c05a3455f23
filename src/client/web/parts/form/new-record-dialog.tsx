/** The dialog of a new record: the form of its object, over the place of the field it is for. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { type Schemas, take, wire } from '../../api/wire.ts'
import type { NewRecord } from '../../state/new-records.ts'
import { RecordForm } from '../../state/record-form.ts'
import { isMetBySignIn } from '../../state/session.ts'
import { nameRow } from '../../fields/row-name.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { Fault } from '../fault.tsx'
import { FormFaults } from './form-faults.tsx'
import { FormSections } from './form-sections.tsx'
import { settleTyped } from './settle-typed.ts'

interface NewRecordProps {
  asked: NewRecord
  onClose(): void
}

/** The field that names a record of the view, where a typed text may be its value. */
function findNameField({ metadata, fields }: RecordForm, typed: string) {
  return metadata.Display.map((name) => fields.find(({ Name }) => Name === name)).find(
    (field): field is Schemas['MetadataField'] =>
      field !== undefined &&
      !field.ReadOnly &&
      field.Lookup === null &&
      field.Options.length === 0 &&
      (field.Pattern === null || new RegExp(`^(?:${field.Pattern})$`, 'u').test(typed)),
  )
}

/** Loads the form of a new record, with the typed text in the field that names it. */
async function loadForm({ slug, typed }: NewRecord): Promise<RecordForm> {
  const params = { path: { name: slug } }
  const metadata = await take(wire.GET('/api/v1/svc/object/{name}/metadata', { params }))
  const form = new RecordForm(metadata, {})
  await form.load()
  const field = typed === '' ? undefined : findNameField(form, typed)
  if (field) form.set(field, typed)
  return form
}

/** Loads the form and saves it; `onMade` is called once the record is stored. */
function useNewRecord(asked: NewRecord, onMade: () => void) {
  const form = useSignal<RecordForm | undefined>(undefined)
  const fault = useSignal<unknown>(undefined)
  useEffect(() => {
    loadForm(asked).then(
      (found) => (form.value = found),
      (thrown: unknown) => (fault.value = thrown),
    )
  }, [asked])
  const save = async (): Promise<void> => {
    const now = form.value
    settleTyped()
    if (!now?.canSubmit.value || now.isSaving.value) return
    fault.value = undefined
    try {
      const made = await now.submit()
      if (!made?.Keys || Array.isArray(made.Keys)) return
      asked.onMade(made.Keys, nameRow(now.metadata, now.values.value))
      onMade()
    } catch (thrown) {
      fault.value = thrown
    }
  }
  return { form: form.value, fault: fault.value, save }
}

/** Draws the dialog; what was typed in it is asked about before it is given up. */
export function NewRecordDialog({ asked, onClose }: NewRecordProps) {
  const { form, fault, save } = useNewRecord(asked, onClose)
  const isAsking = useSignal(false)
  const frame = useRef<HTMLFormElement>(null)
  useEffect(() => {
    const field = frame.current?.querySelector<HTMLElement>('.form :is(input, textarea)')
    field?.focus()
  }, [form])
  const close = (): void => {
    if (form?.isTouched.value === true && !isAsking.value) isAsking.value = true
    else onClose()
  }
  const label = form ? `${form.metadata.Label}: ${say('create')}` : say('loading')
  const told = fault ?? form?.trouble.value
  return (
    <Dialog isLarge label={label} onClose={close}>
      <form
        ref={frame}
        class="dialog-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
        onKeyDown={(event) => {
          if (!(event.ctrlKey || event.metaKey) || !['s', 'Enter'].includes(event.key)) return
          event.preventDefault()
          void save()
        }}
      >
        <h2>{label}</h2>
        <Fault of={isMetBySignIn(told) ? undefined : told} />
        {form && <FormFaults form={form} />}
        {form && <FormSections form={form} />}
        {isAsking.value && (
          <p class="notice" role="alert">
            {say('discardAsk')}
          </p>
        )}
        <div class="buttons">
          {form && <SaveButton form={form} />}
          <Button kind={isAsking.value ? 'danger' : undefined} onClick={close}>
            {say(isAsking.value ? 'discard' : 'cancel')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function SaveButton({ form: { isSaving, canSubmit } }: { form: RecordForm }) {
  return (
    <Button
      kind="primary"
      isSubmit
      disabled={isSaving.value || !canSubmit.value}
      hint={canSubmit.value ? undefined : say('noRight')}
    >
      {say('save')}
    </Button>
  )
}
