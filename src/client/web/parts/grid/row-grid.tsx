/** Rows of an object in a grid that scrolls from end to end: pages load as they come into sight. */
import '@vaadin/grid/vaadin-grid.js'
import type { Grid, GridDataProviderCallback, GridDataProviderParams } from '@vaadin/grid'
import { useMemo, useRef } from 'preact/hooks'
import { type Schemas, take, wire } from '../../api/wire.ts'
import { addressOf, go } from '../../state/address.ts'
import { alignOf, formatField } from '../../fields/kinds.tsx'

type GridRow = Schemas['FieldValues']

const PAGE = 100

/** The grid of one object; `metadata` is that of its view. */
export function RowGrid({ metadata }: { metadata: Schemas['MetadataResult'] }) {
  const grid = useRef<Grid<GridRow>>(null)
  const provider = useMemo(() => planProvider(metadata), [metadata])
  const fields = metadata.Fields.filter(({ In, Hidden }) => In.includes('Grid') && !Hidden)
  return (
    <vaadin-grid
      ref={grid}
      pageSize={PAGE}
      dataProvider={provider}
      columnReorderingAllowed
      multiSort
      aria-label={metadata.Label}
      theme="no-border row-stripes"
      onactive-item-changed={({ detail }) => {
        const row = detail.value as GridRow | null | undefined
        if (row) go(addressOf(['object', metadata.Slug, ...keyOf(metadata, row)]))
      }}
    >
      {fields.map((field) => (
        <vaadin-grid-column
          key={field.Name}
          path={field.Name}
          header={field.Label}
          resizable
          autoWidth
          textAlign={alignOf(field)}
          renderer={(root, _column, { item }) => {
            root.textContent = formatField(field, item as GridRow)
          }}
        />
      ))}
    </vaadin-grid>
  )
}

/** The parts of a row's key, as its address has them. */
const keyOf = ({ Keys }: Schemas['MetadataResult'], row: GridRow): string[] =>
  Keys.map((name) => String(row[name]))

/** Pages of a grid: the first comes without a count, which comes behind it. */
function planProvider({ Slug }: Schemas['MetadataResult']) {
  let size: number | undefined
  return async (
    { page, pageSize }: GridDataProviderParams<GridRow>,
    callback: GridDataProviderCallback<GridRow>,
  ): Promise<void> => {
    const body = {
      Page: page + 1,
      PageSize: pageSize,
      CountMode: size === undefined ? 'exact' : 'none',
    } as const
    const params = { path: { name: Slug } }
    const { Rows, Pagination } = await take(
      wire.POST('/api/v1/svc/object/{name}/table', { params, body }),
    )
    size ??= Pagination.TotalRows ?? undefined
    callback(Rows, size)
  }
}
