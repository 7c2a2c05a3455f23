/** The button that arranges a grid: its dialog of columns and groups loads with the first click. */
import { useSignal } from '@preact/signals'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { Button } from '../button.tsx'
import { Icon } from '../icon.tsx'
import type { LayoutDialog } from './layout-dialog.tsx'

/** Draws the button. */
export function LayoutButton({ metadata }: { metadata: Schemas['MetadataResult'] }) {
  const Open = useSignal<typeof LayoutDialog | undefined>(undefined)
  const begin = async (): Promise<void> => {
    Open.value = (await import('./layout-dialog.tsx')).LayoutDialog
  }
  return (
    <>
      <Button kind="quiet" title={say('layout')} onClick={() => void begin()}>
        <Icon name="columns" />
      </Button>
      {Open.value && <Open.value metadata={metadata} onClose={() => (Open.value = undefined)} />}
    </>
  )
}
