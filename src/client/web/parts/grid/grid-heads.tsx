/** The heads of a grid: they sort, are dragged to another place, and made wider at their end. */
import { useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { afterFrame } from '../../state/after-frame.ts'
import { type GridQuery, toggleSort } from '../../state/grid-query.ts'
import { select, selection } from '../../state/selection.ts'
import { alignOf } from '../../fields/kinds.ts'
import { drawnWidth, limitWidth, moveColumn, resizeColumn } from './column-moves.ts'
import type { GridState } from './grid-state.ts'

interface HeadsProps {
  state: GridState
  query: GridQuery
  /** Columns that are drawn: of many only those in sight. */
  shown: readonly [number, number]
}

/** Draws the line of heads. */
export function GridHeads({ state, query, shown }: HeadsProps) {
  const dragged = useRef<number | undefined>(undefined)
  const here = state.headPlace.value
  return (
    <div role="rowgroup" class="grid-heads">
      <div role="row" class="grid-row" aria-rowindex={1}>
        <div
          role="columnheader"
          class="grid-cell grid-box"
          data-column="0"
          tabIndex={here === 0 ? 0 : -1}
          data-here={here === 0 || undefined}
        >
          <AllBox state={state} />
        </div>
        {state.columns.map(({ field }, at) =>
          !state.isDrawn(at, shown) ? null : (
            <ColumnHead
              key={field.Name}
              state={state}
              query={query}
              at={at}
              isHere={here === at + 1}
              dragged={dragged}
            />
          ),
        )}
      </div>
    </div>
  )
}

/** The box that selects all rows that are loaded, or none. */
function AllBox({ state: { metadata, source } }: { state: GridState }) {
  const count = selection.value.size
  const isAll = count > 0 && count >= [...source.rows()].length
  return (
    <input
      type="checkbox"
      class="row-box"
      tabIndex={-1}
      checked={isAll}
      indeterminate={count > 0 && !isAll}
      aria-label={say('selectAll')}
      onClick={(event) => select(metadata, [...source.rows()], event.currentTarget.checked)}
    />
  )
}

interface HeadProps {
  state: GridState
  query: GridQuery
  at: number
  isHere: boolean
  dragged: { current: number | undefined }
}

const ORDER = { asc: 'ascending', desc: 'descending' } as const

function ColumnHead({ state, query, at, isHere, dragged }: HeadProps) {
  const column = state.columns[at]
  if (!column) return null
  const { field, pin } = column
  const direction = query.sort.find(({ Field }) => Field === field.Name)?.Direction
  return (
    <div
      role="columnheader"
      class="grid-cell"
      data-column={at + 1}
      data-align={alignOf(field)}
      data-pin={pin}
      data-here={isHere || undefined}
      style={state.placeOf(at)}
      aria-colindex={at + 2}
      aria-sort={direction && ORDER[direction]}
      title={field.Help ?? undefined}
      draggable
      tabIndex={isHere ? 0 : -1}
      onDragStart={() => (dragged.current = at)}
      onDragOver={(event) => dragged.current !== undefined && event.preventDefault()}
      onDrop={() => dragged.current !== undefined && moveColumn(state, dragged.current, at)}
      onDragEnd={() => (dragged.current = undefined)}
    >
      <button
        type="button"
        class="grid-head"
        tabIndex={-1}
        onClick={({ shiftKey }) => afterFrame(() => toggleSort(field.Name, shiftKey))}
      >
        {direction === undefined
          ? field.Label
          : `${field.Label} ${direction === 'asc' ? '↑' : '↓'}`}
      </button>
      <Grip state={state} at={at} />
    </div>
  )
}

/** A head is not dragged while its end is. */
function setDraggable(grip: HTMLElement, isDraggable: boolean): void {
  if (grip.parentElement) grip.parentElement.draggable = isDraggable
}

/** The end of a head, by which its column is made wider; keys do it, too (Alt, Shift, arrows). */
function Grip({ state, at }: { state: GridState; at: number }) {
  const began = useRef<{ x: number; width: number } | undefined>(undefined)
  const widthAt = ({ clientX }: PointerEvent): number => {
    const { x, width } = began.current ?? { x: clientX, width: drawnWidth(at) }
    const isRightToLeft = document.documentElement.dir === 'rtl'
    return limitWidth(width + (isRightToLeft ? x - clientX : clientX - x))
  }
  return (
    <span
      class="grid-grip"
      aria-hidden="true"
      onPointerDown={(event) => {
        began.current = { x: event.clientX, width: drawnWidth(at) }
        event.currentTarget.setPointerCapture(event.pointerId)
        setDraggable(event.currentTarget, false)
      }}
      onPointerMove={(event) => {
        if (began.current) state.dragged.value = { at, width: widthAt(event) }
      }}
      onPointerUp={(event) => {
        const isMoved = state.dragged.peek() !== undefined
        if (isMoved) resizeColumn(state, at, widthAt(event))
        began.current = undefined
        state.dragged.value = undefined
        setDraggable(event.currentTarget, true)
      }}
    />
  )
}
