/** The button that exports what the grid shows; its dialog loads with the first click. */
import { useSignal } from '@preact/signals'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { gridPermissions } from '../../state/grid-rows.ts'
import { Button } from '../button.tsx'
import type { ExportDialog } from './export-dialog.tsx'
import { Icon } from '../icon.tsx'

/** Draws the button where the caller may export. */
export function ExportButton({ metadata }: { metadata: Schemas['MetadataResult'] }) {
  const Open = useSignal<typeof ExportDialog | undefined>(undefined)
  const rights = gridPermissions.value
  if (rights?.Export === false || metadata.Export.Formats.length === 0) return null
  const begin = async (): Promise<void> => {
    Open.value = (await import('./export-dialog.tsx')).ExportDialog
  }
  return (
    <>
      <Button isHeld={!rights} title={say('export')} onClick={() => void begin()}>
        <span class="tool-icon">
          <Icon name="download" />
        </span>
        <span class="tool-word">{say('export')}</span>
      </Button>
      {Open.value && <Open.value metadata={metadata} onClose={() => (Open.value = undefined)} />}
    </>
  )
}
