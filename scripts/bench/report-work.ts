/** Requests for a report page of five datasets, and how the bare server answers the same bytes. */
import type { Work } from './world.ts'

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
  return { name: 'report', requests }
}

/** The text of an answer without the rows of its datasets: what stands before and after each. */
export function splitAtRows(answer: string): string[] {
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
