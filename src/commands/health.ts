/** `appengine health`: one line and an exit code, for containers and scripts. */
import { resolve } from 'node:path'
import { HTTP } from '../server/floor.ts'
import { LISTENING } from '../server/listening/settings.ts'
import { configure } from '../app.ts'
import { type Arguments, UsageError } from './arguments.ts'
import { CommandFailure, EXIT, printResult } from './output.ts'

/** Milliseconds that the server has for its answer; it looks at its stores in the meantime. */
const ANSWER_MS = 5000

interface Health {
  status: number
  data?: { Status?: unknown }
  error?: string
}

/**
 * Asks a server whether it can serve, that of `--url`, else that of the data folder's settings on
 * this machine. Prints its word. @throws CommandFailure where it does not serve, or does not answer
 */
export async function runHealth(args: Arguments): Promise<number> {
  const { url, options } = planRequest(args)
  const health = await ask(url, options)
  if (health.status !== 200)
    throw new CommandFailure(`Not ready (${health.status}): ${health.error ?? 'no reason given'}`)
  const word = health.data?.Status
  if (typeof word !== 'string')
    throw new CommandFailure(`What answers at ${url} is not an Application Engine`)
  printResult(args, word, { status: word, url: url.href })
  return EXIT.done
}

function planRequest(args: Arguments): { url: URL; options: BunFetchRequestInit } {
  const given = args.find('url')
  if (given !== undefined) return { url: below(given), options: {} }
  const folder = resolve(args.dataFolder)
  const settings = configure({ dataFolder: folder, flags: args.settings })
  const basePath = settings.get(HTTP.basePath)
  const unix = settings.get(LISTENING.unix)
  const port = args.find('port')
  if (unix !== '' && port === undefined)
    return { url: below(`http://localhost${basePath}`), options: { unix: resolve(folder, unix) } }
  const scheme = settings.get(LISTENING.certificate) === '' ? 'http' : 'https'
  return {
    url: below(`${scheme}://127.0.0.1:${port ?? '8080'}${basePath}`),
    // By this address it is this machine's own: its certificate bears another name.
    options: { tls: { rejectUnauthorized: false } },
  }
}

function below(base: string): URL {
  const url = URL.parse(`${base.replace(/\/+$/, '')}/health/ready`)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError('--url takes an address like http://127.0.0.1:8080')
  return url
}

async function ask(url: URL, options: BunFetchRequestInit): Promise<Health> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS)
    const answer = await fetch(url, { ...options, signal, redirect: 'manual' })
    const text = await answer.text()
    return { ...parse(text), status: answer.status }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailure(`No server answers at ${url}: ${reason}`)
  }
}

/** The envelope of an answer; of what is no JSON object nothing is known. */
function parse(text: string): Omit<Health, 'status'> {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null ? json : {}
  } catch {
    return {}
  }
}
