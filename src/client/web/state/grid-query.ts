/**
 * The query of a grid, as its address has it: `?search=mill&preset=Open&sort=Name,-Total` and
 * `filters=[["Status","eq","new"]]`, groups of them as `{"or":[...]}`.
 */
import type { Schemas } from '../api/wire.ts'
import { place, setQuery } from './address.ts'
import { type FilterNode, readFilters, toSentFilters, writeFilters } from './filter-tree.ts'
import { stable } from './stable.ts'

type SortField = Schemas['SortField']

/** The query of the grid that is shown. */
export interface GridQuery {
  search: string
  preset: string | undefined
  sort: readonly SortField[]
  filters: readonly FilterNode[]
}

/** The query of a grid as an address has it; a part that is no filter is passed over. */
export const readGridQuery = (query: URLSearchParams): GridQuery => ({
  search: query.get('search') ?? '',
  preset: query.get('preset') ?? undefined,
  sort: (query.get('sort') ?? '').split(',').filter(Boolean).map(readSort),
  filters: readFilters(query.get('filters') ?? '[]'),
})

/** The query of the present address. */
export const gridQuery = stable(() => readGridQuery(place.value.query))

const readSort = (text: string): SortField =>
  text.startsWith('-')
    ? { Field: text.slice(1), Direction: 'desc' }
    : { Field: text, Direction: 'asc' }

/** Filters, search, sort and preset of a request. */
interface QueryBody {
  SearchText?: string
  Preset?: string
  Sort?: SortField[]
  Filters?: ReturnType<typeof toSentFilters>
}

/** The query as requests for its rows bear it. */
export const queryBody = ({ search, preset, sort, filters }: GridQuery): QueryBody => ({
  ...(search !== '' && { SearchText: search }),
  ...(preset !== undefined && { Preset: preset }),
  ...(sort.length > 0 && { Sort: [...sort] }),
  ...(filters.length > 0 && {
    Filters: toSentFilters(filters),
  }),
})

/** Another query begins at its first row. */
const ask = (changes: Record<string, string | undefined>, options?: { replace?: boolean }): void =>
  setQuery({ ...changes, row: undefined }, options)

/** Searches for another text; typing leaves no steps behind for Back. */
export const setSearch = (text: string): void =>
  ask({ search: text === '' ? undefined : text }, { replace: true })

/** Takes another preset, or none. */
export const setPreset = (name: string | undefined): void => ask({ preset: name })

/** Shows these filters. */
export const setFilters = (filters: readonly FilterNode[]): void =>
  ask({ filters: writeFilters(filters) })

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
  ask({ sort: [...names, ...(next === undefined ? [] : [next])].join(',') || undefined })
}
