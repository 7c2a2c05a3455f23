/** Rules of entities and views, judged on records as they are stored. */
import { type Message, plain } from '../../../kernel/messages.ts'
import { askMany } from '../../../model/ask-many.ts'
import type { AuthoredSql, Entity, Validate } from '../../../model/model.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { Context } from '../context.ts'
import { recordValue } from '../record/record-values.ts'
import type { Former } from '../record/former.ts'
import { holdsRule } from './field-condition.ts'

/** What a rule is judged on: a record as it is stored. */
export interface Judged {
  row: SqlRow
  /** What it was before the mutation. */
  former: Former
}

/** Records of one entity that are judged together. */
export interface Judging<J extends Judged> {
  entity: Entity
  records: readonly J[]
  context: Context
}

/** A rule that does not hold, and the record that breaks it. */
export interface BrokenRule<J extends Judged> {
  record: J
  field: string
  message: Message
}

/**
 * What is broken, in the order of the rules; a rule in SQL is asked for all records together, and
 * ends at `Svc:Sql:WriteTimeout` with a 400 (`tx.ask`).
 */
export async function findBroken<J extends Judged>(
  tx: Tx,
  rules: readonly Validate[],
  judging: Judging<J>,
): Promise<BrokenRule<J>[]> {
  const broken: BrokenRule<J>[] = []
  for (const rule of rules) {
    const held =
      rule.kind === 'compare'
        ? judging.records.map((record) => compares(rule, record, judging))
        : await askSql(tx, rule.sql, judging)
    for (const [at, record] of judging.records.entries()) {
      if (!held[at]) broken.push({ record, field: rule.field ?? '', message: plain(rule.message) })
    }
  }
  return broken
}

function compares(
  rule: Extract<Validate, { kind: 'compare' }>,
  { row }: Judged,
  { entity, context }: Pick<Judging<Judged>, 'entity' | 'context'>,
): boolean {
  const draft = new Map(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value]))
  const find = (name: string) => entity.columnByName.get(name.toLowerCase())
  return holdsRule(rule, find, draft, context.caller?.timeZone ?? 'UTC')
}

/** A rule holds when its first cell is true: false, NULL or no row is a failure. */
async function askSql(
  tx: Tx,
  sql: AuthoredSql,
  { entity, records, context }: Judging<Judged>,
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
