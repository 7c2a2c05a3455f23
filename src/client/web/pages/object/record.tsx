/** A record: its form, saved by Ctrl-S, with faults at their fields and conflicts in words. */
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { ServerError } from '../../api/server-error.ts'
import type { Schemas } from '../../api/wire.ts'
import { addressOf, go, place } from '../../state/address.ts'
import { DetailRows } from '../../state/detail-rows.ts'
import { nameDraft } from '../../state/drafts.ts'
import { FormDraft } from '../../state/form-draft.ts'
import { holdShortcuts } from '../../state/keys.ts'
import { addressOfGrid, keptFrom } from '../../state/opened-from.ts'
import { forgetRecord } from '../../state/recent-records.ts'
import { RecordForm } from '../../state/record-form.ts'
import { isMetBySignIn, user } from '../../state/session.ts'
import { fromText } from '../../fields/kinds.ts'
import { DetailSections } from '../../parts/details/detail-sections.tsx'
import { Fault } from '../../parts/fault.tsx'
import { ConflictDialog } from '../../parts/form/conflict-dialog.tsx'
import { copyRecord, readCopyKey } from '../../parts/form/copy-record.ts'
import { DraftNotice } from '../../parts/form/draft-notice.tsx'
import { FormFaults } from '../../parts/form/form-faults.tsx'
import { FormSections } from '../../parts/form/form-sections.tsx'
import { settleTyped } from '../../parts/form/settle-typed.ts'
import { RecordHead } from './record-head.tsx'
import { BesidePanel } from './record-panel.tsx'

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
function openRecord({ metadata, parts, copied }: RecordProps & { copied: string | null }) {
  const details = metadata.Details.map((detail) => new DetailRows(detail))
  const form = new RecordForm(metadata, readKey(metadata, parts), details)
  const signedIn = user.peek()
  // No key is empty: the draft of a copy is never that of a record.
  const key = copied === null ? parts : ['', copied]
  const name = typeof signedIn === 'object' ? nameDraft(signedIn, metadata.Slug, key) : ''
  const load = async (): Promise<void> => {
    await form.load()
    if (copied !== null) await copyRecord(form, details, readKey(metadata, readCopyKey(copied)))
  }
  return { form, details, draft: new FormDraft(form, name), load }
}

/** Loads a record once it is shown, then follows what is typed. */
function useLoaded(load: () => Promise<void>, draft: FormDraft) {
  const fault = useSignal<unknown>(undefined)
  const isLoaded = useSignal(false)
  useEffect(() => {
    isLoaded.value = false
    const gone = new AbortController()
    load().then(
      () => {
        if (gone.signal.aborted) return
        isLoaded.value = true
        gone.signal.addEventListener('abort', draft.follow())
      },
      (thrown: unknown) => {
        fault.value = thrown
        if (thrown instanceof ServerError && thrown.status === 404) forgetRecord(location.pathname)
      },
    )
    return () => gone.abort()
  }, [draft])
  return { fault, isLoaded }
}

/** The place `/object/{slug}/{key}`, and `/object/{slug}/new`. */
export function RecordPlace({ metadata, parts }: RecordProps) {
  const copied = parts.length === 0 ? place.value.query.get('copy') : null
  const { form, details, draft, load } = useMemo(
    () => openRecord({ metadata, parts, copied }),
    [metadata, parts.join('/'), copied],
  )
  const { fault, isLoaded } = useLoaded(load, draft)
  const save = async (): Promise<void> => {
    settleTyped()
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
    if (isDeleted) {
      forgetRecord(location.pathname)
      go(addressOfGrid(metadata.Slug), { replace: true })
    } else form.load().catch((thrown: unknown) => (fault.value = thrown))
  }
  useEffect(() => holdRecordKeys(() => void save()), [form])
  if (!isLoaded.value) return <Waiting fault={fault.value} />
  const told = fault.value ?? form.trouble.value
  return (
    <>
      <RecordHead
        form={form}
        keys={readKey(metadata, parts)}
        parts={parts}
        onSave={() => void save()}
        onAction={follow}
      />
      <BesidePanel form={form} keys={readKey(metadata, parts)}>
        <div class="place-body scrolls">
          <Fault of={isMetBySignIn(told) ? undefined : told} />
          <DraftNotice draft={draft} />
          <FormFaults form={form} />
          {form.conflict.value && (
            <ConflictDialog form={form} conflict={form.conflict.value} onSave={() => void save()} />
          )}
          <FormSections isPlace form={form}>
            <DetailSections object={metadata.Slug} details={details} />
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
  const first = [...fields].find(
    (each) => !each.disabled && !each.readOnly && each.closest('[hidden]') === null,
  )
  first?.focus()
}

/** A record that was made has an address of its own, and is of the same grid. */
function openMade(
  { Slug, Keys }: Schemas['MetadataResult'],
  { Keys: made }: Schemas['ObjectActionResult'],
): void {
  if (made === null || Array.isArray(made)) return
  const key = Keys.map((name) => String(made[name]))
  go(addressOf(['object', Slug, ...key], keptFrom()), { replace: true })
}
