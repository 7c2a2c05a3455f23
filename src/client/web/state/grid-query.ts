/**
 * The query of a grid, as its address has it: `?search=mill&preset=Open&sort=Name,-Total` and
 * `filters=[["Status","eq","new"]]`.
 */
import { computed } from '@preact/signals'
import type { Schemas } from '../api/wire.ts'
import { place, setQuery } from './address.ts'

type SortField = Schemas['SortField']

/** One condition of a grid. */
export interface GridFilter {
  Field: string
  Operator: Schemas['FilterOperator']
  Value: string | readonly string[] | null
}

/** The query of the grid that is shown. */
export interface GridQuery {
  search: string
  preset: string | undefined
  sort: readonly SortField[]
  filters: readonly GridFilter[]
}

/** The query of a grid as an address has it; what is no filter there is none. */
export const readGridQuery = (query: URLSearchParams): GridQuery => ({
  search: query.get('search') ?? '',
  preset: query.get('preset') ?? undefined,
  sort: (query.get('sort') ?? '').split(',').filter(Boolean).map(readSort),
  filters: readFilters(query.get('filters') ?? '[]'),
})

/** The query of the present address. */
export const gridQuery = computed(() => readGridQuery(place.value.query))

const readSort = (text: string): SortField =>
  text.startsWith('-')
    ? { Field: text.slice(1), Direction: 'desc' }
    : { Field: text, Direction: 'asc' }

function readFilters(text: string): GridFilter[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value)
      ? value.filter(isTriple).map(([Field, Operator, Value]) => ({ Field, Operator, Value }))
      : []
  } catch {
    // An address that was typed wrongly shows all rows; the chips say what holds.
    return []
  }
}

type Triple = [GridFilter['Field'], GridFilter['Operator'], GridFilter['Value']]

const isTriple = (value: unknown): value is Triple =>
  Array.isArray(value) &&
  value.length === 3 &&
  typeof value[0] === 'string' &&
  typeof value[1] === 'string'

/** Filters, search, sort and preset of a request. */
interface QueryBody {
  SearchText?: string
  Preset?: string
  Sort?: SortField[]
  Filters?: Schemas['Filter'][]
}

/** The query as requests for its rows bear it. */
export const queryBody = ({ search, preset, sort, filters }: GridQuery): QueryBody => ({
  ...(search !== '' && { SearchText: search }),
  ...(preset !== undefined && { Preset: preset }),
  ...(sort.length > 0 && { Sort: [...sort] }),
  ...(filters.length > 0 && {
    Filters: filters.map((filter) => ({ ...filter, Value: filter.Value as string })),
  }),
})

/** Searches for another text; typing leaves no steps behind for Back. */
export const setSearch = (text: string): void =>
  setQuery({ search: text === '' ? undefined : text }, { replace: true })

/** Takes another preset, or none. */
export const setPreset = (name: string | undefined): void => setQuery({ preset: name })

/** Shows these filters. */
export const setFilters = (filters: readonly GridFilter[]): void =>
  setQuery({
    filters:
      filters.length === 0
        ? undefined
        : JSON.stringify(filters.map(({ Field, Operator, Value }) => [Field, Operator, Value])),
  })

/**
 * Sorts by a field: upwards, then downwards, then not. With `isAdded` the other fields of the sort
 * stay before it.
 */
export function toggleSort(field: string, isAdded: boolean): void {
  const { sort } = gridQuery.value
  const now = sort.find(({ Field }) => Field === field)?.Direction
  const next = now === undefined ? field : now === 'asc' ? `-${field}` : undefined
  const others = isAdded ? sort.filter(({ Field }) => Field !== field) : []
  const names = others.map(({ Field, Direction }) => (Direction === 'desc' ? `-${Field}` : Field))
  setQuery({ sort: [...names, ...(next === undefined ? [] : [next])].join(',') || undefined })
}
