/** Saved views of objects: `/api/v1/svc/views` (src/server/README.md, Saved views). */
import { Type } from '@sinclair/typebox'
import { textMember } from '../../kernel/members.ts'
import { type Actor, actorOf } from '../../access/audit-entry.ts'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import { requireViewUse } from '../../engine/object/read/find-view.ts'
import type { ViewUse } from '../../engine/object/view-access.ts'
import {
  changeView,
  listSavedViews,
  planInsert,
  removeView,
  requireSaved,
} from '../../engine/saved-views/saved-views.ts'
import {
  NewSavedView,
  SavedView,
  SavedViewChange,
  SavedViewList,
  SavedViewPath,
  SavedViewQuery,
} from '../../engine/saved-views/schema.ts'
import type { RequestCall } from '../../server/call.ts'
import type { Feature } from '../../server/feature.ts'
import { AUTHENTICATED } from '../../server/gate.ts'
import { IDEMPOTENT, planAgain } from '../../server/idempotent-response.ts'
import { mutationRoute } from '../../server/mutation.ts'
import { ok } from '../../server/reply.ts'
import { type Call, route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'

const AREA = {
  name: 'Saved views',
  description: 'How users want to see the rows of an object, for themselves or shared.',
}

const BY_VIEW = 'Gate: View on the object.'

const LIST = {
  query: SavedViewQuery,
  response: Envelope(SavedViewList),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'listSavedViews',
    summary: 'The caller’s saved views of an object, and those that are shared with them',
    description:
      'Of the company that the caller is in. Each is held against the object as the caller may ' +
      'see it now: what they may not see, or is gone, is left out and named in Ignored, unless ' +
      `the name itself is hidden from them. ${BY_VIEW}`,
  },
}

const CREATE = {
  body: NewSavedView,
  response: Envelope(SavedView),
  detail: {
    ...IDEMPOTENT,
    'x-gate': AUTHENTICATED,
    'x-example': {
      Object: 'Orders',
      Name: 'Open orders',
      Filters: [{ Field: 'Status', Operator: 'eq', Value: 'Confirmed' }],
    },
    operationId: 'createSavedView',
    summary: 'Save a view of an object',
    description:
      'Fields, filters and sort are checked as those of a page. To share it takes System, Admin, ' +
      'or Create on SharedViews; others than administrators share with roles of their own. 413 ' +
      `for more than 16 KB, or 50 views of the object. ${BY_VIEW}`,
  },
}

const CHANGE = {
  params: SavedViewPath,
  body: SavedViewChange,
  response: Envelope(SavedView),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'changeSavedView',
    summary: 'Change a saved view, or open the object with it',
    description:
      'What is left out stays; null clears a part. Default is each reader’s own, of shared views ' +
      'too. A shared view is changed by its maker who may share, and by System, Admin or Update ' +
      'on SharedViews; its maker may always take it back. 404 for one that is not shared with ' +
      `the caller. ${BY_VIEW}`,
  },
}

const DELETE = {
  params: SavedViewPath,
  response: Envelope(Type.Null()),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'deleteSavedView',
    summary: 'Delete a saved view',
    description:
      'One’s own; shared ones of others by System, Admin or Delete on SharedViews. Also of an ' +
      'object that is gone.',
  },
}

/** Gate: any caller, then View on the object. */
const ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/views',
  area: AREA.name,
  routes: [
    route('GET', '', LIST, async (call) =>
      ok(await listSavedViews(call.app.store, openObject(call, call.query.object))),
    ),
    mutationRoute('POST', '', CREATE, {
      gates: ({ model, body }) => {
        const view = model.viewByKey.get(textMember(body, 'Object')?.toLowerCase() ?? '')
        return view ? [{ resource: view.resource, rights: ['View'] }] : []
      },
      run: (call, recordResponse) => {
        const use = openObject(call, call.body.Object)
        const insert = planInsert(use, call.body, authorOf(call))
        return call.app.store.write(async (tx) => {
          const saved = await insert(tx)
          tellOthers(call, tx, saved.Object)
          await recordResponse(tx, saved)
          return saved
        }, scopeOf(call.caller))
      },
    }),
    route('PUT', '/:id', CHANGE, async (call) => ok(await change(call))),
    route('DELETE', '/:id', DELETE, async (call) => {
      const { app, caller, servedModel: model } = call
      await app.store.write(async (tx) => {
        const row = await removeView(
          tx,
          { caller, model },
          { id: Number(call.params.id), actor: authorOf(call) },
        )
        tellOthers(call, tx, row.Object)
      }, scopeOf(caller))
      return ok(null)
    }),
  ],
}

/** The author of a change, for the audit log. */
const authorOf = ({ app, caller, traceId }: RequestCall): Actor =>
  actorOf(caller, { now: app.clock.now(), source: 'views', traceId })

/** The object as the caller may View it now. @throws notFound, denied */
const openObject = (call: RequestCall, name: string): ViewUse =>
  requireViewUse(call.app, call, name, ['View'])

/** Changes a view: planned again where rights or the model change before its turn. */
function change(call: Call<typeof CHANGE>): Promise<SavedView> {
  const { app, params, body } = call
  const id = Number(params.id)
  return planAgain(call, async () => {
    const { caller, model } = call
    const { Object: object } = await requireSaved(app.store, { caller, model }, id)
    const use = openObject(call, object)
    return app.store.write(async (tx) => {
      const saved = await changeView(tx, { use, id, actor: authorOf(call) }, body)
      tellOthers(call, tx, saved.Object)
      return saved
    }, scopeOf(caller))
  })
}

/** Tells the caller’s other clients after the commit. */
function tellOthers(
  { app, caller: { userId, companyId } }: Pick<RequestCall, 'app' | 'caller'>,
  tx: { afterCommit: (effect: () => void) => void },
  object: string,
): void {
  tx.afterCommit(() => app.ownChanges.tell({ kind: 'views', userId, companyId, object }))
}

/** See `Feature`. */
export const savedViewsFeature: Feature = {
  areas: [AREA],
  routes: [ROUTES],
}
