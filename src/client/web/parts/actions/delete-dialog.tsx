/** The question before rows are deleted, its progress, and the rows that stayed. */
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { drawKey } from '../../state/intent.ts'
import { notify } from '../../state/notices.ts'
import { clearSelection } from '../../state/selection.ts'
import { nameRow } from '../../fields/row-name.ts'
import { deleteRows, type FailedRow } from './run-action.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'

interface DeleteProps {
  metadata: Schemas['MetadataResult']
  rows: readonly Schemas['FieldValues'][]
  /** Closes it; `isDone` once all rows are gone. */
  onClose(isDone: boolean): void
}

/** Draws the dialog. */
export function DeleteDialog({ metadata, rows, onClose }: DeleteProps) {
  const done = useSignal<number | undefined>(undefined)
  const failed = useSignal<readonly FailedRow[]>([])
  const keys = useMemo(() => rows.map(() => drawKey()), [rows])
  const run = async (): Promise<void> => {
    done.value = 0
    failed.value = await deleteRows(metadata, rows, keys, (count) => (done.value = count))
    clearSelection()
    if (failed.value.length > 0) return
    notify(say('deleted', { count: rows.length }))
    onClose(true)
  }
  const isOver = failed.value.length > 0
  const isRunning = done.value !== undefined && !isOver
  return (
    <Dialog label={say('delete')} onClose={() => onClose(false)}>
      <div class="dialog-form">
        <h2>{say('delete')}</h2>
        {!isOver && <p>{say('deleteAsk', { count: rows.length })}</p>}
        {!isOver && rows.length < 6 && (
          <ul>
            {rows.map((row) => (
              <li key={nameRow(metadata, row)}>{nameRow(metadata, row)}</li>
            ))}
          </ul>
        )}
        {isRunning && rows.length > 1 && <progress max={rows.length} value={done.value} />}
        {isOver && (
          <div class="fault" role="alert">
            <p>{say('deleteFailed', { count: failed.value.length })}</p>
            <ul>
              {failed.value.map(({ row, reason }) => (
                <li key={nameRow(metadata, row)}>
                  {nameRow(metadata, row)}: {reason}
                </li>
              ))}
            </ul>
          </div>
        )}
        <div class="buttons">
          {!isOver && (
            <Button kind="danger" disabled={isRunning} onClick={() => void run()}>
              {isRunning ? say('working') : say('delete')}
            </Button>
          )}
          <Button onClick={() => onClose(false)}>{say(isOver ? 'close' : 'cancel')}</Button>
        </div>
      </div>
    </Dialog>
  )
}
