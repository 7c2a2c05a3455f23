/** Explanations of a reading, as a sentence in the language of the question. */
import { Message, say } from '../../../kernel/messages.ts'
import type { Operator } from '../../../model/operators.ts'
import { type BuiltRequest, decide, listSent, nameOfAggregate, type SentFilter } from './decide.ts'
import { type Draft, isDated, type RelatedDraft } from './draft.ts'
import type { ReachedField, Subject } from './scope.ts'

type Part = Message | string
type Explained = Pick<Draft, 'subject' | 'filters' | 'takenOver' | 'periods' | 'related'>

/** `Orders: sum of Total by Region, where Status is Shipped`. */
export function explain(draft: Explained, request: BuiltRequest): Message {
  const { subject, filters } = draft
  const named = toNames(filters)
  const parts: Part[] = [listWhat(subject, request)]
  const by = (request.GroupBy ?? []).map((name) => nameGroup(subject, name))
  if (by.length > 0) parts.push(say`by ${join(by)}`)
  const conditions = (request.Filters ?? []).map((filter) => sayFilter(subject, filter, named))
  for (const { Field, Operator, Value } of request.Having ?? []) {
    const about = (request.Aggregates ?? []).find((each) => nameOfAggregate(each) === Field)
    const of = about ? sayAggregate(subject, about) : Field
    conditions.push(SENTENCES[Operator as Operator](of, sayValue(subject, '', Value)))
  }
  const preset = subject.view.presets.find(({ name }) => name === request.Preset)
  if (preset) conditions.push(say`in “${textOf(preset.label)}”`)
  const related = draft.related && sayRelated(draft.related)
  if (related) conditions.push(related)
  if (conditions.length > 0) parts.push(join(conditions))
  const [sort] = request.Sort ?? []
  if (sort) parts.push(saySort(subject, request, sort))
  if (typeof request.Limit === 'number') parts.push(say`the first ${request.Limit}`)
  const told = new Message('{0}: {1}', [subject.label, join(parts)])
  const taken = listTaken(draft, request, named)
  return taken.length > 0 ? say`${told}; from your question before: ${join(taken)}` : told
}

/** `without Orders (Status is new)`. */
function sayRelated({ rows, member }: RelatedDraft): Message {
  const { Filters = [], Preset } = decide(rows)
  const { subject, filters } = rows
  const named = toNames(filters)
  const preset = subject.view.presets.find(({ name }) => name === Preset)
  const conditions = [
    ...Filters.map((each) => sayFilter(subject, each, named)),
    ...(preset ? [say`in “${textOf(preset.label)}”`] : []),
  ]
  const { label } = subject
  const told = member === 'With' ? say`with ${label}` : say`without ${label}`
  return conditions.length > 0 ? say`${told} (${join(conditions)})` : told
}

/** The groups and figures of a request, as its explanation says them. */
export const explainColumns = ({ subject }: Explained, request: BuiltRequest) => ({
  groups: (request.GroupBy ?? []).map((name) => nameGroup(subject, name)),
  figures: (request.Aggregates ?? []).map((each) => sayAggregate(subject, each)),
})

/** The parts of a request that are those of the question before. */
function listTaken(
  { subject, takenOver, periods, related }: Explained,
  request: BuiltRequest,
  named: Names,
) {
  const has = (paths: readonly string[], filter: SentFilter): boolean =>
    'Logic' in filter
      ? filter.Filters.some((each) => has(paths, each))
      : paths.includes(filter.Field)
  const fields = subject.fields.filter(isDated).map(({ path }) => path)
  const paths = [
    ...[...takenOver].flatMap((each) =>
      typeof each === 'object' && 'at' in each ? [each.at.path] : [],
    ),
    ...(periods.some((each) => takenOver.has(each)) ? fields : []),
  ]
  const preset = subject.view.presets.find(({ name }) => name === request.Preset)
  const by = (request.GroupBy ?? []).map((name) => nameGroup(subject, name))
  return [
    ...(takenOver.has('what') && request.Aggregates ? [listWhat(subject, request)] : []),
    ...(takenOver.has('groups') && by.length > 0 ? [say`by ${join(by)}`] : []),
    ...(request.Filters ?? [])
      .filter((each) => has(paths, each))
      .map((each) => sayFilter(subject, each, named)),
    ...(takenOver.has('related') && related ? [sayRelated(related)] : []),
    ...(takenOver.has('preset') && preset ? [say`in “${textOf(preset.label)}”`] : []),
  ]
}

