/** The actions of an open record, in its head. */
import { say } from '../../texts/texts.ts'
import type { RecordForm } from '../../state/record-form.ts'
import { ActionBar } from './action-bar.tsx'
import { listActionItems } from './action-items.ts'
import { isPrint } from './action-plan.ts'

interface ActionsProps {
  form: RecordForm
  /** Called once something was done; `isDeleted` where the record is gone. */
  onDone(isDeleted: boolean): void
}

/**
 * Draws the actions but prints, which have a menu of their own. While something is typed
 * and not saved, they wait for the save.
 */
export function RecordActions({ form, onDone }: ActionsProps) {
  const permissions = form.permissions.value
  if (form.isNew.value || !permissions) return null
  const rows = [form.values.value]
  const RowActions = form.metadata.RowActions.filter((action) => !isPrint(action))
  const metadata = { ...form.metadata, RowActions }
  const items = listActionItems(metadata, permissions, rows, ['Row'], onDone)
  return (
    <ActionBar
      where="record"
      items={
        form.isTouched.value ? items.map((item) => ({ ...item, reason: say('saveFirst') })) : items
      }
    />
  )
}
