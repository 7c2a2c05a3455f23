/** The arguments of a report: texts of a request as its filters type them, in the caller's zone. */
import { findDayRange } from '../../kernel/date-words.ts'
import { type FieldErrors, validation } from '../../kernel/failure.ts'
import type { Message } from '../../kernel/messages.ts'
import { dayIn, startOfDay } from '../../kernel/zones.ts'
import type { SqlArg, SqlValue } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import type { FieldFeatures } from '../../model/compiled/field-features.ts'
import type { Report } from '../../model/compiled/report.ts'
import { checkField } from '../../model/fields/check.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import { type Context, contextValue } from '../object/context.ts'
import { isReference } from '../object/form/lookup.ts'
import { type Named, readParameters } from '../object/parameters.ts'
import { loadDefault } from '../object/read/defaults.ts'
import { findFaultyReference } from '../object/rules/references.ts'
import { parseValue, toArg, toWire } from '../object/value.ts'
import type { ReportUse } from './find-report.ts'

/** Values that the datasets of a report bind beside the context, by lower-case name. */
export interface ReportArguments {
  values: ReadonlyMap<string, SqlArg>
  isRequiredMissing: boolean
}

/**
 * Takes the arguments that name filters and drops all others. A filter that is left out has its
 * Default; one that is sent blank has no value. Defaults that are queries are read last, in the
 * order of their filters, for those who may List the report.
 * @throws validation naming each filter whose value does not fit it
 */
export async function readArguments(
  reader: Reader,
  use: ReportUse,
  given: Record<string, unknown> | null | undefined,
): Promise<ReportArguments> {
  const { filters } = use.report
  const named = readParameters(given)
  const taken = new Values(use.context)
  const isQueried = ({ name, default: preset }: FieldFeatures): boolean =>
    preset?.kind === 'query' && !named.has(name.toLowerCase())
  for (const filter of filters) {
    const key = filter.name.toLowerCase()
    if (isQueried(filter)) continue
    taken.add(filter, named.has(key) ? named.get(key) : defaultOf(filter, use.context))
  }
  taken.requireSound()
  await requirePicked(reader, use, named, taken.parsed)
  for (const filter of filters)
    if (isQueried(filter))
      taken.add(filter, await loadQueriedDefault(reader, use, filter, taken.parsed))
  taken.requireSound()
  return taken
}

/**
 * Checks filters that refer to records: one that the caller may not pick is refused like one that
 * does not exist.
 * @throws validation naming each filter
 */
async function requirePicked(
  reader: Reader,
  { report, grant, context }: ReportUse,
  named: ReadonlyMap<string, unknown>,
  draft: ReadonlyMap<string, SqlValue>,
): Promise<void> {
  // Without a grant nothing is read, and a caller of all companies sees every record.
  if (!grant || grant.allCompanies) return
  const view = { ...viewOf(report), entity: undefined }
  const company = grant.caller.companyId
  const check = { reader, view, grant, context, company, draft: () => draft }
  const faults: FieldErrors = {}
  for (const filter of report.filters) {
    const key = filter.name.toLowerCase()
    if (!isReference(filter)) continue
    const fault = await findFaultyReference(check, filter, draft.get(key) ?? null, named.has(key))
    if (fault !== undefined) faults[filter.name] = fault
  }
  if (Object.keys(faults).length > 0) throw validation(faults)
}

/** The filters of a report as fields. */
const viewOf = ({ name, filters }: Report): Named & { name: string } => ({
  name,
  fieldByName: new Map(filters.map((each) => [each.name.toLowerCase(), each])),
})

/** Values of filters, taken one after another. */
class Values implements ReportArguments {
  readonly values = new Map<string, SqlArg>()
  /** The same in stored form. */
  readonly parsed = new Map<string, SqlValue>()
  isRequiredMissing = false
  readonly #context: Context
  readonly #faults: FieldErrors = {}

  constructor(context: Context) {
    this.#context = context
  }

  add(filter: FieldFeatures, argument: unknown): void {
    const key = filter.name.toLowerCase()
    const parsed = parseArgument(filter, argument, this.#context)
    if (parsed.fault !== undefined) {
      this.#faults[filter.name] = parsed.fault
      return
    }
    if (parsed.value === null && filter.required) this.isRequiredMissing = true
    this.parsed.set(key, parsed.value)
    this.values.set(key, toArg(filter, parsed.value))
    if (FIELD_KINDS[filter.type].moment !== 'day') return
    this.values.set(`${key}_start`, beginOf(parsed.first, this.#context))
    this.values.set(`${key}_end`, endOf(parsed.last, this.#context))
  }

  /** @throws validation naming each filter whose value does not fit it */
  requireSound(): void {
    if (Object.keys(this.#faults).length > 0) throw validation(this.#faults)
  }
}

function defaultOf({ default: preset }: FieldFeatures, context: Context): unknown {
  if (preset?.kind === 'literal') return preset.value
  return preset?.kind === 'context' ? contextValue(preset.parameter, context) : null
}

/** Loads the default that a query gives, in the form of a request. */
async function loadQueriedDefault(
  reader: Reader,
  { report, grant, context }: ReportUse,
  filter: FieldFeatures,
  parameters: ReadonlyMap<string, SqlValue>,
): Promise<unknown> {
  if (!grant) return null
  const view = viewOf(report)
  const value = await loadDefault(filter, { reader, view, grant, context, parameters })
  return toWire(filter, value)
}

/** A value, and for a Date the first and the last day that it means. */
type ParsedArgument =
  | {
      value: ReturnType<typeof contextValue>
      first: string | undefined
      last: string | undefined
      fault?: undefined
    }
  | { fault: Message }

/** Filters of these names take the last day of a word's range, all others its first. */
const ENDING = /(?:^t|T)o$/

function parseArgument(filter: FieldFeatures, given: unknown, context: Context): ParsedArgument {
  const text = typeof given === 'string' ? given.trim() : given
  const days = isDated(filter) && typeof text === 'string' ? findDays(text, context) : undefined
  const word = days && (ENDING.test(filter.name) ? days.to : days.from)
  const value =
    FIELD_KINDS[filter.type].moment === 'instant' && word
      ? instantOf(word, context)
      : (word ?? text)
  const parsed = parseValue(filter, value)
  if (parsed.fault !== undefined) return parsed
  const fault = checkField(parsed.value, { ...filter, required: false })
  if (fault !== undefined) return { fault }
  const day = typeof parsed.value === 'string' ? parsed.value : undefined
  return { value: parsed.value, first: days?.from ?? day, last: days?.to ?? day }
}

const isDated = ({ type }: FieldFeatures): boolean => FIELD_KINDS[type].isDated

const zoneOf = ({ caller }: Context): string => caller?.timeZone ?? 'UTC'

const findDays = (word: string, context: Context) =>
  findDayRange(word, dayIn(context.now, zoneOf(context)))

const instantOf = (day: string, context: Context): string =>
  startOfDay(day, zoneOf(context)).toISOString()

const LAST_DAY = '9999-12-31'
const LAST_INSTANT = '9999-12-31T23:59:59.999Z'

/** The first instant of a day in the caller's zone. */
const beginOf = (day: string | undefined, context: Context): string | null =>
  day === undefined ? null : instantOf(day, context)

/** The first instant after a day in the caller's zone; the last one of all after the last day. */
function endOf(day: string | undefined, context: Context): string | null {
  if (day === undefined) return null
  if (day >= LAST_DAY) return LAST_INSTANT
  return instantOf(Temporal.PlainDate.from(day).add({ days: 1 }).toString(), context)
}
