/** The dialog of an import: file, columns, check, import; each step loads nothing but its data. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren, FunctionComponent } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { Fault } from '../fault.tsx'
import { CheckStep } from './check-step.tsx'
import { DoneStep } from './done-step.tsx'
import { FileStep } from './file-step.tsx'
import { IMPORT_STEPS, type ImportStep, ImportTask } from './import-task.ts'
import { MappingStep } from './mapping-step.tsx'
import type { StepProps } from './step-props.ts'

interface ImportProps {
  metadata: Schemas['MetadataResult']
  onClose(): void
}

const STEPS: Readonly<Record<ImportStep, FunctionComponent<StepProps>>> = {
  file: FileStep,
  mapping: MappingStep,
  check: CheckStep,
  done: DoneStep,
}

/** Draws the dialog; mended cells are not lost by one key. */
export function ImportDialog({ metadata, onClose }: ImportProps) {
  const task = useMemo(() => new ImportTask(metadata), [metadata])
  const isLeaving = useSignal(false)
  useEffect(() => () => task.close(), [task])
  const close = (): void => {
    const isTyped = task.cells.value.size > 0 && task.step.value === 'check'
    if (isTyped && !isLeaving.value) isLeaving.value = true
    else onClose()
  }
  const step = task.step.value
  const Step = STEPS[step]
  return (
    <Dialog label={say('importOf', { label: metadata.Label })} isLarge onClose={close}>
      <div class="dialog-form import">
        <h2>{say('importOf', { label: metadata.Label })}</h2>
        <StepList step={step} />
        {isLeaving.value && (
          <div class="notice import-leave" role="alert">
            <span>{say('importLeaveAsk')}</span>
            <Button kind="danger" onClick={onClose}>
              {say('importLeave')}
            </Button>
            <Button onClick={() => (isLeaving.value = false)}>{say('importStay')}</Button>
          </div>
        )}
        <Fault of={task.fault.value} />
        <StepFrame key={step} step={step}>
          <Step task={task} onClose={close} />
        </StepFrame>
      </div>
    </Dialog>
  )
}

/** A step takes the focus when it comes, so that keys and readers go on from its beginning. */
function StepFrame({ step, children }: { step: ImportStep; children: ComponentChildren }) {
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (step === 'file') return
    frame.current?.focus({ preventScroll: true })
    frame.current?.closest('dialog')?.scrollTo({ top: 0 })
  }, [step])
  return (
    <div
      class="import-step"
      ref={frame}
      role="group"
      aria-label={say(`importStep_${step}`)}
      tabIndex={-1}
    >
      {children}
    </div>
  )
}

function StepList({ step }: { step: ImportStep }) {
  const now = IMPORT_STEPS.indexOf(step)
  return (
    <ol class="import-steps" aria-label={say('importSteps')}>
      {IMPORT_STEPS.map((each, at) => (
        <li
          key={each}
          data-state={at < now ? 'past' : undefined}
          aria-current={at === now ? 'step' : undefined}
        >
          {say(`importStep_${each}`)}
        </li>
      ))}
    </ol>
  )
}
