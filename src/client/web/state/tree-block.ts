/** Rows of a tree: those below no other first, and the rows below each once it was opened. */
import type { Schemas } from '../api/wire.ts'
import type { LineBlock, Segment } from './grid-lines.ts'
import type { RowPages } from './row-pages.ts'

type Row = Schemas['FieldValues']

/** A key as a row bears it. */
type Key = Row[string]

/** The parts of a source that blocks of a tree are made with. */
export interface TreeContext {
  /** The key of the rows. */
  key: string
  onChange(): void
  onFault(thrown: unknown): void
  /** The rows below one, or below none. */
  openBelow(parent: Key | null): RowPages
  /** Keys of those of these rows that others are below. @throws ServerError */
  findParents(keys: readonly Key[]): Promise<ReadonlySet<string>>
}

/** Rows below one row, in their order, with what is open below them. */
export class TreeBlock implements LineBlock {
  readonly #context: TreeContext
  readonly #level: number
  readonly #pages: RowPages
  /** By the key of the row that they are below. */
  readonly #below = new Map<string, TreeBlock>()
  readonly #open = new Set<string>()
  /** Keys of rows that others are below, and of all that were asked for. */
  #parents: ReadonlySet<string> = new Set()
  readonly #asked = new Set<string>()

  constructor(context: TreeContext, level = 0, parent: Key | null = null) {
    this.#context = context
    this.#level = level
    this.#pages = context.openBelow(parent)
  }

  list(): Segment[] {
    const segments: Segment[] = []
    const unknown: Key[] = []
    let from = 0
    for (const [at, row] of this.#pages.loaded()) {
      const key = row[this.#context.key] ?? null
      if (!this.#asked.has(String(key))) unknown.push(key)
      const below = this.#open.has(String(key)) ? this.#below.get(String(key)) : undefined
      if (!below) continue
      segments.push(this.#planRows(from, at + 1), ...below.list())
      from = at + 1
    }
    if (unknown.length > 0) void this.#ask(unknown)
    return [...segments, this.#planRows(from, this.#pages.length)]
  }

  *rows(): Generator<Row> {
    for (const [, row] of this.#pages.loaded()) yield row
    for (const below of this.#below.values()) yield* below.rows()
  }

  renew(): void {
    this.#asked.clear()
    this.#pages.renew()
    for (const below of this.#below.values()) below.renew()
  }

  close(): void {
    this.#pages.close()
    for (const below of this.#below.values()) below.close()
  }

  #planRows(from: number, to: number): Segment {
    const [pages, level] = [this.#pages, this.#level]
    return {
      length: to - from,
      lineAt: (at) => {
        const row = pages.at(from + at)
        if (!row) return { level }
        const place = { pages, at: from + at }
        const key = row[this.#context.key] ?? null
        if (!this.#parents.has(String(key))) return { level, row, place }
        const branch = { isOpen: this.#open.has(String(key)), toggle: () => this.#toggle(key) }
        return { level, row, place, branch }
      },
      load: (first, last) => pages.load(from + first, from + last),
    }
  }

  #toggle(key: Key): void {
    const name = String(key)
    if (this.#open.delete(name)) {
      this.#context.onChange()
      return
    }
    this.#open.add(name)
    if (!this.#below.has(name))
      this.#below.set(name, new TreeBlock(this.#context, this.#level + 1, key))
    this.#context.onChange()
  }

  async #ask(keys: readonly Key[]): Promise<void> {
    for (const key of keys) this.#asked.add(String(key))
    try {
      const found = await this.#context.findParents(keys)
      const known = [...this.#parents].filter((name) => !keys.some((key) => String(key) === name))
      this.#parents = new Set([...known, ...found])
      this.#context.onChange()
    } catch (thrown) {
      this.#context.onFault(thrown)
    }
  }
}
