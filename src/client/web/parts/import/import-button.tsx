/** The button that imports a file into the grid; its dialog loads with the first click. */
import { useSignal } from '@preact/signals'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { gridPermissions } from '../../state/grid-rows.ts'
import { Button } from '../button.tsx'
import { Icon } from '../icon.tsx'
import type { ImportDialog } from './import-dialog.tsx'

/** Draws the button where the caller may import. */
export function ImportButton({ metadata }: { metadata: Schemas['MetadataResult'] }) {
  const Open = useSignal<typeof ImportDialog | undefined>(undefined)
  const rights = gridPermissions.value
  if (rights?.Import === false || metadata.Import.Formats.length === 0) return null
  const begin = async (): Promise<void> => {
    Open.value = (await import('./import-dialog.tsx')).ImportDialog
  }
  return (
    <>
      <Button isHeld={!rights} title={say('import')} onClick={() => void begin()}>
        <span class="tool-icon">
          <Icon name="upload" />
        </span>
        <span class="tool-word">{say('import')}</span>
      </Button>
      {Open.value && <Open.value metadata={metadata} onClose={() => (Open.value = undefined)} />}
    </>
  )
}
