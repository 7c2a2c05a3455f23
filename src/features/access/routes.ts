/** The administration of access: users, roles, trees of both, and the access board. */
import type { Feature } from '../../server/feature.ts'
import { BOARD_ROUTES } from './board-routes.ts'
import { GERMAN } from './german.ts'
import { ROLE_ROUTES } from './role-routes.ts'
import { TREE_ROUTES } from './tree-routes.ts'
import { MEMBERSHIP_ROUTES, USER_ROUTES } from './user-routes.ts'

const AREA = {
  name: 'Access',
  description:
    'Who may what: users, roles and their grants. Everybody acts within the companies that ' +
    'they administer, and cannot grant rights that they do not have.',
}

/** See `Feature`. */
export const accessFeature: Feature = {
  areas: [AREA],
  routes: [USER_ROUTES, MEMBERSHIP_ROUTES, ROLE_ROUTES, TREE_ROUTES, BOARD_ROUTES],
  translations: { de: GERMAN },
}
