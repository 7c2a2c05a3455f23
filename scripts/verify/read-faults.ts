/** Reads of the database files that fail, alone and together with syncs, and kill -9 behind it. */
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../data/demo/random.ts'
import { Api, NoAnswer } from './api.ts'
import { inspectFolder } from './database.ts'
import { OrderLoad } from './orders.ts'
import { ServerProcess } from './process.ts'
import { type Bench, printFigures, type Report } from './report.ts'
import { attachFaults, findObstacle, type Injection, planTracedStart } from './strace.ts'
import { openTrader } from './traders.ts'

const LOADS = 4
const LOAD_MS = 1500
/** Requests in a row that must be served once the faults are over. */
const SERVED = 30
const RECOVERY_MS = 30_000

const ARGS = ['--demo', '--Svc:Tokens:AccessLifetime=24h']
const DATABASES = ['engine.db', 'engine.db-wal', 'state.db', 'state.db-wal']

/** One way in which reads fail, of a process that runs or from its start on. */
interface Kind {
  files: readonly string[]
  atStart?: boolean
  plan: (random: Random) => Injection[]
}

/** Calls of each thread: some first ones go through, then each so-manyth fails. */
function failing(call: string, random: Random, every: number): Injection {
  return { call, when: `${random.int(1, 20)}+${random.int(1, every)}` }
}

const KINDS: Readonly<Record<string, Kind>> = {
  'while serving': { files: DATABASES, plan: (random) => [failing('pread64', random, 40)] },
  'at checkpoints': {
    files: ['engine.db-wal'],
    plan: (random) => [failing('pread64', random, 300)],
  },
  'at start': {
    files: DATABASES,
    atStart: true,
    plan: (random) => {
      const first = random.int(1, 60)
      return [{ call: 'pread64', when: `${first}..${first + random.int(0, 8)}` }]
    },
  },
  'with syncs': {
    files: DATABASES,
    plan: (random) => [failing('pread64', random, 60), failing('fsync', random, 12)],
  },
  'writes and syncs': {
    files: DATABASES,
    plan: (random) => [failing('pwrite64', random, 60), failing('fsync', random, 2)],
  },
}

interface Faults {
  /** The command that starts the executable. */
  tracer?: string[]
  /** Begins them in a process. */
  attach?: (pid: number) => Promise<AsyncDisposable>
}

interface Figures extends Record<string, number> {
  rounds: number
  injected: number
  acked: number
  'right reads': number
  'refused requests': number
  'unknown outcomes': number
  'refused starts': number
}

/** Starts the demo under faults, works with it, kills it, starts it again without any. */
export async function verifyReadFaults(bench: Bench): Promise<Report> {
  const obstacle = findObstacle()
  if (obstacle !== undefined) return { figures: obstacle, faults: [] }
  const world = new World(bench)
  world.prepare()
  const names = Object.keys(KINDS)
  for (let round = 1; round <= bench.rounds; round++) {
    const name = names[round % names.length] ?? ''
    const before = world.faults.length
    await world.runRound(round, KINDS[name])
    for (let at = before; at < world.faults.length; at++)
      world.faults[at] = `round ${round}, ${name}: ${world.faults[at]}`
  }
  return { figures: printFigures(world.figures), faults: world.faults }
}

class World {
  readonly faults: string[] = []
  readonly figures: Figures = {
    rounds: 0,
    injected: 0,
    acked: 0,
    'right reads': 0,
    'refused requests': 0,
    'unknown outcomes': 0,
    'refused starts': 0,
  }
  readonly #bench: Bench
  readonly #folder: string
  readonly #log: string
  /** Lines of the last server's log: they have the causes of what it answered. */
  #logs: string[] = []

  constructor(bench: Bench) {
    this.#bench = bench
    this.#folder = join(bench.home, 'data')
    this.#log = join(bench.home, 'strace.log')
  }

