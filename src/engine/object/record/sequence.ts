/**
 * Numbers of sequences, generated inside the transaction that uses them: none is lost by a
 * rollback.
 */
import { dayIn, firstZone } from '../../../kernel/zones.ts'
import type { SqlArg } from '../../../store/sql.ts'
import type { Reader, Tx } from '../../../store/store.ts'
import type { companies } from '../../../store/tables/users.ts'
import type { Sequence } from '../../../model/compiled/entity.ts'
import type { Model } from '../../../model/model.ts'
import { type DateName, SEQUENCE_PERIODS } from '../../../model/sequence-periods.ts'
import { datePart, splitFormat } from './number-pattern.ts'
import {
  findHighest,
  findHighestBetween,
  holdsNumber,
  listNumberedColumns,
  type NumberedColumn,
} from './numbered-columns.ts'

/** The record that a number is generated for. */
export interface NumberedRecord {
  model: Model
  companyId: number
  now: Date
  /** Values of the record by lower-case column name, for `{Field:Name}`. */
  values: ReadonlyMap<string, SqlArg>
}

/** The counter of a sequence for a company now. */
interface Counter {
  name: string
  /** 0 for a sequence that all companies share. */
  company: number
  /** The period by the sequence's Reset, in the company's zone. */
  period: string
  /** The day in that zone. */
  day: string
  companyCode: string
}

/** A sequence where it counts, with the columns that draw from it. */
export interface Counting {
  sequence: Sequence
  columns: readonly NumberedColumn[]
  counter: Counter
  /** The company of the record, also where all companies share the sequence. */
  companyId: number
}

const FREE = `SELECT Number FROM svc_reservations WHERE Name = @name AND CompanyId = @company
  AND Period = @period AND ExpiresAt <= @now ORDER BY Number LIMIT 1`

const TAKE_FREE = `DELETE FROM svc_reservations WHERE Name = @name AND CompanyId = @company
  AND Period = @period AND Number = @number RETURNING Number`

const COUNT_ON = `UPDATE svc_sequences SET Last = Last + 1
  WHERE Name = @name AND CompanyId = @company AND Period = @period RETURNING Last AS Number`

const BEGIN = `INSERT INTO svc_sequences (Name, CompanyId, Period, Last)
  VALUES (@name, @company, @period, @number) RETURNING Last AS Number`

const RAISE = `UPDATE svc_sequences SET Last = max(Last, @number)
  WHERE Name = @name AND CompanyId = @company AND Period = @period RETURNING Last AS Number`

/** The number that would come next; null where the sequence has not begun. */
const NEXT = `SELECT coalesce((${FREE}), (SELECT Last FROM svc_sequences WHERE Name = @name
  AND CompanyId = @company AND Period = @period) + 1) AS Number`

/** The next number, formatted; its period is that of the company's zone. */
export async function nextNumber(
  tx: Pick<Tx, 'get'>,
  sequence: Sequence,
  record: NumberedRecord,
): Promise<string> {
  const counting = await startCounting(tx, sequence, record)
  const { counter } = counting
  return formatCounted(sequence, counter, await takeNext(tx, counting, record.now), record.values)
}

/** Finds the counter of a sequence for a record. */
export async function startCounting(
  reader: Pick<Reader, 'get'>,
  sequence: Sequence,
  { model, companyId, now }: Omit<NumberedRecord, 'values'>,
): Promise<Counting> {
  const counter = planCounter(sequence, await findCompany(reader, companyId), { now })
  return { sequence, columns: listNumberedColumns(model, sequence), counter, companyId }
}

/**
 * Takes a number: the lowest that was reserved and not used in time, else the one after the last.
 * A sequence that has not begun takes the number after the highest one in its columns, which are
 * asked this once.
 */
export async function takeNext(
  tx: Pick<Tx, 'get'>,
  counting: Counting,
  now: Date,
): Promise<number> {
  const args = counterArgs(counting.counter)
  const free = await tx.get<Numbered>(FREE, { ...args, now: now.toISOString() })
  if (!free) return countOn(tx, counting)
  await tx.get(TAKE_FREE, { ...args, number: free.Number })
  return free.Number
}

async function countOn(tx: Pick<Tx, 'get'>, counting: Counting): Promise<number> {
  const args = counterArgs(counting.counter)
  const counted = await tx.get<Numbered>(COUNT_ON, args)
  if (counted) return counted.Number
  const number = await findFirst(tx, counting)
  await tx.get(BEGIN, { ...args, number })
  return number
}

/** The first number of a counter: behind the highest of its columns, else its Start. */
async function findFirst(reader: Pick<Reader, 'get'>, counting: Counting): Promise<number> {
  const highest = await findHeld(reader, counting)
  return highest === undefined ? counting.sequence.start : highest + 1
}

/** The highest number that the columns of a sequence hold; undefined for none. */
async function findHeld(
  reader: Pick<Reader, 'get'>,
  { sequence, columns, counter }: Counting,
): Promise<number | undefined> {
  let highest: number | undefined
  for (const each of columns) {
    const found = await findHighest(reader, sequence, each, counter)
    if (found !== undefined) highest = Math.max(found, highest ?? 0)
  }
  return highest
}

