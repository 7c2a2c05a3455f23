/** Live messages to users: the hub of notifications. */
import type { Feature } from '../../server/feature.ts'
import { AREA } from './area.ts'
import { openForgetting } from './forget-notifications.ts'
import { GERMAN } from './german.ts'
import { notificationsHub } from './hub.ts'
import { NOTIFICATION_ROUTES } from './notification-routes.ts'
import { NOTIFICATIONS } from './settings.ts'

/** See `Feature`. */
export const notificationFeature: Feature = {
  areas: [AREA],
  routes: [NOTIFICATION_ROUTES],
  settings: [NOTIFICATIONS],
  background: [({ notifications }) => notifications.loop, openForgetting],
  hubs: [notificationsHub],
  translations: { de: GERMAN },
}
