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
    'they administer, and cannot grant rights that they do not have. For an Admin these are the ' +
    'companies that they hold the role in: users of others are not there (404), and System users ' +
    'are not theirs to change (401). A role is given and taken by those whom its AssignableBy ' +
    'names, or who hold all that it grants: in one company that they administer, never in all at ' +
    'once (CompanyId null), and never to themselves; anything else is 401 with the reason. ' +
    'System, Admin and AccessManager are given by System alone. A scope can only narrow what is ' +
    'reached: by System every company, by everybody else the one that they are in.',
}

/** See `Feature`. */
export const accessFeature: Feature = {
  areas: [AREA],
  routes: [USER_ROUTES, MEMBERSHIP_ROUTES, ROLE_ROUTES, TREE_ROUTES, BOARD_ROUTES],
  translations: { de: GERMAN },
}