/** The number that `takeNext` would take now; nothing is used up. */
export async function previewNext(reader: Reader, counting: Counting, now: Date): Promise<number> {
  const args = { ...counterArgs(counting.counter), now: now.toISOString() }
  const next = await reader.get<{ Number: number | null }>(NEXT, args)
  return next?.Number ?? findFirst(reader, counting)
}

/**
 * The next number, formatted, where the one that was drawn is taken: behind the highest that this
 * record could meet in the columns, which is found at once. `others` are looked at as well.
 */
export async function takeBehindTaken(
  tx: Pick<Tx, 'get'>,
  sequence: Sequence,
  record: NumberedRecord,
  others: readonly NumberedColumn[] = [],
): Promise<string> {
  const counting = await startCounting(tx, sequence, record)
  const number = await takeBehind(tx, counting, record.values, others)
  return formatCounted(sequence, counting.counter, number, record.values)
}

/** Takes the number behind the highest taken one, as a number. */
export async function takeBehind(
  tx: Pick<Tx, 'get'>,
  counting: Counting,
  values: NumberedRecord['values'],
  others: readonly NumberedColumn[] = [],
): Promise<number> {
  const number = await findTaken(tx, counting, values, others)
  await tx.get(RAISE, { ...counterArgs(counting.counter), number })
  return countOn(tx, counting)
}

/** The highest number that a record of these values would meet in the columns; 0 for none. */
export async function findTaken(
  reader: Pick<Reader, 'get'>,
  { sequence, columns, counter }: Counting,
  values: NumberedRecord['values'],
  others: readonly NumberedColumn[] = [],
): Promise<number> {
  const { head, digits, tail } = splitFormat(sequence.format)
  const { day, companyCode: company } = counter
  const write = (part: string) => formatNumber(part, { number: 0, day, company, values })
  const between = { scope: counter, head: write(head), digits, tail: write(tail) }
  let highest = 0
  for (const each of [...columns, ...others]) {
    const found = await findHighestBetween(reader, sequence, each, between)
    highest = Math.max(highest, found ?? 0)
  }
  return highest
}

/** Tells whether a column of the sequence without duplicates holds this number. */
export async function isTaken(
  reader: Pick<Reader, 'get'>,
  { columns, companyId }: Counting,
  text: string,
): Promise<boolean> {
  for (const each of columns) {
    const { unique, key } = each.column
    if ((unique || key) && (await holdsNumber(reader, each, text, companyId))) return true
  }
  return false
}

/** Moves a counter behind a number that a caller has given. */
export async function goBehind(
  tx: Pick<Tx, 'get'>,
  counting: Counting,
  number: number,
): Promise<void> {
  const args = counterArgs(counting.counter)
  if (await tx.get<Numbered>(RAISE, { ...args, number })) return
  const held = await findHeld(tx, counting)
  await tx.get(BEGIN, { ...args, number: Math.max(held ?? 0, number) })
}

type Numbered = { Number: number }

const counterArgs = ({ name, company, period }: Counter) => ({ name, company, period })

/** The facts of a company that a sequence uses. */
interface CompanyFacts {
  id: number
  code: string
  timeZone: string
}

type CompanyRow = Pick<typeof companies.$inferSelect, 'Code' | 'TimeZone'>

const COMPANY = 'SELECT Code, TimeZone FROM main.svc_companies WHERE Id = @id'

/** A company's code and zone. */
export async function findCompany(reader: Pick<Reader, 'get'>, id: number): Promise<CompanyFacts> {
  const row = await reader.get<CompanyRow>(COMPANY, { id })
  return { id, code: String(row?.Code ?? ''), timeZone: firstZone(row?.TimeZone) }
}

/** Plans the counter of the sequence at an instant. */
export function planCounter(
  sequence: Sequence,
  company: CompanyFacts,
  { now }: { now: Date },
): Counter {
  const day = dayIn(now, company.timeZone)
  return {
    name: sequence.name,
    company: sequence.perCompany ? company.id : 0,
    period: day.slice(0, SEQUENCE_PERIODS[sequence.reset].length),
    day,
    companyCode: company.code,
  }
}

/** A number of a counter as the sequence's format has it. */
export const formatCounted = (
  { format }: Sequence,
  { day, companyCode }: Pick<Counter, 'day' | 'companyCode'>,
  number: number,
  values: NumberedRecord['values'],
): string => formatNumber(format, { number, day, company: companyCode, values })

/** Tokens of a format: `{yyyy} {yy} {MM} {dd} {#…} {Company} {Field:Name}`. */
export function formatNumber(
  format: string,
  facts: {
    number: number
    day: string
    company: string
    values: ReadonlyMap<string, SqlArg>
  },
): string {
  return format.replace(/\{([^{}]+)\}/g, (token: string, name: string) => {
    if (/^#+$/.test(name)) return String(facts.number).padStart(name.length, '0')
    if (/^(?:yyyy|yy|MM|dd)$/.test(name)) return datePart(facts.day, name as DateName)
    if (name === 'Company') return facts.company
    if (name.startsWith('Field:'))
      return String(facts.values.get(name.slice(6).toLowerCase()) ?? '')
    return token
  })
}
