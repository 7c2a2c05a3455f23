/** The lines of a grid for one query: plain rows, a tree, or groups of rows. */
import { signal } from '@preact/signals'
import { ServerError } from '../api/server-error.ts'
import { type Schemas, take, wire } from '../api/wire.ts'
import { noteRows } from './drawn.ts'
import { type ColumnTotal, TREE_NAME } from './grid-layout.ts'
import {
  COUNT_NAME,
  type GridLine,
  type LineBlock,
  LineList,
  type Segment,
  totalName,
} from './grid-lines.ts'
import { type GridQuery, queryBody } from './grid-query.ts'
import { rowCount, rowsCounted, takeRights } from './grid-rows.ts'
import { type BlockContext, type Conditions, GroupBlock } from './group-block.ts'
import { RowPages } from './row-pages.ts'
import { TreeBlock, type TreeContext } from './tree-block.ts'

type Row = Schemas['FieldValues']
type Metadata = Schemas['MetadataResult']

/** Groups of one level that are shown; a grid of more is no overview. */
const GROUPS_MAX = 1000

/** A query with its layout. */
interface SourceQuery {
  query: GridQuery
  groups: readonly string[]
  totals: readonly ColumnTotal[]
  /** Rows that are expected before they are counted: the address names one that far down. */
  expected: number
}

/** Lines that load as they are looked at; `version` moves when they are others. */
export class GridSource {
  readonly version = signal(0)
  readonly fault = signal<unknown>(undefined)
  /** The sums of all rows; undefined while they are not known. */
  readonly sums = signal<Row | undefined>(undefined)
  readonly #metadata: Metadata
  readonly #plan: SourceQuery
  readonly #lines = new LineList()
  readonly #root: LineBlock
  #isClosed = false
  #counting: Promise<void> | undefined
  /** All rows, where there are no groups. */
  #all: RowPages | undefined

  constructor(metadata: Metadata, plan: SourceQuery) {
    this.#metadata = metadata
    this.#plan = plan
    const isGrouped = plan.groups.length > 0
    this.#root = this.isTree
      ? new TreeBlock(this.#openTree(metadata.Tree ?? ''))
      : isGrouped
        ? new GroupBlock(this.#open(), 0, [])
        : this.#openRows()
    rowCount.value = undefined
    rowsCounted.value = undefined
    if (isGrouped || plan.totals.length > 0) this.#sum()
    this.#rebuild()
  }

  get length(): number {
    return this.#lines.length
  }

  /** True where rows stand below others. */
  get isTree(): boolean {
    return this.#metadata.Tree !== null && this.#plan.groups[0] === TREE_NAME
  }

  /** True where lines are rows alone: the number of a line is that of its row. */
  get isPlain(): boolean {
    return this.#plan.groups.length === 0
  }

  /** The line with this number, from 0. */
  at = (line: number): GridLine | undefined => this.#lines.at(line)

  /** The rows that are loaded, of all that is open. */
  rows = (): Generator<Row> => this.#root.rows()

  /** Has the lines in sight loaded. */
  load(first: number, last: number): void {
    this.#lines.load(first, last)
  }

  /** Asks for all again that is in sight; until it comes, what is there stays. */
  renew(): void {
    this.#counting = undefined
    if (this.#plan.groups.length > 0 || this.#plan.totals.length > 0) this.#sum()
    else if (rowCount.peek() !== undefined) this.#count()
    this.#root.renew()
    this.#rebuild()
  }

  /** Stops what loads. */
  close(): void {
    this.#isClosed = true
    this.#root.close()
  }

  #rebuild = (): void => {
    if (this.#isClosed) return
    this.#lines.set(this.#root.list())
    this.version.value++
  }

  #fail = (thrown: unknown): void => {
    if (!this.#isClosed) this.fault.value = thrown
  }

  get #conditions(): Conditions {
    const { Filters } = queryBody(this.#plan.query)
    return Filters === undefined ? [] : [Filters].flat()
  }

  /** The parts of a source that its blocks are made with. */
  #open(): BlockContext {
    return {
      groups: this.#plan.groups,
      onChange: this.#rebuild,
      openRows: (within, size, level) => new RowBlock(this.#pages(within, size), level),
      askGroups: (name, within) => this.#ask(within, [name]),
      onFault: this.#fail,
    }
  }

  /** The parts of a tree, whose rows name the one above in a field. */
  #openTree(field: string): TreeContext {
    return {
      key: this.#metadata.Keys[0] ?? '',
      onChange: this.#rebuild,
      onFault: this.#fail,
      openBelow: (parent) =>
        this.#pages([
          parent === null
            ? { Field: field, Operator: 'isNull' }
            : { Field: field, Operator: 'eq', Value: parent },
        ]),
      findParents: async (keys) => {
        const within = [{ Field: field, Operator: 'in' as const, Value: [...keys] }]
        const { Rows } = await this.#ask(within, [field])
        return new Set(Rows.map((row) => String(row[field])))
      },
    }
  }

