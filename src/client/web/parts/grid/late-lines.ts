/**
 * Which lines of a grid are drawn in a frame, and which in a later one: a slow machine takes a
 * third of a second for a page of cells, in which it answers nothing.
 */
import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { GridLine } from '../../state/grid-lines.ts'
import type { GridState } from './grid-state.ts'
import type { Lateness } from './line-props.ts'

/** The time that a frame may take for lines, in milliseconds. */
const FRAME_MS = 16

/** Lines that each frame draws, however slow the machine is. */
const FRAME_LINES_MIN = 4

/** How long a line takes here, in milliseconds, as the last frames of all grids did. */
let lineMs = 0

const linesPerFrame = (): number =>
  lineMs === 0 ? Infinity : Math.max(FRAME_LINES_MIN, Math.floor(FRAME_MS / lineMs))

/** Takes the time of a frame that drew lines. */
function learn(lines: number, ms: number): void {
  const each = ms / lines
  lineMs = lineMs === 0 ? each : (lineMs + each) / 2
}

/**
 * Measures the frame that draws lines: the script behind `since`, then layout and paint. A few
 * lines tell nothing: most of the time is that of the frame.
 */
function measure(lines: number, since: number): void {
  if (lines < FRAME_LINES_MIN) return
  const script = performance.now() - since
  requestAnimationFrame(() => {
    const begun = performance.now()
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => learn(lines, script + performance.now() - begun)
    port2.postMessage(0)
  })
}

/** The line whose cells stand under a key. */
interface DrawnLine {
  at: number
  row: GridLine['row']
}

interface WaitingLine {
  key: number
  at: number
}

/** Lines that are seen, before all others; the one with the focus first. */
function pickNext({ sight, place }: GridState, waiting: readonly WaitingLine[]): WaitingLine[] {
  const seen = waiting.filter(({ at }) => sight.isSeen(at))
  const focused = place.peek()?.row
  return (seen.length > 0 ? seen : [...waiting]).sort(
    (one, other) => Number(other.at === focused) - Number(one.at === focused),
  )
}

interface Lines {
  /** A key for each line from the first one on. */
  keys: readonly number[]
  first: number
}

/**
 * The lines that this frame leaves as they are, by their keys; the next frames draw them. What is
 * seen for the first time of another query is drawn at once.
 */
export function useLateLines(state: GridState, { keys, first }: Lines) {
  const since = performance.now()
  const passes = useSignal(0)
  void passes.value
  const known = useRef<{ state?: GridState; drawn: ReadonlyMap<number, DrawnLine> }>({
    drawn: new Map(),
  })
  const { drawn, state: before } = known.current
  const isOther = before !== state
  const lines = keys.flatMap((key, step) => {
    const line = state.source.at(first + step)
    return line ? [{ key, at: first + step, row: line.row, isGroup: line.group !== undefined }] : []
  })
  const waiting = lines.filter(
    ({ key, row, isGroup }) => !isGroup && (isOther || drawn.get(key)?.row !== row),
  )
  const next = pickNext(state, waiting).slice(0, isOther ? undefined : linesPerFrame())
  const late = new Map<number, Lateness>()
  const isNow = new Set(next.map(({ key }) => key))
  for (const { key, at } of waiting)
    if (!isNow.has(key)) late.set(key, drawn.get(key)?.at === at && !isOther ? 'stale' : 'hidden')
  useLayoutEffect(() => {
    const kept = lines.flatMap(({ key, at, row }): [number, DrawnLine][] => {
      const line = late.has(key) ? (isOther ? undefined : drawn.get(key)) : { at, row }
      return line ? [[key, line]] : []
    })
    known.current = { state, drawn: new Map(kept) }
    measure(next.length, since)
  })
  useEffect(() => {
    if (late.size > 0) passes.value++
  })
  return late
}
