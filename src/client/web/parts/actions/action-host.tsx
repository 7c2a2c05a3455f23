/** The dialogs of actions, wherever they were begun; they load with the first of them. */
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { describeFault } from '../../api/told-error.ts'
import type { Schemas } from '../../api/wire.ts'
import { Intent } from '../../state/intent.ts'
import { notify } from '../../state/notices.ts'
import type { PlannedAction } from './action-plan.ts'
import type { ActionCall } from './run-action.ts'

type Metadata = Schemas['MetadataResult']
type Row = Schemas['FieldValues']

/** A dialog, drawn until it closes itself. */
const open = signal<{ Dialog: ComponentType } | undefined>(undefined)

const close = (): void => {
  open.value = undefined
}

/** Begins an action: asks where it has a question or parameters, else runs it at once. */
export async function beginAction(
  metadata: Metadata,
  { action, reason }: PlannedAction,
  rows: readonly Row[],
  onDone: () => void = () => {},
): Promise<void> {
  if (reason !== undefined) return
  const call: ActionCall = { metadata, action, rows, intent: new Intent() }
  try {
    const { openTarget, runAction } = await import('./run-action.ts')
    if (await openTarget(call)) return
    if (action.Confirm === null && action.Parameters.length === 0) {
      await runAction(call, {})
      onDone()
      return
    }
    const { ActionDialog } = await import('./action-dialog.tsx')
    const end = (): void => {
      close()
      onDone()
    }
    open.value = { Dialog: () => <ActionDialog call={call} onClose={end} /> }
  } catch (thrown) {
    notify(describeFault(thrown), 'error')
  }
}

/** Asks whether rows are to be deleted; `onDone` once they are. */
export async function beginDelete(
  metadata: Metadata,
  rows: readonly Row[],
  onDone: () => void = () => {},
): Promise<void> {
  const { DeleteDialog } = await import('./delete-dialog.tsx')
  const end = (isDone: boolean): void => {
    close()
    if (isDone) onDone()
  }
  open.value = { Dialog: () => <DeleteDialog metadata={metadata} rows={rows} onClose={end} /> }
}

/** Draws the dialog that is open. */
export function ActionHost() {
  const now = open.value
  return now ? <now.Dialog /> : null
}
