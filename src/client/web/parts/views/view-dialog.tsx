/** Name, sharing and default of a view, for a new one or one that is there. */
import '@vaadin/text-field/vaadin-text-field.js'
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { Intent } from '../../state/intent.ts'
import {
  canShare,
  changeView,
  createView,
  type SavedView,
  type ViewFacts,
} from '../../state/saved-views.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { Fault } from '../fault.tsx'

interface DialogProps {
  object: string
  /** The view to change; undefined for a new one of what the grid shows. */
  view: SavedView | undefined
  onClose(): void
}

const SHARED = ['none', 'role', 'company'] as const

/** Draws the dialog; it closes once the view is saved. */
export function ViewDialog({ object, view, onClose }: DialogProps) {
  const facts = useSignal<ViewFacts>({
    Name: view?.Name ?? '',
    Shared: view?.Shared ?? 'none',
    Role: view?.Role ?? null,
    Default: view?.Default ?? false,
  })
  const fault = useSignal<unknown>(undefined)
  const intent = useMemo(() => new Intent(), [])
  const set = (changes: Partial<ViewFacts>): void => {
    facts.value = { ...facts.value, ...changes }
  }
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    try {
      const given = facts.value
      if (view) await changeView(view, given)
      else await createView(object, given, intent.keyOf(given))
      onClose()
    } catch (thrown) {
      intent.end(thrown)
      fault.value = thrown
    }
  }
  const label = view ? say('viewChange', { name: view.Name }) : say('viewSaveAs')
  return (
    <Dialog label={label} onClose={onClose}>
      <form class="dialog-form" noValidate onSubmit={(event) => void save(event)}>
        <h2>{label}</h2>
        <Fault of={fault.value} />
        <vaadin-text-field
          label={say('name')}
          required
          manualValidation
          autofocus
          value={facts.value.Name}
          onvalue-changed={({ detail }) => set({ Name: detail.value ?? '' })}
        />
        {canShare.value && <SharingChoice facts={facts.value} onChange={set} />}
        <label class="check">
          <input
            type="checkbox"
            checked={facts.value.Default}
            onChange={({ currentTarget }) => set({ Default: currentTarget.checked })}
          />
          {say('viewDefault')}
        </label>
        <div class="buttons">
          <Button kind="primary" isSubmit>
            {say('save')}
          </Button>
          <Button onClick={onClose}>{say('cancel')}</Button>
        </div>
      </form>
    </Dialog>
  )
}

interface SharingProps {
  facts: ViewFacts
  onChange(changes: Partial<ViewFacts>): void
}

/** The choice of those who see the view, too. */
function SharingChoice({ facts, onChange }: SharingProps) {
  return (
    <>
      <label class="stacked">
        {say('viewShared')}
        <select
          class="select"
          value={facts.Shared}
          onChange={({ currentTarget }) =>
            onChange({ Shared: SHARED.find((each) => each === currentTarget.value) ?? 'none' })
          }
        >
          {SHARED.map((each) => (
            <option key={each} value={each}>
              {say(`viewShared_${each}`)}
            </option>
          ))}
        </select>
      </label>
      {facts.Shared === 'role' && (
        <vaadin-text-field
          label={say('role')}
          required
          manualValidation
          value={facts.Role ?? ''}
          onvalue-changed={({ detail }) => onChange({ Role: detail.value || null })}
        />
      )}
    </>
  )
}
