/** A data folder with an application of its own, and the server that is killed over it. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, Api } from './api.ts'
import { runToEnd, ServerProcess } from './process.ts'
import type { Bench } from './report.ts'

const PASSWORD = 'nine boats under a bridge'

export interface SitePlan {
  /** The model, in one file. */
  model: string
  /** Users of the company ONE with their role. */
  users: Readonly<Record<string, string>>
  /** Further arguments of the server. */
  args?: readonly string[]
}

/** One application; its server is started and killed by its holder. */
export class Site {
  readonly api = new Api('')
  readonly folder: string
  readonly #bench: Bench
  readonly #args: readonly string[]
  #tokens: ReadonlyMap<string, string> = new Map()
  #server: ServerProcess | undefined

  private constructor(bench: Bench, args: readonly string[]) {
    this.#bench = bench
    this.folder = join(bench.home, 'data')
    this.#args = ['--Svc:Tokens:AccessLifetime=24h', ...args]
  }

  /** Deploys the model, makes its users, starts the server and signs them in. */
  static async open(bench: Bench, { model, users, args = [] }: SitePlan): Promise<Site> {
    const site = new Site(bench, args)
    const files = join(bench.home, 'model')
    mkdirSync(files)
    writeFileSync(join(files, 'model.xml'), model)
    await site.#run('deploy', files)
    await site.#run('company', 'create', 'ONE', '--name', 'One')
    for (const [name, role] of Object.entries(users)) await site.#createUser(name, role)
    await site.start()
    try {
      await site.#signIn(Object.keys(users))
    } catch (error) {
      await site.kill()
      throw error
    }
    return site
  }

  /** Resolves when the server answers. */
  async start(): Promise<void> {
    this.#server = new ServerProcess([this.#bench.executable], this.folder, this.#args)
    this.api.url = await this.#server.listening
  }

  /** SIGKILL; nothing where no server runs. */
  async kill(): Promise<void> {
    await this.#server?.kill()
  }

  /** SIGTERM; a fault where it does not end as it should. */
  async stop(): Promise<string[]> {
    const exitCode = await this.#server?.stop()
    return exitCode === 0 ? [] : [`SIGTERM at the end: exit code ${exitCode}`]
  }

  /** The access token of a user, which outlives every start. */
  token(user: string): string {
    return this.#tokens.get(user) ?? ''
  }

  /** `key` is its Idempotency-Key. Throws NoAnswer when no whole answer comes back. */
  send<T>(user: string, path: string, body?: unknown, key?: string): Promise<Answer<T>> {
    return this.api.send<T>(path, body, { token: this.token(user), key })
  }

  async #signIn(names: readonly string[]): Promise<void> {
    const tokens = await Promise.all(names.map((name) => this.api.signIn(name, PASSWORD)))
    this.#tokens = new Map(names.map((name, at) => [name, tokens[at]?.AccessToken ?? '']))
  }

  async #createUser(name: string, role: string): Promise<void> {
    const words = ['user', 'create', name, '--role', role, '--company', 'ONE', '--password-stdin']
    const command = [this.#bench.executable, ...words, '--data', this.folder]
    const child = Bun.spawn(command, { stdio: [new Blob([PASSWORD]), 'ignore', 'inherit'] })
    if ((await child.exited) !== 0) throw new Error(`user create ${name} failed`)
  }

  async #run(...words: string[]): Promise<void> {
    const end = await runToEnd([this.#bench.executable, ...words, '--data', this.folder])
    if (end.exitCode !== 0) throw new Error(`${words[0]}: ${end.stdout}${end.stderr}`)
  }
}
