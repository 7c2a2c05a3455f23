/** The client's files as they are answered: from the executable, or bundled from the sources. */
import { createHash } from 'node:crypto'
import { EMBEDDED, type EmbeddedClient } from './embedded.ts'
import { FILE_HEADERS, planPolicy, WORKER_POLICY } from './policy.ts'

/** A file that is ready to go out. */
interface ReadyFile {
  path: string
  contentType: string
  etag: string
  /** Its gzip; the bytes themselves where that saves nothing. */
  body: Uint8Array<ArrayBuffer>
  isGzip: boolean
}

/** The client's files by path, and the policy of its page. */
export interface ClientFiles {
  byPath: ReadonlyMap<string, ReadyFile>
  policy: string
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json',
  woff: 'font/woff',
  woff2: 'font/woff2',
}

/** Loads all files. From the sources they are bundled now, which takes a second. */
export async function loadClientFiles(): Promise<ClientFiles> {
  if (EMBEDDED !== undefined) return readEmbedded(EMBEDDED)
  const { bundleClient } = await import('../bundle/bundle.ts')
  const { files, styleHashes } = await bundleClient()
  const ready = files.map(({ path, bytes }) => readyFile(path, Bun.gzipSync(copy(bytes))))
  return { byPath: byPath(ready), policy: planPolicy(styleHashes) }
}

const copy = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes)

async function readEmbedded({ files, styleHashes }: EmbeddedClient): Promise<ClientFiles> {
  const ready = await Promise.all(
    Object.entries(files).map(async ([path, file]) =>
      readyFile(path, new Uint8Array(await Bun.file(file).arrayBuffer())),
    ),
  )
  return { byPath: byPath(ready), policy: planPolicy(styleHashes) }
}

const byPath = (files: readonly ReadyFile[]): Map<string, ReadyFile> =>
  new Map(files.map((file) => [file.path, file]))

/** Packed fonts are sent as they are: gzip saves nothing there. */
function readyFile(path: string, gzip: Uint8Array<ArrayBuffer>): ReadyFile {
  const kind = path.slice(path.lastIndexOf('.') + 1)
  const contentType = TYPES[kind]
  if (contentType === undefined) throw new Error(`The client has a file of no known kind: ${path}`)
  const isGzip = !kind.startsWith('woff')
  const body = isGzip ? gzip : Bun.gunzipSync(gzip)
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  return { path, contentType, etag, body, isGzip }
}

/** Names with a hash in them never change; all others are asked for again. */
const IMMUTABLE = /^\/client\/.*-[0-9a-z]{8}\.\w+$/

/** Answers a GET or HEAD of a file; undefined where the client has none of that path. */
export function answerFile(
  { byPath: files, policy }: ClientFiles,
  request: Request,
  path: string,
): Response | undefined {
  const file = files.get(path)
  if (!file) return undefined
  const headers = new Headers({
    ...FILE_HEADERS,
    'Content-Type': file.contentType,
    ETag: file.etag,
    'Cache-Control': IMMUTABLE.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
    Vary: 'Accept-Encoding',
  })
  if (path === '/index.html') headers.set('Content-Security-Policy', policy)
  if (path === '/worker.js') headers.set('Content-Security-Policy', WORKER_POLICY)
  if (request.headers.get('if-none-match') === file.etag)
    return new Response(null, { status: 304, headers })
  const takesGzip = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')
  if (file.isGzip && takesGzip) headers.set('Content-Encoding', 'gzip')
  const body = file.isGzip && !takesGzip ? Bun.gunzipSync(file.body) : file.body
  headers.set('Content-Length', String(body.byteLength))
  return new Response(request.method === 'HEAD' ? null : body, { headers })
}
