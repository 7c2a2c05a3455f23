/** Schedules of procedures and reports. */
import { findCronFault } from '../../kernel/cron.ts'
import { isZone } from '../../kernel/zones.ts'
import { placeOf, readFlag, readText, readWith } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { checkRole } from './effects.ts'
import { suggest } from './fault-list.ts'
import type { MissedRuns, Schedule } from '../compiled/schedule.ts'
import type { Element } from '../parse/element.ts'

/** The fields of a cron expression, with their least and greatest value. */
const CRON_FIELDS = [
  ['minute', 0, 59],
  ['hour', 0, 23],
  ['day of the month', 1, 31],
  ['month', 1, 12],
  ['day of the week', 0, 7],
] as const

/** A schedule of what takes `parameters`. */
export function compileSchedule(
  c: Compilation,
  element: Element,
  parameters: readonly string[],
): Schedule {
  const cron = (readText(element, 'Cron') ?? '').trim().split(/\s+/)
  checkCron(c, element, cron)
  const timeZone = readText(element, 'TimeZone')
  if (timeZone !== undefined && !isZone(timeZone))
    c.faults.add(placeOf(element, 'TimeZone'), `TimeZone: there is no zone ${timeZone}`)
  const to = readText(element, 'To')
  if (to !== undefined) checkRole(c, to, placeOf(element, 'To'))
  return {
    cron: cron.join(' '),
    timeZone,
    perCompany: readFlag(element, 'PerCompany') ?? false,
    missed: (readText(element, 'Missed') ?? 'Relaxed') as MissedRuns,
    arguments: compileArguments(c, element, parameters),
    to,
  }
}

function checkCron(c: Compilation, element: Element, fields: readonly string[]): void {
  let isCron = true
  for (const [at, [what, least, greatest]] of CRON_FIELDS.entries()) {
    if (isCronField(fields[at] ?? '', least, greatest)) continue
    isCron = false
    const range = `${least} to ${greatest}, lists, ranges and steps`
    c.faults.add(
      placeOf(element, 'Cron'),
      `Cron: "${fields[at] ?? ''}" is not a valid ${what}: use * or ${range}`,
    )
  }
  if (!isCron) return
  const fault = findCronFault({ cron: fields.join(' '), timeZone: 'UTC' })
  if (fault !== undefined) c.faults.add(placeOf(element, 'Cron'), `Cron: ${fault}`)
}

function isCronField(field: string, least: number, greatest: number): boolean {
  return field.split(',').every((part) => {
    const match = /^(\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/([1-9]\d?))?$/.exec(part)
    if (!match) return false
    if (match[1] === '*') return true
    const from = Number(match[2])
    const to = Number(match[3] ?? match[2])
    return from >= least && to <= greatest && from <= to
  })
}

/** Compiles the arguments, which are all literals: no row is there to take a value from. */
function compileArguments(
  c: Compilation,
  element: Element,
  parameters: readonly string[],
): Record<string, string | null> {
  const spelling = new Map(parameters.map((name) => [name.toLowerCase(), name]))
  const values: Record<string, string | null> = {}
  for (const { name, literal } of readWith(element)) {
    const known = spelling.get(name.toLowerCase())
    if (known === undefined)
      c.faults.add(
        placeOf(element, 'With'),
        `With: there is no parameter ${name}${suggest(name, parameters)}`,
      )
    else if (literal === undefined)
      c.faults.add(
        placeOf(element, 'With'),
        `With: a schedule has no row to take ${name} from: write ${name}='…'`,
      )
    else values[known] = literal
  }
  return values
}
