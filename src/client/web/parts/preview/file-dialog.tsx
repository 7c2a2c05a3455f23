/** A file in a dialog: how far it is, a look at it, and the ways to keep it. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { ShownFile } from '../../state/shown-file.ts'
import { tellFile } from '../../fields/file-field.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { Fault } from '../fault.tsx'
import { keepFile } from '../keep-file.ts'
import { FileView } from './file-view.tsx'

interface FileDialogProps {
  file: ShownFile
  onClose(): void
}

/** Loads the file, and gives it up where the dialog is closed before. */
function useFile(file: ShownFile) {
  const content = useSignal<Blob | undefined>(undefined)
  const share = useSignal<number | undefined>(undefined)
  const fault = useSignal<unknown>(undefined)
  useEffect(() => {
    const gone = new AbortController()
    content.value = share.value = fault.value = undefined
    const onProgress = (now: number): void => void (share.value = now)
    file.load({ signal: gone.signal, onProgress }).then(
      (found) => (content.value = found),
      (thrown: unknown) => {
        if (!gone.signal.aborted) fault.value = thrown
      },
    )
    return () => gone.abort()
  }, [file])
  return { content: content.value, share: share.value, fault: fault.value }
}

/** Draws the dialog. */
export function FileDialog({ file, onClose }: FileDialogProps) {
  const { content, share, fault } = useFile(file)
  return (
    <Dialog isLarge label={file.name} onClose={onClose}>
      <div class="dialog-form">
        <h2>{file.name}</h2>
        {content && (
          <p class="quiet">
            {tellFile({ FileName: file.name, ContentType: content.type, Size: content.size })}
          </p>
        )}
        <Fault of={fault} />
        {!content && fault === undefined && <Waiting share={share} />}
        {content && <FileView name={file.name} content={content} />}
        <div class="buttons">
          {content && (
            <Button kind="primary" onClick={() => keepFile(content, file.name)}>
              {say('fileKeep')}
            </Button>
          )}
          <Button onClick={onClose}>{say(content ? 'close' : 'cancel')}</Button>
        </div>
      </div>
    </Dialog>
  )
}

function Waiting({ share }: { share: number | undefined }) {
  return (
    <div class="stacked" role="status">
      {say('fileLoading')}
      <progress
        aria-label={say('fileLoading')}
        max={1}
        {...(share !== undefined && { value: share })}
      />
    </div>
  )
}
