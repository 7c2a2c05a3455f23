/**
 * The hub of notifications. Each part is independent: a further one is a file beside these, and a
 * line here.
 */
import type { AppContext } from '../../server/context.ts'
import { AUTHENTICATED } from '../../server/gate.ts'
import type { Hub, HubChannel } from '../../server/hub/hub.ts'
import { liveBadgesPart } from './live-badges.ts'
import { modelAndRightsPart } from './model-and-rights.ts'
import { noticesPart } from './notices.ts'
import { objectChangesPart } from './object-changes.ts'
import { ownChangesPart } from './own-changes.ts'
import { presencePart } from './presence.ts'
import { progressPart } from './progress.ts'

/** `/api/v1/hubs/notifications` (src/server/README.md, Hubs). */
export const notificationsHub = (app: AppContext, channel: HubChannel): Hub => ({
  name: 'notifications',
  summary: 'what happens to the caller and their records',
  description: 'Tells clients what happens, as it happens.',
  gate: AUTHENTICATED,
  parts: [
    noticesPart(app, channel),
    objectChangesPart(app, channel),
    liveBadgesPart(app),
    progressPart(app.progress, channel),
    presencePart(app),
    ownChangesPart(app.ownChanges, channel),
    modelAndRightsPart(app),
  ],
})
