/** Changes of a transaction: by the change log, or by what its statements are known to do. */
import type { KnownChange, LoggedChange } from '../store.ts'
import type { ChangeLog } from './change-log.ts'
import type { ChangedRows } from './changed-rows.ts'

/** A change that is known, and how much of it. */
interface Noted {
  change: KnownChange
  isSilent: boolean
  isWhole: boolean
}

/** The log as one transaction fills and takes it. */
export class Touched {
  readonly #writer: { readonly log: ChangeLog }
  readonly #changed: ChangedRows
  #silence = 0
  /** True if the log may hold a change, since it was last taken, that was not silent. */
  #isLoud = false
  /** True if all that the log may hold was silent, though its rows do not say so. */
  #isQuiet = false
  /** Changes since the log was last taken; undefined once one of them is not known. */
  #known: Noted[] | undefined = []
  #count = 0

  constructor(writer: { readonly log: ChangeLog }, changed: ChangedRows) {
    this.#writer = writer
    this.#changed = changed
  }

  /** See `Tx.touches`. */
  get count(): number {
    return this.#count
  }

  /** Makes writes silent until `unmute`. */
  mute(): void {
    this.#silence++
  }

  unmute(): void {
    this.#silence--
  }

  /** A statement is about to run that may touch rows; gives whether its rows are to say silent. */
  begin(isKnown: boolean): boolean {
    this.#count++
    if (!isKnown) this.#known = undefined
    return this.#planSilence()
  }

  /** Notes that a statement has changed one row, as its composer said that it would. */
  note(change: KnownChange): void {
    if (!this.#writer.log.watches(change.entity)) return
    const isSilent = this.#silence > 0
    this.#known?.push({ change, isSilent, isWhole: this.#isWhole(change) })
  }

  /** Checks that all of a change is known: the row before it, too, as this statement found it. */
  #isWhole({ what, before, after, asOf }: KnownChange): boolean {
    if (after === undefined) return false
    return what === 'insert' || (before !== undefined && asOf === this.#count - 1)
  }

  /**
   * Takes the touched rows: the net change of each record that was not touched in silence. Where
   * the log is long, `read` reads it.
   */
  async take(read: (log: ChangeLog) => Promise<LoggedChange[]>): Promise<LoggedChange[]> {
    if (!this.#isLoud && !this.#isQuiet) return []
    const isQuiet = this.#isQuiet
    const known = this.#takeKnown()
    this.#isLoud = this.#isQuiet = false
    if (known !== undefined) return known
    if (!isQuiet) return this.#writer.log.takeShort(this.#changed) ?? read(this.#writer.log)
    this.#writer.log.takeTables(this.#changed)
    return []
  }

  /** Takes the touched rows, for their tables alone. */
  finish(): void {
    if (!this.#isLoud && !this.#isQuiet) return
    if (this.#takeKnown() === undefined) this.#writer.log.takeTables(this.#changed)
  }

  /** Takes each record once, before and after; undefined where only the log tells. */
  #takeKnown(): LoggedChange[] | undefined {
    const all = this.#known
    this.#known = []
    const loud = all?.filter(({ isSilent }) => !isSilent)
    if (all === undefined || !loud?.every(({ isWhole }) => isWhole)) return undefined
    const records = new Set(loud.map(({ change }) => change.entity + JSON.stringify(change.key)))
    if (records.size < loud.length) return undefined
    const { log } = this.#writer
    for (const { change } of all) log.skip(change, this.#changed)
    return loud.map(({ change: { entity, key, what, before, after } }) => {
      return { entity, key, what, before, after }
    })
  }

  /**
   * Decides whether rows of the log must say that they are silent. While all of them are, they need
   * not: the pass behind a write is silent as a whole, and the log was emptied before it.
   */
  #planSilence(): boolean {
    if (this.#silence > 0) {
      this.#isQuiet = !this.#isLoud
      return this.#isLoud
    }
    if (this.#isQuiet) this.#writer.log.silence()
    this.#isQuiet = false
    this.#isLoud = true
    return false
  }
}
