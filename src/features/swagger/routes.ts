/** Swagger UI and the OpenAPI document, open to everyone while `Svc:Swagger:Enabled`. */
import { Elysia } from 'elysia'
import type { InternalRoute } from 'elysia'
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { AppContext } from '../../server/context.ts'
import type { Area } from '../../server/feature.ts'
import { OPEN } from '../../server/gate.ts'
import { planDocument } from './document.ts'
import { ASSET_NAMES, openAsset, openPage } from './page.ts'

const assetPath = (name: string): string => `/swagger/${name}`

/** They are not part of the API that the document describes. */
const HIDDEN = { detail: { hide: true, 'x-gate': OPEN } }

/** What the document tells of. */
interface Documented {
  /** The routes of the whole app, which are complete after the start only. */
  listRoutes: () => readonly InternalRoute[]
  areas: readonly Area[]
}

/** The page, its assets and the document. */
export function swaggerRoutes(context: AppContext, { listRoutes, areas }: Documented) {
  let text: string | undefined
  const openDocument = (): Response => {
    const basePath = context.settings.get('Svc:Http:BasePath')
    text ??= JSON.stringify(planDocument(listRoutes(), areas, basePath))
    return new Response(text, { headers: { 'Content-Type': 'application/json' } })
  }
  const whenEnabled = (open: () => Response) => (): Response => {
    if (!context.settings.get('Svc:Swagger:Enabled')) throw notFound(say`Swagger is switched off`)
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
