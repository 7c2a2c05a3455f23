/**
 * The price of a question in words: read alone, and asked of the executable beside the very query
 * of the object explorer that answers it, over all orders of a company.
 */
import { dayIn } from '../../src/kernel/zones.ts'
import { findLanguage } from '../../src/engine/assistant/builtin/language.ts'
import { readFor } from '../../src/engine/assistant/builtin/reading.ts'
import { listSubjects } from '../../src/engine/assistant/builtin/scope.ts'
import { splitWords } from '../../src/engine/assistant/builtin/words.ts'
import developing from '../../test/support/questions/developing.txt' with { type: 'text' }
import { readQuestions } from '../../test/support/questions/notation.ts'
import { startEngine } from './compare.ts'
import { openFolder } from './open-folder.ts'
import type { ServerProcess } from './processes.ts'
import { USER, type World } from './world.ts'

/** Grouped, over every order that the manager sees. */
const QUESTIONS = [
  'how many orders by status?',
  'average order total by region',
  'revenue by country of the customer',
  'total per month in 2026',
  'orders per status and region',
]
const ASKS = 60
const READS = 5

const MANAGER = { UserName: 'ana', Password: 'ana-demo-password' }

/** Figures, a line each. */
export async function measureAssistant(executable: string, world: World): Promise<string[]> {
  const read = await measureReading(world)
  await using engine = await startEngine(executable, world, {})
  const token = await signIn(engine)
  const call = openCall(engine, token)
  const asked: number[] = []
  const bare: number[] = []
  for (const Question of QUESTIONS) {
    const { Request } = (await call('/svc/assistant/query', { Question })).body as {
      Request: object
    }
    for (let at = 0; at < ASKS; at++) {
      asked.push((await call('/svc/assistant/query', { Question })).ms)
      bare.push((await call('/svc/object-explorer/query', Request)).ms)
    }
  }
  return [
    `assistant  reading alone ${tell(read)} (wanted: 10 ms)`,
    `assistant  a grouped question ${tell(asked)} (wanted: p99 150 ms)`,
    `assistant  its query by the explorer ${tell(bare)}`,
  ]
}

/** Milliseconds of reading each question, for every object that the user may ask about. */
async function measureReading({ engineFolder }: World): Promise<number[]> {
  const context = await openFolder(engineFolder)
  try {
    const [user] = await context.store.all('SELECT Id FROM svc_users WHERE UserName = @name', {
      name: USER.UserName,
    })
    const userId = Number(user?.Id)
    const caller = await context.callers.loadWithoutSession({ userId, companyId: 1 })
    const model = context.models.get()
    const today = dayIn(new Date(), caller.timeZone)
    const times: number[] = []
    const questions = readQuestions(String(developing)).filter(
      ({ application }) => application === 'demo',
    )
    for (let round = 0; round < READS; round++)
      for (const { question } of questions) {
        const from = performance.now()
        const language = findLanguage(question, 'en')
        const words = splitWords(question, language.decimal, today)
        for (const subject of await listSubjects(model, caller, language))
          readFor(subject, words, { language, caller, today })
        if (round > 0) times.push(performance.now() - from)
      }
    return times
  } finally {
    await context.close()
  }
}

async function signIn(engine: ServerProcess): Promise<string> {
  const { body } = await openCall(engine, '')('/auth/login', MANAGER)
  return (body as { AccessToken: string }).AccessToken
}

const openCall =
  (engine: ServerProcess, token: string) =>
  async (path: string, body: object): Promise<{ ms: number; body: unknown }> => {
    const from = performance.now()
    const answer = await fetch(`http://127.0.0.1:${engine.port}/api/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 200)}`)
    const { data } = JSON.parse(text) as { data: unknown }
    return { ms: performance.now() - from, body: data }
  }

function tell(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (part: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
}
