/** The dialog of an export: format, rows, columns; then its progress until the file is kept. */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { gridQuery } from '../../state/grid-query.ts'
import { rowCount } from '../../state/grid-rows.ts'
import { noteJobs } from '../../state/jobs.ts'
import { notify } from '../../state/notices.ts'
import type { OperationProgress } from '../../state/operation.ts'
import { selection } from '../../state/selection.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import {
  canExportSelected,
  fetchPieces,
  makeExport,
  makeExportLater,
  nameExport,
  planExport,
} from './plan-export.ts'
import { Fault } from '../fault.tsx'
import { keepFile } from '../keep-file.ts'

interface ExportProps {
  metadata: Schemas['MetadataResult']
  onClose(): void
}

/** An export with its choices; `run` has the file made and kept. */
function useExport({ metadata, onClose }: ExportProps) {
  const columns = metadata.Fields.filter(({ In, Hidden }) => In.includes('Grid') && !Hidden)
  const formats = metadata.Export.Formats
  const selected = canExportSelected(metadata) ? [...selection.peek().values()] : []
  const format = useSignal(formats.find((each) => each === 'xlsx') ?? formats[0] ?? 'csv')
  const isSelected = useSignal(selected.length > 0)
  const chosen = useSignal<ReadonlySet<string>>(new Set(columns.map(({ Name }) => Name)))
  const isLater = useSignal(false)
  const fault = useSignal<unknown>(undefined)
  const state = useSignal<Progress | undefined>(undefined)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const planBody = (): Schemas['ExportTableRequest'] => {
    const shown = columns.filter(({ Name }) => chosen.value.has(Name))
    const isWhole = shown.length === columns.length
    return planExport(metadata, {
      format: format.value,
      query: gridQuery.peek(),
      rows: isSelected.value ? selected : undefined,
      fields: isWhole ? undefined : shown.map(({ LabelField, Name }) => LabelField ?? Name),
    })
  }
  const run = async (): Promise<void> => {
    if (state.value || chosen.value.size === 0) return
    const { signal } = (running.current = new AbortController())
    fault.value = undefined
    state.value = { bytes: 0, size: undefined }
    try {
      if (isLater.value) {
        await makeExportLater(planBody())
        noteJobs()
        notify(say('exportBegun'), 'info')
        onClose()
        return
      }
      const file = await makeExport(planBody(), signal, (rows) => {
        if (!signal.aborted) state.value = { bytes: 0, size: undefined, rows }
      })
      const told = (bytes: number): void => {
        state.value = { bytes, size: file.Size }
      }
      const name = nameExport(metadata, file)
      keepFile(await fetchPieces(file, signal, told), name)
      notify(say('exportDone', { name }))
      onClose()
    } catch (thrown) {
      if (!signal.aborted) fault.value = thrown
    } finally {
      state.value = undefined
    }
  }
  return { columns, formats, selected, format, isSelected, chosen, isLater, fault, state, run }
}

/** Draws the dialog; closing it ends an export that runs. */
export function ExportDialog({ metadata, onClose }: ExportProps) {
  const task = useExport({ metadata, onClose })
  const { formats, selected, format, isSelected, chosen } = task
  const isBusy = task.state.value !== undefined
  const hasNone = chosen.value.size === 0
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    void task.run()
  }
  return (
    <Dialog label={say('export')} onClose={onClose}>
      <form class="dialog-form" onSubmit={submit}>
        <h2>{say('exportOf', { label: metadata.Label })}</h2>
        <Fault of={task.fault.value} />
        <label class="choice-line">
          <span>{say('exportFormat')}</span>
          <select
            class="select"
            value={format.value}
            onChange={(event) => (format.value = event.currentTarget.value)}
          >
            {formats.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
        {selected.length > 0 && (
          <RowsChoice
            count={selected.length}
            isSelected={isSelected.value}
            onChange={(is) => (isSelected.value = is)}
          />
        )}
        <ColumnsChoice
          columns={task.columns}
          chosen={chosen.value}
          onChange={(next) => (chosen.value = next)}
        />
        <LaterChoice isLater={task.isLater} />
        <ExportProgress of={task.state.value} />
        <div class="buttons">
          <Button
            kind="primary"
            isSubmit
            disabled={isBusy || hasNone}
            hint={hasNone ? say('exportNoColumn') : undefined}
          >
            {say('export')}
          </Button>
          <Button onClick={onClose}>{say('cancel')}</Button>
        </div>
      </form>
    </Dialog>
  )
}

/** True has a job make the file, which goes on when the dialog is closed. */
function LaterChoice({ isLater }: { isLater: Signal<boolean> }) {
  return (
    <label class="check-line">
      <input
        type="checkbox"
        checked={isLater.value}
        onChange={(event) => (isLater.value = event.currentTarget.checked)}
      />
      {say('exportLater')}
    </label>
  )
}

interface ColumnsChoiceProps {
  columns: readonly Schemas['MetadataField'][]
  chosen: ReadonlySet<string>
  onChange(chosen: ReadonlySet<string>): void
}

function ColumnsChoice({ columns, chosen, onChange }: ColumnsChoiceProps) {
  const toggle = (name: string): void => {
    const next = new Set(chosen)
    if (!next.delete(name)) next.add(name)
    onChange(next)
  }
  return (
    <fieldset class="choices">
      <legend>{say('exportColumns')}</legend>
      {columns.map(({ Name, Label }) => (
        <label key={Name}>
          <input type="checkbox" checked={chosen.has(Name)} onChange={() => toggle(Name)} />
          {Label}
        </label>
      ))}
    </fieldset>
  )
}

interface RowsChoiceProps {
  count: number
  isSelected: boolean
  onChange(isSelected: boolean): void
}

function RowsChoice({ count, isSelected, onChange }: RowsChoiceProps) {
  const found = rowCount.value
  return (
    <fieldset class="choices">
      <legend>{say('exportRows')}</legend>
      <label>
        <input type="radio" name="rows" checked={isSelected} onChange={() => onChange(true)} />
        {say('selected', { count })}
      </label>
      <label>
        <input type="radio" name="rows" checked={!isSelected} onChange={() => onChange(false)} />
        {found === undefined ? say('exportAll') : say('rows', { count: found })}
      </label>
    </fieldset>
  )
}

/** Rows that are in the file, then bytes that came; the size is known once the file is made. */
interface Progress {
  bytes: number
  size: number | undefined
  rows?: OperationProgress
}

function ExportProgress({ of }: { of: Progress | undefined }) {
  if (!of) return null
  const { bytes, size, rows } = of
  const isMade = size !== undefined
  const isCounted = rows?.total !== undefined && rows.total > 0
  return (
    <div>
      <p class="quiet" role="status">
        {say(isMade ? 'exportFetching' : 'exportMaking')}
      </p>
      <progress
        aria-label={say('export')}
        max={isMade ? size : isCounted ? rows.total : undefined}
        value={isMade ? bytes : isCounted ? rows.done : undefined}
      />
      {!isMade && rows && rows.done > 0 && (
        <p class="quiet">
          {isCounted
            ? say('importWrittenRows', { done: rows.done, total: rows.total ?? rows.done })
            : say('rows', { count: rows.done })}
        </p>
      )}
    </div>
  )
}
