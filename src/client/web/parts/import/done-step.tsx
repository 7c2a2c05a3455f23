/** The last step: the import runs by a job, then says what it came to; it can be undone. */
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { Button } from '../button.tsx'
import { ErrorFileButton } from './error-file.tsx'
import { ImportMeter } from './import-meter.tsx'
import type { StepProps } from './step-props.ts'

/** Draws the step. */
export function DoneStep(props: StepProps) {
  const { task, onClose } = props
  const done = task.done.value
  if (done) return <DoneImport {...props} done={done} />
  return (
    <>
      <ImportMeter of={task.progress.value} text={say('importRunning')} />
      <div class="buttons">
        <Button
          kind="danger"
          disabled={task.jobId.value === undefined}
          onClick={() => void task.stop()}
        >
          {say('importStop')}
        </Button>
        <Button onClick={onClose}>{say('close')}</Button>
      </div>
    </>
  )
}

/** The result in words; parts that are none are not told. */
function describeDone({ Inserted, Updated, Skipped, Failed }: Schemas['ImportResult']): string[] {
  return [
    { key: 'importDoneNew', count: Inserted } as const,
    { key: 'importDoneChanged', count: Updated } as const,
    { key: 'importDoneSame', count: Skipped } as const,
    { key: 'importDoneFailed', count: Failed } as const,
  ]
    .filter(({ count }) => count > 0)
    .map(({ key, count }) => say(key, { count }))
}

function DoneImport({ task, done, onClose }: StepProps & { done: Schemas['ImportResult'] }) {
  const isUndone = task.isUndone.value
  const { ImportId, ErrorFile } = done
  return (
    <>
      <div role="status">
        <p>
          <strong>{say(isUndone ? 'importUndone' : 'importDone')}</strong>
        </p>
        {!isUndone && (
          <ul>
            {describeDone(done).map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        )}
      </div>
      <div class="buttons">
        <Button kind="primary" onClick={onClose}>
          {say('close')}
        </Button>
        {ErrorFile && !isUndone && <ErrorFileButton task={task} file={ErrorFile} />}
        {ImportId !== null && !isUndone && (
          <Button disabled={task.isBusy.value} onClick={() => void task.undo(ImportId)}>
            {say('importUndo')}
          </Button>
        )}
        <Button onClick={() => task.restart()}>{say('importAnother')}</Button>
      </div>
    </>
  )
}
