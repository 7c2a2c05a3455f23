/** The dialog of a file that is shown, wherever it was opened; it loads with the first file. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { notify } from '../../state/notices.ts'
import { shownFile } from '../../state/shown-file.ts'
import type { FileDialog } from './file-dialog.tsx'

const loaded = signal<typeof FileDialog | undefined>(undefined)

const close = (): void => {
  shownFile.value = undefined
}

/** Draws the dialog while a file is shown. */
export function PreviewHost() {
  const file = shownFile.value
  useEffect(() => {
    if (!file || loaded.value) return
    import('./file-dialog.tsx').then(
      (part) => (loaded.value = part.FileDialog),
      () => {
        close()
        notify(say('unexpected'), 'error')
      },
    )
  }, [file])
  const Part = loaded.value
  return file && Part ? <Part file={file} onClose={close} /> : null
}
