/**
 * Numbers of sequences, drawn inside the transaction that uses them: none is lost by a rollback.
 */
import { dayIn } from '../../kernel/zones.ts'
import type { Sequence } from '../../model/model.ts'
import type { SqlArg } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'

/** What a number is drawn for. */
export interface SequenceScope {
  tx: Tx
  companyId: number
  now: Date
  /** Values of the record by lower-case column name, for `{Field:Name}`. */
  values: ReadonlyMap<string, SqlArg>
}

const PERIOD_LENGTH = { Never: 0, Yearly: 4, Monthly: 7, Daily: 10 } as const

/** The next number, formatted; its period is that of the company's zone. */
export async function drawNumber(sequence: Sequence, scope: SequenceScope): Promise<string> {
  const { tx, companyId, now } = scope
  const company = await tx.get<{ Code: string; TimeZone: string }>(
    'SELECT Code, TimeZone FROM main.svc_companies WHERE Id = @id',
    { id: companyId },
  )
  const day = dayIn(now, company?.TimeZone ?? 'UTC')
  const drawn = await tx.get<{ Last: number }>(
    `INSERT INTO svc_sequences (Name, CompanyId, Period, Last) VALUES (@name, @company, @period, 1)
     ON CONFLICT (Name, CompanyId, Period) DO UPDATE SET Last = Last + 1 RETURNING Last`,
    {
      name: sequence.name,
      company: sequence.perCompany ? companyId : 0,
      period: day.slice(0, PERIOD_LENGTH[sequence.reset]),
    },
  )
  return formatNumber(sequence.format, {
    number: drawn?.Last ?? 1,
    day,
    company: company?.Code ?? '',
    values: scope.values,
  })
}

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
