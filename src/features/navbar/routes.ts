/** The navigation: `/api/v1/svc/navbar` (src/server/README.md, Navigation). */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { loadBadges } from '../../engine/navbar/badges.ts'
import { findNavigation } from '../../engine/navbar/navigation.ts'
import { NavbarBadges, NavbarNode } from '../../engine/navbar/schema.ts'
import { findTree } from '../../engine/navbar/tree.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { AUTHENTICATED } from '../../server/gate.ts'
import { servedModel } from '../../server/language.ts'
import { ok, okTagged, TAGGED } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf, languageOf } from '../../server/session.ts'

const AREA = {
  name: 'Navigation',
  description: 'What the caller may open, as a tree, and the figures beside its items.',
}

const GET_NAVBAR = {
  response: Envelope(Type.Array(NavbarNode)),
  detail: {
    ...TAGGED,
    'x-gate': AUTHENTICATED,
    operationId: 'getNavbar',
    summary: 'The navigation of the caller, without badges',
    description:
      'An item shows when the permission of its target holds: View of an Object, List of a ' +
      'Report, Create of a Wizard or of a form for new records; a Url always. A group without ' +
      'a child is left out. In the language of the request, with an ETag that goes by rights ' +
      'and language; no SQL runs for it. Gate: authentication.',
  },
}

const GET_BADGES = {
  response: Envelope(NavbarBadges),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'getNavbarBadges',
    summary: 'The badges of the items that show, keyed by item',
    description:
      'All of one state of the data, over the rows that the caller may read. A badge that fails ' +
      'or takes longer than `Svc:Navbar:BadgeTimeout` is left out, and so is one that reads a ' +
      'column which the caller does not see. Gate: authentication.',
  },
}

function navbarRoutes(app: AppContext) {
  return new Elysia({ prefix: '/api/v1/svc', strictPath: true, tags: [AREA.name] })
    .get(
      '/navbar',
      async ({ request }) => {
        const reader = { caller: callerOf(request), model: servedModel(app, request) }
        const tree = findTree(await findNavigation(app, reader), languageOf(request))
        const response = okTagged(request, tree)
        response.headers.append('Vary', 'Authorization')
        return response
      },
      GET_NAVBAR,
    )
    .get(
      '/navbar/badges',
      async ({ request }) =>
        ok(await loadBadges(app, callerOf(request), servedModel(app, request))),
      GET_BADGES,
    )
}

/** See `Feature`. */
export const navbarFeature: Feature = {
  areas: [AREA],
  routes: [navbarRoutes],
}
