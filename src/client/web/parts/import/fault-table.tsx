/** Rows that an import would leave out: their bad cells are typed in, then checked again. */
import { useSignal } from '@preact/signals'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { Button } from '../button.tsx'
import { findFaultCells } from './plan-import.ts'
import type { StepProps } from './step-props.ts'

interface FaultTableProps extends Pick<StepProps, 'task'> {
  checked: Schemas['ImportResult']
}

/** Rows that are drawn at first, and more with each wish for more. */
const SHOWN_ROWS = 50

/** Draws the table; Enter in a cell checks again, arrows go up and down in a column. */
export function FaultTable({ task, checked }: FaultTableProps) {
  const preview = task.preview.value
  const faults = checked.Faults ?? []
  const shown = useSignal(SHOWN_ROWS)
  if (!preview) return null
  const { names } = task.choice.value
  const labels = new Map(preview.Fields.map(({ Name, Label }) => [Name, Label]))
  const columns = names.flatMap((name, at) =>
    name === null ? [] : [{ at, label: labels.get(name) ?? name }],
  )
  return (
    <section class="import-faults">
      <h3>{say('importFaults')}</h3>
      <p class="quiet">
        {say('importFaultsHelp')}
        {checked.Failed > faults.length && ` ${say('importFaultsMore', { count: faults.length })}`}
      </p>
      <form
        class="detail-frame"
        onSubmit={(event) => {
          event.preventDefault()
          if (task.isMended.value) void task.check()
        }}
        onKeyDown={followArrows}
      >
        <table class="detail-table import-fault-table">
          <thead>
            <tr>
              <th scope="col">{say('importLine')}</th>
              <th scope="col">{say('importWrong')}</th>
              {columns.map(({ at, label }) => (
                <th key={at} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {faults.slice(0, shown.value).map((fault) => (
              <FaultRow key={fault.Line} task={task} fault={fault} columns={columns} />
            ))}
          </tbody>
        </table>
        <button class="import-submit" type="submit" tabIndex={-1} aria-hidden="true" />
      </form>
      {faults.length > shown.value && (
        <div class="buttons">
          <Button onClick={() => (shown.value += SHOWN_ROWS)}>{say('importMoreRows')}</Button>
        </div>
      )}
    </section>
  )
}

interface FaultRowProps extends Pick<StepProps, 'task'> {
  fault: Schemas['ImportFault']
  columns: readonly { at: number; label: string }[]
}

function FaultRow({ task, fault, columns }: FaultRowProps) {
  const { Line, Cells, FieldErrors } = fault
  const preview = task.preview.value
  if (!preview) return null
  const bad = findFaultCells(preview, task.choice.value.names, FieldErrors)
  const mended = task.cells.value.get(Line)
  const told = `import-fault-${Line}`
  return (
    <tr>
      <th scope="row" data-label={say('importLine')}>
        {Line}
      </th>
      <td id={told} class="import-wrong">
        {Object.entries(FieldErrors)
          .map(([field, text]) => describeFault(preview, field, text))
          .join(' ')}
      </td>
      {columns.map(({ at, label }) => (
        <td key={at} data-label={label} data-fault={bad.has(at) || undefined}>
          <input
            class="search"
            dir="auto"
            data-column={at}
            aria-label={say('importCell', { line: Line, column: label })}
            aria-describedby={bad.has(at) ? told : undefined}
            aria-invalid={bad.has(at)}
            disabled={task.isBusy.value}
            value={mended?.get(at) ?? Cells[at] ?? ''}
            onInput={(event) => task.mend(Line, at, event.currentTarget.value)}
          />
        </td>
      ))}
    </tr>
  )
}

/** A fault with the label of its field: `Price: Must be a number`. */
function describeFault({ Fields }: Schemas['ImportPreview'], field: string, text: string): string {
  const label = Fields.find(({ Field }) => Field === field)?.Label
  return label === undefined || text.startsWith(label) ? text : `${label}: ${text}`
}

/** Up and down go to the cell of the same column above and below. */
function followArrows(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const cell = event.target
  if (step === undefined || !(cell instanceof HTMLInputElement)) return
  const form = cell.closest('form')
  const all = form?.querySelectorAll<HTMLInputElement>(`[data-column="${cell.dataset.column}"]`)
  const cells = [...(all ?? [])]
  const next = cells[cells.indexOf(cell) + step]
  if (!next) return
  event.preventDefault()
  next.focus()
  next.select()
}
