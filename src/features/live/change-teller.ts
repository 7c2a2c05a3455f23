/** Decides which changes each audience gets: of records that it saw before, or sees after. */
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import { yieldNow } from '../../kernel/yielder.ts'
import type { SqlValue } from '../../store/sql.ts'
import type { Store } from '../../store/store.ts'
import type { Entity } from '../../model/compiled/entity.ts'
import type { BulkChange } from '../../engine/object/after-write/outer-events.ts'
import type {
  RecordChange,
  RecordFollower,
} from '../../engine/object/after-write/record-changes.ts'
import { keyText } from '../../engine/object/record/written-row.ts'
import type { Audience } from './audience.ts'

/** Most records of one entity, changed at once, that are sent one by one. */
const RECORDS_MAX = 500

/** Milliseconds between two orders to one audience to read a view again. */
const CHANGED_MS = 1000

interface ChangeTellerParts {
  /** Most milliseconds that a write waits to learn which audiences saw its records before. */
  waitMs: number
  store: Store
  clock: Clock
  log: Log
  listAudiences: (entity: Entity) => Iterable<Audience>
  /** Audiences whose rows may change with a record of the entity that is not one of them. */
  listJoining: (entity: Entity) => Iterable<Audience>
  publish: (audience: Audience, change: { Action: string; Keys: unknown }) => void
}

/** Changed records as an audience saw them; undefined where that is not known. */
interface Seen {
  audience: Audience
  keys: ReadonlyMap<string, readonly SqlValue[]>
  before: ReadonlySet<string> | undefined
  /** True for a changed record that its rows join: told beside the rows, without keys. */
  isBeside?: boolean
}

const NOT_TOLD_ONE_BY_ONE = { Action: 'changed', Keys: null }

/**
 * Tells audiences of changed records. Readers see the records of a transaction as they were until
 * its commit: what each audience sees of them is queried before it, and once more after it. All
 * of one commit is sent together.
 */
export class ChangeTeller implements RecordFollower {
  readonly #parts: ChangeTellerParts
  #waiting: Seen[] = []
  /** Audiences that were just told to read again, and whether that is due again. */
  readonly #resting = new Map<Audience, boolean>()
  #telling: Promise<void> | undefined

  constructor(parts: ChangeTellerParts) {
    this.#parts = parts
  }

  follows(entity: Entity): boolean {
    const { listAudiences, listJoining } = this.#parts
    for (const list of [listAudiences, listJoining]) for (const _ of list(entity)) return true
    return false
  }

