/** The frame of a grid that scrolls: heads, the lines in sight, and the foot. */
import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { GridQuery } from '../../state/grid-query.ts'
import { rowCount } from '../../state/grid-rows.ts'
import { keyText, selection } from '../../state/selection.ts'
import { beginCellEdit } from './cell-edit.ts'
import { EditedCell, Pencil } from './cell-overlays.tsx'
import { planTracks } from './column-widths.ts'
import { GridFoot } from './grid-foot.tsx'
import { GridHeads } from './grid-heads.tsx'
import { followGridKey, leaveLine, openLine } from './grid-keys.ts'
import { GridRow } from './grid-row.tsx'
import { BOX_WIDTH, type GridState, HEAD_ROW } from './grid-state.ts'

/** The element that scrolls. */
interface FrameRef {
  current: HTMLDivElement | null
}

interface FrameProps {
  state: GridState
  query: GridQuery
}

/** Columns more than these are drawn in sight alone. */
const COLUMNS_ALL = 40

/** Draws the frame. */
export function GridFrame({ state, query }: FrameProps) {
  const frame = useRef<HTMLDivElement>(null)
  const { metadata, sight, source } = state
  useLayoutEffect(() => (frame.current ? sight.follow(frame.current) : undefined), [sight])
  const shown = useColumnsInSight(state, frame)
  useFocus(state, frame)
  return (
    <div
      ref={frame}
      role={source.isPlain ? 'grid' : 'treegrid'}
      class="grid"
      data-cards={state.isNarrow || undefined}
      aria-label={metadata.Label}
      aria-rowcount={rowCount.value === undefined ? -1 : source.length + 1}
      aria-colcount={state.columnCount}
      aria-multiselectable
      tabIndex={-1}
      style={planWidths(state)}
      onKeyDown={(event) => followGridKey(event, state, () => void beginCellEdit(state))}
      onClick={(event) => followClick(event, state)}
      onFocusIn={({ target }) => followFocus(target, state)}
      onPointerOver={(event) => followPointer(event, state)}
      onPointerLeave={() => (state.hovered.value = undefined)}
    >
      <div class="grid-canvas">
        <GridHeads state={state} query={query} shown={shown} />
        <div role="rowgroup" class="grid-body">
          <GridLines state={state} shown={shown} />
        </div>
        <GridFoot state={state} />
      </div>
    </div>
  )
}

/** Tracks and width of all lines, as custom properties; a column that is dragged has its own. */
function planWidths({ columns, widths, dragged, isNarrow }: GridState) {
  if (isNarrow) return { '--grid-columns': `${BOX_WIDTH}px minmax(0, 1fr)`, '--grid-width': '0px' }
  const { at, width = 0 } = dragged.value ?? {}
  const drawn = at === undefined ? widths : widths.with(at, width)
  const shown = columns.map((column, each) => (each === at ? { ...column, width } : column))
  return {
    '--grid-columns': `${BOX_WIDTH}px ${planTracks(shown, drawn)}`,
    '--grid-width': `${BOX_WIDTH + drawn.reduce((sum, each) => sum + each, 0)}px`,
  }
}

function GridLines({ state, shown }: { state: GridState; shown: readonly [number, number] }) {
  const { metadata, sight, source } = state
  const [first, last] = [sight.first.value, sight.last.value]
  void source.version.value
  const [place, selected, pending] = [state.place.value, selection.value, state.pending.value]
  const isPlaceInSight =
    place !== undefined && (place.row === HEAD_ROW || (place.row >= first && place.row < last))
  const lines = Array.from({ length: Math.max(0, last - first) }, (_, step) => first + step)
  return (
    <div class="grid-lines" style={{ transform: `translateY(${sight.shift.value}px)` }}>
      {lines.map((at) => {
        const line = source.at(at)
        if (!line) return null
        const here = place?.row === at ? place.column : undefined
        return (
          <GridRow
            key={at}
            state={state}
            line={line}
            at={at}
            isSelected={line.row !== undefined && selected.has(keyText(metadata, line.row))}
            isPending={pending.has(at)}
            here={here}
            reachable={here ?? (!isPlaceInSight && at === first ? 1 : undefined)}
            shown={shown}
          />
        )
      })}
      <EditedCell state={state} />
      <Pencil state={state} />
    </div>
  )
}

