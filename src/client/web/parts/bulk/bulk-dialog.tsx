/** The dialog of a bulk edit: fields and values, a check that counts, the change, its undo. */
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { gridPermissions, refreshGrid } from '../../state/grid-rows.ts'
import { Intent } from '../../state/intent.ts'
import { notify } from '../../state/notices.ts'
import { undoImport } from '../../state/undo-import.ts'
import { FieldEditor } from '../../fields/editors.tsx'
import { listBulkFields, planBulk, submitBulk } from './bulk-edit.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { Fault } from '../fault.tsx'

type Values = Schemas['FieldValues']
type Many = Schemas['ManyResult']

interface BulkProps {
  metadata: Schemas['MetadataResult']
  rows: readonly Values[]
  /** Closes it; `isDone` where records were changed. */
  onClose(isDone: boolean): void
}

/** The steps of a bulk edit: values, check, change, undo; a check leaves a change its key. */
function useBulk({ metadata, rows, onClose }: BulkProps) {
  const [intent, checks] = useMemo(() => [new Intent(), new Intent()] as const, [])
  const values = useSignal<Values>({})
  const checked = useSignal<Many | undefined>(undefined)
  const done = useSignal<Many | undefined>(undefined)
  const fault = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const progress = useSignal<{ done: number; total: number } | undefined>(undefined)
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (isBusy.value) return
    isBusy.value = true
    fault.value = undefined
    try {
      await work()
    } catch (thrown) {
      checked.value = undefined
      fault.value = thrown
    } finally {
      isBusy.value = false
      progress.value = undefined
    }
  }
  const submit = (rest: Partial<Schemas['SubmitManyRequest']>): Promise<Many> => {
    const body = { ...planBulk(metadata, rows, values.value), ...rest }
    return submitBulk(body, rest.DryRun === true ? checks : intent, (count, total) => {
      progress.value = { done: count, total }
    })
  }
  const check = () =>
    attempt(async () => {
      checked.value = await submit({ DryRun: true, OnError: 'skip' })
    })
  const change = () =>
    attempt(async () => {
      const hasFaults = (checked.value?.Failed ?? 0) > 0
      done.value = await submit({ OnError: hasFaults ? 'skip' : 'abort' })
      refreshGrid()
    })
  const undo = (importId: string) =>
    attempt(async () => {
      await undoImport(importId, intent)
      notify(say('bulkUndone'))
      refreshGrid()
      onClose(true)
    })
  return { values, checked, done, fault, isBusy, progress, check, change, undo }
}

/** Draws the dialog. */
export function BulkDialog(props: BulkProps) {
  const { metadata, rows, onClose } = props
  const task = useBulk(props)
  const { values, checked, done, progress } = task
  const close = (): void => onClose(done.value !== undefined)
  return (
    <Dialog label={say('bulkEdit')} onClose={close}>
      <div class="dialog-form">
        <h2>{say('bulkEdit')}</h2>
        <p class="quiet">{say('selected', { count: rows.length })}</p>
        <Fault of={task.fault.value} />
        {!done.value && (
          <BulkFields
            metadata={metadata}
            values={values.value}
            onChange={(next) => {
              values.value = next
              checked.value = undefined
            }}
          />
        )}
        <BulkResult of={done.value ?? checked.value} isDone={done.value !== undefined} />
        {progress.value && (
          <progress
            aria-label={say('bulkEdit')}
            max={progress.value.total}
            value={progress.value.done}
          />
        )}
        <BulkButtons task={task} onClose={close} />
      </div>
    </Dialog>
  )
}

interface ButtonsProps {
  task: ReturnType<typeof useBulk>
  onClose(): void
}

/** The next step, and the ways back. */
function BulkButtons({ task, onClose }: ButtonsProps) {
  const done = task.done.value
  const checked = task.checked.value
  const count = checked?.Updated ?? 0
  const importId = done?.ImportId
  const isBusy = task.isBusy.value
  const isEmpty = Object.keys(task.values.value).length === 0
  return (
    <div class="buttons">
      {!done && !checked && (
        <Button kind="primary" disabled={isBusy || isEmpty} onClick={() => void task.check()}>
          {say('bulkCheck')}
        </Button>
      )}
      {!done && checked && (
        <Button kind="primary" disabled={isBusy || count === 0} onClick={() => void task.change()}>
          {say('bulkChange', { count })}
        </Button>
      )}
      {importId && (
        <Button disabled={isBusy} onClick={() => void task.undo(importId)}>
          {say('undo')}
        </Button>
      )}
      <Button onClick={onClose}>{say(done ? 'close' : 'cancel')}</Button>
    </div>
  )
}

interface FieldsProps {
  metadata: Schemas['MetadataResult']
  values: Values
  onChange(values: Values): void
}

/** The fields that are given a value, and a list of the others. */
function BulkFields({ metadata, values, onChange }: FieldsProps) {
  const fields = listBulkFields(metadata, gridPermissions.value)
  const labels = useSignal<Readonly<Record<string, string | undefined>>>({})
  return (
    <>
      <label class="choice-line">
        <span>{say('bulkField')}</span>
        <select
          class="select"
          value=""
          onChange={({ currentTarget }) => onChange({ ...values, [currentTarget.value]: null })}
        >
          <option value="" />
          {fields
            .filter(({ Name }) => !(Name in values))
            .map(({ Name, Label }) => (
              <option key={Name} value={Name}>
                {Label}
              </option>
            ))}
        </select>
      </label>
      {fields
        .filter(({ Name }) => Name in values)
        .map((field) => (
          <FieldEditor
            key={field.Name}
            field={field}
            value={values[field.Name]}
            text={labels.value[field.Name]}
            isReadOnly={false}
            isRequired={field.Required}
            fault={undefined}
            form={{ name: metadata.Slug, values }}
            onChange={(value, choice) => {
              labels.value = { ...labels.value, [field.Name]: choice?.Label }
              onChange({ ...values, [field.Name]: value as Values[string] })
            }}
          />
        ))}
    </>
  )
}

/** Counts of the check or the change, and the records that are left out, with the reason. */
function BulkResult({ of, isDone }: { of: Many | undefined; isDone: boolean }) {
  if (!of) return null
  return (
    <div role="status">
      <p>{say(isDone ? 'bulkDone' : 'bulkWould', { count: of.Updated })}</p>
      {of.Failed > 0 && (
        <div class="fault">
          <p>{say('bulkRefused', { count: of.Failed })}</p>
          <ul>
            {of.Faults.map(({ Code, Error: reason, FieldErrors }) => (
              <li key={Code}>
                {Code}: {Object.values(FieldErrors).join(' ') || reason}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}
