/** Looks after times that lie ahead: at the start, and whenever the clock was set back. */
import { Loop } from '../kernel/background.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import type { Settings } from '../kernel/settings.ts'
import { CLOCK_STEP_MS, type StoredTime } from '../kernel/stored-times.ts'
import type { Store } from '../store/store.ts'
import { moveBack } from '../store/stored-times.ts'

const LOOK_MS = 5000

/** Parts of the clock watch. */
interface ClockWatchParts {
  store: Store
  state: Store
  clock: Clock
  settings: Settings
  log: Log
}

/** The loop that looks at the clock; `times` are all that the product stores. */
export function openClockWatch(parts: ClockWatchParts, times: readonly StoredTime[]): Loop {
  const { clock, log } = parts
  let latest: number | undefined
  const look = async (): Promise<void> => {
    const now = clock.now().getTime()
    const isSetBack = latest === undefined || now < latest - CLOCK_STEP_MS
    // Tried again after a failure, with the time of the new attempt.
    if (isSetBack) await planTimesAnew(parts, times)
    latest = now
  }
  return new Loop({
    name: 'times that lie ahead',
    everyMs: LOOK_MS,
    log,
    steps: [look],
    failure: 'future times could not be planned again',
  })
}

/**
 * Plans every stored time again that lies further ahead than its own period, and logs what it was:
 * one line per column.
 */
export async function planTimesAnew(
  { store, state, clock, settings, log }: ClockWatchParts,
  times: readonly StoredTime[],
): Promise<void> {
  for (const time of times) {
    const { aheadMs } = time
    const known = { ...time, aheadMs: typeof aheadMs === 'number' ? aheadMs : aheadMs(settings) }
    const moved = await moveBack(time.in === 'engine.db' ? store : state, known, clock.now())
    if (!moved) continue
    const { table, column } = time
    const facts = { table, column, ...moved }
    log.warn('times were too far ahead and were planned again', facts)
  }
}
