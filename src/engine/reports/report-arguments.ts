/** The arguments of a report: texts of a request as its filters type them, in the caller's zone. */
import { validation } from '../../kernel/failure.ts'
import type { FieldErrors } from '../../kernel/failure.ts'
import type { Message } from '../../kernel/messages.ts'
import { dayIn, startOfDay } from '../../kernel/zones.ts'
import { checkField } from '../../model/fields/check.ts'
import type { FieldFeatures, Report } from '../../model/model.ts'
import type { SqlArg } from '../../store/sql.ts'
import { contextValue } from '../object/context.ts'
import type { Context } from '../object/context.ts'
import { readParameters } from '../object/parameters.ts'
import { findDayRange } from '../object/read/date-words.ts'
import { parseValue, toArg } from '../object/value.ts'

/** What the datasets of a report bind beside the context, by lower-case name. */
export interface ReportArguments {
  values: ReadonlyMap<string, SqlArg>
  isRequiredMissing: boolean
}

/**
 * Takes the arguments that name filters and drops all others. A filter that is left out has its
 * Default; one that is sent blank has no value.
 * @throws validation naming each filter whose value does not fit it
 */
export function readArguments(
  { filters }: Report,
  given: Record<string, unknown> | null | undefined,
  context: Context,
): ReportArguments {
  const named = readParameters(given)
  const values = new Map<string, SqlArg>()
  const faults: FieldErrors = {}
  let isRequiredMissing = false
  for (const filter of filters) {
    const key = filter.name.toLowerCase()
    const argument = named.has(key) ? named.get(key) : defaultOf(filter, context)
    const parsed = parseArgument(filter, argument, context)
    if (parsed.fault !== undefined) {
      faults[filter.name] = parsed.fault
      continue
    }
    if (parsed.value === null && filter.required) isRequiredMissing = true
    values.set(key, toArg(filter, parsed.value))
    if (filter.type === 'Date') values.set(`${key}_end`, endOf(parsed.last, context))
  }
  if (Object.keys(faults).length > 0) throw validation(faults)
  return { values, isRequiredMissing }
}

function defaultOf({ default: preset }: FieldFeatures, context: Context): unknown {
  if (preset?.kind === 'literal') return preset.value
  return preset?.kind === 'context' ? contextValue(preset.parameter, context) : null
}

/** A value, and for a Date its last day. */
type ParsedArgument =
  | { value: ReturnType<typeof contextValue>; last: string | undefined; fault?: undefined }
  | { fault: Message }

/** Filters of these names take the last day of what a word means, all others its first. */
const ENDING = /(?:^t|T)o$/

function parseArgument(filter: FieldFeatures, given: unknown, context: Context): ParsedArgument {
  const text = typeof given === 'string' ? given.trim() : given
  const days = isDated(filter) && typeof text === 'string' ? findDays(text, context) : undefined
  const word = days && (ENDING.test(filter.name) ? days.to : days.from)
  const value = filter.type === 'DateTime' && word ? instantOf(word, context) : (word ?? text)
  const parsed = parseValue(filter, value)
  if (parsed.fault !== undefined) return parsed
  const fault = checkField(parsed.value, { ...filter, required: false })
  if (fault !== undefined) return { fault }
  const day = typeof parsed.value === 'string' ? parsed.value : undefined
  return { value: parsed.value, last: days?.to ?? day }
}

const isDated = ({ type }: FieldFeatures): boolean => type === 'Date' || type === 'DateTime'

const zoneOf = ({ caller }: Context): string => caller?.timeZone ?? 'UTC'

const findDays = (word: string, context: Context) =>
  findDayRange(word, dayIn(context.now, zoneOf(context)))

const instantOf = (day: string, context: Context): string =>
  startOfDay(day, zoneOf(context)).toISOString()

const LAST_DAY = '9999-12-31'
const LAST_INSTANT = '9999-12-31T23:59:59.999Z'

/** The first instant after a day in the caller's zone; the last one of all after the last day. */
function endOf(day: string | undefined, context: Context): string | null {
  if (day === undefined) return null
  if (day >= LAST_DAY) return LAST_INSTANT
  return instantOf(Temporal.PlainDate.from(day).add({ days: 1 }).toString(), context)
}
