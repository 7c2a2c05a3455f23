/** Durations and the working calendar of a workflow. */
import { findChild, placeOf, readText, readWords } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { CONTEXT_ONLY } from './parameters.ts'
import { compileRead, textSource } from './sql.ts'
import type { WorkCalendar, WorkDuration } from '../compiled/workflow.ts'
import type { Element } from '../parse/element.ts'

const WEEKDAYS: readonly string[] = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

const WORKING_DAYS: readonly number[] = [1, 2, 3, 4, 5]

const DAY_MINUTES = 24 * 60

/** A duration as in `2d`, `8h` or `30m`; undefined where it is left out. */
export function readDuration(element: Element, attribute: string): WorkDuration | undefined {
  const text = readText(element, attribute)?.trim()
  if (text === undefined) return undefined
  return { count: Number(text.slice(0, -1)), unit: text.slice(-1) as WorkDuration['unit'] }
}

/** The Calendar among an element's children. */
export function compileCalendar(c: Compilation, parent: Element): WorkCalendar | undefined {
  const element = findChild(parent, 'Calendar')
  if (!element) return undefined
  const days = readWords(element, 'Days').map((day) => WEEKDAYS.indexOf(day) + 1)
  const from = readMinutes(element, 'From') ?? 0
  const to = readMinutes(element, 'To') ?? DAY_MINUTES
  if (to <= from) c.faults.add(placeOf(element, 'To'), 'To must be after From')
  const child = findChild(element, 'Holidays')
  const holidays = child && compileRead(c, textSource(c, child), CONTEXT_ONLY)
  return { days: days.length > 0 ? days : WORKING_DAYS, from, to, holidays }
}

function readMinutes(element: Element, attribute: string): number | undefined {
  const [hours, minutes] = (readText(element, attribute) ?? '').split(':').map(Number)
  return hours === undefined || minutes === undefined ? undefined : hours * 60 + minutes
}