const textOf = (label: string | Message): Message => new Message('{0}', [label])

function join(parts: readonly Part[]): Part {
  const [first, ...rest] = parts
  if (first === undefined) return ''
  return rest.reduce<Part>((before, part) => new Message('{0}, {1}', [before, part]), first)
}

function listWhat(subject: Subject, { Aggregates, Fields }: BuiltRequest): Part {
  if (!Aggregates?.length)
    return Fields?.length ? join(Fields.map((f) => nameOf(subject, f))) : say`all rows`
  return join(Aggregates.map((each) => sayAggregate(subject, each)))
}

function sayAggregate(
  subject: Subject,
  { Function: word, Field, Filters, Per }: NonNullable<BuiltRequest['Aggregates']>[number],
): Part {
  if (Per) {
    const each = Field ? say`sum of ${nameOf(subject, Field)}` : say`count`
    return say`average of: ${each} per ${nameGroup(subject, Per)}`
  }
  const what = sayFunction(subject, word, Field)
  const conditions = listSent(Filters)
  if (conditions.length === 0) return what
  return say`${what} (${join(conditions.map((each) => sayFilter(subject, each, new Map())))})`
}

function sayFunction(subject: Subject, word: string, Field: string | null | undefined): Part {
  if (word === 'share')
    return Field ? say`share of ${nameOf(subject, Field)} in percent` : say`share in percent`
  if (!Field) return say`count`
  const name = nameOf(subject, Field)
  if (word === 'sum') return say`sum of ${name}`
  if (word === 'avg') return say`average of ${name}`
  if (word === 'min') return say`lowest ${name}`
  if (word === 'max') return say`highest ${name}`
  return say`number of different ${name}`
}

const find = ({ fields, lists }: Subject, path: string): ReachedField | undefined =>
  [...fields, ...lists].find((each) => each.path.toLowerCase() === path.toLowerCase())

/** `Customer: Region`. */
function nameOf(subject: Subject, path: string): Part {
  const at = find(subject, path)
  if (!at) return path
  return at.via ? new Message('{0}: {1}', [nameOf(subject, at.via.path), at.label]) : at.label
}

function nameGroup(subject: Subject, name: string): Part {
  const at = name.lastIndexOf(':')
  if (at < 0) return nameOf(subject, name)
  const field = nameOf(subject, name.slice(0, at))
  const part = name.slice(at + 1)
  if (part === 'hour') return say`hour (${field})`
  if (part === 'weekday') return say`day of the week (${field})`
  if (part === 'week') return say`week (${field})`
  if (part === 'month') return say`month (${field})`
  if (part === 'quarter') return say`quarter (${field})`
  return part === 'year' ? say`year (${field})` : say`day (${field})`
}

/** Names of records by the conditions that they are the values of. */
type Names = ReadonlyMap<string, string | undefined>

const toNames = (filters: Draft['filters']): Names =>
  new Map(filters.map(({ at, value, named }) => [toKey(at.path, value), named]))

const toKey = (path: string, value: unknown): string => `${path} ${JSON.stringify(value)}`

function sayFilter(subject: Subject, filter: SentFilter, named: Names): Part {
  if ('Logic' in filter)
    return filter.Filters.map((each) => sayFilter(subject, each, named)).reduce<Part>(
      (before, each) => (before === '' ? each : say`${before} or ${each}`),
      '',
    )
  const { Field, Operator, Value, ValueField } = filter
  const name = nameGroup(subject, Field)
  if (ValueField !== undefined) return sayCompared(subject, filter, nameOf(subject, ValueField))
  const value = named.get(toKey(Field, Value)) ?? sayValue(subject, Field, Value)
  return SENTENCES[Operator](name, value)
}

