/** The panel beside a record, by the address: `?panel=timeline`. It loads when it is opened. */
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { place, setQuery } from '../../state/address.ts'
import { holdShortcuts } from '../../state/keys.ts'
import type { RecordForm } from '../../state/record-form.ts'
import { Button } from '../../parts/button.tsx'
import type { Timeline } from '../../parts/timeline/timeline.tsx'

const isOpen = (): boolean => place.value.query.get('panel') === 'timeline'

const toggle = (): void => setQuery({ panel: isOpen() ? undefined : 'timeline' })

/** Opens and closes the panel. */
export function PanelToggle() {
  return (
    <button
      id="panel-toggle"
      class="button quiet"
      type="button"
      aria-expanded={isOpen()}
      onClick={toggle}
    >
      {say('timeline')}
    </button>
  )
}

const loaded = signal<typeof Timeline | undefined>(undefined)
const trouble = signal(false)

interface BesidePanelProps {
  form: RecordForm
  keys: Schemas['FieldValues']
  children: ComponentChildren
}

/** A record with the panel beside it, or below it where it is narrow; a new one has none. */
export function BesidePanel({ form, keys, children }: BesidePanelProps) {
  const { metadata, isNew, isSaving, permissions } = form
  const isStored = !isNew.value && Object.keys(keys).length > 0
  return (
    <div class="record-split">
      {children}
      {isStored && (
        <RecordPanel
          metadata={metadata}
          keys={keys}
          isSaving={isSaving.value}
          loaded={permissions.value}
        />
      )}
    </div>
  )
}

/** Closes the panel; the focus goes to what opened it. */
function close(): void {
  toggle()
  document.getElementById('panel-toggle')?.focus()
}

/** Esc closes the panel, until what it returns is called. */
const holdPanelKeys = (): (() => void) =>
  holdShortcuts([
    { keys: ['Escape'], label: () => say('keyClosePanel'), where: 'record', run: close },
  ])

/** The open panel, in sight; nothing while it is closed. */
function RecordPanel(props: Parameters<typeof Timeline>[0]) {
  const panel = useRef<HTMLElement>(null)
  const open = isOpen()
  useEffect(() => {
    if (!open || loaded.value) return
    trouble.value = false
    import('../../parts/timeline/timeline.tsx').then(
      (part) => (loaded.value = part.Timeline),
      () => (trouble.value = true),
    )
  }, [open])
  useEffect(() => panel.current?.scrollIntoView({ block: 'nearest' }), [open])
  useEffect(() => (open ? holdPanelKeys() : undefined), [open])
  if (!open) return null
  const Part = loaded.value
  return (
    <aside ref={panel} class="record-panel" aria-labelledby="panel-title">
      <header>
        <h2 id="panel-title">{say('timeline')}</h2>
        <Button kind="quiet" onClick={close}>
          {say('timelineClose')}
        </Button>
      </header>
      {Part && <Part key={JSON.stringify(props.keys)} {...props} />}
      {!Part && (
        <p class="quiet" role={trouble.value ? 'alert' : undefined}>
          {say(trouble.value ? 'unexpected' : 'loading')}
        </p>
      )}
    </aside>
  )
}
