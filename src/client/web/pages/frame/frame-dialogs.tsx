/** Dialogs that open over every place; each loads when it is opened for the first time. */
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { say } from '../../texts/texts.ts'
import { notify } from '../../state/notices.ts'

type FrameDialog = ComponentType<{ onClose(): void }>

const DIALOGS = {
  palette: async (): Promise<FrameDialog> =>
    (await import('../../parts/palette/palette.tsx')).Palette,
  impersonation: async (): Promise<FrameDialog> =>
    (await import('./impersonation-dialog.tsx')).ImpersonationDialog,
  keys: async (): Promise<FrameDialog> => (await import('../../parts/keys/key-sheet.tsx')).KeySheet,
}

/** The dialog that is open, drawn until it closes itself. */
const open = signal<{ Dialog: FrameDialog } | undefined>(undefined)

const close = (): void => {
  open.value = undefined
}

/** Opens a dialog in place of what is open. */
export async function openDialog(name: keyof typeof DIALOGS): Promise<void> {
  try {
    open.value = { Dialog: await DIALOGS[name]() }
  } catch {
    notify(say('unexpected'), 'error')
  }
}

/** Draws the dialog that is open. */
export function FrameDialogs() {
  const now = open.value
  return now ? <now.Dialog onClose={close} /> : null
}
