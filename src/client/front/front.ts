/**
 * The client's own process: its files, and the way through to the engine, under one address. It
 * holds no data and no token; it may be stopped and started at any time.
 */
import { answerFile, type ClientFiles, loadClientFiles } from './client-files.ts'
import { HUB_PASSAGE, type HubLink, upgradeHub } from './hub-passage.ts'
import { passThrough } from './passage.ts'
import { FILE_HEADERS } from './policy.ts'
import { refuse } from './refusal.ts'

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
  /** Takes what was thrown while a request was answered: its client learns nothing of it. */
  onFault(thrown: Error): void
}

interface Front {
  /** `http://host:port`, with the port that was picked. */
  address: string
  /** Ends it; what is in flight is cut off. */
  stop(): Promise<void>
}

/** Starts to serve the client. @throws Error where the address is taken */
export async function startFront({ host, port, api, onFault }: FrontOptions): Promise<Front> {
  const files = await loadClientFiles()
  const server = Bun.serve<HubLink>({
    hostname: host,
    port,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: BODY_BYTES_MAX,
    websocket: HUB_PASSAGE,
    // Bun's own page of an error shows the sources and folders of the server.
    development: false,
    error(thrown) {
      onFault(thrown)
      return refuse(undefined, 'INTERNAL')
    },
    fetch: (request, server) => {
      const url = readUrl(request)
      if (!url) return refuse(request, 'HOST_INVALID')
      if (!PASSED.test(url.pathname)) return answerPage(files, request, url.pathname)
      const address = server.requestIP(request)?.address
      const target = new URL(`${api.href.replace(/\/$/, '')}${url.pathname}${url.search}`)
      if (HUB.test(url.pathname) && request.headers.get('upgrade')?.toLowerCase() === 'websocket') {
        const isTaken = upgradeHub(request, { server, target, address })
        return isTaken ? undefined : refuse(request, 'UPGRADE_INVALID')
      }
      const isSecure = request.headers.get('x-forwarded-proto') === 'https'
      return passThrough(request, {
        path: url.pathname,
        target,
        visitor: { address, isSecure },
      })
    },
  })
  const shownHost = host.includes(':') ? `[${host}]` : host
  return { address: `http://${shownHost}:${server.port}`, stop: () => server.stop(true) }
}

/**
 * The address of a request; undefined where its Host is none, and Bun gives the path alone. An old
 * client need not name one (HTTP/1.0).
 */
function readUrl({ url, headers }: Request): URL | undefined {
  if (!url.startsWith('/')) return URL.parse(url) ?? undefined
  return headers.has('host') ? undefined : (URL.parse(`http://localhost${url}`) ?? undefined)
}

/** A file, or the page for every place of the client: its script reads the address. */
function answerPage(files: ClientFiles, request: Request, path: string): Response {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return refusePage(405, 'Only GET and HEAD', { Allow: 'GET, HEAD' })
  return (
    answerFile(files, request, path) ??
    (path.startsWith('/client/') ? undefined : answerFile(files, request, '/index.html')) ??
    refusePage(404, 'There is no such file')
  )
}

const refusePage = (
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Response => new Response(message, { status, headers: { ...FILE_HEADERS, ...headers } })
