/** Live messages to users: the hub of notifications. */
import type { Translations } from '../../kernel/messages.ts'
import type { Feature } from '../../server/feature.ts'
import { AREA } from './area.ts'
import { openForgetting } from './forget-notifications.ts'
import { notificationsHub } from './hub.ts'
import { notificationChanges, notificationRoutes } from './notification-routes.ts'
import { NOTIFICATIONS } from './settings.ts'

/** German texts by English template. */
const GERMAN: Translations = [
  [
    "'{0}' has no records whose changes could be told",
    "'{0}' hat keine Datensätze, deren Änderungen gemeldet werden könnten",
  ],
  [
    'At most {0} views can be subscribed to at once',
    'Höchstens {0} Ansichten können gleichzeitig abonniert sein',
  ],
  [
    'At most {0} records can be open at once',
    'Höchstens {0} Datensätze können gleichzeitig offen sein',
  ],
]

/** See `Feature`. */
export const notificationFeature: Feature = {
  areas: [AREA],
  routes: [notificationRoutes, notificationChanges],
  settings: [NOTIFICATIONS],
  background: [({ notifications }) => notifications.loop, openForgetting],
  hubs: [notificationsHub],
  german: GERMAN,
}
