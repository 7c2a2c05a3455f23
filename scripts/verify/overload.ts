/**
 * One caller asks for far more than the server can do, and the process is killed amid it: another
 * caller is served all the while, what was refused is 503 with `Retry-After` and was not done, what
 * was acknowledged is there.
 */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../data/demo/random.ts'
import { Api, ROUTES } from './api.ts'
import { inspectFolder, readDatabase } from './database.ts'
import { ServerProcess } from './process.ts'
import { type Bench, printFigures, type Report } from './report.ts'

/** A client of this runtime has 256 requests out at a time: some are left for the polite caller. */
const GREEDY_AT_ONCE = 240
/** Less than so many take: some are refused. */
const MAX_WAIT = '200ms'
/** A round goes on until the polite caller was served so often, or for so long. */
const SERVED_MIN = 10
const ROUND_MS_MAX = 60_000
const KILL_MS_MAX = 200
const LOOK_MS = 10
const GREEDY = 'ana'
const POLITE = 'root'
/** Of the greedy caller's requests that are out, so many may be answered before a polite one. */
const OVERTAKING_MAX = GREEDY_AT_ONCE / 3

type Outcome = 'acked' | 'refused' | 'unanswered'

/** Requests of a round, with their answers. */
class Asked {
  readonly outcomes = new Map<string, Outcome>()
  readonly faults: string[] = []
  /** Of the greedy caller. */
  done = 0
  served = 0
  #count = 0

  constructor(readonly prefix: string) {}

  next(by: string): string {
    return `${this.prefix} ${by} ${++this.#count}`
  }

  count(outcome: Outcome): number {
    return [...this.outcomes.values()].filter((each) => each === outcome).length
  }
}

/** A machine that stands still for seconds ends statements, too. */
const isOverload = ({ status, headers }: Response, text: string): boolean =>
  (status === 503 && headers.has('Retry-After')) || text.includes('"SQL_TIMEOUT"')

/** Creates one order; an answer that is neither 200 nor a refusal for the load is a fault. */
async function create(url: string, token: string, asked: Asked, by: string): Promise<Outcome> {
  const reference = asked.next(by)
  asked.outcomes.set(reference, 'unanswered')
  const body = { FormName: 'orders', Parameters: { CustomerId: 1, Reference: reference } }
  try {
    const answer = await fetch(url + ROUTES.submit, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    const outcome = answer.status === 200 ? 'acked' : 'refused'
    if (outcome === 'refused' && !isOverload(answer, text))
      asked.faults.push(`${reference}: ${answer.status} ${text.slice(0, 200)}`)
    asked.outcomes.set(reference, outcome)
    return outcome
  } catch {
    return 'unanswered'
  }
}

/** So many at once, as long as it goes. */
async function beGreedy(url: string, token: string, asked: Asked, isOver: () => boolean) {
  const work = async (): Promise<void> => {
    while (!isOver()) {
      const outcome = await create(url, token, asked, GREEDY)
      if (outcome === 'unanswered') return
      if (outcome === 'acked') asked.done++
    }
  }
  await Promise.all(Array.from({ length: GREEDY_AT_ONCE }, work))
}

/** A write at a time; each overtakes what waits for the other caller. */
async function bePolite(url: string, token: string, asked: Asked, isOver: () => boolean) {
  while (!isOver()) {
    const before = asked.done
    const outcome = await create(url, token, asked, POLITE)
    if (outcome === 'unanswered') return
    if (outcome === 'acked') asked.served++
    const overtaken = asked.done - before
    if (overtaken > OVERTAKING_MAX)
      asked.faults.push(`a polite caller waited for ${overtaken} requests of the greedy one`)
  }
}

/** Compares the file with the answers. */
function compareFile(folder: string, asked: Asked): string[] {
  return readDatabase(folder, 'engine', (database) => {
    const find = database.query('SELECT count(*) AS Count FROM orders WHERE Reference = ?')
    return [...asked.outcomes].flatMap(([reference, outcome]) => {
      const stored = Number((find.get(reference) as { Count: number }).Count)
      const most = outcome === 'refused' ? 0 : 1
      const least = outcome === 'acked' ? 1 : 0
      return stored < least || stored > most ? [`${reference} ${outcome}: ${stored} stored`] : []
    })
  })
}

/** Overloads a server until another caller was served, and kills it amid that. */
async function overload(server: ServerProcess, asked: Asked, random: Random): Promise<void> {
  const api = new Api(await server.listening)
  const { AccessToken: greedy } = await api.signIn(GREEDY, `${GREEDY}-demo-password`)
  const { AccessToken: polite } = await api.signIn(POLITE, `${POLITE}-demo-password`)
  let hasEnded = false
  const isOver = (): boolean => hasEnded
  const working = Promise.all([
    beGreedy(api.url, greedy, asked, isOver),
    bePolite(api.url, polite, asked, isOver),
  ])
  const giveUpAt = performance.now() + ROUND_MS_MAX
  while (asked.served < SERVED_MIN && performance.now() < giveUpAt) await Bun.sleep(LOOK_MS)
  await Bun.sleep(random.next() * KILL_MS_MAX)
  await server.kill()
  hasEnded = true
  await working
  if (asked.served < SERVED_MIN)
    asked.faults.push(`a polite caller was served ${asked.served} times`)
}

/** Overloads and kills, and looks at what is left; again, on one folder. */
export async function verifyOverload(bench: Bench): Promise<Report> {
  const { executable, demo, home, random, rounds } = bench
  const folder = join(home, 'data')
  cpSync(demo, folder, { recursive: true })
  const figures = { rounds: 0, acked: 0, refused: 0, unanswered: 0, 'served beside': 0 }
  const faults: string[] = []
  for (let round = 1; round <= rounds; round++) {
    const args = ['--demo', `--Svc:Writer:MaxWait=${MAX_WAIT}`]
    const server = new ServerProcess([executable], folder, args)
    const asked = new Asked(`overload ${round}`)
    try {
      await overload(server, asked, random)
    } finally {
      await server.kill()
    }
    faults.push(...asked.faults, ...compareFile(folder, asked), ...inspectFolder(folder))
    figures.rounds++
    figures['served beside'] += asked.served
    for (const outcome of ['acked', 'refused', 'unanswered'] as const)
      figures[outcome] += asked.count(outcome)
  }
  return { figures: printFigures(figures), faults }
}
