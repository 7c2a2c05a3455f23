/** Groups of rows: their heads, and the rows or groups below each that is open. */
import type { Schemas } from '../api/wire.ts'
import { COUNT_NAME, type LineBlock, oneLine, type Segment } from './grid-lines.ts'
import { groupCondition } from './group-condition.ts'

type Row = Schemas['FieldValues']

/** Conditions that rows meet. */
export type Conditions = Extract<Schemas['TableRequest']['Filters'], readonly unknown[]>

/** The parts of a source that blocks are made with. */
export interface BlockContext {
  groups: readonly string[]
  onChange(): void
  onFault(thrown: unknown): void
  openRows(within: Conditions, size: number, level: number): LineBlock
  askGroups(name: string, within: Conditions): Promise<Schemas['QueryResult']>
}

/** A group that is shown, with what it holds once it was opened. */
interface OpenGroup {
  facts: Row
  within: Conditions
  isOpen: boolean
  block: LineBlock | undefined
}

/** Groups of one level. */
export class GroupBlock implements LineBlock {
  readonly #context: BlockContext
  readonly #level: number
  readonly #within: Conditions
  readonly #name: string
  #groups: OpenGroup[] | undefined
  #isCut = false
  #isLoading = false
  #isStale = false

  constructor(context: BlockContext, level: number, within: Conditions) {
    this.#context = context
    this.#level = level
    this.#within = within
    this.#name = context.groups[level] ?? ''
  }

  list(): Segment[] {
    const level = this.#level
    if (!this.#groups)
      return [{ length: 1, lineAt: () => ({ level }), load: () => void this.#load() }]
    const heads = this.#groups.flatMap((group): Segment[] => [
      {
        ...oneLine({
          level,
          group: {
            name: this.#name,
            facts: group.facts,
            isOpen: group.isOpen,
            toggle: () => this.#toggle(group),
          },
        }),
        ...(this.#isStale && { load: () => void this.#load() }),
      },
      ...(group.isOpen && group.block ? group.block.list() : []),
    ])
    return this.#isCut ? [...heads, oneLine({ level, isCut: true })] : heads
  }

  *rows(): Generator<Row> {
    for (const { block } of this.#groups ?? []) if (block) yield* block.rows()
  }

  renew(): void {
    this.#isStale = true
    for (const { block } of this.#groups ?? []) block?.renew()
  }

  close(): void {
    for (const { block } of this.#groups ?? []) block?.close()
  }

  #toggle(group: OpenGroup): void {
    group.isOpen = !group.isOpen
    group.block ??= this.#openBlock(group)
    this.#context.onChange()
  }

  #openBlock({ facts, within }: OpenGroup): LineBlock {
    const next = this.#level + 1
    return next < this.#context.groups.length
      ? new GroupBlock(this.#context, next, within)
      : this.#context.openRows(within, Number(facts[COUNT_NAME]), next)
  }

  async #load(): Promise<void> {
    if (this.#isLoading) return
    this.#isLoading = true
    try {
      const { Rows, HasMore } = await this.#context.askGroups(this.#name, this.#within)
      const before = new Map((this.#groups ?? []).map((group) => [this.#keyOf(group.facts), group]))
      this.#groups = Rows.map((facts) => this.#take(facts, before.get(this.#keyOf(facts))))
      this.#isCut = HasMore
      this.#isStale = false
      this.#context.onChange()
    } catch (thrown) {
      this.#context.onFault(thrown)
    } finally {
      this.#isLoading = false
    }
  }

  #keyOf = (facts: Row): string => JSON.stringify(facts[this.#name] ?? null)

  /** A group that was there before stays open; its rows are counted anew. */
  #take(facts: Row, before: OpenGroup | undefined): OpenGroup {
    const within = [...this.#within, ...groupCondition(this.#name, facts[this.#name] ?? null)]
    const group = { facts, within, isOpen: before?.isOpen ?? false, block: before?.block }
    const isOther = before && before.facts[COUNT_NAME] !== facts[COUNT_NAME]
    if (isOther) {
      before.block?.close()
      group.block = group.isOpen ? this.#openBlock(group) : undefined
    }
    return group
  }
}
