/** The second step: the sheet of a workbook, the field of each column, how records are meant. */
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { Button } from '../button.tsx'
import { ImportMeter } from './import-meter.tsx'
import { ImportOptions } from './import-options.tsx'
import { listFields, listMissing } from './plan-import.ts'
import type { StepProps } from './step-props.ts'

type Preview = Schemas['ImportPreview']

/** Type of the text that is dragged onto a column: the name of a field. */
const DRAGGED = 'application/x-import-field'

const SAMPLES_MAX = 3
const SHOWN_MAX = 5

/** Draws the step. */
export function MappingStep({ task, onClose }: StepProps) {
  const preview = task.preview.value
  if (!preview) return null
  const { lack } = task
  const isBusy = task.isBusy.value
  return (
    <>
      <SheetChoice task={task} preview={preview} />
      {isBusy && <ImportMeter of={task.progress.value} text={say('importReading')} />}
      <FreeFields task={task} preview={preview} />
      <ColumnTable task={task} preview={preview} />
      <MissingFields task={task} preview={preview} />
      <ImportOptions task={task} preview={preview} />
      <FirstRows task={task} preview={preview} />
      {lack !== undefined && <p class="quiet">{lack}</p>}
      <div class="buttons">
        <Button
          kind="primary"
          disabled={isBusy || lack !== undefined}
          hint={lack}
          onClick={() => void task.check()}
        >
          {say('importCheck')}
        </Button>
        <Button onClick={() => task.goBack('file')}>{say('back')}</Button>
        <Button onClick={onClose}>{say('cancel')}</Button>
      </div>
    </>
  )
}

interface PartProps extends Pick<StepProps, 'task'> {
  preview: Preview
}

function SheetChoice({ task, preview }: PartProps) {
  const { Sheets, Sheet } = preview
  return (
    <div class="import-source">
      <strong>{task.file.value?.name}</strong>
      {Sheets.length > 1 && (
        <label class="choice-line">
          <span>{say('importSheet')}</span>
          <select
            class="select"
            value={Sheet ?? ''}
            disabled={task.isBusy.value}
            onChange={(event) => void task.openSheet(event.currentTarget.value)}
          >
            {Sheets.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  )
}

/** Fields that no column brings, to be dragged onto one. */
function FreeFields({ task, preview }: PartProps) {
  const { mode, names } = task.choice.value
  const all = listFields(preview, mode)
  const said = new Set(all.filter(({ Name }) => names.includes(Name)).map(({ Field }) => Field))
  // A record that is chosen by its key needs no column with what it is called.
  const free = all.filter(({ Field }) => !said.has(Field))
  if (free.length === 0) return null
  return (
    <div class="import-free">
      <p class="quiet">{say('importFree')}</p>
      <ul>
        {free.map(({ Name, Label }) => (
          <li
            key={Name}
            class="chip"
            draggable
            onDragStart={(event) => event.dataTransfer?.setData(DRAGGED, Name)}
          >
            {Label}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Each column of the file with its first values and its field. */
function ColumnTable({ task, preview }: PartProps) {
  return (
    <div class="detail-frame import-frame">
      <table class="detail-table import-columns">
        <thead>
          <tr>
            <th scope="col">{say('importColumn')}</th>
            <th scope="col">{say('importValues')}</th>
            <th scope="col">{say('field')}</th>
          </tr>
        </thead>
        <tbody>
          {preview.Columns.map(({ Head }, at) => (
            <ColumnRow key={`${at} ${Head}`} task={task} preview={preview} at={at} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The letter that spreadsheets give a column: `A`, `AB`. */
const letterOf = (at: number): string =>
  (at < 26 ? '' : letterOf(Math.floor(at / 26) - 1)) + String.fromCharCode(65 + (at % 26))

/** The head of a column, or its letter where it has none. */
const headOf = ({ Columns }: Preview, at: number): string => {
  const head = Columns[at]?.Head.trim() ?? ''
  return head === '' ? say('importNoHead', { letter: letterOf(at) }) : head
}

function ColumnRow({ task, preview, at }: PartProps & { at: number }) {
  const { mode, names } = task.choice.value
  const name = names[at] ?? null
  const hasHead = preview.Columns[at]?.Head.trim() !== ''
  const samples = preview.Rows.map(({ Cells }) => Cells[at] ?? '').filter((cell) => cell !== '')
  return (
    <tr
      data-free={name === null || undefined}
      onDragOver={(event) => {
        if (hasHead && event.dataTransfer?.types.includes(DRAGGED)) event.preventDefault()
      }}
      onDrop={(event) => {
        event.preventDefault()
        const dragged = event.dataTransfer?.getData(DRAGGED)
        if (hasHead && dragged) task.map(at, dragged)
      }}
    >
      <th scope="row">{headOf(preview, at)}</th>
      <td class="quiet">
        <bdi>{samples.slice(0, SAMPLES_MAX).join(' · ')}</bdi>
      </td>
      <td
        draggable={name !== null}
        onDragStart={(event) => event.dataTransfer?.setData(DRAGGED, name ?? '')}
      >
        <select
          class="select"
          aria-label={say('importFieldOf', { column: headOf(preview, at) })}
          value={name ?? ''}
          disabled={!hasHead}
          onChange={(event) => task.map(at, event.currentTarget.value || null)}
        >
          <option value="">{say('importLeftOut')}</option>
          {listFields(preview, mode).map(({ Name, Label, Required }) => (
            <option key={Name} value={Name}>
              {Required ? `${Label} *` : Label}
            </option>
          ))}
        </select>
      </td>
    </tr>
  )
}

function MissingFields({ task, preview }: PartProps) {
  const missing = listMissing(preview, task.choice.value)
  if (missing.length === 0) return null
  const fields = missing.map(({ Label }) => Label).join(', ')
  return (
    <p class="import-missing" role="status">
      {say('importRequired', { fields })}
    </p>
  )
}

/** The first rows as records: under the labels of their fields. */
function FirstRows({ task, preview }: PartProps) {
  const { names } = task.choice.value
  const columns = names.flatMap((name, at) => (name === null ? [] : [{ name, at }]))
  const rows = preview.Rows.slice(0, SHOWN_MAX)
  if (columns.length === 0 || rows.length === 0) return null
  const labels = new Map(preview.Fields.map(({ Name, Label }) => [Name, Label]))
  return (
    <details class="import-rows" open>
      <summary>{say('importPreview', { count: rows.length })}</summary>
      <div
        class="detail-frame"
        tabIndex={0}
        role="group"
        aria-label={say('importPreview', { count: rows.length })}
      >
        <table class="detail-table">
          <thead>
            <tr>
              {columns.map(({ name }) => (
                <th key={name} scope="col">
                  {labels.get(name) ?? name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ Line, Cells }) => (
              <tr key={Line}>
                {columns.map(({ at }) => (
                  <td key={at}>
                    <bdi>{Cells[at] ?? ''}</bdi>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
