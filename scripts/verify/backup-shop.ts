/** A served demo whose orders come in at a steady rate, for backups beside it. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../data/demo/random.ts'
import { Api, NoAnswer, ROUTES } from './api.ts'
import { readDatabase } from './database.ts'
import { runToEnd, ServerProcess } from './process.ts'
import type { Bench } from './report.ts'
import { openTrader, signInDemo } from './traders.ts'

/** Orders a second. */
const RATE = 200
/** Requests under way; a slow machine gets fewer orders instead of more of them. */
const OPEN_MAX = 50

const BACKUPS = '/api/v1/svc/backups'

/** An order that was sent, and its key once it was acknowledged. */
interface Sent {
  reference: string
  id?: number
}

export class BackupShop {
  readonly folder: string
  /** A whole backup, made before any fault. */
  readonly backup: string
  readonly #executable: string
  readonly #random: Random
  readonly #sent: Sent[] = []
  /** Milliseconds that each write took. */
  readonly times: number[] = []
  #server: ServerProcess
  #api = new Api('')
  #stop: () => void = () => {}
  #open = 0

  private constructor({ executable, demo, home, random }: Omit<Bench, 'rounds'>) {
    this.#executable = executable
    this.#random = random
    this.folder = join(home, 'data')
    this.backup = join(home, 'backup.tar.zst')
    cpSync(demo, this.folder, { recursive: true })
    this.#server = this.#launch()
  }

  static async open(bench: Omit<Bench, 'rounds'>): Promise<BackupShop> {
    const shop = new BackupShop(bench)
    await shop.#begin()
    const { backup, folder } = shop
    const end = await runToEnd([bench.executable, 'backup', backup, '--data', folder])
    if (end.exitCode !== 0) throw new Error(end.stderr)
    return shop
  }

  get pid(): number {
    return this.#server.pid
  }

  /** How many orders were acknowledged so far. */
  get ackedCount(): number {
    return this.#sent.filter(({ id }) => id !== undefined).length
  }

  /** How many were sent so far. */
  get sentCount(): number {
    return this.#sent.length
  }

  /** Ends the server without warning, and starts another. */
  async restart(): Promise<void> {
    this.#stop()
    await this.#server.kill()
    this.#server = this.#launch()
    await this.#begin()
  }

  async close(): Promise<void> {
    this.#stop()
    await this.#server.stop()
  }

  async askBackup(): Promise<number> {
    const { AccessToken: token } = await signInDemo(this.#api, 'root')
    const { status, body } = await this.#api.send<{ JobId: number }>(BACKUPS, {}, { token })
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
    return body.data.JobId
  }

  /** Makes a backup by a job, behind one that was cut off; resolves to faults. */
  async makeBackup(): Promise<string[]> {
    const { AccessToken: token } = await signInDemo(this.#api, 'root')
    for (;;) {
      const { status, body } = await this.#api.send<{ JobId: number }>(BACKUPS, {}, { token })
      if (status === 200) return this.#follow(body.data.JobId, token)
      if (body.code !== 'BACKUP_ACTIVE') return [`${status} ${JSON.stringify(body)}`]
      await Bun.sleep(LOOK_MS)
    }
  }

  async #follow(id: number, token: string): Promise<string[]> {
    for (;;) {
      const path = `/api/v1/hangfire/jobs/${id}`
      const { body } = await this.#api.send<{ State: string; Error: string | null }>(
        path,
        undefined,
        { token },
      )
      if (body.data.State === 'Succeeded') return []
      if (body.data.State === 'Failed') return [`the next backup: ${body.data.Error}`]
      await Bun.sleep(LOOK_MS)
    }
  }

  /**
   * Holds a restored folder against what was acknowledged: all that was before the backup began,
   * nothing that was sent after its end, and of what came in between a prefix.
   */
  compare(
    folder: string,
    { before, after }: { before: number; after: number },
  ): { orders: number; faults: string[] } {
    const rows = readDatabase(folder, 'engine', (database) =>
      database
        .query<{ Id: number; Reference: string }, []>(
          `SELECT Id, Reference FROM orders WHERE Reference LIKE 'b-%'`,
        )
        .all(),
    )
    const has = new Set(rows.map(({ Reference }) => Reference))
    const last = Math.max(0, ...rows.map(({ Id }) => Id))
    const lacks = this.#sent.filter(
      ({ id, reference }) => id !== undefined && id <= last && !has.has(reference),
    )
    const late = this.#sent.slice(after).filter(({ reference }) => has.has(reference))
    return {
      orders: rows.length,
      faults: [
        ...(has.size < before ? [`${before} orders were acknowledged, ${has.size} are there`] : []),
        ...lacks.map(({ reference }) => `${reference} is missing amid others`),
        ...late.map(({ reference }) => `${reference} was sent after the backup`),
      ],
    }
  }

  #launch(): ServerProcess {
    return new ServerProcess([this.#executable], this.folder, [])
  }

  /** Enters orders from now on. */
  async #begin(): Promise<void> {
    this.#api = new Api(await this.#server.listening)
    const trader = await openTrader(this.#api, 'ana')
    const [customer] = trader.customers
    const enter = async (): Promise<void> => {
      const sent: Sent = { reference: `b-${this.#sent.length}-${this.#random.int(0, 1e6)}` }
      this.#sent.push(sent)
      const at = performance.now()
      const line = { LineNumber: 1, ProductId: trader.products[0], Quantity: 1 }
      const body = {
        FormName: 'orders',
        Parameters: { CustomerId: customer, Reference: sent.reference },
        Details: { Lines: { Upsert: [line] } },
      }
      const { token } = trader
      const answer = await this.#api.send<{ Keys: { Id: number } }>(ROUTES.submit, body, { token })
      if (answer.status === 200) sent.id = answer.body.data.Keys.Id
      this.times.push(performance.now() - at)
    }
    const timer = setInterval(() => {
      if (this.#open >= OPEN_MAX) return
      this.#open++
      enter()
        .catch((error: unknown) => {
          if (!(error instanceof NoAnswer)) throw error
        })
        .finally(() => void this.#open--)
    }, 1000 / RATE)
    this.#stop = () => clearInterval(timer)
  }
}

const LOOK_MS = 20