  async prepare(
    changes: readonly RecordChange[],
    bulk: readonly BulkChange[],
  ): Promise<() => void> {
    const seen: Seen[] = []
    const unlisted: UnlistedChange[] = [...bulk]
    const deadline = performance.now() + this.#parts.waitMs
    for (const [entity, list] of Map.groupBy(changes, (change) => change.entity)) {
      if (list.length > RECORDS_MAX) {
        for (const company of new Set(list.map((change) => change.company)))
          unlisted.push({ entity, company })
        continue
      }
      for (const audience of this.#parts.listAudiences(entity)) {
        const own = list.filter((change) => isOf(change, audience))
        if (own.length === 0) continue
        const keys = new Map(own.map(({ key }) => [keyText(key), key]))
        seen.push({ audience, keys, before: await this.#findBefore(audience, keys, deadline) })
      }
      // A client that comes before the commit may read the rows before it.
      unlisted.push(...listOthers(entity, list))
    }
    return () => this.#takeIn(seen, unlisted)
  }

  /** Takes in a commit: due are the queried audiences, and of the others those that came since. */
  #takeIn(seen: readonly Seen[], unlisted: readonly UnlistedChange[]): void {
    this.#waiting.push(...seen)
    const known = new Set(seen.map(({ audience }) => audience))
    const keys = new Map<string, readonly SqlValue[]>()
    for (const change of unlisted) {
      for (const audience of this.#parts.listAudiences(change.entity))
        if (isOf(change, audience) && !(change.isLate === true && known.has(audience)))
          this.#waiting.push({ audience, keys, before: undefined })
      for (const audience of this.#parts.listJoining(change.entity))
        if (isOf(change, audience))
          this.#waiting.push({ audience, keys, before: new Set(), isBeside: true })
    }
    this.#telling ??= this.#tell().finally(() => (this.#telling = undefined))
  }

  /** Finds the rows seen before; undefined if not in time, since the writer waits for it. */
  async #findBefore(
    audience: Audience,
    keys: ReadonlyMap<string, readonly SqlValue[]>,
    deadline: number,
  ): Promise<ReadonlySet<string> | undefined> {
    const { store, clock, log } = this.#parts
    const left = deadline - performance.now()
    if (left <= 0) return undefined
    const late = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => late.resolve(undefined), left)
    const found = audience.findVisible(store, clock, [...keys.values()]).catch((error: unknown) => {
      log.warn('who saw a record before its change could not be read', { why: String(error) })
      return undefined
    })
    const before = await Promise.race([found, late.promise])
    clearTimeout(timer)
    return before
  }

  async #tell(): Promise<void> {
    // Other changes of the same commit are added first.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting
      this.#waiting = []
      for (const [audience, list] of Map.groupBy(waiting, (each) => each.audience)) {
        await this.#tellAudience(audience, list)
        await yieldNow()
      }
    }
  }

  async #tellAudience(audience: Audience, list: readonly Seen[]): Promise<void> {
    if (audience.members.size === 0) return
    const keys = new Map(list.flatMap((each) => [...each.keys]))
    const isUnknown = list.some(({ before }) => before === undefined)
    if (isUnknown || keys.size > RECORDS_MAX) return this.#tellChanged(audience)
    if (keys.size > 0) await this.#tellRows(audience, keys, list)
    if (list.some(({ isBeside }) => isBeside === true)) this.#tellChanged(audience)
  }

  async #tellRows(
    audience: Audience,
    keys: ReadonlyMap<string, readonly SqlValue[]>,
    list: readonly Seen[],
  ): Promise<void> {
    const { store, clock, log, publish } = this.#parts
    try {
      const after = await audience.findVisible(store, clock, [...keys.values()])
      for (const [text, key] of keys) {
        const first = list.find((each) => each.keys.has(text))
        const Action = nameChange(first?.before?.has(text) === true, after.has(text))
        if (Action) publish(audience, { Action, Keys: audience.toWireKeys(key) })
      }
    } catch (error) {
      log.error('changed records could not be told', error)
      this.#tellChanged(audience)
    }
  }

  /** Tells an audience to read again: at once, and once more for changes soon after. */
  #tellChanged(audience: Audience): void {
    if (this.#resting.has(audience)) return void this.#resting.set(audience, true)
    this.#parts.publish(audience, NOT_TOLD_ONE_BY_ONE)
    this.#resting.set(audience, false)
    setTimeout(() => {
      const isDue = this.#resting.get(audience)
      this.#resting.delete(audience)
      if (isDue === true && audience.members.size > 0) this.#tellChanged(audience)
    }, CHANGED_MS).unref()
  }
}

/** Changed records without their keys; `isLate`: only for audiences that came later. */
interface UnlistedChange extends BulkChange {
  isLate?: boolean
}

/** No other company hears a word of a company's records, nor that there are some. */
const isOf = ({ company }: Pick<BulkChange, 'company'>, { caller }: Audience): boolean =>
  company === undefined || caller.companyId === company

const listOthers = (entity: Entity, list: readonly RecordChange[]): UnlistedChange[] =>
  [...new Set(list.map(({ company }) => company))].map((company) => ({
    entity,
    company,
    isLate: true,
  }))

/** Names a change as an audience sees it, which sees the record or not, before and after it. */
function nameChange(before: boolean, after: boolean): string | undefined {
  if (before) return after ? 'updated' : 'deleted'
  return after ? 'created' : undefined
}
