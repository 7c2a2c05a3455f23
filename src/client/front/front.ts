/**
 * The client's own process: its files, and the way through to the engine, under one address. It
 * holds no data and no token; it may be stopped and started at any time.
 */
import { answerFile, type ClientFiles, loadClientFiles } from './client-files.ts'
import { HUB_PASSAGE, type HubLink, upgradeHub } from './hub-passage.ts'
import { passThrough } from './passage.ts'
import { FILE_HEADERS } from './policy.ts'

/** Addresses that are the engine's. */
const PASSED = /^\/(?:api|files|report)(?:\/|$)/

const HUB = /^\/api\/v1\/hubs\/[^/]+$/

/** Seconds that a connection may be silent: a report is made in the meantime. */
const IDLE_SECONDS = 255

/** Bytes of a body that goes through; the engine has its own bounds below. */
const BODY_BYTES_MAX = 64 * 1024 ** 3

interface FrontOptions {
  host: string
  /** 0 picks one. */
  port: number
  /** Where the engine answers, with its base path. */
  api: URL
}

interface Front {
  /** `http://host:port`, with the port that was picked. */
  address: string
  /** Ends it; what is in flight is cut off. */
  stop(): Promise<void>
}

/** Starts to serve the client. @throws Error where the address is taken */
export async function startFront({ host, port, api }: FrontOptions): Promise<Front> {
  const files = await loadClientFiles()
  const server = Bun.serve<HubLink>({
    hostname: host,
    port,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: BODY_BYTES_MAX,
    websocket: HUB_PASSAGE,
    fetch: (request, server) => {
      const { pathname } = new URL(request.url)
      if (!PASSED.test(pathname)) return answerPage(files, request, pathname)
      const address = server.requestIP(request)?.address
      if (HUB.test(pathname) && request.headers.get('upgrade')?.toLowerCase() === 'websocket')
        return upgradeHub(request, { server, api, address }) ? undefined : refuse(400, 'No upgrade')
      const isSecure = request.headers.get('x-forwarded-proto') === 'https'
      return passThrough(request, { api, visitor: { address, isSecure } })
    },
  })
  const shownHost = host.includes(':') ? `[${host}]` : host
  return { address: `http://${shownHost}:${server.port}`, stop: () => server.stop(true) }
}

/** A file, or the page for every place of the client: its script reads the address. */
function answerPage(files: ClientFiles, request: Request, path: string): Response {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return refuse(405, 'Only GET and HEAD', { Allow: 'GET, HEAD' })
  return (
    answerFile(files, request, path) ??
    (path.startsWith('/client/') ? undefined : answerFile(files, request, '/index.html')) ??
    refuse(404, 'There is no such file')
  )
}

const refuse = (status: number, message: string, headers: Record<string, string> = {}): Response =>
  new Response(message, { status, headers: { ...FILE_HEADERS, ...headers } })
