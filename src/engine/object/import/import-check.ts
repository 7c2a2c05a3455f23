/** Rows of an import checked one by one, beside the writer: what is sound is ready to be staged. */
import type { FieldErrors } from '../../../kernel/failure.ts'
import { noun, say, type Message } from '../../../kernel/messages.ts'
import { dayIn } from '../../../kernel/zones.ts'
import type { Field } from '../../../model/model.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { TxReader } from '../../../store/store.ts'
import type { Changes } from '../settle/changes.ts'
import { STAMP } from '../write/conflict.ts'
import { loadDefault, type DefaultScope } from '../read/defaults.ts'
import type { ImportRow } from './import-cells.ts'
import { findMatches, type Match } from './import-match.ts'
import { defaultScope, type ImportPlan } from './import-plan.ts'
import { planRules, type JudgeChanges } from './import-rules.ts'
import { ReferenceJudge } from './import-references.ts'
import { keyText } from '../settle/settled-row.ts'

/** A row that may be written. */
export interface SoundRow {
  line: number
  /** Of the stored record; undefined for a new one. */
  key: SqlValue[] | undefined
  /** The stamp that it had. */
  stamp: SqlValue
  /** In the order of `ImportPlan.staged`. */
  values: SqlValue[]
}

/** A row with its faults, or without any. */
export type CheckedRow =
  { sound: SoundRow } | { line: number; faults: FieldErrors } | { unchanged: number }

/** What a row is about, or why it cannot be told. */
type FoundRecord = { match: Match } | { field: string; fault: Message }

/** Checks batches of rows. */
export class RowCheck {
  readonly #plan: ImportPlan
  readonly #tx: TxReader
  readonly #judge: JudgeChanges
  readonly #references: ReferenceJudge
  readonly #defaults: DefaultScope

  constructor(plan: ImportPlan, tx: TxReader) {
    const { view, entity, grant, context } = plan
    const zone = grant.caller.timeZone
    this.#plan = plan
    this.#tx = tx
    this.#judge = planRules({ view, entity, zone, today: dayIn(context.now, zone) })
    this.#references = new ReferenceJudge(plan, tx)
    this.#defaults = defaultScope(plan, tx)
  }

  async check(rows: readonly ImportRow[]): Promise<CheckedRow[]> {
    const { mode, columns } = this.#plan
    const keys = columns.keys.map(({ field }) => field)
    const matches =
      mode === 'insert' ? undefined : await findMatches({ ...this.#plan, tx: this.#tx, keys }, rows)
    const checked: CheckedRow[] = []
    for (const row of rows) {
      const found = matches && this.#findOne(row, matches)
      if (row.faults) checked.push({ line: row.line, faults: row.faults })
      else if (found && 'fault' in found) {
        checked.push({ line: row.line, faults: { [found.field]: found.fault } })
      } else checked.push(await this.#checkRow(row, found ? found.match : undefined))
    }
    return checked
  }

  /** The record of a row; undefined for a new one. */
  #findOne(row: ImportRow, matches: ReadonlyMap<string, Match[]>): FoundRecord | undefined {
    const { mode, columns, entity } = this.#plan
    const field = columns.keys.length === 1 ? (columns.keys[0]?.field.name ?? '') : ''
    const [match, ...more] = matches.get(keyText(row.keys)) ?? []
    if (more.length > 0) return { field, fault: say`This tells more than one record` }
    if (match) return this.#findStale(row, match) ?? { match }
    const isGiven = row.keys.some((value) => value !== null)
    const isServers = columns.keys.some(({ field: each }) => each.column?.identity)
    if (mode === 'upsert' && !(isGiven && isServers)) return undefined
    return { field, fault: say`There is no such ${noun(entity.label)}` }
  }

  #findStale({ stamp }: ImportRow, { row, isPermitted }: Match): FoundRecord | undefined {
    if (!isPermitted) {
      return { field: '', fault: say`This is not possible in the present state of the record` }
    }
    if (stamp === null || String(row[STAMP]) === String(stamp)) return undefined
    return { field: STAMP, fault: say`The record has changed since the file was made` }
  }

  async #checkRow(row: ImportRow, match: Match | undefined): Promise<CheckedRow> {
    const changes = await this.#planChanges(row, match)
    const rules = this.#judge(changes, match?.row)
    const references = await this.#references.check(changes, match?.row)
    const faults = references || rules ? { ...references, ...rules } : undefined
    if (faults) return { line: row.line, faults }
    if (match && !this.#plan.view.update && isSame(changes, match.row)) {
      return { unchanged: row.line }
    }
    const values = this.#plan.staged.map(({ field }) => {
      const value = changes.get(field)
      return value === undefined ? (match?.row[field.column?.name ?? field.name] ?? null) : value
    })
    const stamp = match?.row[STAMP] ?? null
    return { sound: { line: row.line, key: match?.key, stamp, values } }
  }

  async #planChanges(row: ImportRow, match: Match | undefined): Promise<Changes> {
    const { staged, preset } = this.#plan
    const changes: Changes = new Map(match ? [] : preset)
    const asked: Field[] = []
    for (const { field, from, isInserted, isUpdated } of staged) {
      if (!(match ? isUpdated : isInserted)) continue
      if (from === undefined) asked.push(field)
      else changes.set(field, row.values[from] ?? null)
    }
    if (asked.length === 0 || match) return changes
    const parameters = new Map<string, unknown>(
      [...changes].map(([field, value]) => [field.name.toLowerCase(), value]),
    )
    const scope = { ...this.#defaults, parameters }
    for (const field of asked) changes.set(field, await loadDefault(field, scope))
    return changes
  }
}

const isSame = (changes: Changes, stored: SqlRow): boolean => {
  for (const [field, value] of changes) {
    if (!field.column || (stored[field.column.name] ?? null) !== value) return false
  }
  return true
}
