/** The navigation: `/api/v1/svc/navbar` (src/server/README.md, Navigation). */
import { Type } from '@sinclair/typebox'
import { loadBadges } from '../../engine/navbar/badges.ts'
import { findNavigation } from '../../engine/navbar/navigation.ts'
import { NavbarBadges, NavbarNode } from '../../engine/navbar/schema.ts'
import { findTree } from '../../engine/navbar/tree.ts'
import type { Feature } from '../../server/feature.ts'
import { AUTHENTICATED } from '../../server/gate.ts'
import { ok, okTagged, TAGGED } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'

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

const NAVBAR_ROUTES: RouteGroup = {
  prefix: '/api/v1/svc',
  area: AREA.name,
  routes: [
    route('GET', '/navbar', GET_NAVBAR, async (call) => {
      const { app, caller, servedModel: model } = call
      const tree = findTree(await findNavigation(app, { caller, model }), call.language)
      const response = okTagged(call, tree)
      response.headers.append('Vary', 'Authorization')
      return response
    }),
    route('GET', '/navbar/badges', GET_BADGES, async ({ app, caller, servedModel }) =>
      ok(await loadBadges(app, caller, servedModel)),
    ),
  ],
}

/** See `Feature`. */
export const navbarFeature: Feature = {
  areas: [AREA],
  routes: [NAVBAR_ROUTES],
}
