/** The head of a record: where it is from, its name, and what can be done with it. */
import { computed } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { addressOf, go } from '../../state/address.ts'
import { holdShortcuts } from '../../state/keys.ts'
import { addressOfGrid, keptFrom } from '../../state/opened-from.ts'
import { noteRecord } from '../../state/recent-records.ts'
import type { RecordForm } from '../../state/record-form.ts'
import { formatField } from '../../fields/kinds.ts'
import { PrintMenu } from '../../parts/actions/print-menu.tsx'
import { RecordActions } from '../../parts/actions/record-actions.tsx'
import { Button } from '../../parts/button.tsx'
import { writeCopyKey } from '../../parts/form/copy-record.ts'
import { Icon } from '../../parts/icon.tsx'
import { RecordLive } from './record-live.tsx'
import { PanelToggle } from './record-panel.tsx'
import { RecordSteps } from './record-steps.tsx'

interface HeadProps {
  form: RecordForm
  keys: Schemas['FieldValues']
  /** The parts of its key as the address has them; empty for a new record. */
  parts: readonly string[]
  onSave(): void
  onAction(isDeleted: boolean): void
}

/** Draws the head. */
export function RecordHead({ form, keys, parts, onSave, onAction }: HeadProps) {
  const { metadata } = form
  const title = useMemo(() => computed(() => nameRecord(form)), [form]).value
  const isTouched = form.isTouched.value
  const isIdle = !isTouched && !form.isNew.value
  useEffect(() => {
    if (form.isNew.peek() || isTouched || title === '') return
    noteRecord({ address: location.pathname, title, label: metadata.Label })
  }, [title, isTouched])
  return (
    <header class="place-head record-head" data-idle={isIdle || undefined}>
      <a class="record-back quiet" href={addressOfGrid(metadata.Slug)}>
        <Icon name="chevron-left" isTurned />
        <span>{metadata.Label}</span>
      </a>
      <h1>{title === '' ? metadata.Label : title}</h1>
      {parts.length > 0 && <RecordSteps metadata={metadata} parts={parts} />}
      <span class="grow" />
      <div class="place-tools">
        {Object.keys(keys).length > 0 && <RecordLive form={form} keys={keys} />}
        <RecordActions form={form} onDone={onAction} />
        <PrintMenu form={form} />
        {isTouched && <span class="chip">{say('unsaved')}</span>}
        {!form.isNew.value && parts.length > 0 && <CopyButton form={form} parts={parts} />}
        {!form.isNew.value && <PanelToggle />}
      </div>
      {form.canSubmit.value && (
        <Button kind="primary" disabled={form.isSaving.value || isIdle} onClick={onSave}>
          {say('save')}
        </Button>
      )}
    </header>
  )
}

function nameRecord({ metadata, isNew, values }: RecordForm): string {
  if (isNew.value) return `${metadata.Label}: ${say('create')}`
  return metadata.Display.map((name) => metadata.Fields.find((field) => field.Name === name))
    .flatMap((field) => (field ? [formatField(field, values.value)] : []))
    .join(' ')
}

/** Opens a new record with the values of this one, as it is stored. */
function CopyButton({ form, parts }: Pick<HeadProps, 'form' | 'parts'>) {
  const mayCopy = form.permissions.value?.Create === true
  const copy = (): void => {
    const key = writeCopyKey(parts)
    go(addressOf(['object', form.metadata.Slug, 'new'], { copy: key, ...keptFrom() }))
  }
  useEffect(() => {
    if (!mayCopy) return
    return holdShortcuts([
      {
        keys: ['c'],
        label: () => say('copyRecord'),
        where: 'record',
        reason: () => (form.isTouched.value ? say('saveFirst') : undefined),
        run: copy,
      },
    ])
  }, [form, mayCopy])
  if (!mayCopy) return null
  const reason = form.isTouched.value ? say('saveFirst') : undefined
  return (
    <button
      type="button"
      class="icon-button"
      title={reason ?? say('copyRecord')}
      aria-label={say('copyRecord')}
      aria-description={reason}
      aria-disabled={reason !== undefined}
      onClick={() => reason === undefined && copy()}
    >
      <Icon name="copy" />
    </button>
  )
}