  prepare(): void {
    cpSync(this.#bench.demo, this.#folder, { recursive: true })
  }

  async runRound(round: number, kind: Kind | undefined): Promise<void> {
    if (kind === undefined) return
    const injections = kind.plan(this.#bench.random)
    const files = kind.files.map((name) => join(this.#folder, name))
    const scope = { files, log: this.#log }
    rmSync(this.#log, { force: true })
    const loads = await (kind.atStart
      ? this.#serve(round, { tracer: planTracedStart(injections, scope) })
      : this.#serve(round, { attach: (pid) => attachFaults(pid, injections, scope) }))
    this.figures.injected += countInjected(this.#log)
    await this.#checkHealthy(loads)
    this.figures.rounds++
  }

  async #serve(round: number, { tracer = [], attach }: Faults): Promise<OrderLoad[]> {
    const command = [...tracer, this.#bench.executable]
    const server = new ServerProcess(command, this.#folder, ARGS)
    try {
      const address = await server.listening.catch(() => this.#checkRefusedStart(server))
      if (address === '') return []
      const api = new Api(address)
      const loads = await this.#openLoads(api, round)
      await this.#work(loads, await attach?.(server.pid))
      await this.#requireRecovery(loads, api)
      return loads
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      this.faults.push(`the server went away: ${server.errors.slice(-400)}`)
      return []
    } finally {
      await server.kill()
      this.#logs = server.errors.split('\n')
      this.#checkNoDamageTold()
    }
  }

  async #work(loads: OrderLoad[], faults: AsyncDisposable | undefined): Promise<void> {
    await using _faults = faults
    let isOver = false
    const working = Promise.all(loads.map((load) => load.work(() => isOver)))
    await Promise.race([working, Bun.sleep(LOAD_MS)])
    isOver = true
    await working
  }

  /** A start that meets a fault is refused with a sentence that names the file, and exit code 1. */
  async #checkRefusedStart(server: ServerProcess): Promise<string> {
    const exitCode = await server.exited
    this.figures['refused starts']++
    if (
      exitCode !== 1 ||
      !/\.db (?:could not be|cannot be) \w+ \((?:SQLITE_|EIO)/.test(server.errors)
    )
      this.faults.push(`a start ended with ${exitCode}: ${server.errors.slice(-400)}`)
    return ''
  }

  /** Signing in meets the faults too. */
  async #openLoads(api: Api, round: number): Promise<OrderLoad[]> {
    const { random } = this.#bench
    for (let attempt = 1; ; attempt++) {
      try {
        const trader = await openTrader(api, 'ana')
        return Array.from(
          { length: LOADS },
          (_, at) => new OrderLoad({ api, trader, random, prefix: `r${round}.${at}` }),
        )
      } catch (error) {
        if (error instanceof NoAnswer || attempt === 50) throw error
        if (!/ 503 /.test(` ${String(error)}`) && !/UNAVAILABLE|STORAGE/.test(String(error)))
          this.faults.push(`signing in: ${String(error)}`)
        await Bun.sleep(50)
      }
    }
  }

  /** Every thread has a number of faults of its own: they are over at some time. */
  async #requireRecovery(loads: OrderLoad[], api: Api): Promise<void> {
    const giveUpAt = performance.now() + RECOVERY_MS
    let served = 0
    while (served < SERVED && performance.now() < giveUpAt) {
      for (const load of loads) served = (await load.step()) ? served + 1 : 0
    }
    const { status } = await api.send('/health/ready', undefined)
    if (served < SERVED || status !== 200)
      this.faults.push(`did not recover: ${served} requests served, ready is ${status}`)
  }

  #explain(fault: string): string {
    const trace = /"traceId":"(\w+)"/.exec(fault)?.[1]
    const line = this.#logs.find((each) => trace !== undefined && each.includes(trace))
    const cause = /"cause":"[^"]*"(?:,"code":"\w+")?/.exec(line ?? '')?.[0] ?? ''
    return `${fault} ${cause}`
  }

  /** The disk refused to read; it gave no false bytes. */
  #checkNoDamageTold(): void {
    const told = this.#logs.find((line) => line.includes(' is damaged ('))
    if (told !== undefined) this.faults.push(`a whole file was called damaged: ${told}`)
  }

  async #checkHealthy(loads: OrderLoad[]): Promise<void> {
    const server = new ServerProcess([this.#bench.executable], this.#folder, ARGS)
    try {
      await server.listening
    } catch (error) {
      this.faults.push(`a start without faults: ${String(error)}`)
    } finally {
      await server.kill()
    }
    this.faults.push(...inspectFolder(this.#folder))
    for (const load of loads) {
      this.faults.push(...load.faults.map((fault) => this.#explain(fault)))
      this.faults.push(...load.checkFile(this.#folder))
      this.figures.acked += load.acked.length
      this.figures['right reads'] += load.reads
      this.figures['refused requests'] += load.refused
      this.figures['unknown outcomes'] += load.unknown
    }
  }
}

const countInjected = (log: string): number =>
  readFileSync(log, 'utf8').split('(INJECTED)').length - 1
