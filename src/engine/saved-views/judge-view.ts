/** The parts of a saved view, held against the object as its reader may see it now. */
import { Failure, type FieldErrors, invalid, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { View } from '../../model/compiled/view.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import { isOnSurface } from '../../model/view-index.ts'
import { Bindings } from '../object/bindings.ts'
import { DATE_PARTS } from '../object/date-parts.ts'
import { planFilters } from '../object/read/filter.ts'
import { requireListed, requireShown } from '../object/read/find-view.ts'
import { requireSearchText } from '../object/read/search-text.ts'
import { planSort } from '../object/read/sort.ts'
import { filterScope, findPreset } from '../object/read/table.ts'
import type { ViewUse } from '../object/view-access.ts'
import type { ViewParts } from './schema.ts'

/** One thing of a view that its object may not have, with the names that it mentions. */
interface Piece {
  /** Its place in a request: `Columns[2].Field`. */
  place: string
  names: readonly string[]
  /** @throws invalid where the reader cannot have it */
  check: () => unknown
}

/** Parts that are left of a view, and names of what is not. */
interface JudgedParts {
  parts: ViewParts
  dropped: readonly string[]
}

/**
 * Requires that each part of a view fits the object, as a request of a page does.
 * @throws validation (400) that names the place of each fault
 */
export function requireFit(use: ViewUse, parts: Partial<ViewParts>): void {
  const faults: FieldErrors = {}
  const keeps = (piece: Piece): boolean => {
    const fault = findFault(piece)
    if (fault) faults[piece.place] ??= fault.text
    return true
  }
  requireSearchText(parts.SearchText)
  judge(use, parts, keeps)
  // The bounds of a request hold for all conditions together.
  if (Object.keys(faults).length === 0) checkFilters(use, parts.Filters)
  if (Object.keys(faults).length > 0) throw validation(faults)
}

/** Leaves out what the reader of a view may not see, or what is gone, and names it. */
export function judgeParts(use: ViewUse, stored: ViewParts): JudgedParts {
  const dropped = new Set<string>()
  const keeps = (piece: Piece): boolean => {
    if (!findFault(piece)) return true
    for (const name of piece.names) dropped.add(name)
    return false
  }
  return { parts: { ...stored, ...judge(use, stored, keeps) }, dropped: [...dropped] }
}

/** Tells whether everybody who has signed in may know a name: the metadata of the view has it. */
export function isKnownToAll(view: View, name: string): boolean {
  const key = name.split(':')[0]?.toLowerCase() ?? ''
  const field =
    view.fieldByName.get(key) ?? view.linked.find((each) => each.name.toLowerCase() === key)
  if (field) return isOnSurface(view, field)
  return view.presets.some((preset) => preset.name.toLowerCase() === key)
}

function findFault({ check }: Piece): Failure | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof Failure && error.kind === 'invalid') return error
    throw error
  }
}

type Keeps = (piece: Piece) => boolean

/** The parts that name something of the object, without the pieces that are not kept. */
function judge(use: ViewUse, parts: Partial<ViewParts>, keeps: Keeps): Partial<ViewParts> {
  const { view, grant } = use
  const { Columns, Sort, Preset, GroupBy, Settings } = parts
  const keepsField = (place: string, name: string): boolean =>
    keeps({ place, names: [name], check: () => requireShown(view, grant, name) })
  const toGroups = (place: string, names: readonly string[]): string[] =>
    names.filter((name, at) =>
      keeps({ place: `${place}[${at}]`, names: [name], check: () => checkGroup(use, name) }),
    )
  const preset = { place: 'Preset', names: [Preset ?? ''], check: () => checkPreset(use, Preset) }
  return {
    Columns: Columns?.filter(({ Field }, at) => keepsField(`Columns[${at}].Field`, Field)),
    Filters: judgeFilters(use, parts.Filters, keeps),
    Sort: Sort?.filter((item, at) =>
      keeps({
        place: `Sort[${at}].Field`,
        names: [item.Field],
        check: () => planSort(view, grant, [item]),
      }),
    ),
    Preset: Preset && keeps(preset) ? Preset : null,
    GroupBy: GroupBy && toGroups('GroupBy', GroupBy),
    Settings: Settings && judgeSettings(Settings, keepsField, toGroups),
  }
}

const SETTING_FIELDS = ['Title', 'Order', 'From', 'To', 'Tone', 'Image'] as const

function judgeSettings(
  settings: NonNullable<ViewParts['Settings']>,
  keepsField: (place: string, name: string) => boolean,
  toGroups: (place: string, names: readonly string[]) => string[],
): NonNullable<ViewParts['Settings']> {
  const { Rows, Columns, Values, Chart } = settings
  const left: NonNullable<ViewParts['Settings']> = { Chart }
  for (const name of SETTING_FIELDS) {
    const field = settings[name]
    if (field && keepsField(`Settings.${name}`, field)) left[name] = field
  }
  if (Rows) left.Rows = toGroups('Settings.Rows', Rows)
  if (Columns) left.Columns = toGroups('Settings.Columns', Columns)
  if (Values)
    left.Values = Values.filter(
      ({ Field }, at) => !Field || keepsField(`Settings.Values[${at}].Field`, Field),
    )
  return left
}

function checkPreset({ view, grant }: ViewUse, name: string | null | undefined): void {
  if (name && !findPreset(view, grant, name)) throw invalid(say`Unknown preset '${name}'`)
}

/** A field, or a part of a date: `OrderedAt:month`. */
function checkGroup({ view, grant }: ViewUse, term: string): void {
  const [name = '', part] = term.split(':')
  const field = requireListed(view, grant, name)
  if (part === undefined) return
  const isPart = DATE_PARTS.some((each) => each === part.toLowerCase())
  if (!isPart || !FIELD_KINDS[field.type].isDated)
    throw invalid(say`A group is a field, or a part of a date such as '${field.name}:month'`)
}

function checkFilters({ view, grant, context }: ViewUse, filters: unknown): void {
  planFilters(filters, filterScope(view, grant, new Bindings(), context))
}

/**
 * The members of a list or a group of and, each judged by itself; another group is kept or left out
 * as a whole, since without a part it would mean something else.
 */
function judgeFilters(use: ViewUse, filters: unknown, keeps: Keeps): unknown {
  if (filters === undefined || filters === null) return filters
  const keepsOne = (place: string, filter: unknown): boolean =>
    keeps({ place, names: listNames(filter), check: () => checkFilters(use, [filter]) })
  const keepList = (list: readonly unknown[], place: string): unknown[] =>
    list.filter((filter, at) => keepsOne(`${place}[${at}]`, filter))
  if (Array.isArray(filters)) return keepList(filters, 'Filters')
  const group = membersOf(filters)
  const inner = group.get('filters')
  const logic = group.get('logic') ?? 'and'
  if (Array.isArray(inner) && typeof logic === 'string' && logic.toLowerCase() === 'and')
    return { Logic: 'and', Filters: keepList(inner, 'Filters.Filters') }
  return keepsOne('Filters', filters) ? filters : []
}

const membersOf = (value: unknown): Map<string, unknown> =>
  new Map(
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([name, member]) => [name.toLowerCase(), member])
      : [],
  )

/** Names of the fields in a condition or group. */
function listNames(filter: unknown): string[] {
  const members = membersOf(filter)
  const inner = members.get('filters')
  const own = [members.get('field'), members.get('valuefield')]
  return [
    ...own.filter((name) => typeof name === 'string'),
    ...(Array.isArray(inner) ? inner.flatMap(listNames) : []),
  ]
}
