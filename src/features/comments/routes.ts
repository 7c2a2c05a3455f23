/** Comments on records: `/api/v1/svc/comments` (src/server/README.md, Comments). */
import { Type } from '@sinclair/typebox'
import { invalid } from '../../kernel/failure.ts'
import { textMember } from '../../kernel/members.ts'
import { say } from '../../kernel/messages.ts'
import { actorOf } from '../../access/audit-entry.ts'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import { deleteFollower, requireFollower } from '../../engine/comments/comment-records.ts'
import {
  listComments,
  planChange,
  planComment,
  removeComment,
} from '../../engine/comments/comments.ts'
import {
  Comment,
  CommentChange,
  CommentedRecord,
  CommentList,
  CommentPath,
  CommentQuery,
  COMMENTS_DEFAULT,
  NewComment,
} from '../../engine/comments/schema.ts'
import { readRecord, requireSeen } from '../../engine/comments/seen-records.ts'
import { requireViewUse } from '../../engine/object/read/find-view.ts'
import type { RequestCall } from '../../server/call.ts'
import type { Feature } from '../../server/feature.ts'
import { AUTHENTICATED, namedGate } from '../../server/gate.ts'
import { IDEMPOTENT, planAgain } from '../../server/idempotent-response.ts'
import { mutationRoute } from '../../server/mutation.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'

const AREA = {
  name: 'Comments',
  description: 'What people say about a record, whom they mention, and who follows it.',
}

/** @throws notFound, denied: before anything but the object's name is used. */
const GATE = namedGate('View on the object, and on its record', 'body', (call) => {
  const name = textMember(call.body, 'Object')
  return name === undefined ? undefined : requireViewUse(call.app, call, name, ['View'])
})

const BY_RECORD = 'Gate: View on the object and its record.'

const LIST = {
  query: CommentQuery,
  response: Envelope(CommentList),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'listComments',
    summary: 'Comments on a record, the newest first',
    description: `For entities with \`Comments\`; those of the caller’s company. ${BY_RECORD}`,
  },
}

const CREATE = {
  body: NewComment,
  response: Envelope(Comment),
  detail: {
    ...IDEMPOTENT,
    'x-gate': GATE,
    operationId: 'createComment',
    summary: 'Comment on a record',
    description:
      'Notifies the mentioned people (Mention) and followers who see the record (Followed); the ' +
      `author follows it from then on. 400 for one who does not see the record. ${BY_RECORD}`,
  },
}

const CHANGE = {
  params: CommentPath,
  body: CommentChange,
  response: Envelope(Comment),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'changeComment',
    summary: 'Change a comment of one’s own',
    description: 'Mentions left out stay; who is new among them is notified. Gate: its author.',
  },
}

const DELETE = {
  params: CommentPath,
  response: Envelope(Type.Null()),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'deleteComment',
    summary: 'Delete a comment',
    description: 'With its notifications. Gate: its author, Admin or System, who see its record.',
  },
}

const FOLLOW = {
  body: CommentedRecord,
  response: Envelope(Type.Null()),
  detail: {
    'x-gate': GATE,
    operationId: 'followRecord',
    summary: 'Follow a record: be told of new comments',
    description: BY_RECORD,
  },
}

const UNFOLLOW = {
  body: CommentedRecord,
  response: Envelope(Type.Null()),
  detail: {
    'x-gate': GATE,
    operationId: 'unfollowRecord',
    summary: 'Follow a record no longer',
    description: BY_RECORD,
  },
}

/** Gate: any caller, then View on the object and its record. */
const ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/comments',
  area: AREA.name,
  routes: [
    route('GET', '', LIST, async (call) => {
      const { app, query } = call
      const record = readRecord(
        requireViewUse(app, call, query.object, ['View']),
        readKeys(query.keys),
      )
      const page = {
        before: query.before === undefined ? undefined : Number(query.before),
        limit: Number(query.limit ?? COMMENTS_DEFAULT),
      }
      return ok(await listComments(app.store, record, page))
    }),
    mutationRoute('POST', '', CREATE, {
      gates: ({ found }) => (found ? [{ resource: found.view.resource, rights: ['View'] }] : []),
      run: async (call, recordResponse) => {
        const { app, caller, body } = call
        const use = requireViewUse(app, call, body.Object, ['View'])
        const write = await planComment(app, readRecord(use, body.Keys), body, actorOfCall(call))
        return app.store.write(async (tx) => {
          const comment = await write(tx)
          await recordResponse(tx, comment)
          return comment
        }, scopeOf(caller))
      },
    }),
    route('PUT', '/:id', CHANGE, async (call) =>
      ok(
        await planAgain(call, async () => {
          const write = await planChange(toCommentCall(call, call.params.id), call.body)
          return call.app.store.write(write, scopeOf(call.caller))
        }),
      ),
    ),
    route('DELETE', '/:id', DELETE, async (call) => {
      await planAgain(call, () => {
        const of = toCommentCall(call, call.params.id)
        return call.app.store.write((tx) => removeComment(tx, of), scopeOf(call.caller))
      })
      return ok(null)
    }),
    route('POST', '/follow', FOLLOW, async ({ app, caller, body, found }) => {
      const record = readRecord(found, body.Keys)
      await app.store.write(async (tx) => {
        await requireSeen(tx, record)
        await requireFollower(tx, { ...record.place, UserId: caller.userId })
      }, scopeOf(caller))
      return ok(null)
    }),
    route('DELETE', '/follow', UNFOLLOW, async ({ app, caller, body, found }) => {
      const record = readRecord(found, body.Keys)
      await app.store.write(async (tx) => {
        await requireSeen(tx, record)
        await deleteFollower(tx, record.place, caller.userId)
      }, scopeOf(caller))
      return ok(null)
    }),
  ],
}

/** The author of a change, for the audit log. */
const actorOfCall = ({ app, caller, traceId }: RequestCall) =>
  actorOf(caller, { now: app.clock.now(), source: 'comments', traceId })

const toCommentCall = (call: RequestCall, id: string) => ({
  engine: call.app,
  caller: call.caller,
  model: call.model,
  id: Number(id),
  actor: actorOfCall(call),
})

/** The key of a record in an address: `{"Id":400}`. @throws invalid for any other text */
function readKeys(text: string): Record<string, unknown> {
  try {
    const keys: unknown = JSON.parse(text)
    if (typeof keys === 'object' && keys !== null && !Array.isArray(keys)) return { ...keys }
  } catch {
    // Told below, as any other text that is no key.
  }
  throw invalid(say`keys must hold the key of a record as JSON, such as ${'{"Id":400}'}`)
}

/** See `Feature`. */
export const commentsFeature: Feature = { areas: [AREA], routes: [ROUTES] }
