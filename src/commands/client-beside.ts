/** `serve --client`: the client in a process of its own, which is started again when it ends. */
import { type Background, Loop } from '../kernel/background.ts'
import { isExecutable } from '../kernel/build.ts'
import type { Log } from '../kernel/log.ts'

export interface ClientOptions {
  host: string
  /** 0 picks one, and keeps it over restarts of the client. */
  port: number
  /** Where the server answers. */
  api: string
  log: Log
  /** Called once, with the address of the client. */
  onAddress(address: string): void
}

const AGAIN_MS = 1000
const ADDRESS = /^client on (http:\/\/\S+:(\d+))$/m

/** Runs the client beside the server until it is stopped. */
export function openClient({ host, port, api, log, onAddress }: ClientOptions): Background {
  let child: Bun.Subprocess<'pipe', 'pipe', 'inherit'> | undefined
  let kept = port
  let isTold = false
  let isOver = false
  const run = async (): Promise<void> => {
    if (isOver) return
    child = start(['client', '--beside', '--host', host, '--port', String(kept), '--api', api])
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      const [, address, picked] = ADDRESS.exec(text) ?? []
      if (address === undefined) continue
      kept = Number(picked)
      if (!isTold) onAddress(address)
      isTold = true
    }
    const code = await child.exited
    if (!isOver) throw new Error(`The client ended with exit code ${code}`)
  }
  return new Loop({
    name: 'Client',
    everyMs: AGAIN_MS,
    follow: () => () => {
      isOver = true
      child?.kill('SIGTERM')
    },
    steps: [run],
    failure: 'the client beside the server has ended; it is started again',
    log,
  })
}

/** The executable once more; from the sources, Bun with the entry. */
function start(words: readonly string[]): Bun.Subprocess<'pipe', 'pipe', 'inherit'> {
  const entry = isExecutable() ? [] : [Bun.main]
  return Bun.spawn([process.execPath, ...entry, ...words], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
}