/** Of many columns those in sight, by how far the frame is scrolled sideways. */
function useColumnsInSight(
  { columns, widths }: GridState,
  frame: FrameRef,
): readonly [number, number] {
  const scrolled = useSignal(0)
  const isMany = columns.length > COLUMNS_ALL
  useEffect(() => {
    const element = frame.current
    if (!element || !isMany) return undefined
    const follow = (): void => {
      scrolled.value = Math.abs(element.scrollLeft)
    }
    element.addEventListener('scroll', follow, { passive: true })
    return () => element.removeEventListener('scroll', follow)
  }, [isMany, frame.current])
  if (!isMany) return [0, columns.length]
  const sight = frame.current?.clientWidth ?? window.innerWidth
  let [left, first, last] = [BOX_WIDTH, 0, columns.length]
  for (const [at, width] of widths.entries()) {
    if (left + width < scrolled.value - sight / 2) first = at + 1
    if (left > scrolled.value + sight * 1.5) {
      last = at
      break
    }
    left += width
  }
  return [first, last]
}

/** The focus follows the place; where its line leaves the sight, the frame takes it. */
function useFocus(state: GridState, frame: FrameRef): void {
  const place = state.place.value
  const { first, last } = state.sight
  const version = state.source.version.value
  useLayoutEffect(() => {
    if (!place || !state.isFollowed) return
    const lines = place.row === HEAD_ROW ? '.grid-heads' : `[data-line='${place.row}']`
    const line = frame.current?.querySelector(lines)
    const cell =
      line?.querySelector<HTMLElement>(`[data-column='${place.column}']`) ??
      line?.querySelector<HTMLElement>('[data-column]')
    if (!cell) return
    cell.focus({ preventScroll: place.row !== HEAD_ROW && place.column === 0 })
    state.isFollowed = false
  }, [state, place, version, first.value, last.value])
}

/** The cell under the mouse; a finger has none. */
function followPointer({ target, pointerType }: PointerEvent, state: GridState): void {
  if (pointerType !== 'mouse' || !(target instanceof Element) || state.isNarrow) return
  if (target.closest('.grid-pencil')) return
  const line = target.closest<HTMLElement>('.grid-lines [data-line]')
  const cell = target.closest<HTMLElement>('[data-column]')
  const found = line &&
    cell && { row: Number(line.dataset.line), column: Number(cell.dataset.column) }
  state.hovered.value = found ?? undefined
}

/** The place is where the focus is, however it came there. */
function followFocus(target: EventTarget | null, state: GridState): void {
  const cell = target instanceof HTMLElement && target.matches('[data-column]') ? target : undefined
  const column = cell?.dataset.column
  const line = cell?.closest<HTMLElement>('[data-line]')?.dataset.line
  if (column === undefined) return
  const place = { row: line === undefined ? HEAD_ROW : Number(line), column: Number(column) }
  const { row, column: known } = state.place.peek() ?? {}
  if (row !== place.row || known !== place.column) state.place.value = place
}

/** A click opens a record or a group; in a box it selects. */
function followClick(event: MouseEvent, state: GridState): void {
  const target = event.target
  if (!(target instanceof Element) || event.defaultPrevented) return
  const line = target.closest<HTMLElement>('[data-line]')
  const cell = target.closest<HTMLElement>('[data-column]')
  if (!line || !cell) return
  const at = Number(line.dataset.line)
  const found = state.source.at(at)
  if (!found) return
  state.place.value = { row: at, column: Number(cell.dataset.column) }
  if (target.closest('.branch-mark') && found.branch) found.branch.toggle()
  else if (cell.dataset.column === '0' && found.row) {
    // The box shows what is selected, which is another thing in a moment.
    if (!(target instanceof HTMLInputElement)) event.preventDefault()
    state.toggle(at, event.shiftKey)
  } else if (target.closest('a')) leaveLine(at, state)
  else if (getSelection()?.isCollapsed !== false) openLine(found, state, at)
}
