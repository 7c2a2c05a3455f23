/**
 * The price of a question in words: read alone, and asked of the executable beside the very query
 * of the object explorer that answers it, over all orders of a company.
 */
import { dayIn } from '../../src/kernel/zones.ts'
import { findLanguage } from '../../src/engine/assistant/builtin/language.ts'
import { readFor } from '../../src/engine/assistant/builtin/reading.ts'
import { listSubjects } from '../../src/engine/assistant/builtin/scope.ts'
import { WORDS_MAX } from '../../src/engine/assistant/builtin/understand.ts'
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
  'total ordered per month in 2026',
  'orders per status and region',
]
/** Words of questions that are hard to read: many values, ambiguous, mistyped, unknown, long. */
const HARD = [
  'cancelled Coast shipped Hills',
  'custmers cancleld shiped ordres by reigon',
  'between 10 and 20 not without top 5 most',
  'Granite Joinery Works Maple Kitchens Group',
  'Umsatz nach Gebiet ohne stornierte Aufträge',
  'abcdefghijklmnopqrstuvwxyz',
  'by region and status per month',
]
/** Typed letter by letter. */
const TYPED = ['how many orders', 'orders by region', 'sum of total of orders', 'top 5 customers']
const HARD_LETTERS = 2000
const ASKS = 60
const READS = 5

const MANAGER = { UserName: 'ana', Password: 'ana-demo-password' }

/** Figures, a line each. */
export async function measureAssistant(executable: string, world: World): Promise<string[]> {
  const { read, held } = await measureReading(world)
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
  const completed = await measureTyping(call)
  return [
    `assistant  reading alone ${tell(read)} (wanted: 10 ms)`,
    `assistant  the longest turn of reading the hardest ${tell(held)} (wanted: 20 ms at most)`,
    `assistant  a grouped question ${tell(asked)} (wanted: p99 150 ms)`,
    `assistant  its query by the explorer ${tell(bare)}`,
    `assistant  completions of a typed text ${tell(completed)} (wanted: p99 30 ms)`,
  ]
}

/** Milliseconds of completions behind each letter of some questions. */
async function measureTyping(call: ReturnType<typeof openCall>): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < READS; round++)
    for (const question of TYPED)
      for (let end = 0; end <= question.length; end++) {
        const { ms } = await call('/svc/assistant/complete', { Text: question.slice(0, end) })
        if (round > 0) times.push(ms)
      }
  return times
}

/**
 * Milliseconds of reading each question for every object that the user may ask about, and those of
 * processor time that one object takes of the hardest: others are served between two of them.
 */
async function measureReading({ engineFolder }: World) {
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
    const held: number[] = []
    const readOne = async (question: string, read: (one: () => void) => void): Promise<void> => {
      const language = findLanguage(question, 'en')
      const words = splitWords(question, language.decimal, today).slice(0, WORDS_MAX)
      for (const subject of await listSubjects(model, caller, language))
        read(() => readFor(subject, words, { language, caller, today }))
    }
    const questions = readQuestions(String(developing)).filter(
      ({ application }) => application === 'demo',
    )
    for (let round = 0; round < READS; round++) {
      for (const { question } of questions) {
        const from = performance.now()
        await readOne(question, (one) => one())
        if (round > 0) times.push(performance.now() - from)
      }
      for (const words of HARD) {
        const question = `${words} `.repeat(HARD_LETTERS / words.length).slice(0, HARD_LETTERS)
        await readOne(question, (one) => {
          const ms = measureProcessor(one)
          if (round > 0) held.push(ms)
        })
      }
    }
    return { read: times, held }
  } finally {
    await context.close()
  }
}

function measureProcessor(work: () => void): number {
  const from = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1000
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
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`
}
