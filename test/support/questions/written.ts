/**
 * Questions whose answer is told by SQL, and what the assistant says to them: `# kind`, then
 * `application language | question` with `= SQL` below it, in further lines what answers it as
 * well. `= ?` is a refusal. `before >> question` asks the second one behind the first.
 */
import type { TestApp } from '../app.ts'
import type { Refusal, Row } from '../objects.ts'

/** A question with what answers it. */
export interface WrittenQuestion {
  kind: string
  application: string
  language: string
  question: string
  before: string[]
  /** Statements, each of which is right. */
  answers: string[]
  /** True where a refusal is right, too, or alone. */
  mayRefuse: boolean
}

/** The outcome of a question: `guessed` is an answer where nothing answers it. */
export interface WrittenVerdict {
  asked: WrittenQuestion
  outcome: 'right' | 'offered' | 'refused' | 'wrong' | 'guessed'
  /** The answer, for people to read. */
  shown: string
}

/** The questions of a file, in its order. */
export function readWritten(text: string): WrittenQuestion[] {
  const questions: WrittenQuestion[] = []
  let kind = ''
  for (const line of text.split('\n')) {
    if (line.startsWith('# ')) kind = line.slice(2)
    const [, application, language, typed] = /^(\w+) (en|de) \| (.+)$/.exec(line) ?? []
    const last = questions.at(-1)
    if (application !== undefined && language !== undefined && typed !== undefined) {
      const [question = '', ...before] = typed.split(' >> ').toReversed()
      const told = { kind, application, language, question, before }
      questions.push({ ...told, answers: [], mayRefuse: false })
    } else if (line === '= ?' && last) last.mayRefuse = true
    else if (line.startsWith('= ')) last?.answers.push(line.slice(2))
  }
  return questions
}

/** The users who ask, and the rows that they may see under the names of their tables. */
const SIGHTS: Readonly<Record<string, { as: string; rows: string }>> = {
  demo: {
    as: 'ana',
    rows: `WITH ${['orders', 'order_lines', 'customers', 'products', 'stock_movements']
      .map((name) => `${name} AS (SELECT * FROM main.${name} WHERE CompanyId = 1)`)
      .join(', ')} `,
  },
  northwind: { as: 'keeper', rows: '' },
  clinic: { as: 'desk', rows: '' },
}

interface Answered {
  Request: Row | null
  Explanation: string
  Alternative: { Request: Row } | null
}

/** Asks a question over HTTP, behind others if wanted, and judges the answer by its SQL. */
export async function judgeWritten(
  app: TestApp,
  asked: WrittenQuestion,
  behind: readonly string[] = asked.before,
): Promise<WrittenVerdict> {
  const { as } = sightOf(asked)
  const answer = await app.fetch<Refusal & { data: Answered }>('/api/v1/svc/assistant/query', {
    as,
    headers: { 'Accept-Language': asked.language },
    body: { Question: asked.question, Before: behind },
  })
  if (answer.status === 400 && answer.body.code === 'NOT_UNDERSTOOD')
    return { asked, outcome: asked.mayRefuse ? 'right' : 'refused', shown: answer.body.error ?? '' }
  if (answer.status !== 200) return { asked, outcome: 'wrong', shown: answer.text }
  const { Request, Explanation, Alternative } = answer.body.data
  const shown = `${Explanation} ${JSON.stringify(Request)}`
  if (Request && (await isAnswered(app, asked, Request))) return { asked, outcome: 'right', shown }
  const other = Alternative?.Request
  if (other && (await isAnswered(app, asked, other))) return { asked, outcome: 'offered', shown }
  return { asked, outcome: asked.answers.length === 0 ? 'guessed' : 'wrong', shown }
}

function sightOf({ application }: WrittenQuestion) {
  const sight = SIGHTS[application]
  if (!sight) throw new Error(`There is no application ${application}`)
  return sight
}

async function isAnswered(app: TestApp, asked: WrittenQuestion, request: Row): Promise<boolean> {
  const { as, rows } = sightOf(asked)
  const path = '/api/v1/svc/object-explorer/query'
  const body = { Limit: 5000, ...request }
  const answer = await app.fetch<{ data: { Rows: Row[] } }>(path, { as, body })
  if (answer.status !== 200) return false
  const given = answer.body.data.Rows.map((row) => Object.values(row).map(toCell))
  for (const sql of asked.answers) {
    const wanted = await app.store.all({ sql: rows + sql, args: {}, runs: 'lane' })
    const cells = wanted.map((row) => Object.values(row).map(toCell))
    if ((JUDGES[asked.kind] ?? isSame)(given, cells)) return true
  }
  return false
}

const toCell = (value: unknown): string =>
  typeof value === 'boolean' ? String(Number(value)) : String(value ?? '')

type Judge = (given: string[][], wanted: string[][]) => boolean

/** Both figures of a comparison stand among those of the answer. */
const holdsEach: Judge = (given, [wanted]) =>
  wanted !== undefined &&
  wanted.every((cell) => given.flat().some((each) => isSameCell(each, cell)))

/** True when some columns of the rows that are given hold the rows that are wanted, and no more. */
const isSame: Judge = (given, wanted) => {
  if (given.length !== wanted.length) return false
  const columns = Array.from({ length: given[0]?.length ?? 0 }, (_, column) => column)
  const fits = (chosen: number[]): boolean => {
    const left = given.map((row) => chosen.map((column) => row[column] ?? ''))
    return wanted.every((cells) => {
      const at = left.findIndex((row) =>
        row.every((cell, nth) => isSameCell(cell, cells[nth] ?? '')),
      )
      if (at >= 0) left.splice(at, 1)
      return at >= 0
    })
  }
  const width = wanted[0]?.length ?? 0
  let chosen: number[][] = [[]]
  for (let nth = 0; nth < width; nth++)
    chosen = chosen.flatMap((start) => columns.map((column) => [...start, column]).filter(fits))
  return chosen.length > 0 || wanted.length === 0
}

const JUDGES: Readonly<Record<string, Judge>> = { growth: holdsEach }

/** A figure as far as it is written, a month or a day also as the beginning of an instant. */
function isSameCell(given: string, wanted: string): boolean {
  if (given === wanted) return true
  if (given === '' || wanted === '') return false
  const [one, other] = [Number(given), Number(wanted)]
  if (Number.isFinite(one) && Number.isFinite(other)) {
    const decimals = given.split('.')[1]?.length ?? 0
    const rounding = decimals > 0 ? 0.51 * 10 ** -decimals : 0
    return Math.abs(one - other) <= Math.max(Math.abs(other) * 1e-9, rounding)
  }
  return /^\d{4}-\d\d/.test(wanted) && given.startsWith(wanted)
}
