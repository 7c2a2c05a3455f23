/** Rows of an object in a grid that scrolls from end to end: they load as they come into sight. */
import { batch, computed, effect, signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { language, say } from '../../texts/texts.ts'
import { ServerError } from '../../api/server-error.ts'
import type { Schemas } from '../../api/wire.ts'
import { density } from '../../state/appearance.ts'
import { filterRefusals } from '../../state/filter-refusals.ts'
import { writeFilters } from '../../state/filter-tree.ts'
import {
  columnTotals,
  firstRow,
  groupNames,
  keepFirstRow,
  listColumns,
  openedLine,
  writeColumns,
} from '../../state/grid-layout.ts'
import {
  type GridQuery,
  gridQuery,
  setFilters,
  setPreset,
  setSearch,
} from '../../state/grid-query.ts'
import { gridVersion, rowCount } from '../../state/grid-rows.ts'
import { GridSource } from '../../state/grid-source.ts'
import { findKept, keep } from '../../state/kept.ts'
import { followRows } from '../../state/live-rows.ts'
import { clearSelection } from '../../state/selection.ts'
import { Button } from '../button.tsx'
import { Fault } from '../fault.tsx'
import { OpenCellMenu } from './cell-overlays.tsx'
import { measureColumns } from './column-widths.ts'
import { GridFrame } from './grid-frame.tsx'
import { GridState } from './grid-state.ts'
import { Sight } from './sight.ts'

type Metadata = Schemas['MetadataResult']
type Row = Schemas['FieldValues']

/** Heights of a line in pixels, by density; a card has the same in both. */
const LINE_HEIGHTS = { comfortable: 36, compact: 30 } as const
const CARD_HEIGHT = 116

/** Below this there are cards in place of columns. */
const narrowness = matchMedia('(max-width: 639px)')

const isNarrow = signal(narrowness.matches)
narrowness.addEventListener('change', () => (isNarrow.value = narrowness.matches))

const lineHeight = computed(() => (isNarrow.value ? CARD_HEIGHT : LINE_HEIGHTS[density.value]))

/** Lines that a sight has at most: so many are expected behind the row of the address. */
const LINES_EXPECTED = 60

/** The source of the grid's lines: another for another query. */
function useSource(metadata: Metadata): GridSource {
  const query = gridQuery.value
  const [groups, totals] = [groupNames.value, columnTotals.value]
  const asked = JSON.stringify([metadata.Slug, metadata.VersionHash, query, groups, totals])
  const opened = useRef(true)
  const source = useMemo(() => {
    const row = opened.current ? firstRow() : 0
    const expected = row > 0 ? row + LINES_EXPECTED : 0
    opened.current = false
    return new GridSource(metadata, { query, groups, totals, expected })
  }, [asked])
  useEffect(() => () => source.close(), [source])
  // Before anyone can select in it.
  useLayoutEffect(() => clearSelection(), [source])
  // What is in sight is asked for again; where one has scrolled to stays.
  useEffect(() => followRows(metadata.Name, () => source.renew()), [source])
  const version = gridVersion.value
  const known = useRef(version)
  useEffect(() => {
    if (known.current !== version) source.renew()
    known.current = version
  }, [version, source])
  return source
}

/** Rows that tell how wide columns are. */
const ROWS_MEASURED = 40

/** The first of these rows, and no more of them. */
function pickFirst(rows: Iterable<Row>, count: number): Row[] {
  const picked: Row[] = []
  for (const row of rows) {
    if (picked.length === count) break
    picked.push(row)
  }
  return picked
}

/**
 * The grid's state for its columns; widths are measured with the first rows, and then stay. Cards
 * have none.
 */
function useGridState(metadata: Metadata, sight: Sight, source: GridSource): GridState {
  const columns = listColumns(metadata)
  const named = writeColumns(columns)
  const narrow = isNarrow.value
  const widths = useRef(new Map<string, number>())
  const name = `widths ${language.value} ${metadata.Slug}`
  // Until there are rows, columns are as wide as they were for those of the last visit.
  const guessed = useMemo(() => findKept<Record<string, number>>(name) ?? {}, [name])
  const rows = narrow ? [] : pickFirst(source.rows(), ROWS_MEASURED)
  const isMeasured = rows.length > 0
  const before = useRef<GridState | undefined>(undefined)
  return useMemo(() => {
    const unknown = narrow ? [] : columns.filter(({ field }) => !widths.current.has(field.Name))
    const measured = measureColumns(unknown, rows)
    const all = new Map([
      ...widths.current,
      ...unknown.map(({ field }, at) => [field.Name, measured[at] ?? 0] as const),
    ])
    if (isMeasured) {
      widths.current = all
      keep(name, Object.fromEntries(all))
    }
    const find = (known: string): number =>
      (isMeasured ? undefined : guessed[known]) ?? all.get(known) ?? 0
    const drawn = columns.map(({ field, width }) => width ?? find(field.Name))
    const state = new GridState(metadata, sight, source, columns, drawn, narrow)
    // Another order of columns or another query leaves the focus where it was.
    const line = openedLine()
    if (before.current) state.follow(before.current)
    else if (line !== undefined) state.return(line)
    before.current = state
    return state
  }, [metadata, source, named, isMeasured, narrow])
}

/** The grid of one object; `metadata` is that of its view. */
export function RowGrid({ metadata }: { metadata: Metadata }) {
  const sight = useMemo(() => new Sight(), [])
  const source = useSource(metadata)
  const query = gridQuery.value
  const fault = source.fault.value
  // Lines that came are drawn, and their number may be another.
  const version = source.version.value
  const height = lineHeight.value
  const state = useGridState(metadata, sight, source)
  useLayoutEffect(() => sight.setLines(source.length, height), [version, source, height])
  useScroll(sight, source)
  if (fault !== undefined) return <RowsFault of={fault} query={query} />
  if (rowCount.value === 0) return <NoRows query={query} />
  return (
    <>
      <GridFrame state={state} query={query} />
      <OpenCellMenu state={state} />
    </>
  )
}

/** Scrolls to the row of the address, keeps it there, and loads what comes into sight. */
function useScroll(sight: Sight, source: GridSource): void {
  const isFirst = useRef(true)
  useLayoutEffect(() => {
    sight.setLines(source.length, lineHeight.peek())
    sight.show(isFirst.current ? firstRow() : 0, 'start')
    isFirst.current = false
    sight.onRest = keepFirstRow
  }, [source])
  // Another source loads also where as many lines are in sight as before: one, or a fault's none.
  // Rows are asked for before the empty grid is drawn, which takes its time on a slow machine.
  useLayoutEffect(
    () =>
      effect(() => {
        void source.version.value
        const [first, last] = [sight.first.value, sight.last.value]
        if (last > first) source.load(first, last - 1)
      }),
    [source],
  )
}

/** The status of a request that the server refuses for what it asks. */
const REFUSED = 400

/**
 * Tells why there are no rows. Where filters are refused, their chips say it: here there is only
 * the way on.
 */
function RowsFault({ of, query: { filters } }: { of: unknown; query: GridQuery }) {
  const isRefusal = of instanceof ServerError && of.status === REFUSED
  if (!isRefusal || filters.length === 0) return <Fault of={of} />
  const found = filterRefusals.value
  if (found?.filters !== writeFilters(filters))
    return <div class="empty quiet">{say('loading')}</div>
  if (found?.byNumber.size === 0) return <Fault of={of} />
  return (
    <div class="empty">
      <div>{say('filtersRefused')}</div>
      <Button onClick={() => setFilters([])}>{say('clearFilters')}</Button>
    </div>
  )
}

/** Words and ways on where there is nothing to show. */
function NoRows({ query }: { query: GridQuery }) {
  const isNarrowed = query.search !== '' || query.filters.length > 0 || query.preset !== undefined
  if (!isNarrowed) return <div class="empty quiet">{say('noRows')}</div>
  const widen = (): void =>
    batch(() => {
      setSearch('')
      setFilters([])
      setPreset(undefined)
    })
  return (
    <div class="empty">
      <div>{say('noRowsFound')}</div>
      <div class="quiet">{say('noRowsFoundHelp')}</div>
      <Button onClick={widen}>{say('clearFilters')}</Button>
    </div>
  )
}
