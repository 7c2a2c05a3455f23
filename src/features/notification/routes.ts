/** What users are told while they work: the hub of notifications. */
import type { Translations } from '../../kernel/messages.ts'
import type { Feature } from '../../server/feature.ts'
import { notificationsHub } from './hub.ts'

const AREA = {
  name: 'Notifications',
  description:
    'The hub speaks the SignalR JSON protocol, version 1, over WebSockets: clients of SignalR ' +
    'for JavaScript and .NET connect as they are.',
}

/** Its sentences in German, by English template. */
const GERMAN: Translations = [
  [
    'At most {0} records can be open at once',
    'Höchstens {0} Datensätze können gleichzeitig offen sein',
  ],
]

/** See `Feature`. */
export const notificationFeature: Feature = {
  areas: [AREA],
  routes: [],
  hubs: [notificationsHub],
  german: GERMAN,
}
