/** The demo on a data folder of its own, with clients that write into it and a memory of it all. */
import { cpSync, existsSync } from 'node:fs'
import type { Random } from '../../data/demo/random.ts'
import { Api } from './api.ts'
import { Chain } from './chain.ts'
import type { Client } from './client.ts'
import { inspectFolder, inspectSessions, readDatabase } from './database.ts'
import { Ledger, untilGone } from './ledger.ts'
import { Findings, Mirror } from './mirror.ts'
import { ServerProcess } from './process.ts'
import { compareOverHttp, openClients, signInDemo } from './traders.ts'

const ARGS = ['--demo', '--Svc:Tokens:AccessLifetime=24h']

/** Users whose sessions are refreshed meanwhile. */
const CHAINS = ['root', 'ana', 'cy']

export interface ShopOptions {
  /** The executable, with what it is started by before it. */
  command: readonly string[]
  /** Where the server finds its data. */
  folder: string
  /** A data folder with the demo, copied where there is none yet; else the first start makes it. */
  demo?: string
  /** Where this process can read it: a copy, when it does not see the folder itself. */
  look?: () => string
  random: Random
}

export class Shop {
  readonly api = new Api('')
  readonly faults: string[] = []
  clients: Client[] = []
  chains: Chain[] = []
  server: ServerProcess
  readonly #options: ShopOptions
  #mirror: Mirror | undefined

  private constructor(options: ShopOptions) {
    this.#options = options
    this.server = this.launch()
  }

  /** Starts the demo and signs everybody in. */
  static async open(options: ShopOptions): Promise<Shop> {
    const { demo, folder } = options
    if (demo !== undefined && !existsSync(folder)) cpSync(demo, folder, { recursive: true })
    const shop = new Shop(options)
    try {
      shop.api.url = await shop.server.listening
      const { api } = shop
      const { random } = options
      shop.clients = await openClients(api, random)
      for (const userName of CHAINS)
        shop.chains.push(await Chain.open({ api, random, signIn: () => signInDemo(api, userName) }))
      shop.#mirror = readDatabase(shop.#look(), 'engine', (database) => new Mirror(database))
      return shop
    } catch (error) {
      await shop.server.kill()
      throw error
    }
  }

  /** Acknowledged refreshes of all sessions. */
  get refreshes(): number {
    return this.chains.reduce((sum, chain) => sum + chain.count, 0)
  }

  /** A process that is not waited for. */
  launch(): ServerProcess {
    return new ServerProcess(this.#options.command, this.#options.folder, ARGS)
  }

  /** Starts the server again; it needs no help. */
  async start(): Promise<void> {
    this.server = this.launch()
    this.api.url = await this.server.listening
  }

  /** A new ledger for all clients. */
  begin(): Ledger {
    const ledger = new Ledger()
    for (const client of this.clients) client.begin(ledger)
    return ledger
  }

  /** All clients at work; the call that comes back ends it, and resolves when they have stopped. */
  load(ledger: Ledger): () => Promise<void> {
    let isOver = false
    const work = (worker: { work(isOver: () => boolean): Promise<void> }): Promise<void> =>
      untilGone(() => worker.work(() => isOver))
    const running = Promise.all([...this.clients, ...this.chains].map(work))
    running.then(
      () => ledger.end(),
      () => ledger.end(),
    )
    return async () => {
      isOver = true
      await running
    }
  }

  /** Everything that can be looked at while it serves. */
  async check(ledger: Ledger, options: { isWhole?: boolean } = {}): Promise<Findings> {
    const findings = this.checkFiles(ledger, options)
    this.faults.push(...(await compareOverHttp(this.api, this.clients)))
    for (const chain of this.chains) await chain.recover()
    this.faults.push(...inspectSessions(this.#look()))
    return findings
  }

  /** The state by the files, also when nobody serves them. */
  checkFiles(ledger: Ledger, { isWhole = false }: { isWhole?: boolean } = {}): Findings {
    const folder = this.#look()
    this.faults.push(...inspectFolder(folder))
    const findings =
      readDatabase(folder, 'engine', (database) =>
        this.#mirror?.check(database, ledger, isWhole),
      ) ?? new Findings()
    this.faults.push(...findings.lost, ...findings.half)
    return findings
  }

  /** All faults so far, those of the sessions too. */
  readFaults(): string[] {
    return [...this.faults, ...this.chains.flatMap((chain) => chain.faults)]
  }

  #look(): string {
    return this.#options.look?.() ?? this.#options.folder
  }
}
