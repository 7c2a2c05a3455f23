/** Requests for a report page of five datasets, and how the bare server answers the same bytes. */
import { type SqlArgs, SqlReal } from '../../src/store/sql.ts'
import type { OpenContext } from '../../src/server/open-context.ts'
import type { RecordedArgs, RecordedReports } from './by-hand/reports.ts'
import { recordRequests } from './record.ts'
import type { Work } from './work.ts'

export const REPORTS = '/api/v1/svc/reports'

const PAGES = 64
const DAYS = 28
const FIRST_DAY = '2024-06-01'

/** The same page for four weeks each, of which no two begin on the same day. */
export function planReportWork(): Work {
  const first = Temporal.PlainDate.from(FIRST_DAY)
  const requests = Array.from({ length: PAGES }, (_, at) => {
    const from = first.add({ days: at * 11 })
    const Arguments = { From: String(from), To: String(from.add({ days: DAYS - 1 })) }
    return { path: `${REPORTS}/BenchPage/data`, body: JSON.stringify({ Arguments }) }
  })
  const byHand = requests.map((_, Index) => ({ path: '/report', body: JSON.stringify({ Index }) }))
  return { name: 'report', requests, byHand, isWrite: false, isCached: false }
}

/** The statements of all report requests, each text once. */
export async function recordReports(
  context: OpenContext,
  token: string,
  works: readonly Work[],
): Promise<RecordedReports> {
  const asked = works.find(({ name }) => name === 'report')?.requests ?? []
  const texts = new Map<string, number>()
  const numberOf = (sql: string): number => {
    if (!texts.has(sql)) texts.set(sql, texts.size)
    return texts.get(sql) ?? 0
  }
  const recorded = await recordRequests(context, token, asked)
  const requests = recorded.map(({ statements }) =>
    statements.map(({ sql, args }) => ({ text: numberOf(sql), args: toPlainArgs(args) })),
  )
  const parts = recorded.map(({ answer }) => splitAtRows(answer))
  return { requests, parts, texts: [...texts.keys()] }
}

/** Values as the package takes them, and as JSON carries them. */
function toPlainArgs(args: SqlArgs): RecordedArgs {
  const plain: RecordedArgs = {}
  for (const [name, value] of Object.entries(args)) {
    if (value instanceof SqlReal) plain[name] = value.value
    else if (typeof value === 'bigint') plain[name] = Number(value)
    else if (typeof value === 'number' || typeof value === 'string') plain[name] = value
  }
  return plain
}

/** The text of an answer without the rows of its datasets: what stands before and after each. */
function splitAtRows(answer: string): string[] {
  const { data } = JSON.parse(answer) as { data: { DataSets: Record<string, { Rows: unknown[] }> } }
  const parts: string[] = []
  let rest = answer
  for (const { Rows } of Object.values(data.DataSets)) {
    const head = '"Rows":'
    const rows = JSON.stringify(Rows)
    const at = rest.indexOf(head + rows)
    if (at < 0) throw new Error('The rows of a dataset are not where they are looked for')
    parts.push(rest.slice(0, at + head.length))
    rest = rest.slice(at + head.length + rows.length)
  }
  return [...parts, rest]
}
