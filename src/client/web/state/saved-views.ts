/** Saved views of the grid that is shown: own ones and shared ones, and the one of the address. */
import { computed, signal } from '@preact/signals'
import { type Schemas, take, wire } from '../api/wire.ts'
import { place, setQuery } from './address.ts'
import { readSentFilters, toSentFilters, writeFilters } from './filter-tree.ts'
import { planSavedLayout, readSavedLayout } from './grid-layout.ts'
import { gridQuery } from './grid-query.ts'

/** A view as the server keeps it. */
export type SavedView = Schemas['SavedView']

/** The views of the object by name, the caller's own first. */
export const savedViews = signal<readonly SavedView[]>([])

/** True where the caller may share views of their own. */
export const canShare = signal(false)

/** Loads the views of an object. @throws ServerError */
export async function loadViews(object: string): Promise<void> {
  const { Views, CanShare } = await take(
    wire.GET('/api/v1/svc/views', { params: { query: { object } } }),
  )
  savedViews.value = Views.filter(({ Kind }) => Kind === 'grid')
  canShare.value = CanShare
}

/** The view that the address names; undefined where it names none, or one that is gone. */
export const openedView = computed(() => {
  const id = place.value.query.get('view')
  return savedViews.value.find((view) => String(view.Id) === id)
})

const writeSort = (sort: readonly Schemas['SortField'][]): string =>
  sort.map(({ Field, Direction }) => (Direction === 'desc' ? `-${Field}` : Field)).join(',')

/** Shows a view, or all rows; the address has what it consists of, so that it can be changed. */
export function openView(view: SavedView | undefined, options?: { replace?: boolean }): void {
  setQuery(
    {
      view: view && String(view.Id),
      search: view?.SearchText ?? undefined,
      preset: view?.Preset ?? undefined,
      sort: (view && writeSort(view.Sort)) || undefined,
      filters: view && writeFilters(readSentFilters(view.Filters)),
      ...readSavedLayout(view),
      row: undefined,
    },
    options,
  )
}

/** True where the grid shows something else than the view that the address names. */
export const isViewChanged = computed(() => {
  const view = openedView.value
  if (!view) return false
  const { search, preset, sort, filters } = gridQuery.value
  return (
    search !== (view.SearchText ?? '') ||
    (preset ?? null) !== view.Preset ||
    writeSort(sort) !== writeSort(view.Sort) ||
    writeFilters(filters) !== writeFilters(readSentFilters(view.Filters)) ||
    JSON.stringify(readSavedLayout(planSavedLayout())) !== JSON.stringify(readSavedLayout(view))
  )
})

/** The parts of a view, as the grid shows them. */
function planParts(): Partial<Schemas['NewSavedView']> {
  const { search, preset, sort, filters } = gridQuery.peek()
  return {
    SearchText: search === '' ? null : search,
    Preset: preset ?? null,
    Sort: [...sort],
    Filters: toSentFilters(filters),
    ...planSavedLayout(),
  }
}

/** Name, sharing and default of a view, as its dialog asks for them. */
export type ViewFacts = Required<
  Pick<Schemas['NewSavedView'], 'Name' | 'Shared' | 'Role' | 'Default'>
>

/** Saves what the grid shows as a new view, and shows that. @throws ServerError */
export async function createView(object: string, facts: ViewFacts, key: string): Promise<void> {
  const made = await take(
    wire.POST('/api/v1/svc/views', {
      params: { header: { 'Idempotency-Key': key } },
      body: { Object: object, ...facts, ...planParts() },
    }),
  )
  await loadViews(object)
  openView(made)
}

/** Changes name, sharing and default of a view. @throws ServerError */
export async function changeView(view: SavedView, facts: ViewFacts): Promise<void> {
  await put(view, facts)
}

/** Saves what the grid shows into its view. @throws ServerError */
export async function saveView(view: SavedView): Promise<void> {
  await put(view, planParts())
}

async function put(
  { Id, Object: object, RowVersion }: SavedView,
  changes: Partial<Schemas['NewSavedView']>,
): Promise<void> {
  const params = { path: { id: Id } }
  await take(wire.PUT('/api/v1/svc/views/{id}', { params, body: { ...changes, RowVersion } }))
  await loadViews(object)
}

/** Deletes a view; the grid shows what it showed, in no view. @throws ServerError */
export async function deleteView({ Id, Object: object }: SavedView): Promise<void> {
  await take(wire.DELETE('/api/v1/svc/views/{id}', { params: { path: { id: Id } } }))
  if (openedView.value?.Id === Id) setQuery({ view: undefined })
  await loadViews(object)
}
