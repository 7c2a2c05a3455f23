/**
 * Numbers of sequences, generated inside the transaction that uses them: none is lost by a
 * rollback.
 */
import { dayIn, firstZone } from '../../../kernel/zones.ts'
import type { Sequence } from '../../../model/compiled/entity.ts'
import type { SqlArg } from '../../../store/sql.ts'
import type { Reader, Tx } from '../../../store/store.ts'

/** The record that a number is generated for. */
export interface NumberedRecord {
  companyId: number
  now: Date
  /** Values of the record by lower-case column name, for `{Field:Name}`. */
  values: ReadonlyMap<string, SqlArg>
}

const PERIOD_LENGTH = { Never: 0, Yearly: 4, Monthly: 7, Daily: 10 } as const

/** Where a sequence counts for a company now. */
export interface Counter {
  name: string
  /** 0 for a sequence that all companies share. */
  company: number
  /** By the sequence's Reset, in the company's zone. */
  period: string
  /** The day in that zone. */
  day: string
  companyCode: string
}

const FREE = `SELECT Number FROM svc_reservations WHERE Name = @name AND CompanyId = @company
  AND Period = @period AND ExpiresAt <= @now ORDER BY Number LIMIT 1`

const TAKE_FREE = `DELETE FROM svc_reservations WHERE Name = @name AND CompanyId = @company
  AND Period = @period AND Number = @number RETURNING Number`

const COUNT_ON = `INSERT INTO svc_sequences (Name, CompanyId, Period, Last)
  VALUES (@name, @company, @period, 1)
  ON CONFLICT (Name, CompanyId, Period) DO UPDATE SET Last = Last + 1 RETURNING Last AS Number`

/** The number that would come next; it depends on the counter alone, on no record. */
const NEXT = `SELECT coalesce((${FREE}), (SELECT Last FROM svc_sequences WHERE Name = @name
  AND CompanyId = @company AND Period = @period) + 1, 1) AS Number`

/** The next number, formatted; its period is that of the company's zone. */
export async function nextNumber(
  tx: Pick<Tx, 'get'>,
  sequence: Sequence,
  { companyId, now, values }: NumberedRecord,
): Promise<string> {
  const counter = planCounter(sequence, await findCompany(tx, companyId), { now })
  return formatCounted(sequence, counter, await takeNext(tx, counter, now), values)
}

/**
 * Takes a number: the lowest that was reserved and not used in time, else the one after the last.
 */
export async function takeNext(tx: Pick<Tx, 'get'>, counter: Counter, now: Date): Promise<number> {
  const args = counterArgs(counter)
  const free = await tx.get<Numbered>(FREE, { ...args, now: now.toISOString() })
  if (!free) return (await tx.get<Numbered>(COUNT_ON, args))?.Number ?? 1
  await tx.get(TAKE_FREE, { ...args, number: free.Number })
  return free.Number
}

/** The number that `takeNext` would take now; nothing is used up. */
export async function previewNext(reader: Reader, counter: Counter, now: Date): Promise<number> {
  const args = { ...counterArgs(counter), now: now.toISOString() }
  return (await reader.get<Numbered>(NEXT, args))?.Number ?? 1
}

type Numbered = { Number: number }

const counterArgs = ({ name, company, period }: Counter) => ({ name, company, period })

/** What a sequence takes of a company. */
export interface CompanyFacts {
  id: number
  code: string
  timeZone: string
}

type CompanyRow = { Code: string; TimeZone: string }

const COMPANY = 'SELECT Code, TimeZone FROM main.svc_companies WHERE Id = @id'

/** A company's code and zone. */
export async function findCompany(reader: Pick<Reader, 'get'>, id: number): Promise<CompanyFacts> {
  const row = await reader.get<CompanyRow>(COMPANY, { id })
  return { id, code: String(row?.Code ?? ''), timeZone: firstZone(row?.TimeZone) }
}

/** Where the sequence counts at an instant. */
export function planCounter(
  sequence: Sequence,
  company: CompanyFacts,
  { now }: { now: Date },
): Counter {
  const day = dayIn(now, company.timeZone)
  return {
    name: sequence.name,
    company: sequence.perCompany ? company.id : 0,
    period: day.slice(0, PERIOD_LENGTH[sequence.reset]),
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
    if (name === 'yyyy') return facts.day.slice(0, 4)
    if (name === 'yy') return facts.day.slice(2, 4)
    if (name === 'MM') return facts.day.slice(5, 7)
    if (name === 'dd') return facts.day.slice(8, 10)
    if (name === 'Company') return facts.company
    if (name.startsWith('Field:'))
      return String(facts.values.get(name.slice(6).toLowerCase()) ?? '')
    return token
  })
}
