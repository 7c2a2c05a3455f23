/** What users are told while they work: the hub of notifications. */
import type { Feature } from '../../server/feature.ts'
import { notificationsHub } from './hub.ts'

const AREA = {
  name: 'Notifications',
  description:
    'The hub speaks the SignalR JSON protocol, version 1, over WebSockets: clients of SignalR ' +
    'for JavaScript and .NET connect as they are.',
}

/** See `Feature`. */
export const notificationFeature: Feature = {
  areas: [AREA],
  routes: [],
  hubs: [notificationsHub],
}
