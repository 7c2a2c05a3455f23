/** Rows of an import checked one by one, beside the writer: what is sound is ready to be staged. */
import type { FieldErrors } from '../../../kernel/failure.ts'
import { newId } from '../../../kernel/ids.ts'
import { type Message, noun, say } from '../../../kernel/messages.ts'
import { dayIn } from '../../../kernel/zones.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { KeyForm } from '../../../model/fields/field-kind.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { isGeneratedKey } from '../../../model/sql/generated-key.ts'
import { type CalledColumn, findCalledKeys, isCalled, listCalled } from './called.ts'
import type { ImportRow } from './import-cells.ts'
import { findMatches, type Match } from './import-match.ts'
import { type ImportColumn, type ImportPlan, keysNotKept } from './import-plan.ts'
import {
  type CheckReferences,
  planLists,
  planReferences,
  validatesLists,
} from './import-references.ts'
import { checkCompany } from './takeover.ts'
import { loadUnevenKeys, type UnevenKeys } from './uneven-keys.ts'
import { toRecordKey } from '../record/record.ts'
import { keyText } from '../record/written-row.ts'
import { type Changes, type Check, checkChanges, dropBarred } from '../rules/changes.ts'
import { STAMP } from '../rules/conflict.ts'
import { completeNew, fillFields, storedDefault, toParameters } from '../rules/new-record.ts'
import { isAsStored, type ParsedValue } from '../value.ts'

/** A row that may be written. */
export interface SoundRow {
  line: number
  /** Of the stored record; undefined for a new one. */
  key: SqlValue[] | undefined
  /** The stamp that it had. */
  stamp: SqlValue
  /** As `Match` has them; null for a new one. */
  basis: SqlValue
  output: SqlValue
  /** In the order of `ImportPlan.staged`. */
  values: SqlValue[]
  /** In the order of `ImportColumns.lists`. */
  lists: SqlValue[]
  /** Texts that are to be found among the rows of the file, in the order of `ImportPlan.own`. */
  own: (string | null)[]
  /** Lines of its details as JSON; null for none. */
  details: string | null
}

/** A row with its faults, or without any. */
type CheckedRow =
  { sound: SoundRow } | { line: number; faults: FieldErrors } | { unchanged: number }

/** The record of a row, or why it is not known. */
type FoundRecord = { match: Match } | { field: string; fault: Message }

/** The changes of a row, and what is wrong with them. */
interface ValidatedRow {
  match: Match | undefined
  changes: Changes
  /** True when a list of keys would gain or lose any. */
  movesLists: boolean
  faults: FieldErrors | undefined
  /** Fields whose values no stored record has, and that may be rows of the file. */
  pending: ReadonlySet<Field>
}

const NOTHING_PENDING: ReadonlySet<Field> = new Set()

/** Checks batches of rows. */
export class RowCheck {
  readonly #plan: ImportPlan
  readonly #reader: Reader
  readonly #rules: Omit<Check, 'stored' | 'changes'>
  readonly #checkReferences: CheckReferences
  /** Fields of new records whose default every row decides. */
  readonly #rowDefaults: readonly Field[]
  /** Fields of the file that a row may shut: a new record then has their defaults. */
  readonly #shutDefaults: readonly Field[]
  /** Keys of new records that are generated where the row has none. */
  readonly #generated: readonly Field[]
  readonly #validatesLists: boolean
  readonly #called: readonly CalledColumn[]
  #uneven: UnevenKeys | undefined
  /** Names of fields whose values a condition has barred. */
  readonly dropped = new Set<string>()
  readonly #bars: boolean
  /** Values that a condition bars today were there in history. */
  readonly #isHistory: boolean

  constructor(plan: ImportPlan, reader: Reader) {
    const { view, entity, grant, context } = plan
    const zone = grant.caller.timeZone
    this.#plan = plan
    this.#reader = reader
    this.#rules = { view, entity, zone, today: dayIn(context.now, zone) }
    this.#checkReferences = planReferences(plan, reader)
    const made = plan.staged.filter(({ from }) => from === undefined).map(({ field }) => field)
    this.#rowDefaults = made.filter((field) => field.default && !plan.preset.has(field))
    this.#shutDefaults = plan.staged
      .filter(({ field, from }) => from !== undefined && field.readOnlyWhen && field.default)
      .map(({ field }) => field)
    this.#generated = plan.staged
      .filter(({ field, isInserted }) => isInserted && field.column && isGeneratedKey(field.column))
      .map(({ field }) => field)
    this.#validatesLists = validatesLists(plan)
    this.#called = listCalled(view, plan.columns)
    this.#isHistory = plan.request.takeover
    this.#bars =
      !this.#isHistory && view.fields.some((field) => field.visibleWhen ?? field.readOnlyWhen)
  }