/** `Shipped after Due`, `Stock under Reorder level`. */
function sayCompared(
  subject: Subject,
  { Field, Operator }: Extract<SentFilter, { Field: string }>,
  other: Part,
): Part {
  const name = nameOf(subject, Field)
  const at = find(subject, Field)
  if (!at || !isDated(at)) return SENTENCES[Operator](name, other)
  return (DAY_SENTENCES[Operator] ?? SENTENCES[Operator])(name, other)
}

type Sentence = (name: Part, value: Part) => Part

const DAY_SENTENCES: Readonly<Partial<Record<Operator, Sentence>>> = {
  gt: (name, other) => say`${name} after ${other}`,
  ge: (name, other) => say`${name} not before ${other}`,
  lt: (name, other) => say`${name} before ${other}`,
  le: (name, other) => say`${name} not after ${other}`,
}

const SENTENCES: Readonly<Record<Operator, Sentence>> = {
  eq: (name, value) => say`${name} is ${value}`,
  ne: (name, value) => say`${name} is not ${value}`,
  gt: (name, value) => say`${name} over ${value}`,
  ge: (name, value) => say`${name} from ${value}`,
  lt: (name, value) => say`${name} under ${value}`,
  le: (name, value) => say`${name} up to ${value}`,
  in: (name, value) => say`${name} is one of ${value}`,
  notIn: (name, value) => say`${name} is not one of ${value}`,
  contains: (name, value) => say`${name} contains ${value}`,
  notContains: (name, value) => say`${name} without ${value}`,
  startsWith: (name, value) => say`${name} begins with ${value}`,
  notStartsWith: (name, value) => say`${name} does not begin with ${value}`,
  endsWith: (name, value) => say`${name} ends with ${value}`,
  notEndsWith: (name, value) => say`${name} does not end with ${value}`,
  between: (name, value) => say`${name} between ${value}`,
  isNull: (name) => say`${name} is empty`,
  isNotNull: (name) => say`${name} is not empty`,
}

/** Labels of options, yes and no, and the words that the caller typed for a record. */
function sayValue(subject: Subject, path: string, value: unknown): Part {
  if (path.endsWith(':weekday') && typeof value === 'number')
    return listDays()[value - 1] ?? String(value)
  if (Array.isArray(value)) return join(value.map((each) => sayValue(subject, path, each)))
  const field = find(subject, path)?.field
  const option = field?.options.find((each) => each.value === String(value))
  if (option) return textOf(option.label)
  if (value === true) return say`yes`
  if (value === false) return say`no`
  return dateWord(value) ?? String(value)
}

const listDays = (): Message[] => [
  ...[say`Monday`, say`Tuesday`, say`Wednesday`, say`Thursday`, say`Friday`],
  ...[say`Saturday`, say`Sunday`],
]

function dateWord(value: unknown): Message | undefined {
  if (value === 'today') return say`today`
  if (value === 'yesterday') return say`yesterday`
  if (value === 'tomorrow') return say`tomorrow`
  if (value === 'thisWeek') return say`this week`
  if (value === 'lastWeek') return say`last week`
  if (value === 'nextWeek') return say`next week`
  if (value === 'thisMonth') return say`this month`
  if (value === 'lastMonth') return say`last month`
  if (value === 'nextMonth') return say`next month`
  if (value === 'thisQuarter') return say`this quarter`
  if (value === 'lastQuarter') return say`last quarter`
  if (value === 'nextQuarter') return say`next quarter`
  if (value === 'thisYear') return say`this year`
  if (value === 'lastYear') return say`last year`
  return value === 'nextYear' ? say`next year` : undefined
}

function saySort(
  subject: Subject,
  { Aggregates }: BuiltRequest,
  { Field, Direction }: { Field: string; Direction?: string | undefined },
): Part {
  const isDown = Direction === 'desc'
  const isOwn = find(subject, Field) !== undefined
  if (!isOwn && Aggregates?.length) return isDown ? say`the highest first` : say`the lowest first`
  const name = nameOf(subject, Field)
  return isDown ? say`${name} descending` : say`${name} ascending`
}
