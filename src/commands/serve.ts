/** `appengine serve`: from the data folder to a server that answers, and back. */
import { createApp } from '../app.ts'
import { DRAIN_MS } from '../kernel/limits.ts'
import { openContext } from '../server/open-context.ts'
import type { OpenContext } from '../server/open-context.ts'
import type { Arguments } from './arguments.ts'
import { UsageError } from './arguments.ts'
import { holdDataFolder } from './data-folder.ts'
import { isUntouched, saveFirstUser } from './first-start.ts'
import { listen } from './listen.ts'
import type { Listening } from './listen.ts'
import { EXIT, printLine } from './output.ts'
import { receiveSignal } from './signals.ts'

const DEFAULT_PORT = '8080'
const DEFAULT_HOST = '127.0.0.1'

/** Serves until SIGTERM or SIGINT; then finishes what is in flight and closes the stores. */
export async function runServe(args: Arguments): Promise<number> {
  const port = parsePort(args.find('port') ?? DEFAULT_PORT)
  if (args.has('model') && !args.has('watch')) throw new UsageError('--model goes with --watch')
  if (args.has('watch') && !args.has('demo')) args.require('model')
  const isDevelopment = args.has('demo') || args.has('watch')
  await using folder = await holdDataFolder(args, isDevelopment ? 'Development' : undefined)
  const signal = receiveSignal()
  const context = await openContext(folder)
  try {
    const welcome = await prepare(context, args)
    await using watching = args.has('watch') ? await watchModel(context, args) : undefined
    const server = listen(createApp(context), {
      host: args.find('host') ?? DEFAULT_HOST,
      port,
      log: folder.log,
    })
    printLine(`listening on ${server.address}`)
    for (const line of welcome(server.address)) printLine(line)
    await signal
    await drain(server)
    void watching
  } finally {
    await context.close()
    folder.log.flush()
  }
  return EXIT.done
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN
  if (!(port <= 65535)) throw new UsageError('--port takes a number from 0 to 65535')
  return port
}

type Welcome = (address: string) => string[]

/** Fills an empty data folder; resolves to what is to be said once the server answers. */
async function prepare(context: OpenContext, args: Arguments): Promise<Welcome> {
  if (args.has('demo')) {
    const { prepareDemo } = await import('./demo.ts')
    const lines = await prepareDemo(context)
    return (address) => [...lines, `Swagger UI: ${address}/swagger`]
  }
  if (!(await isUntouched(context.store))) return () => []
  const { userName, password } = await saveFirstUser(context)
  return () => [
    `The data folder was empty. User ${userName} has the role System.`,
    `One-time password, told only now, to be changed at the first sign-in: ${password}`,
  ]
}

async function watchModel(context: OpenContext, args: Arguments): Promise<AsyncDisposable> {
  const { watchFolder, deployDemo } = await import('./watch.ts')
  const folder = args.find('model')
  return folder === undefined ? deployDemo(context) : watchFolder(context, folder)
}

/** No new connections; requests in flight may finish, but not for ever. */
async function drain(server: Listening): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, DRAIN_MS).unref())
  await Promise.race([server.stop(), late])
  await server.stop(true)
}