  async check(rows: readonly ImportRow[]): Promise<CheckedRow[]> {
    const { columns } = this.#plan
    const { mode } = this.#plan.request
    const keys = columns.keys.map(({ field }) => field)
    const scope = { ...this.#plan, reader: this.#reader, keys, called: this.#called }
    if (mode !== 'insert') this.#uneven ??= await loadUnevenKeys(scope)
    const matches = this.#uneven && (await findMatches({ ...scope, uneven: this.#uneven }, rows))
    const checked: CheckedRow[] = []
    for (const row of rows) {
      const found = matches && this.#findOne(row, matches)
      if (row.unkept && !found) throw keysNotKept(row.unkept)
      if (found && 'match' in found) {
        this.#placeCalled(row, found.match)
        if (row.faults) this.#forgiveStored(row, found.match)
      }
      if (row.faults) checked.push({ line: row.line, faults: row.faults })
      else if (found && 'fault' in found) {
        checked.push({ line: row.line, faults: { [found.field]: found.fault } })
      } else {
        // Most rows have nothing to wait for, and a turn of the loop each would add up.
        const own = this.#validateRow(row, found?.match)
        const alone = own instanceof Promise ? await own : own
        const validated = this.#validatesLists ? await this.#validateLists(row, alone) : alone
        if (this.#bars) this.#noteDropped(row, validated)
        checked.push(this.#toChecked(row, validated))
      }
    }
    return checked
  }

  /** The record of a row; undefined for a new one. */
  #findOne(row: ImportRow, matches: ReadonlyMap<string, Match[]>): FoundRecord | undefined {
    const { columns, entity } = this.#plan
    const { mode, keepKeys } = this.#plan.request
    const field = columns.keys.length === 1 ? (columns.keys[0]?.field.name ?? '') : ''
    const [match, ...more] = this.#pickExact(row, matches.get(keyText(row.keys)) ?? [])
    if (more.length > 0) return { field, fault: say`This matches more than one record` }
    if (match) return this.#findStale(row, match) ?? { match }
    const isGiven = row.keys.some((value) => value !== null)
    const isServers = columns.keys.some(({ field: each }) => each.column?.identity)
    if (mode === 'upsert' && (keepKeys || !(isGiven && isServers))) return undefined
    return { field, fault: say`There is no such ${noun(entity.label)}` }
  }

  /** Of records whose keys differ in blanks alone, the one that has them as the file does. */
  #pickExact({ cells }: ImportRow, matches: readonly Match[]): readonly Match[] {
    if (matches.length < 2) return matches
    const exact = matches.filter(({ row }) =>
      this.#plan.columns.keys.every(({ field, at }) => {
        const stored = row[field.column?.name ?? field.name]
        return typeof stored !== 'string' || stored === cells[at]
      }),
    )
    return exact.length > 0 ? exact : matches
  }

  /** A cell that no rule of today lets through is no fault where the record has just that. */
  #forgiveStored(row: ImportRow, match: Match): void {
    for (const column of this.#plan.columns.values) {
      const { name } = column.field
      const fault = row.faults?.[name]
      if (fault !== undefined && this.#says(row, column, match, { fault }))
        delete row.faults?.[name]
    }
    if (row.faults && Object.keys(row.faults).length === 0) row.faults = undefined
  }

  /** True when a cell says what is stored; below labels that is what the stored value is called. */
  #says({ cells }: ImportRow, column: ImportColumn, match: Match, parsed: ParsedValue): boolean {
    const { field, at, isLabel } = column
    const stored = match.row[field.column?.name ?? field.name] ?? null
    const cell = cells[at] ?? null
    if (isLabel) {
      const { called } = match
      return isCalled(column, cell, { called, stored, grant: this.#plan.grant })
    }
    const isNumber = parsed.fault === undefined && typeof parsed.value === 'number'
    const given = isNumber ? parsed.value : cell
    return isAsStored(field, { given, parsed, stored })
  }

  /** A list of labels that the stored one is called by is the stored one. */
  #placeCalled(row: ImportRow, { called }: Match): void {
    for (const [at, column] of this.#plan.columns.lists.entries()) {
      const keys = column.isLabel
        ? findCalledKeys(column, row.cells[column.at] ?? null, called)
        : undefined
      if (keys === undefined) continue
      row.lists[at] = keys
      delete row.faults?.[column.field.name]
    }
  }

  #findStale({ stamp }: ImportRow, { row, isPermitted }: Match): FoundRecord | undefined {
    if (!isPermitted) {
      return { field: '', fault: say`This is not possible in the current state of the record` }
    }
    if (stamp === null || String(row[STAMP]) === String(stamp)) return undefined
    return { field: STAMP, fault: say`The record has changed since the file was made` }
  }

  #validateRow(row: ImportRow, match: Match | undefined): ValidatedRow | Promise<ValidatedRow> {
    const given = this.#listGiven(row, match)
    if (row.own.length > 0) this.#placeOwn(given, row)
    if (match) return this.#validateChanges(given, match, row)
    if (this.#rowDefaults.length + this.#shutDefaults.length === 0) {
      const own = this.#bars ? new Map(given) : given
      this.#addShared(given)
      return this.#validateChanges(given, undefined, row, own)
    }
    return this.#completeNew(given).then((changes) =>
      this.#validateChanges(changes, undefined, row, given),
    )
  }

  /** Values that all new records share, and generated keys. */
  #addShared(changes: Changes): void {
    for (const [field, value] of this.#plan.preset) changes.set(field, value)
    for (const field of this.#generated) changes.set(field, changes.get(field) ?? newId())
  }

  async #completeNew(given: Changes): Promise<Changes> {
    const { view, grant, context } = this.#plan
    const fill = async (all: Changes) => {
      const access = { view, grant, context, reader: this.#reader, parameters: toParameters(all) }
      this.#addShared(all)
      const shut = this.#shutDefaults.filter((field) => !all.has(field))
      await fillFields([...this.#rowDefaults, ...shut], all, access)
    }
    if (this.#isHistory) {
      await fill(given)
      return given
    }
    const { changes } = await completeNew(
      given,
      (all) => ({ ...this.#rules, stored: undefined, changes: all }),
      fill,
    )
    return changes
  }

  /** The rules come first: they take out what a condition bars, which then refers to nothing. */
  #validateChanges(
    changes: Changes,
    match: Match | undefined,
    row: ImportRow,
    given = changes,
  ): ValidatedRow | Promise<ValidatedRow> {
    const check = { ...this.#rules, stored: match?.row, changes }
    if (!this.#isHistory) dropBarred(check, given)
    const rules = checkChanges(check)
    const toValidated = (all: FieldErrors | undefined): ValidatedRow => {
      const pending = row.own.length > 0 ? this.#listPending(changes, row, all) : NOTHING_PENDING
      const references = all && pending.size > 0 ? without(all, pending) : all
      const late = pending.size > 0 && !match ? this.#findLate(pending) : undefined
      const company = checkCompany(this.#plan, row.values)
      const isSound = !references && !rules && !late && !company
      const faults = isSound ? undefined : { ...references, ...rules, ...late, ...company }
      return { changes, match, movesLists: false, faults, pending }
    }
    const references = this.#checkReferences(changes, match?.row)
    return references instanceof Promise ? references.then(toValidated) : toValidated(references)
  }

  /** Rules look at a value, where the row has one that is not known yet. */
  #placeOwn(changes: Changes, { own }: ImportRow): void {
    for (const [at, { field }] of this.#plan.own.entries()) {
      const text = own[at]?.text
      if (text === undefined || changes.get(field) !== null) continue
      changes.set(field, UNKNOWN_KEYS[FIELD_KINDS[field.type].key ?? 'given'] ?? text)
    }
  }

  #listPending(
    changes: Changes,
    { own }: ImportRow,
    faults: FieldErrors | undefined,
  ): ReadonlySet<Field> {
    const open = this.#plan.own.filter(
      ({ field }, at) => own[at] && changes.has(field) && faults?.[field.name] !== undefined,
    )
    return open.length > 0 ? new Set(open.map(({ field }) => field)) : NOTHING_PENDING
  }

  /** A default that looks at a record which is not there yet would be another one later. */
  #findLate(pending: ReadonlySet<Field>): FieldErrors | undefined {
    for (const field of pending) {
      const name = field.name.toLowerCase()
      const isLate = this.#rowDefaults.some(
        ({ default: preset }) =>
          preset?.kind === 'query' && preset.dependsOn.some((each) => each.toLowerCase() === name),
      )
      if (isLate) return { [field.name]: say`${field.label}: import this record before this row` }
    }
    return undefined
  }

  async #validateLists({ lists }: ImportRow, validated: ValidatedRow): Promise<ValidatedRow> {
    const { match, changes } = validated
    const key = match && toRecordKey(this.#plan, match.key)
    const row = { lists, changes, stored: match?.row, key }
    const planned = await planLists(this.#plan, this.#reader, row)
    const faults = { ...planned.faults, ...validated.faults }
    return {
      ...validated,
      movesLists: planned.changes.length > 0,
      faults: Object.keys(faults).length > 0 ? faults : undefined,
    }
  }

  #noteDropped(row: ImportRow, { changes, match }: ValidatedRow): void {
    for (const { field, from, isInserted, isUpdated } of this.#plan.staged) {
      if (from === undefined || !(match ? isUpdated : isInserted)) continue
      const isShut = !match && this.#shutDefaults.includes(field)
      if (isShut ? changes.get(field) === row.values[from] : changes.has(field)) continue
      const isKept = match
        ? this.#isKept(row, { field, from }, match)
        : (row.values[from] ?? null) === null
      if (!isKept) this.dropped.add(field.name)
    }
  }

  #toChecked(row: ImportRow, validated: ValidatedRow): CheckedRow {
    const { line, lists, own } = row
    const { match, changes, movesLists, faults, pending } = validated
    if (faults) return { line, faults }
    const mayStay = match !== undefined && !this.#plan.view.update && !movesLists
    if (mayStay && isSame(changes, match.row)) return { unchanged: line }
    const values = this.#plan.staged.map(({ field }) => {
      if (pending.has(field)) return null
      const value = changes.get(field)
      return value === undefined ? this.#findUnsaid(field, match) : value
    })
    const stamp = match?.row[STAMP] ?? null
    const { basis = null, output = null } = match ?? {}
    const texts = this.#plan.own.map(({ field }, at) => {
      const given = own[at]
      if (!given || !changes.has(field)) return null
      return pending.has(field) || !given.isKey ? given.text : null
    })
    const details = row.details ? JSON.stringify(row.details) : null
    return {
      sound: { line, key: match?.key, stamp, basis, output, values, lists, own: texts, details },
    }
  }

  /** The value of a field that a row does not change; an authored Insert binds none. */
  #findUnsaid({ name, column }: Field, match: Match | undefined): SqlValue {
    if (match) return match.row[column?.name ?? name] ?? null
    return this.#plan.view.insert ? null : storedDefault(column)
  }

  /** True when a row has what is stored of a field; what may name a row of the file has not. */
  #isKept(row: ImportRow, { field, from }: { field: Field; from: number }, match: Match): boolean {
    if (this.#plan.own.some((each, at) => each.from === from && row.own[at])) return false
    const value = row.values[from] ?? null
    const column = this.#plan.columns.values[from]
    if (value === (match.row[field.column?.name ?? field.name] ?? null)) return true
    return column !== undefined && this.#says(row, column, match, { value })
  }

  #listGiven(row: ImportRow, match: Match | undefined): Changes {
    const given: Changes = new Map()
    for (const { field, from, isInserted, isUpdated } of this.#plan.staged) {
      if (from === undefined || !(match ? isUpdated : isInserted)) continue
      if (match && this.#isKept(row, { field, from }, match)) continue
      given.set(field, row.values[from] ?? null)
    }
    return given
  }
}

/** Placeholders for keys that no record has. */
const UNKNOWN_KEYS: Readonly<Record<KeyForm, SqlValue | undefined>> = {
  numbered: Number.MAX_SAFE_INTEGER,
  generated: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  given: undefined,
}

function without(faults: FieldErrors, fields: ReadonlySet<Field>): FieldErrors | undefined {
  const names = new Set([...fields].map(({ name }) => name))
  const left = Object.entries(faults).filter(([name]) => !names.has(name))
  return left.length > 0 ? Object.fromEntries(left) : undefined
}

const isSame = (changes: Changes, stored: SqlRow): boolean =>
  [...changes].every(([{ column }, value]) => column && (stored[column.name] ?? null) === value)
