/** `appengine client`: serves the client in a process of its own, or writes its files out. */
import { mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { loadClientFiles } from '../client/front/client-files.ts'
import { startFront } from '../client/front/front.ts'
import { type Arguments, UsageError } from './arguments.ts'
import { CommandFailure, complain, EXIT, printLine } from './output.ts'
import { DEFAULT_CLIENT_PORT, readPort, receiveSignal } from './serve.ts'

const DEFAULT_API = 'http://127.0.0.1:8080'

/** Serves until SIGTERM or SIGINT; with `--export` it writes the files into a folder instead. */
export async function runClient(args: Arguments): Promise<number> {
  const folder = args.find('export')
  if (folder !== undefined) return exportFiles(resolve(folder))
  const port = readPort(args, 'port', DEFAULT_CLIENT_PORT)
  const host = args.find('host') ?? '127.0.0.1'
  const api = readApi(args.find('api') ?? DEFAULT_API)
  const signal = receiveSignal()
  const onFault = (thrown: Error): void => complain(thrown.stack ?? thrown.message)
  const front = await startFront({ host, port, api, onFault }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailure(`Cannot listen on ${host}:${port}: ${reason}`)
  })
  printLine(`client on ${front.address}`)
  await Promise.race([signal, ...(args.has('beside') ? [stdinEnds()] : [])])
  await front.stop()
  return EXIT.done
}

/** Ends with the server that started it, however that ends: the pipe between them closes. */
async function stdinEnds(): Promise<void> {
  for await (const _ of Bun.stdin.stream()) continue
}

function readApi(text: string): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.username !== '')
    throw new UsageError('--api takes an address like http://127.0.0.1:8080')
  return url
}

async function exportFiles(folder: string): Promise<number> {
  const { byPath, policy } = await loadClientFiles()
  for (const { path, body, isGzip } of byPath.values()) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    await Bun.write(file, isGzip ? Bun.gunzipSync(body) : body)
    if (isGzip) await Bun.write(`${file}.gz`, body)
  }
  printLine(`${byPath.size} files are in ${folder}. Answer unknown paths with index.html, pass`)
  printLine('/api, /files and /report on to the engine, and send with every page:')
  printLine(`Content-Security-Policy: ${policy}`)
  return EXIT.done
}
