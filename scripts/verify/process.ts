/** The executable as a process that is ended without warning. */
import { readFileSync } from 'node:fs'

/** A server that was started and may not listen yet. */
export class ServerProcess {
  /** Its address; rejects with what it printed when it ends before it listens. */
  readonly listening: Promise<string>
  readonly exited: Promise<number>
  readonly #child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  readonly #isTraced: boolean
  #errors = ''

  /** `command` is the executable, with what it is started by before it. */
  constructor(command: readonly string[], folder: string, args: readonly string[]) {
    const words = ['serve', '--port', '0', '--data', folder, '--Svc:Log:Requests=false', ...args]
    this.#child = Bun.spawn([...command, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#isTraced = command[0] === 'strace'
    this.exited = this.#child.exited
    const errors = this.#readErrors()
    this.listening = this.#findAddress().then(async (address) => {
      if (address !== undefined) return address
      const exitCode = await this.exited
      await errors
      throw new Error(`The server ended with ${exitCode} before it listened: ${this.#errors}`)
    })
    // A caller that ends it before it listens does not ask for its address.
    this.listening.catch(() => {})
  }

  get pid(): number {
    return this.#child.pid
  }

  /** The standard error of the process so far. */
  get errors(): string {
    return this.#errors
  }

  /** SIGKILL; resolves at its end. */
  async kill(): Promise<void> {
    this.#send('SIGKILL')
    await this.exited
  }

  /** SIGTERM; resolves to its exit code. */
  async stop(): Promise<number> {
    this.#send('SIGTERM')
    return this.exited
  }

  /** A tracer ends with what it traces. */
  #send(signal: 'SIGKILL' | 'SIGTERM'): void {
    if (!this.#isTraced) this.#child.kill(signal)
    else for (const pid of findChildren(this.pid)) process.kill(pid, signal)
  }

  async #findAddress(): Promise<string | undefined> {
    let text = ''
    let address: string | undefined
    const found = Promise.withResolvers<string | undefined>()
    const read = async (): Promise<void> => {
      for await (const chunk of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
        if (address !== undefined) continue
        text += chunk
        address = /listening on (http:\S+)\n/.exec(text)?.[1]
        if (address !== undefined) found.resolve(address)
      }
      found.resolve(undefined)
    }
    read().catch(found.reject)
    return found.promise
  }

  async #readErrors(): Promise<void> {
    for await (const chunk of this.#child.stderr.pipeThrough(new TextDecoderStream()))
      this.#errors = (this.#errors + chunk).slice(-20_000)
  }
}

function findChildren(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return text.split(' ').filter(Boolean).map(Number)
  } catch {
    // It is gone already.
    return []
  }
}

/** A command that was run to its end. */
export interface CommandEnd {
  exitCode: number
  stdout: string
  stderr: string
}

/** Runs one command of the executable; with `killAfterMs` it is killed after so many ms. */
export async function runToEnd(command: string[], killAfterMs?: number): Promise<CommandEnd> {
  const child = Bun.spawn(command, { stdio: ['ignore', 'pipe', 'pipe'] })
  const timer =
    killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  clearTimeout(timer)
  return { exitCode, stdout, stderr }
}
