/** The third step: what the import would do, and its faults, which are mended in place. */
import { formatNumber, say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { Button } from '../button.tsx'
import { ErrorFileButton } from './error-file.tsx'
import { FaultTable } from './fault-table.tsx'
import { ImportMeter } from './import-meter.tsx'
import type { StepProps } from './step-props.ts'

type Result = Schemas['ImportResult']

/** Draws the step. */
export function CheckStep({ task, onClose }: StepProps) {
  const checked = task.checked.value
  const isBusy = task.isBusy.value
  return (
    <>
      {isBusy && <ImportMeter of={task.progress.value} text={say('importChecking')} />}
      {checked && !isBusy && <Counts of={checked} />}
      {checked && checked.Failed > 0 && (
        <>
          <FaultTable task={task} checked={checked} />
          <OnErrorChoice task={task} failed={checked.Failed} />
        </>
      )}
      <CheckButtons task={task} onClose={onClose} />
    </>
  )
}

function Counts({ of: { Inserted, Updated, Skipped, Failed } }: { of: Result }) {
  const counts = [
    { label: say('importNew'), count: Inserted, tone: 'good' },
    { label: say('importChanged'), count: Updated, tone: 'info' },
    { label: say('importSame'), count: Skipped, tone: undefined },
    { label: say('importFailed'), count: Failed, tone: Failed > 0 ? 'bad' : undefined },
  ]
  return (
    <div role="status">
      <p>{say('importWould')}</p>
      <dl class="import-counts">
        {counts.map(({ label, count, tone }) => (
          <div key={label} data-tone={tone}>
            <dt>{label}</dt>
            <dd>{formatNumber(count)}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

function OnErrorChoice({ task, failed }: Pick<StepProps, 'task'> & { failed: number }) {
  const { skips } = task.choice.value
  const setSkips = (next: boolean): void => {
    // What was counted holds either way: rows are only left out.
    task.choice.value = { ...task.choice.value, skips: next }
  }
  return (
    <fieldset class="choices">
      <legend>{say('importOnError')}</legend>
      <label>
        <input
          type="radio"
          name="import-errors"
          checked={!skips}
          onChange={() => setSkips(false)}
        />
        {say('importAbort')}
      </label>
      <label>
        <input type="radio" name="import-errors" checked={skips} onChange={() => setSkips(true)} />
        {say('importSkip', { count: failed })}
      </label>
    </fieldset>
  )
}

/** Why the import cannot begin; undefined where it can. */
function findLack({ task }: Pick<StepProps, 'task'>): string | undefined {
  const checked = task.checked.value
  if (!checked || task.isMended.value) return say('importCheckFirst')
  if (checked.Failed > 0 && !task.choice.value.skips) return say('importMendFirst')
  return checked.Inserted + checked.Updated === 0 ? say('importNoRows') : undefined
}

function CheckButtons({ task, onClose }: StepProps) {
  const checked = task.checked.value
  const isBusy = task.isBusy.value
  const lack = findLack({ task })
  const isAgain = task.isMended.value || !checked
  const count = (checked?.Inserted ?? 0) + (checked?.Updated ?? 0)
  return (
    <>
      {lack !== undefined && checked && !isBusy && <p class="quiet">{lack}</p>}
      <div class="buttons">
        {isAgain ? (
          <Button kind="primary" disabled={isBusy} onClick={() => void task.check()}>
            {say('importCheckAgain')}
          </Button>
        ) : (
          <Button
            kind="primary"
            disabled={isBusy || lack !== undefined}
            hint={lack}
            onClick={() => void task.run()}
          >
            {say('importRun', { count })}
          </Button>
        )}
        {checked?.ErrorFile && <ErrorFileButton task={task} file={checked.ErrorFile} />}
        <Button onClick={() => task.goBack('mapping')}>{say('back')}</Button>
        <Button onClick={onClose}>{say('cancel')}</Button>
      </div>
    </>
  )
}
