/** Rules of entities and views, evaluated on records as they are stored. */
import { type Message, plain } from '../../../kernel/messages.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { AuthoredSql } from '../../../model/compiled/authored-sql.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import type { Validate } from '../../../model/compiled/validate.ts'
import type { View } from '../../../model/compiled/view.ts'
import { askMany } from '../../../model/sql/ask-many.ts'
import { quote } from '../../../model/sql/quote.ts'
import type { Context } from '../context.ts'
import { loadReached } from '../record/reached-rows.ts'
import { findFormer, type Former, recordValue } from '../record/record-values.ts'
import { loadRow, toRecordKey } from '../record/record.ts'
import { inChunks, loadStored } from '../record/stored-rows.ts'
import { keyText } from '../record/written-row.ts'
import { findCell } from './changes.ts'
import { holdsRule } from './field-condition.ts'
import type { Draft } from '../value.ts'
import type { RecordAccess } from '../view-access.ts'

/** A record as it is stored, on which a rule is evaluated. */
interface StoredRecord {
  row: SqlRow
  /** The record before the mutation. */
  former: Former
}

/** Records of one entity that are evaluated together. */
interface StoredRecords<J extends StoredRecord> {
  entity: Entity
  records: readonly J[]
  context: Context
}

/** A rule that does not hold, and the record that breaks it. */
interface BrokenRule<J extends StoredRecord> {
  record: J
  field: string
  message: Message
}

/**
 * Finds the broken rules, in their order; a rule in SQL runs for all records together, and ends at
 * `Svc:Sql:WriteTimeout` with a 400 (`tx.ask`).
 */
export async function findBroken<J extends StoredRecord>(
  tx: Tx,
  rules: readonly Validate[],
  stored: StoredRecords<J>,
): Promise<BrokenRule<J>[]> {
  const broken: BrokenRule<J>[] = []
  const draftOf = ({ row }: J): Draft => ({ get: (name) => findCell(stored.entity, row, name) })
  for (const rule of rules) {
    const held =
      rule.kind === 'compare'
        ? stored.records.map((record) => compares(rule, draftOf(record), stored))
        : await askSql(tx, rule.sql, stored)
    for (const [at, record] of stored.records.entries()) {
      if (!held[at]) broken.push({ record, field: rule.field ?? '', message: plain(rule.message) })
    }
  }
  return broken
}

function compares(
  rule: Extract<Validate, { kind: 'compare' }>,
  draft: Draft,
  { entity, context }: Pick<StoredRecords<StoredRecord>, 'entity' | 'context'>,
): boolean {
  const find = (name: string) => entity.columnByName.get(name.toLowerCase())
  return holdsRule(rule, find, draft, context.caller?.timeZone ?? 'UTC')
}

/** A rule holds when its first cell is true: false, NULL or no row is a failure. */
async function askSql(
  tx: Tx,
  sql: AuthoredSql,
  { entity, records, context }: StoredRecords<StoredRecord>,
): Promise<boolean[]> {
  const valueOf = (name: string, at: number) => {
    const record = records[at]
    return record ? recordValue(name, { entity, ...record }, context) : null
  }
  const { model } = context
  const values = await askMany(sql, records.length, { tx, model, valueOf, of: entity.name })
  return values.map(isTrue)
}

/** Truth as SQLite has it: a number that is not 0, or a text that begins with one. */
export function isTrue(value: SqlValue): boolean {
  const number = typeof value === 'string' ? Number.parseFloat(value) : Number(value)
  return number !== 0 && !Number.isNaN(number)
}

/** A record that a mutation has written. */
interface RuledRecord {
  key: readonly SqlValue[]
  /** The mutation has made it, and the change log need not say so. */
  isNew?: boolean
  /** As it is stored, where that is known. */
  row?: SqlRow | undefined
}

/** A ruled record as it is stored, and as it was before. */
interface EvaluatedRecord<R> {
  record: R
  row: SqlRow
  former: Former
}

const NONE: ReadonlyMap<string, SqlRow> = new Map()

/** Finds the view's rules in SQL that do not hold. */
export async function findBrokenViewRules<R extends RuledRecord>(
  access: RecordAccess,
  records: readonly R[],
): Promise<BrokenRule<EvaluatedRecord<R>>[]> {
  const { reader: tx, view, entity, context } = access
  const rules = view.validates.filter((rule) => rule.kind === 'sql')
  if (rules.length === 0) return []
  const names = rules.flatMap(({ sql }) => sql.parameters)
  const isOutput = namesOutput(view, entity, names)
  const broken: BrokenRule<EvaluatedRecord<R>>[] = []
  for (const chunk of inChunks(records)) {
    const keys = chunk.map(({ key }) => key)
    const output = isOutput ? await loadOutput(access, keys) : undefined
    const unread = chunk.filter((record) => !record.row).map(({ key }) => key)
    const stored = unread.length > 0 ? await loadStored(tx, entity, unread) : NONE
    const records = chunk.map((record): EvaluatedRecord<R> => {
      const { key, isNew = false } = record
      const id = keyText(key)
      const row = { ...output?.get(id), ...(record.row ?? stored.get(id)) }
      const former = isNew ? { isNew, row: undefined } : findFormer(tx, { entity, key, row })
      return { record, row, former }
    })
    broken.push(...(await findBroken(tx, rules, { entity, context, records })))
  }
  return broken
}

/** The view's rows of some keys, regardless of who may see them. */
async function loadOutput(
  access: RecordAccess,
  keys: readonly (readonly SqlValue[])[],
): Promise<Map<string, SqlRow>> {
  const [first, ...more] = keys
  if (first && more.length === 0) {
    const row = await loadRow(access, toRecordKey(access, first))
    return new Map(row ? [[keyText(first), row]] : [])
  }
  const cells = access.view.query.columns.map(({ name }) => quote(name))
  return loadReached(access, keys, { purpose: 'all', cells })
}

/** Tells whether one of the names is an output column that the entity does not have. */
function namesOutput(view: View, entity: Entity, names: readonly string[]): boolean {
  const others = names.map((name) => name.toLowerCase()).filter((n) => !entity.columnByName.has(n))
  return others.some((other) => view.query.columns.some(({ name }) => name.toLowerCase() === other))
}
