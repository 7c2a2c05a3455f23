/** The first step: a file by drag or from the disk, or an empty one to fill in. */
import { useSignal } from '@preact/signals'
import { say } from '../../texts/texts.ts'
import { Button } from '../button.tsx'
import { fetchPieces } from '../export/plan-export.ts'
import { ImportMeter } from './import-meter.tsx'
import { formatBytes } from './import-task.ts'
import { makeTemplate, TEMPLATES } from './import-wire.ts'
import type { StepProps } from './step-props.ts'
import { keepFile } from '../keep-file.ts'

/** Formats that are known by other ends of their names, too. */
const OTHER_ENDS = ['.tsv', '.txt', '.ndjson', '.xlsm']

/** Draws the step. */
export function FileStep({ task, onClose }: StepProps) {
  const isOver = useSignal(false)
  const { Formats, MaxBytes } = task.metadata.Import
  const isBusy = task.isBusy.value
  const take = (files: FileList | null | undefined): void => {
    const [file] = files ?? []
    if (file && !isBusy) void task.open(file)
  }
  return (
    <>
      <div
        class="import-drop"
        data-over={isOver.value || undefined}
        onDragOver={(event) => {
          event.preventDefault()
          isOver.value = true
        }}
        onDragLeave={() => (isOver.value = false)}
        onDrop={(event) => {
          event.preventDefault()
          isOver.value = false
          take(event.dataTransfer?.files)
        }}
      >
        <label class="button primary file-choice">
          {say('importChoose')}
          <input
            type="file"
            aria-label={say('importChoose')}
            accept={[...Formats.map((each) => `.${each}`), ...OTHER_ENDS].join(',')}
            disabled={isBusy}
            onChange={(event) => {
              take(event.currentTarget.files)
              // The same file, mended, is a choice again.
              event.currentTarget.value = ''
            }}
          />
        </label>
        <span>{say('importDrop')}</span>
        <span class="quiet">
          {say('importFormats', { formats: Formats.join(', '), size: formatBytes(MaxBytes) })}
        </span>
      </div>
      {isBusy && <ImportMeter of={task.progress.value} text={say('importReading')} />}
      <TemplateLinks task={task} />
      <div class="buttons">
        <Button onClick={onClose}>{say('cancel')}</Button>
      </div>
    </>
  )
}

/** Fetches an empty file with the columns of the object. */
function TemplateLinks({ task }: Pick<StepProps, 'task'>) {
  const fetchTemplate = async (format: (typeof TEMPLATES)[number]): Promise<void> => {
    task.fault.value = undefined
    try {
      const made = await makeTemplate(task.metadata.Slug, format)
      const { signal } = new AbortController()
      keepFile(await fetchPieces(made, signal, () => undefined), made.FileName)
    } catch (thrown) {
      task.fault.value = thrown
    }
  }
  return (
    <p class="import-templates">
      <span class="quiet">{say('importTemplate')}</span>
      {TEMPLATES.map((format) => (
        <Button key={format} onClick={() => void fetchTemplate(format)}>
          {format}
        </Button>
      ))}
    </p>
  )
}
