/** The administration of access: users, roles, trees of both, and the access board. */
import type { Feature } from '../../server/feature.ts'
import { boardRoutes } from './board-routes.ts'
import { GERMAN } from './german.ts'
import { roleRoutes } from './role-routes.ts'
import { treeRoutes } from './tree-routes.ts'
import { membershipRoutes, userRoutes } from './user-routes.ts'

const AREA = {
  name: 'Access',
  description:
    'Who may what: users, roles and their grants. Everybody acts within the companies that ' +
    'they administer, and cannot grant rights that they do not have.',
}

/** See `Feature`. */
export const accessFeature: Feature = {
  areas: [AREA],
  routes: [userRoutes, membershipRoutes, roleRoutes, treeRoutes, boardRoutes],
  translations: { de: GERMAN },
}