  #pages(within: Conditions, size?: number, expected?: number): RowPages {
    const params = { path: { name: this.#metadata.Slug } }
    const body = queryBody(this.#plan.query)
    const Filters = [...this.#conditions, ...within]
    const asked = { ...body, ...(Filters.length > 0 && { Filters }), CountMode: 'none' as const }
    return new RowPages(
      async (page, aborting) => {
        const found = await take(
          wire.POST('/api/v1/svc/object/{name}/table', {
            params,
            body: { ...asked, ...page },
            signal: aborting,
          }),
        )
        takeRights(this.#metadata.Slug, found.Permissions)
        noteRows()
        return found
      },
      { onChange: this.#rebuild, onFault: this.#fail },
      size,
      expected,
    )
  }

  /** All rows: no row waits for the count, which is asked for beside. */
  #openRows(): LineBlock {
    const pages = this.#pages([], undefined, this.#plan.expected)
    this.#all = pages
    const block = new RowBlock(pages, 0)
    return {
      list: () => {
        if (pages.isWhole) rowCount.value = pages.length
        else if (pages.at(0) ?? pages.at(this.#plan.expected)) this.#count()
        return block.list()
      },
      rows: () => block.rows(),
      renew: () => block.renew(),
      close: () => block.close(),
    }
  }

  #count(): void {
    this.#counting ??= this.#askCount('exact')
      .catch((thrown: unknown) => {
        // Rows are there all the same: so many are counted as the server counts in any time.
        if (thrown instanceof ServerError && thrown.refusal.code === 'SQL_TIMEOUT')
          return this.#askCount('bounded')
        throw thrown
      })
      .then(({ TotalRows, TotalIsExact }) => {
        if (this.#isClosed || TotalRows === null) return
        rowsCounted.value = TotalIsExact ? undefined : TotalRows
        if (!TotalIsExact) return
        rowCount.value = TotalRows
        this.#all?.setSize(TotalRows)
      }, this.#fail)
  }

  async #askCount(CountMode: 'exact' | 'bounded'): Promise<Schemas['Pagination']> {
    const { Pagination } = await take(
      wire.POST('/api/v1/svc/object/{name}/table', {
        params: { path: { name: this.#metadata.Slug } },
        body: { ...queryBody(this.#plan.query), PageSize: 1, CountMode },
      }),
    )
    return Pagination
  }

  /** Sums of all rows, and their number. */
  #sum(): void {
    this.#ask([], []).then(({ Rows: [facts] }) => {
      if (this.#isClosed || !facts) return
      this.sums.value = facts
      rowCount.value = Number(facts[COUNT_NAME])
      this.#all?.setSize(rowCount.value)
    }, this.#fail)
  }

  #ask(within: Conditions, GroupBy: readonly string[]): Promise<Schemas['QueryResult']> {
    const { query, totals } = this.#plan
    const { SearchText, Preset } = queryBody(query)
    const Filters = [...this.#conditions, ...within]
    const sort = GroupBy.length > 0 ? this.#sortOf(GroupBy[0] ?? '') : undefined
    return take(
      wire.POST('/api/v1/svc/object-explorer/query', {
        body: {
          ObjectName: this.#metadata.Name,
          ...(SearchText !== undefined && { SearchText }),
          ...(Preset !== undefined && { Preset }),
          ...(Filters.length > 0 && { Filters }),
          ...(GroupBy.length > 0 && { GroupBy: [...GroupBy], Limit: GROUPS_MAX }),
          ...(sort && { Sort: [sort] }),
          Aggregates: [
            { Function: 'count', As: COUNT_NAME },
            ...totals.map((total) => ({
              Function: total.function,
              Field: total.field,
              As: totalName(total),
            })),
          ],
        },
      }),
    )
  }

  /** Groups stand in the direction in which their rows are sorted, else upwards. */
  #sortOf(name: string): Schemas['SortField'] {
    const [field] = name.split(':')
    const sorted = this.#plan.query.sort.find(({ Field }) => Field === field)
    return { Field: name, Direction: sorted?.Direction ?? 'asc' }
  }
}

/** Rows one after the other. */
class RowBlock implements LineBlock {
  readonly #pages: RowPages
  readonly #level: number

  constructor(pages: RowPages, level: number) {
    this.#pages = pages
    this.#level = level
  }

  list(): Segment[] {
    const [pages, level] = [this.#pages, this.#level]
    return [
      {
        length: pages.length,
        lineAt: (at) => {
          const row = pages.at(at)
          return row ? { level, row, place: { pages, at } } : { level }
        },
        load: (first, last) => pages.load(first, last),
      },
    ]
  }

  *rows(): Generator<Row> {
    for (const [, row] of this.#pages.loaded()) yield row
  }

  renew(): void {
    this.#pages.renew()
  }

  close(): void {
    this.#pages.close()
  }
}
