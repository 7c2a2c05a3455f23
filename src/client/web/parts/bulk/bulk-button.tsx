/** The button that gives the selected rows the same values; its dialog loads with the click. */
import { useSignal } from '@preact/signals'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { gridPermissions } from '../../state/grid-rows.ts'
import { clearSelection } from '../../state/selection.ts'
import type { BulkDialog } from './bulk-dialog.tsx'
import { Button } from '../button.tsx'

interface BulkButtonProps {
  metadata: Schemas['MetadataResult']
  rows: readonly Schemas['FieldValues'][]
}

/** Draws the button where the caller may change rows. */
export function BulkButton({ metadata, rows }: BulkButtonProps) {
  const Open = useSignal<typeof BulkDialog | undefined>(undefined)
  if (gridPermissions.value?.Update !== true) return null
  const begin = async (): Promise<void> => {
    Open.value = (await import('./bulk-dialog.tsx')).BulkDialog
  }
  const close = (isDone: boolean): void => {
    Open.value = undefined
    if (isDone) clearSelection()
  }
  return (
    <>
      <Button onClick={() => void begin()}>{say('bulkEdit')}</Button>
      {Open.value && <Open.value metadata={metadata} rows={rows} onClose={close} />}
    </>
  )
}
