/** Swagger UI and the OpenAPI document, open to everyone while `Svc:Swagger:Enabled`. */
import favicon from 'swagger-ui-dist/favicon-32x32.png' with { type: 'file' }
import bundle from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import stylesheet from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { boolean, inDevelopment } from '../../kernel/setting.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature, Served } from '../../server/feature.ts'
import { HTTP } from '../../server/floor.ts'
import { OPEN } from '../../server/gate.ts'
import { type Route, route, type RouteGroup } from '../../server/route.ts'
import { StaticAnswer } from '../../server/static-answer.ts'
import { planDocument } from './document.ts'
import { GERMAN } from './german.ts'

const PAGE = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Application Engine</title>
    <link rel="stylesheet" href="swagger/swagger-ui.css">
    <link rel="icon" type="image/png" href="swagger/favicon.png">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="swagger/swagger-ui-bundle.js"></script>
    <script src="swagger/swagger-initializer.js"></script>
  </body>
</html>
`

/**
 * Script of the page. `validatorUrl: null` keeps it from asking an outside validator about the
 * document. Each call that may change something has a key of its own, unless the user typed one:
 * without `crypto.randomUUID`, which pages without TLS do not have.
 */
const INITIALIZER = `'use strict'
const draw = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
const withKey = (request) => {
  const method = String(request.method ?? 'GET').toUpperCase()
  if (method !== 'GET' && method !== 'HEAD') request.headers['Idempotency-Key'] ||= draw()
  return request
}
window.ui = SwaggerUIBundle({
  url: new URL('json', document.currentScript.src).href,
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'none',
  filter: true,
  layout: 'BaseLayout',
  presets: [SwaggerUIBundle.presets.apis],
  queryConfigEnabled: false,
  requestInterceptor: withKey,
  tryItOutEnabled: true,
  validatorUrl: null,
})
`

/** Swagger UI draws its icons from data addresses; all else is from here. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
}

const textBytes = (text: string) => async (): Promise<Uint8Array<ArrayBuffer>> =>
  new TextEncoder().encode(text)

/** Bytes of a file, which is packed in the executable. */
const fileBytes = (path: string) => async (): Promise<Uint8Array<ArrayBuffer>> => {
  const bytes = await Bun.file(path).bytes()
  return path.endsWith('.gz') ? Bun.gunzipSync(bytes) : bytes
}

const asset = (type: string, load: () => Promise<Uint8Array<ArrayBuffer>>): StaticAnswer =>
  new StaticAnswer(load, { ...HEADERS, 'Content-Type': type })

const HTML = 'text/html; charset=utf-8'
const JAVASCRIPT = 'text/javascript; charset=utf-8'

/** The page and its files, by their addresses; the page finds its files below its own address. */
const ASSETS: ReadonlyMap<string, StaticAnswer> = new Map([
  ['/swagger', asset(HTML, textBytes(PAGE))],
  ['/swagger/', asset(HTML, textBytes(PAGE))],
  ['/swagger/swagger-ui.css', asset('text/css; charset=utf-8', fileBytes(stylesheet))],
  ['/swagger/swagger-ui-bundle.js', asset(JAVASCRIPT, fileBytes(bundle))],
  ['/swagger/swagger-initializer.js', asset(JAVASCRIPT, textBytes(INITIALIZER))],
  ['/swagger/favicon.png', asset('image/png', fileBytes(favicon))],
])

export const SWAGGER_ENABLED = boolean(
  'Svc:Swagger:Enabled',
  'Whether /swagger and /swagger/json are served, to everyone',
  inDevelopment,
)

/** Routes outside of the API that the document describes. */
const HIDDEN = { detail: { hide: true, 'x-gate': OPEN } }

/** A route that gives a known answer, while Swagger is turned on. */
const assetRoute = (path: string, known: StaticAnswer): Route =>
  route('GET', path, HIDDEN, ({ app, request }) => {
    if (!app.settings.get(SWAGGER_ENABLED)) throw notFound(say`Swagger is turned off`)
    // Elysia may give either route of the page both of its addresses.
    const isSlashed = new URL(request.url).pathname.endsWith('/')
    return isSlashed ? toPage() : known.answer(request)
  })

/** The page's files are found from its address without a slash at the end. */
const toPage = (): Response =>
  new Response(null, { status: 308, headers: { ...HEADERS, Location: '../swagger' } })

/** The page, its assets and the document. */
function swaggerRoutes(context: AppContext, { listRoutes, areas }: Served): RouteGroup {
  const planText = (): string =>
    JSON.stringify(planDocument(listRoutes(), areas, context.settings.get(HTTP.basePath)))
  const document = new StaticAnswer(() => textBytes(planText())(), {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-cache',
  })
  const assets = [...ASSETS].map(([path, known]) => assetRoute(path, known))
  return { prefix: '', routes: [assetRoute('/swagger/json', document), ...assets] }
}

/** See `Feature`. */
export const swaggerFeature: Feature = {
  routes: [swaggerRoutes],
  settings: [{ SWAGGER_ENABLED }],
  translations: { de: GERMAN },
}
