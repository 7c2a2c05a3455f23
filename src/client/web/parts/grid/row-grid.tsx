/** Rows of an object in a grid that scrolls from end to end: pages load as they come into sight. */
import '@vaadin/grid/vaadin-grid.js'
import type { Grid, GridDataProviderCallback, GridDataProviderParams } from '@vaadin/grid'
import { signal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { type Schemas, take, wire } from '../../api/wire.ts'
import { go } from '../../state/address.ts'
import {
  type GridQuery,
  gridQuery,
  queryBody,
  setFilters,
  setPreset,
  setSearch,
  toggleSort,
} from '../../state/grid-query.ts'
import { gridPermissions, gridVersion, rowCount } from '../../state/grid-rows.ts'
import { followRows } from '../../state/live-rows.ts'
import { addressOfRow } from '../../state/opened-from.ts'
import { clearSelection, keyText, select, selection } from '../../state/selection.ts'
import { alignOf, formatField } from '../../fields/kinds.ts'
import { nameRow } from '../../fields/row-name.ts'
import { Button } from '../button.tsx'
import { Fault } from '../fault.tsx'

type GridRow = Schemas['FieldValues']
type Field = Schemas['MetadataField']

const PAGE = 100

const fault = signal<unknown>(undefined)

/** The grid of one object; `metadata` is that of its view. */
export function RowGrid({ metadata }: { metadata: Schemas['MetadataResult'] }) {
  const grid = useRef<Grid<GridRow>>(null)
  const query = gridQuery.value
  const asked = JSON.stringify(query)
  const provider = useMemo(
    () => planProvider(metadata, query, grid),
    [metadata, asked, gridVersion.value],
  )
  useEffect(() => clearSelection(), [metadata, asked])
  // The pages in sight are asked for again; where one has scrolled to stays.
  useEffect(() => followRows(metadata.Name, () => grid.current?.clearCache()), [metadata.Name])
  useEffect(() => selection.subscribe(() => grid.current?.requestContentUpdate()), [])
  const fields = metadata.Fields.filter(({ In, Hidden }) => In.includes('Grid') && !Hidden)
  if (fault.value !== undefined) return <Fault of={fault.value} />
  return (
    <>
      {rowCount.value === 0 && <NoRows query={query} />}
      <vaadin-grid
        ref={grid}
        hidden={rowCount.value === 0}
        pageSize={PAGE}
        dataProvider={provider}
        columnReorderingAllowed
        aria-label={metadata.Label}
        theme="no-border row-stripes"
        onactive-item-changed={({ detail }) => {
          const row = detail.value as GridRow | null | undefined
          if (row) go(addressOfRow(metadata.Slug, keyOf(metadata, row), placeOf(row)))
        }}
      >
        <vaadin-grid-column
          width="3rem"
          flexGrow={0}
          frozen
          headerRenderer={(root) => drawAllBox(root, metadata)}
          renderer={(root, _column, { item, index }) =>
            drawBox(root, metadata, item as GridRow, index)
          }
        />
        {fields.map((field) => (
          <vaadin-grid-column
            key={field.Name}
            path={field.Name}
            resizable
            autoWidth
            textAlign={alignOf(field)}
            headerRenderer={(root) => drawHead(root, field, query)}
            renderer={(root, _column, { item }) => {
              root.textContent = formatField(field, item as GridRow)
            }}
          />
        ))}
      </vaadin-grid>
    </>
  )
}

/** Words and ways on where there is nothing to show. */
function NoRows({ query }: { query: GridQuery }) {
  const isNarrowed = query.search !== '' || query.filters.length > 0 || query.preset !== undefined
  if (!isNarrowed) return <div class="empty quiet">{say('noRows')}</div>
  const widen = (): void => {
    setSearch('')
    setFilters([])
    setPreset(undefined)
  }
  return (
    <div class="empty">
      <div>{say('noRowsFound')}</div>
      <div class="quiet">{say('noRowsFoundHelp')}</div>
      <Button onClick={widen}>{say('clearFilters')}</Button>
    </div>
  )
}

/** The row that was selected last, from which Shift selects on. */
let lastSelected: number | undefined

/** Rows that are loaded, by their places in the grid. */
const loaded = new Map<number, GridRow>()

/** The place of a row that is loaded. */
const placeOf = (row: GridRow): number => [...loaded].find(([, each]) => each === row)?.[0] ?? 0

/** A box that selects a row; with Shift all rows from the last one on. */
function drawBox(
  root: HTMLElement,
  metadata: Schemas['MetadataResult'],
  row: GridRow,
  at: number,
): void {
  const known = root.querySelector('input')
  const box = known ?? document.createElement('input')
  box.type = 'checkbox'
  box.className = 'row-box'
  box.checked = selection.peek().has(keyText(metadata, row))
  box.setAttribute('aria-label', `${say('selectRow')}: ${nameRow(metadata, row)}`)
  box.onclick = ({ shiftKey }) => {
    const from = shiftKey && lastSelected !== undefined ? lastSelected : at
    const places = Array.from(
      { length: Math.abs(at - from) + 1 },
      (_, step) => Math.min(at, from) + step,
    )
    const rows = places.flatMap((place) => [loaded.get(place)].filter((each) => each !== undefined))
    select(metadata, rows.length > 0 ? rows : [row], box.checked)
    lastSelected = at
  }
  if (!known) root.append(box)
}

/** The box in the head: it selects all rows that are loaded, or none. */
function drawAllBox(root: HTMLElement, metadata: Schemas['MetadataResult']): void {
  const known = root.querySelector('input')
  const box = known ?? document.createElement('input')
  const count = selection.peek().size
  box.type = 'checkbox'
  box.className = 'row-box'
  box.checked = count > 0 && count >= loaded.size
  box.indeterminate = count > 0 && count < loaded.size
  box.setAttribute('aria-label', say('selectAll'))
  box.onclick = () => select(metadata, [...loaded.values()], box.checked)
  if (!known) root.append(box)
}

/** A head that sorts: a click by this field alone, with Shift beside the others. */
function drawHead(root: HTMLElement, { Name, Label }: Field, { sort }: GridQuery): void {
  const direction = sort.find(({ Field }) => Field === Name)?.Direction
  const known = root.querySelector('button')
  const button = known ?? document.createElement('button')
  button.className = 'grid-head'
  button.type = 'button'
  button.textContent =
    direction === undefined ? Label : `${Label} ${direction === 'asc' ? '↑' : '↓'}`
  button.onclick = (event) => toggleSort(Name, event.shiftKey)
  if (!known) root.append(button)
}

/** The parts of a row's key, as its address has them. */
const keyOf = ({ Keys }: Schemas['MetadataResult'], row: GridRow): string[] =>
  Keys.map((name) => String(row[name]))

/** Pages of a grid. No row waits for the count: it is asked for beside, and sets the size then. */
function planProvider(
  { Slug }: Schemas['MetadataResult'],
  query: GridQuery,
  grid: { readonly current: Grid<GridRow> | null },
) {
  const params = { path: { name: Slug } }
  const body = queryBody(query)
  const ask = (asked: Schemas['TableRequest']) =>
    take(wire.POST('/api/v1/svc/object/{name}/table', { params, body: { ...body, ...asked } }))
  let size: number | undefined
  let counting: Promise<void> | undefined
  const count = async (): Promise<void> => {
    const { Pagination } = await ask({ PageSize: 1, CountMode: 'exact' })
    size = Pagination.TotalRows ?? undefined
    rowCount.value = size
    if (grid.current && size !== undefined) grid.current.size = size
  }
  rowCount.value = undefined
  fault.value = undefined
  loaded.clear()
  lastSelected = undefined
  return async (
    { page, pageSize }: GridDataProviderParams<GridRow>,
    callback: GridDataProviderCallback<GridRow>,
  ): Promise<void> => {
    try {
      const asked = { Page: page + 1, PageSize: pageSize, CountMode: 'none' as const }
      const { Rows, Pagination, Permissions } = await ask(asked)
      gridPermissions.value = Permissions
      for (const [at, row] of Rows.entries()) loaded.set(page * pageSize + at, row)
      const seen = page * pageSize + Rows.length
      if (size === undefined && !Pagination.HasNext) rowCount.value = size = seen
      else if (size === undefined)
        counting ??= count().catch((thrown: unknown) => void (fault.value = thrown))
      callback(Rows, size ?? seen + 1)
    } catch (thrown) {
      fault.value = thrown
      callback([], 0)
    }
  }
}
