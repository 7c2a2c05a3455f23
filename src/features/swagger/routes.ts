/** Swagger UI and the OpenAPI document, open to everyone while `Svc:Swagger:Enabled`. */
import { Elysia } from 'elysia'
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature, Served } from '../../server/feature.ts'
import { OPEN } from '../../server/gate.ts'
import { planDocument } from './document.ts'
import { ASSET_NAMES, openAsset, openPage } from './page.ts'
import { HTTP } from '../../server/floor.ts'
import { boolean, inDevelopment } from '../../kernel/setting.ts'
import type { Translations } from '../../kernel/messages.ts'

export const SWAGGER_ENABLED = boolean(
  'Svc:Swagger:Enabled',
  'Whether /swagger and /swagger/json are served, to everyone',
  inDevelopment,
)

const assetPath = (name: string): string => `/swagger/${name}`

/** They are not part of the API that the document describes. */
const HIDDEN = { detail: { hide: true, 'x-gate': OPEN } }

/** The page, its assets and the document. */
function swaggerRoutes(context: AppContext, { listRoutes, areas }: Served) {
  let text: string | undefined
  const openDocument = (): Response => {
    const basePath = context.settings.get(HTTP.basePath)
    text ??= JSON.stringify(planDocument(listRoutes(), areas, basePath))
    return new Response(text, { headers: { 'Content-Type': 'application/json' } })
  }
  const whenEnabled = (open: () => Response) => (): Response => {
    if (!context.settings.get(SWAGGER_ENABLED)) throw notFound(say`Swagger is switched off`)
    return open()
  }
  const routes = new Elysia({ name: 'swagger' })
    .get('/swagger', whenEnabled(openPage), HIDDEN)
    .get('/swagger/json', whenEnabled(openDocument), HIDDEN)
  for (const name of ASSET_NAMES) {
    routes.get(
      assetPath(name),
      whenEnabled(() => openAsset(name)),
      HIDDEN,
    )
  }
  return routes
}

/** Its sentences in German, by English template. */
const GERMAN: Translations = [
  ['Swagger UI has no such file', 'Diese Datei hat Swagger UI nicht'],
  ['Swagger is switched off', 'Swagger ist abgeschaltet'],
]

/** See `Feature`. */
export const swaggerFeature: Feature = {
  routes: [swaggerRoutes],
  settings: [{ SWAGGER_ENABLED }],
  german: GERMAN,
}
