/** The frame of a grid that scrolls: heads, the lines in sight, and the foot. */
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { GridQuery } from '../../state/grid-query.ts'
import { rowCount } from '../../state/grid-rows.ts'
import { keyText, selection } from '../../state/selection.ts'
import { stable } from '../../state/stable.ts'
import type { CellPlace } from '../cell-place.ts'
import { beginCellEdit } from './cell-edit.ts'
import { planMenuEvents, type Press } from './cell-menu-target.ts'
import { EditedCell, Pencil } from './cell-overlays.tsx'
import { planTracks } from './column-widths.ts'
import { GridFoot } from './grid-foot.tsx'
import { GridHeads } from './grid-heads.tsx'
import { followGridKey, openLine } from './grid-keys.ts'
import { GridRow } from './grid-row.tsx'
import { BOX_WIDTH, type GridState, HEAD_ROW } from './grid-state.ts'
import { useLateLines } from './late-lines.ts'
import { turnKeys } from './line-keys.ts'

/** The element that scrolls. */
interface FrameRef {
  current: HTMLDivElement | null
}

interface FrameProps {
  state: GridState
  query: GridQuery
}

/** Draws the frame. */
export function GridFrame({ state, query }: FrameProps) {
  const frame = useRef<HTMLDivElement>(null)
  const press = useRef<Press>(undefined)
  const { metadata, sight, source } = state
  useLayoutEffect(() => (frame.current ? sight.follow(frame.current) : undefined), [sight])
  const shown = useMemo(() => stable(() => planShown(state)), [state]).value
  return (
    <div
      ref={frame}
      role={source.isPlain ? 'grid' : 'treegrid'}
      class="grid"
      data-cards={state.isNarrow || undefined}
      data-aside={sight.isAside.value || undefined}
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
      {...planMenuEvents(press, state)}
    >
      <div class="grid-canvas">
        <GridHeads state={state} query={query} shown={shown} />
        <div role="rowgroup" class="grid-body">
          <GridLines state={state} shown={shown} frame={frame} />
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

interface LinesProps {
  state: GridState
  shown: readonly [number, number]
  frame: FrameRef
}

function GridLines({ state, shown, frame }: LinesProps) {
  const { metadata, sight, source } = state
  const [first, last] = [sight.first.value, sight.last.value]
  void source.version.value
  const [place, selected, pending] = [state.place.value, selection.value, state.pending.value]
  const isPlaceInSight =
    place !== undefined && (place.row === HEAD_ROW || (place.row >= first && place.row < last))
  const keys = useLineKeys(first, last)
  const late = useLateLines(state, { keys, first })
  useFocus(state, { shown, frame })
  return (
    <div class="grid-lines" style={{ transform: `translateY(${sight.shift.value}px)` }}>
      {keys.map((key, step) => {
        const at = first + step
        const line = source.at(at)
        if (!line) return null
        const here = place?.row === at ? place.column : undefined
        return (
          <GridRow
            key={key}
            state={state}
            line={line}
            at={at}
            isSelected={line.row !== undefined && selected.has(keyText(metadata, line.row))}
            isPending={pending.has(at)}
            here={here}
            reachable={here ?? (!isPlaceInSight && at === first ? 1 : undefined)}
            shown={shown}
            late={late.get(key)}
          />
        )
      })}
      <EditedCell state={state} />
      <Pencil state={state} />
    </div>
  )
}

/** The keys of the lines in sight, as they were turned by each scroll. */
function useLineKeys(first: number, last: number): readonly number[] {
  const known = useRef<{ first: number; keys: readonly number[] }>({ first, keys: [] })
  const { current: before } = known
  const keys = turnKeys(before.keys, first - before.first, Math.max(0, last - first))
  known.current = { first, keys }
  return keys
}

/** The share of the frame's width beside it in which columns are drawn, too. */
const BESIDE = 0.25

/** Columns that are drawn, by how far the frame is scrolled sideways, as a range of numbers. */
function planShown({ widths, sight }: GridState): readonly [number, number] {
  const [scrolled, width] = [sight.left.value, sight.width.value || window.innerWidth]
  let [left, first, last] = [BOX_WIDTH, 0, widths.length]
  for (const [at, each] of widths.entries()) {
    if (left + each < scrolled - width * BESIDE) first = at + 1
    if (left > scrolled + width * (1 + BESIDE)) {
      last = at
      break
    }
    left += each
  }
  return [first, last]
}

/** The element of a place; undefined while it is out of sight. */
function findPlace(frame: HTMLElement | null, { row, column }: CellPlace): HTMLElement | undefined {
  const line = frame?.querySelector(
    row === HEAD_ROW ? '.grid-heads' : `.grid-lines [data-line='${row}']`,
  )
  const cell =
    line?.querySelector<HTMLElement>(`[data-column='${column}']`) ??
    line?.querySelector<HTMLElement>('[data-column]')
  return cell ?? undefined
}

/** True where the elements with the focus were taken over by another line. */
function isTakenOver(frame: HTMLElement | null, { row }: CellPlace): boolean {
  const focused = document.activeElement
  if (!focused || focused === frame) return focused === frame
  const line = focused.closest<HTMLElement>('.grid-lines [data-line]')
  return line !== null && Number(line.dataset.line) !== row
}

/** True for a place whose column is not drawn, as it is not in sight. */
const isAside = (state: GridState, { column }: CellPlace, shown: LinesProps['shown']): boolean =>
  !state.isNarrow && column > 0 && !state.isDrawn(column - 1, shown)

/** Where a column begins, in pixels from the box. */
const leftOf = ({ widths }: GridState, at: number): number =>
  widths.slice(0, at).reduce((sum, each) => sum + each, 0)

/** The focus follows the place; where its line leaves the sight, the frame takes it. */
function useFocus(state: GridState, { shown, frame }: Omit<LinesProps, 'state'>): void {
  const place = state.place.value
  const { first, last } = state.sight
  const version = state.source.version.value
  useLayoutEffect(() => {
    if (!place || (!state.isFollowed && !isTakenOver(frame.current, place))) return
    if (state.isFollowed && isAside(state, place, shown)) {
      state.sight.showLeft(leftOf(state, place.column - 1))
      return
    }
    const cell = findPlace(frame.current, place)
    if (!cell) {
      if (isTakenOver(frame.current, place)) frame.current?.focus({ preventScroll: true })
      return
    }
    const isStill = !state.isFollowed || (place.row !== HEAD_ROW && place.column === 0)
    cell.focus({ preventScroll: isStill })
    state.isFollowed = false
  }, [state, place, version, first.value, last.value, shown])
}

/** The cell under the mouse; a finger has none. */
function followPointer({ target, pointerType }: PointerEvent, state: GridState): void {
  if (pointerType !== 'mouse' || !(target instanceof Element) || state.isNarrow) return
  if (target.closest('.grid-pencil')) return
  const line = target.closest<HTMLElement>('.grid-lines [data-line]')
  const cell = target.closest<HTMLElement>('[data-column]')
  const found =
    line && cell
      ? { row: Number(line.dataset.line), column: Number(cell.dataset.column) }
      : undefined
  const { row, column } = state.hovered.peek() ?? {}
  if (row !== found?.row || column !== found?.column) state.hovered.value = found
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
  } else if (target.closest('a')) state.leave(at)
  else if (getSelection()?.isCollapsed !== false) openLine(found, state, at)
}
