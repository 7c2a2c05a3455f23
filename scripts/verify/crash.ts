/** `kill -9` in the middle of rounds of writes. */
import { join } from 'node:path'
import type { Api, Tokens } from './api.ts'
import { type Ledger, untilGone } from './ledger.ts'
import { type Bench, printFigures, type Report } from './report.ts'
import { Shop } from './shop.ts'
import { signInDemo } from './traders.ts'

const KILL_MS_MAX = 150

/** The time counts from the first request, or from up to so many answers: a server that is warm. */
const WARM_MAX = 60

/** Every so many rounds: each row is compared, a start is killed, a user signs out. */
const WHOLE_EVERY = 25
const STARTS_KILLED_EVERY = 4
const SIGN_OUT_EVERY = 5

/** Writes in parallel, SIGKILL after 0 to 150 ms, a new start, and a look at everything; again. */
export async function verifyCrashes(bench: Bench): Promise<Report> {
  const { executable, demo, random } = bench
  const folder = join(bench.home, 'data')
  const shop = await Shop.open({ command: [executable], folder, demo, random })
  const figures = { ...NOTHING }
  try {
    for (let round = 1; round <= bench.rounds; round++) {
      const before = shop.faults.length
      await runRound(shop, bench, round, figures)
      for (const [at, fault] of shop.faults.entries())
        if (at >= before) shop.faults[at] = `round ${round}: ${fault}`
    }
    await closeShop(shop)
  } finally {
    await shop.server.kill()
  }
  figures.refreshes = shop.refreshes
  return { figures: printFigures(figures), faults: shop.readFaults() }
}

const NOTHING = {
  rounds: 0,
  acked: 0,
  refused: 0,
  unanswered: 0,
  'of them done': 0,
  lost: 0,
  half: 0,
  refreshes: 0,
  restarts: 0,
  'starts killed': 0,
}

async function runRound(
  shop: Shop,
  { random }: Bench,
  round: number,
  figures: typeof NOTHING,
): Promise<void> {
  const ledger = shop.begin()
  const guest = round % SIGN_OUT_EVERY === 0 ? await Guest.open(shop.api) : undefined
  const stop = shop.load(ledger)
  const milliseconds = random.next() * KILL_MS_MAX
  await ledger.whenAnswered(random.int(0, WARM_MAX))
  const leaving = untilGone(async () => guest?.signOut(random.next() * milliseconds))
  await Bun.sleep(milliseconds)
  await shop.server.kill()
  await Promise.all([stop(), leaving])
  if (round % STARTS_KILLED_EVERY === 0) {
    await killStart(shop, random.int(0, KILL_MS_MAX))
    figures['starts killed']++
  }
  await shop.start()
  figures.restarts++
  const findings = await shop.check(ledger, { isWhole: round % WHOLE_EVERY === 0 })
  shop.faults.push(...findings.strange, ...((await guest?.check()) ?? []))
  figures.rounds++
  figures['of them done'] += findings.unansweredDone
  figures.lost += findings.lost.length
  figures.half += findings.half.length
  addOutcomes(figures, ledger)
}

function addOutcomes(figures: typeof NOTHING, ledger: Ledger): void {
  for (const outcome of ['acked', 'refused', 'unanswered'] as const)
    figures[outcome] += ledger.count(outcome)
}

/** A start is ended too, in the middle of its recovery. */
async function killStart(shop: Shop, afterMs: number): Promise<void> {
  const server = shop.launch()
  await Bun.sleep(afterMs)
  await server.kill()
}

/** A last look at everything, then a stop as it should be. */
async function closeShop(shop: Shop): Promise<void> {
  await shop.check(shop.begin(), { isWhole: true })
  const exitCode = await shop.server.stop()
  if (exitCode !== 0) shop.faults.push(`SIGTERM at the end: exit code ${exitCode}`)
  shop.checkFiles(shop.begin(), { isWhole: true })
}

/** A user who signs out while the server is killed: an answered sign-out holds. */
class Guest {
  readonly #api: Api
  readonly #tokens: Tokens
  #isSignedOut = false

  private constructor(api: Api, tokens: Tokens) {
    this.#api = api
    this.#tokens = tokens
  }

  static async open(api: Api): Promise<Guest> {
    return new Guest(api, await signInDemo(api, 'dee'))
  }

  async signOut(afterMs: number): Promise<void> {
    await Bun.sleep(afterMs)
    const token = this.#tokens.AccessToken
    const { status } = await this.#api.send('/api/v1/auth/logout', {}, { token })
    this.#isSignedOut = status === 200
  }

  async check(): Promise<string[]> {
    if (!this.#isSignedOut) return []
    const { AccessToken: token, RefreshToken } = this.#tokens
    const me = await this.#api.send('/api/v1/auth/me', undefined, { token })
    const refresh = await this.#api.send('/api/v1/auth/refresh', { RefreshToken })
    return [me, refresh]
      .filter(({ status }) => status !== 401)
      .map(({ status }) => `after a sign-out: ${status} instead of 401`)
  }
}
