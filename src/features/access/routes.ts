/** The administration of access: users, roles, trees of both, and the access board. */
import type { Translations } from '../../kernel/messages.ts'
import type { Feature } from '../../server/feature.ts'
import { boardRoutes } from './board-routes.ts'
import { roleRoutes } from './role-routes.ts'
import { treeRoutes } from './tree-routes.ts'
import { membershipRoutes, userRoutes } from './user-routes.ts'

const AREA = {
  name: 'Access',
  description:
    'Who may what: users, roles and their grants. Everybody acts within the companies that ' +
    'they administer, and nobody hands out what they do not hold.',
}

/** German texts by English template. */
const GERMAN: Translations = [
  ['A service account has no password', 'Ein Dienstkonto hat kein Kennwort'],
  ['Nobody locks or deletes themselves', 'Niemand sperrt oder löscht sich selbst'],
  [
    'Change your own password where the present one is asked for',
    'Ändern Sie Ihr eigenes Kennwort dort, wo nach dem jetzigen gefragt wird',
  ],
  [
    'Attributes decide what you see: somebody else has to change yours',
    'Attribute entscheiden, was Sie sehen: Ihre muss jemand anderes ändern',
  ],
]

/** See `Feature`. */
export const accessFeature: Feature = {
  areas: [AREA],
  routes: [userRoutes, membershipRoutes, roleRoutes, treeRoutes, boardRoutes],
  german: GERMAN,
}
