/** True when an answer is right: by its request, or by the rows that it gives of real data. */
import type { TestApp } from '../app.ts'
import type { Refusal, Row } from '../objects.ts'
import type { AskedQuestion, Expected } from './notation.ts'

/** The verdict on a question: `wrong` is an answer that does not say what it left out. */
export interface Verdict {
  asked: AskedQuestion
  outcome: 'right' | 'refused' | 'wrong' | 'offered'
  /** The answer, for people to read. */
  shown: string
  /** The parts of an answered question. */
  parts?: Interpreted[]
}

/** Words of a question with what they were read as. */
export interface Interpreted {
  Text: string
  Meaning: string
  Field: string | null
  Value: unknown
  Alternatives: { Field: string; Request: Row }[]
}

interface Answer {
  Object: string
  Request: Row | null
  About: string | null
  Explanation: string
  Alternative: { Request: Row } | null
  Interpretation: Interpreted[]
  Result: Result
}

interface Result {
  Columns: { Name: string }[]
  Rows: Row[]
}

/** Asks a question over HTTP, and judges the answer. */
export async function judge(app: TestApp, asked: AskedQuestion): Promise<Verdict> {
  const { question, before, as, language } = asked
  const answer = await app.fetch<Refusal & { data: Answer; suggestions?: string[] }>(
    '/api/v1/svc/assistant/query',
    { as, headers: { 'Accept-Language': language }, body: { Question: question, Before: before } },
  )
  const isRefusal = asked.expected.some(({ kind }) => kind === 'refused')
  if (answer.status === 400 && answer.body.code === 'NOT_UNDERSTOOD') {
    const shown = `${answer.body.error} ${(answer.body.suggestions ?? []).join(' / ')}`
    return { asked, outcome: isRefusal ? 'right' : 'refused', shown }
  }
  if (answer.status !== 200) return { asked, outcome: 'wrong', shown: answer.text }
  const { data } = answer.body
  const shown = `${data.Explanation} ${JSON.stringify(data.Request)}`
  const parts = data.Interpretation
  for (const expected of asked.expected)
    if (await isRight(app, as, expected, data)) return { asked, outcome: 'right', shown, parts }
  const other = data.Alternative
  for (const expected of asked.expected)
    if (other && (await isRight(app, as, expected, { ...data, ...other })))
      return { asked, outcome: 'offered', shown, parts }
  return { asked, outcome: 'wrong', shown, parts }
}

async function isRight(app: TestApp, as: string, expected: Expected, answer: Answer) {
  if (expected.kind === 'about') return isAbout(answer, expected.about)
  if (expected.kind === 'refused' || !answer.Request) return false
  if (expected.request.ObjectName !== answer.Request.ObjectName) return false
  const wanted = await run(app, as, expected.request)
  const given = await run(app, as, { ...answer.Request })
  if (wanted === undefined || given === undefined) return false
  const isOrdered = expected.request.Limit !== undefined || expected.request.Sort !== undefined
  const [one, other] = [listCells(wanted), listCells(given)]
  const isSame = isOrdered
    ? one.join('\n') === other.join('\n')
    : one.toSorted().join('\n') === other.toSorted().join('\n')
  const isSomething = one.length > 0 && one.some((cells) => cells !== '0' && cells !== '')
  return isSame && (isSomething || isSameRequest(expected.request, answer.Request))
}

/** No rows prove nothing: then the conditions themselves are compared. */
const isSameRequest = (one: Row, other: Row): boolean =>
  toConditions(one).join() === toConditions(other).join()

function toConditions({ Filters, Preset }: Row): string[] {
  const filters = Array.isArray(Filters) ? (Filters as Row[]) : []
  const texts = filters.flatMap(({ Field, Operator, Value }) =>
    Operator === 'between' && Array.isArray(Value)
      ? [`${String(Field)} ge ${String(Value[0])}`, `${String(Field)} le ${String(Value[1])}`]
      : [`${String(Field)} ${String(Operator)} ${String(Value)}`],
  )
  return [...texts, String(Preset)].toSorted()
}

async function run(app: TestApp, as: string, request: Row): Promise<Result | undefined> {
  const isGrouped = request.GroupBy !== undefined || request.Aggregates !== undefined
  const body = isGrouped ? request : { ...request, Fields: await listKeys(app, as, request) }
  const answer = await app.fetch<Refusal & { data: Result }>('/api/v1/svc/object-explorer/query', {
    as,
    body: { Limit: 5000, ...body },
  })
  return answer.status === 200 ? answer.body.data : undefined
}

async function listKeys(app: TestApp, as: string, { ObjectName }: Row): Promise<string[]> {
  const path = `/api/v1/svc/object-explorer/objects/${String(ObjectName)}`
  const { body } = await app.fetch<{ data: { Keys: string[] } }>(path, { as })
  return body.data.Keys
}

const listCells = ({ Columns, Rows }: Result): string[] => {
  const names = Columns.flatMap(({ Name }) => (Name.endsWith('__Label') ? [] : [Name]))
  return Rows.map((row) => names.map((name) => String(row[name] ?? '')).join(' | '))
}

/** The author of a change is in its row; the rest is of the application itself. */
const isAbout = ({ About, Request }: Answer, about: string): boolean =>
  about === 'history'
    ? Array.isArray(Request?.Fields) && Request.Fields.includes('ChangedBy')
    : About === about
