/** A record: its form, saved by Ctrl-S, with faults at their fields and conflicts in words. */
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { addressOf, go } from '../../state/address.ts'
import { DetailRows } from '../../state/detail-rows.ts'
import { nameDraft } from '../../state/drafts.ts'
import { FormDraft } from '../../state/form-draft.ts'
import { holdShortcuts } from '../../state/keys.ts'
import { RecordForm } from '../../state/record-form.ts'
import { user } from '../../state/session.ts'
import { formatField, fromText } from '../../fields/kinds.ts'
import { RecordActions } from '../../parts/actions/record-actions.tsx'
import { Button } from '../../parts/button.tsx'
import { DetailSections } from '../../parts/details/detail-sections.tsx'
import { Fault } from '../../parts/fault.tsx'
import { ConflictDialog } from '../../parts/form/conflict-dialog.tsx'
import { DraftNotice } from '../../parts/form/draft-notice.tsx'
import { FormSections } from '../../parts/form/form-sections.tsx'
import { RecordLive } from './record-live.tsx'
import { BesidePanel, PanelToggle } from './record-panel.tsx'

interface RecordProps {
  metadata: Schemas['MetadataResult']
  /** The parts of its key as the address has them; empty for a new record. */
  parts: readonly string[]
}

/** The values of a key by the view's key fields, each as its kind has it. */
function readKey({ Keys, Fields }: Schemas['MetadataResult'], parts: readonly string[]) {
  return Object.fromEntries(
    Keys.slice(0, parts.length).map((name, at) => {
      const part = parts[at] ?? ''
      const field = Fields.find(({ Name }) => Name === name)
      return [name, field ? fromText(field, part) : part]
    }),
  )
}

/** The record of an address: its form, its details, and the draft of what is typed. */
function openRecord(metadata: Schemas['MetadataResult'], parts: readonly string[]) {
  const details = metadata.Details.map((detail) => new DetailRows(detail))
  const form = new RecordForm(metadata, readKey(metadata, parts), details)
  const signedIn = user.peek()
  const name = typeof signedIn === 'object' ? nameDraft(signedIn, metadata.Slug, parts) : ''
  return { form, details, draft: new FormDraft(form, name) }
}

/** The place `/object/{slug}/{key}`, and `/object/{slug}/new`. */
export function RecordPlace({ metadata, parts }: RecordProps) {
  const { form, details, draft } = useMemo(
    () => openRecord(metadata, parts),
    [metadata, parts.join('/')],
  )
  const fault = useSignal<unknown>(undefined)
  const isLoaded = useSignal(false)
  useEffect(() => {
    isLoaded.value = false
    const gone = new AbortController()
    form.load().then(
      () => {
        if (gone.signal.aborted) return
        isLoaded.value = true
        gone.signal.addEventListener('abort', draft.follow())
      },
      (thrown: unknown) => (fault.value = thrown),
    )
    return () => gone.abort()
  }, [form])
  const save = async (): Promise<void> => {
    if (!form.canSubmit.value || form.isSaving.value) return
    fault.value = undefined
    try {
      const result = await form.submit()
      if (result && parts.length === 0) openMade(metadata, result)
    } catch (thrown) {
      fault.value = thrown
    }
  }
  const follow = (isDeleted: boolean): void => {
    if (isDeleted) go(addressOf(['object', metadata.Slug]), { replace: true })
    else form.load().catch((thrown: unknown) => (fault.value = thrown))
  }
  useEffect(() => holdRecordKeys(() => void save()), [form])
  if (!isLoaded.value) return <Waiting fault={fault.value} />
  return (
    <>
      <RecordHead
        form={form}
        keys={readKey(metadata, parts)}
        onSave={() => void save()}
        onAction={follow}
      />
      <BesidePanel form={form} keys={readKey(metadata, parts)}>
        <div class="place-body scrolls">
          <Fault of={fault.value ?? form.trouble.value} />
          <DraftNotice draft={draft} />
          <FaultsOfNoField form={form} />
          {form.conflict.value && (
            <ConflictDialog form={form} conflict={form.conflict.value} onSave={() => void save()} />
          )}
          <FormSections form={form}>
            <DetailSections details={details} />
          </FormSections>
        </div>
      </BesidePanel>
    </>
  )
}

/** The place of a record that is not loaded yet, or cannot be. */
function Waiting({ fault }: { fault: unknown }) {
  if (fault !== undefined) return <Fault of={fault} />
  return <div class="empty quiet">{say('loading')}</div>
}

/** Keys of a record, wherever the focus is: saving, and the first field. Returns what ends them. */
const holdRecordKeys = (save: () => void): (() => void) =>
  holdShortcuts([
    { keys: ['Mod+s', 'Mod+Enter'], label: () => say('save'), where: 'record', run: save },
    { keys: ['e'], label: () => say('keyFirstField'), where: 'record', run: focusFirstField },
  ])

/** Puts the focus into the first field that takes something. */
function focusFirstField(): void {
  const fields = document.querySelectorAll<HTMLInputElement>('.form :is(input, textarea, select)')
  const first = [...fields].find((each) => !each.disabled && !each.readOnly)
  first?.focus()
}

/** A record that was made has an address of its own. */
function openMade(
  { Slug, Keys }: Schemas['MetadataResult'],
  { Keys: made }: Schemas['ObjectActionResult'],
): void {
  if (made === null || Array.isArray(made)) return
  go(addressOf(['object', Slug, ...Keys.map((name) => String(made[name]))]), { replace: true })
}

interface HeadProps {
  form: RecordForm
  keys: Schemas['FieldValues']
  onSave(): void
  onAction(isDeleted: boolean): void
}

function RecordHead({ form, keys, onSave, onAction }: HeadProps) {
  const { metadata } = form
  const title = form.isNew.value
    ? `${metadata.Label}: ${say('create')}`
    : metadata.Display.map((name) => metadata.Fields.find((field) => field.Name === name))
        .flatMap((field) => (field ? [formatField(field, form.values.value)] : []))
        .join(' ')
  const isTouched = form.isTouched.value
  return (
    <header class="place-head">
      <a class="quiet" href={addressOf(['object', metadata.Slug])}>
        {metadata.Label}
      </a>
      <h1>{title === '' ? metadata.Label : title}</h1>
      <span class="grow" />
      {Object.keys(keys).length > 0 && <RecordLive form={form} keys={keys} />}
      <RecordActions form={form} onDone={onAction} />
      {isTouched && <span class="chip">{say('unsaved')}</span>}
      {!form.isNew.value && <PanelToggle />}
      {form.canSubmit.value && (
        <Button
          kind="primary"
          disabled={form.isSaving.value || (!isTouched && !form.isNew.value)}
          onClick={onSave}
        >
          {say('save')}
        </Button>
      )}
    </header>
  )
}

function FaultsOfNoField({ form }: { form: RecordForm }) {
  const names = new Set(
    form.fields.filter((field) => form.isVisible(field)).map(({ Name }) => Name),
  )
  const others = Object.entries(form.faults.value).filter(([name]) => !names.has(name))
  if (others.length === 0) return null
  return (
    <div class="fault" role="alert">
      {others.map(([name, fault]) => (
        <div key={name}>{fault}</div>
      ))}
    </div>
  )
}
