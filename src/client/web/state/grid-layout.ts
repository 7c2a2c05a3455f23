/**
 * The layout of a grid, as its address has it: columns with width and pin in their order
 * (`columns=Number:140:start,Customer,Total`), groups (`group=Status,OrderedAt:month`), sums of
 * columns (`totals=Total:sum`), and the first row in sight (`row=120`).
 */
import type { Schemas } from '../api/wire.ts'
import { place, setQuery } from './address.ts'
import { hasCondition } from './group-condition.ts'
import { stable } from './stable.ts'

type Field = Schemas['MetadataField']

/** The edge at which a column stays while the others scroll. */
export type Pin = 'start' | 'end'

/** Functions that a column can be summed up by, in the order in which they are offered. */
export const TOTAL_FUNCTIONS = ['sum', 'avg', 'min', 'max'] as const

type TotalFunction = (typeof TOTAL_FUNCTIONS)[number]

/** A column of a grid. */
export interface GridColumn {
  field: Field
  /** In pixels; undefined where it goes by what it holds. */
  width: number | undefined
  pin: Pin | undefined
}

/** How a column is summed up at the foot and in the heads of groups. */
export interface ColumnTotal {
  field: string
  function: TotalFunction
}

const SIDES: ReadonlySet<string> = new Set(['start', 'end'])

/** Pixels that a column can have, as a saved view takes them. */
const [WIDTH_MIN, WIDTH_MAX] = [20, 4000]

/** The width of a column as an address has it; undefined for none. */
const readWidth = (text: string | undefined): number | undefined =>
  Number(text) > 0 ? Math.round(Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, Number(text)))) : undefined

const listOf = (name: string): string[] =>
  (place.value.query.get(name) ?? '').split(',').filter(Boolean)

/** The columns of the address, as it has them. */
const columnNames = stable(() => listOf('columns'))

/** Fields of a view that a grid can show. */
export const listGridFields = ({ Fields }: Schemas['MetadataResult']): Field[] =>
  Fields.filter(({ In, Hidden }) => In.includes('Grid') && !Hidden)

/** Columns that are shown: those of the address, else all of the view; pinned ones outermost. */
export function listColumns(metadata: Schemas['MetadataResult']): GridColumn[] {
  const fields = listGridFields(metadata)
  const named = columnNames.value.flatMap((text, at, all) => {
    const [name, width, pin = ''] = text.split(':')
    const isFirst = all.findIndex((each) => each.split(':')[0] === name) === at
    const field = fields.find(({ Name }) => Name === name)
    return field && isFirst ? [readColumn(field, width, pin)] : []
  })
  const columns =
    named.length > 0
      ? named
      : fields.map((field): GridColumn => ({ field, width: undefined, pin: undefined }))
  const at = (pin: Pin | undefined): GridColumn[] => columns.filter((each) => each.pin === pin)
  return [...at('start'), ...at(undefined), ...at('end')]
}

const readColumn = (field: Field, width: string | undefined, pin: string): GridColumn => ({
  field,
  width: readWidth(width),
  pin: SIDES.has(pin) ? (pin as Pin) : undefined,
})

/** Columns as an address has them. */
export const writeColumns = (columns: readonly GridColumn[]): string =>
  columns
    .map(({ field, width, pin }) =>
      [field.Name, width === undefined ? '' : String(Math.round(width)), pin ?? '']
        .join(':')
        .replace(/:+$/, ''),
    )
    .join(',')

/** Shows these columns; undefined shows those of the view. Steps of a drag leave none for Back. */
export const setColumns = (
  columns: readonly GridColumn[] | undefined,
  options?: { replace?: boolean },
): void => setQuery({ columns: columns && writeColumns(columns) }, options)

/** The name that stands in place of a field where rows stand in their tree. */
export const TREE_NAME = '@tree'

/**
 * The fields by which rows are grouped, outermost first: `Status`, `OrderedAt:month`. A part of a
 * date by which no filter finds rows, as `OrderedAt:weekday`, is passed over.
 */
export const groupNames = stable((): readonly string[] =>
  listOf('group').filter((name) => hasCondition(name)),
)

const FUNCTIONS: ReadonlySet<string> = new Set(TOTAL_FUNCTIONS)

/** The sums that are shown. */
export const columnTotals = stable((): readonly ColumnTotal[] =>
  listOf('totals').flatMap((text) => {
    const [field, name] = text.split(':')
    return field !== undefined && name !== undefined && FUNCTIONS.has(name)
      ? [{ field, function: name as TotalFunction }]
      : []
  }),
)

/** Totals as an address has them; undefined without one. */
export const writeTotals = (totals: readonly ColumnTotal[]): string | undefined =>
  totals.map((each) => `${each.field}:${each.function}`).join(',') || undefined

/** The highest number of a row that an address can name: the server has no page behind it. */
const ROW_MAX = 1_000_000_000

/** The number of the first row in sight, from 0, at which a grid opens. */
export const firstRow = (): number => {
  const row = Number(place.peek().query.get('row') ?? 0)
  return Number.isSafeInteger(row) && row > 0 && row <= ROW_MAX ? row : 0
}

/** The layout as a saved view keeps it. */
type SavedLayout = Pick<Schemas['NewSavedView'], 'Columns' | 'GroupBy' | 'Settings'>

/** The layout of the present address, for a saved view. */
export function planSavedLayout(): Required<SavedLayout> {
  const columns = columnNames.value.map((text) => {
    const [Field = '', width, pin = ''] = text.split(':')
    return {
      Field,
      Width: readWidth(width) ?? null,
      Pinned: SIDES.has(pin) ? (pin as Pin) : null,
    }
  })
  const totals = columnTotals.peek()
  return {
    Columns: columns,
    GroupBy: [...groupNames.peek()],
    Settings: {
      Values: totals.map((total) => ({ Field: total.field, Function: total.function })),
    },
  }
}

/** The layout of a saved view, as an address has it. */
export function readSavedLayout(view: SavedLayout | undefined) {
  const columns = (view?.Columns ?? []).map(({ Field, Width, Pinned }) =>
    [Field, Width ?? '', Pinned ?? ''].join(':').replace(/:+$/, ''),
  )
  const totals = view?.Settings?.Values ?? []
  return {
    columns: columns.join(',') || undefined,
    group: (view?.GroupBy ?? []).join(',') || undefined,
    totals: totals.map((total) => `${total.Field}:${total.Function}`).join(',') || undefined,
  }
}

/** Keeps the first row in sight, without a step for Back. */
export const keepFirstRow = (row: number): void =>
  setQuery({ row: row > 0 ? String(row) : undefined }, { replace: true })

/** Keeps the line that is opened with this step of Back: the focus returns to it. */
export function keepOpenedLine(line: number): void {
  history.replaceState({ ...(history.state as object | null), line }, '')
}

/** The line that was opened from this step of Back. */
export function openedLine(): number | undefined {
  const { line } = (history.state ?? {}) as { line?: unknown }
  return typeof line === 'number' ? line : undefined
}
