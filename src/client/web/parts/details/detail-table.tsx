/**
 * A detail as a table that is typed in: arrows move, Enter, F2 or a letter edits, Tab goes on to
 * the next cell, Esc takes back, a block of a spreadsheet is pasted. Only rows in sight are drawn.
 */
import { useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { DetailRows } from '../../state/detail-rows.ts'
import { alignOf } from '../../fields/kinds.ts'
import { Button } from '../button.tsx'
import type { CellPlace } from '../cell-place.ts'
import { pasteBlock } from './paste-block.ts'
import { followKey } from './table-keys.ts'
import { TableRow } from './table-row.tsx'
import { canType, listWritable, TableState } from './table-state.ts'
import { Fault } from '../fault.tsx'
import { Icon } from '../icon.tsx'

/** Rows above and below the ones in sight that are drawn, too. */
const SPARE_ROWS = 8

/** The height of a table until it is measured. */
const SIGHT_PIXELS = 600

/** The height of a row in pixels, comfortable and compact. */
const rowHeight = (): number => (document.documentElement.dataset.density === 'compact' ? 30 : 36)

/** Draws the table of a detail, with what adds to it. */
export function DetailTable({ rows }: { rows: DetailRows }) {
  const fault = useSignal<unknown>(undefined)
  const state = useMemo(() => new TableState(), [rows])
  const body = useRef<HTMLDivElement>(null)
  useSignalEffect(() => {
    // A record that was loaded again has its rows loaded again, while they are shown.
    if (!rows.isLoaded.value) rows.show().catch((thrown: unknown) => (fault.value = thrown))
  })
  useSignalEffect(() => {
    const { value: sought } = rows.sought
    if (!sought || !rows.isLoaded.value) return
    rows.sought.value = undefined
    const column = rows.fields.peek().findIndex(({ Name }) => Name === sought.field)
    state.go({ row: sought.row, column: Math.max(0, column) })
  })
  const add = (): void => {
    rows.add()
    const row = rows.rows.value.length - 1
    const [first] = listWritable(rows, row)
    state.go({ row, column: first ?? 0 })
    if (first !== undefined) state.isEditing.value = true
  }
  const canAdd = !rows.isShut.value && rows.canAdd.value
  return (
    <div class="detail" role="group" aria-label={rows.detail.Label}>
      <Fault of={fault.value} />
      {!rows.isLoaded.value && fault.value === undefined ? (
        <div class="quiet">{say('loading')}</div>
      ) : (
        <TableBody rows={rows} state={state} onAdd={canAdd ? add : undefined} frame={body} />
      )}
      <div class="buttons">
        {canAdd && (
          <Button kind="quiet" onClick={add}>
            <Icon name="plus" />
            {say('addRow')}
          </Button>
        )}
        {rows.hasMore.value && (
          <span class="quiet">{say('rowsMore', { count: rows.rows.value.length })}</span>
        )}
      </div>
    </div>
  )
}

interface BodyProps {
  rows: DetailRows
  state: TableState
  onAdd: (() => void) | undefined
  frame: { current: HTMLDivElement | null }
}

function TableBody({ rows, state, onAdd, frame }: BodyProps) {
  const all = rows.rows.value
  const height = rowHeight()
  const { first, last, scroll } = useSight(frame, height, all.length)
  useSignalEffect(() => showPlace(frame.current, state.place.value, height))
  if (all.length === 0) return <div class="quiet detail-empty">{say('noDetailRows')}</div>
  return (
    <div class="detail-frame" ref={frame} onScroll={scroll}>
      <table
        role="grid"
        class="detail-table"
        aria-label={rows.detail.Label}
        aria-rowcount={all.length + 1}
        onKeyDownCapture={(event) => followKey(event, { rows, state, onAdd })}
        onPaste={(event) => {
          const place = state.place.value
          if (!place || state.isEditing.value || rows.isShut.value) return
          event.preventDefault()
          void pasteBlock(rows, place, event.clipboardData?.getData('text/plain') ?? '', canType)
        }}
      >
        <TableHead rows={rows} />
        <tbody>
          {first > 0 && <tr aria-hidden="true" style={{ height: `${first * height}px` }} />}
          {all.slice(first, last).map((row, at) => (
            <TableRow key={row.id} rows={rows} row={row} at={first + at} state={state} />
          ))}
          {last < all.length && (
            <tr aria-hidden="true" style={{ height: `${(all.length - last) * height}px` }} />
          )}
        </tbody>
      </table>
    </div>
  )
}

/** The rows in sight, by their numbers from 0, with spare ones above and below. */
function useSight(frame: BodyProps['frame'], height: number, count: number) {
  const scrolled = useSignal(0)
  const sight = useSignal(SIGHT_PIXELS)
  useEffect(() => {
    const element = frame.current
    if (!element) return
    const watch = new ResizeObserver(() => (sight.value = element.clientHeight))
    watch.observe(element)
    return () => watch.disconnect()
  }, [])
  return {
    first: Math.max(0, Math.floor(scrolled.value / height) - SPARE_ROWS),
    last: Math.min(count, Math.ceil((scrolled.value + sight.value) / height) + SPARE_ROWS),
    scroll: ({ currentTarget }: { currentTarget: HTMLElement }) =>
      (scrolled.value = currentTarget.scrollTop),
  }
}

/** Scrolls a cell into sight, below the heads. */
function showPlace(frame: HTMLElement | null, place: CellPlace | undefined, height: number): void {
  if (!place || !frame) return
  const top = place.row * height
  const below = top + 2 * height
  if (top < frame.scrollTop) frame.scrollTop = top
  else if (below > frame.scrollTop + frame.clientHeight)
    frame.scrollTop = below - frame.clientHeight
}

function TableHead({ rows }: { rows: DetailRows }) {
  const isShut = rows.isShut.value
  return (
    <thead>
      <tr aria-rowindex={1}>
        {rows.fields.value.map((field) => (
          <th
            key={field.Name}
            scope="col"
            data-align={alignOf(field)}
            title={field.Help ?? undefined}
          >
            {field.Label}
            {field.Required && !isShut && <span aria-hidden="true"> •</span>}
          </th>
        ))}
        {!isShut && (
          <th scope="col">
            <span class="sr-only">{say('removeRow')}</span>
          </th>
        )}
      </tr>
    </thead>
  )
}
