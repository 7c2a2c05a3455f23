/** The timeline of a record: `/api/v1/svc/timeline` (src/server/README.md, Timeline). */
import { textMember } from '../../kernel/members.ts'
import { requireViewUse } from '../../engine/object/read/find-view.ts'
import { Timeline, TimelineRequest } from '../../engine/timeline/schema.ts'
import { loadTimeline } from '../../engine/timeline/timeline.ts'
import type { Feature } from '../../server/feature.ts'
import { namedGate } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { SAFE } from '../../server/route-table.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'

const AREA = {
  name: 'Timeline',
  description: 'What happened to a record: who changed what from what to what, and what they said.',
}

/** @throws notFound, denied: before anything but the object's name is used. */
const GATE = namedGate('View on the object, and on its record', 'body', (call) => {
  const name = textMember(call.body, 'Object')
  return name === undefined ? undefined : requireViewUse(call.app, call, name, ['View'])
})

const LOAD = {
  body: TimelineRequest,
  response: Envelope(Timeline),
  detail: {
    ...SAFE,
    'x-gate': GATE,
    operationId: 'loadTimeline',
    summary: 'What happened to a record, the newest first',
    description:
      'Who created and changed it, files, moves of workflows and printed reports, by the audit ' +
      'log, and comments; of fields those that the caller sees now. ' +
      'Gate: View on the object and its record.',
  },
}

/** Gate: View on the object; then its rows. */
const ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/timeline',
  area: AREA.name,
  routes: [
    route('POST', '', LOAD, async ({ app, caller, model, body, found, language }) => {
      const { Keys: keys, Before, Limit } = body
      const page = { keys, before: Before ?? undefined, limit: Limit ?? undefined }
      return ok(await loadTimeline({ engine: app, caller, model }, found, page, language))
    }),
  ],
}

/** See `Feature`. */
export const timelineFeature: Feature = { areas: [AREA], routes: [ROUTES] }
