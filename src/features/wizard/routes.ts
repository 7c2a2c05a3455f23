/** Wizards: `/api/v1/svc/wizard` (src/server/README.md, Wizards). */
import { Elysia } from 'elysia'
import { LANGUAGE } from '../../access/users/spoken-language.ts'
import type { Mutation } from '../../engine/object/mutation.ts'
import { openWizardExpiry } from '../../engine/wizard/expiry.ts'
import { finishRun } from '../../engine/wizard/finish.ts'
import { missingRun } from '../../engine/wizard/run-records.ts'
import { loadRunResult } from '../../engine/wizard/run-result.ts'
import { goBack, goNext, type RunParts, startRun } from '../../engine/wizard/run-steps.ts'
import { loadFormOf, loadRuns, removeRun } from '../../engine/wizard/runs.ts'
import { findStructure } from '../../engine/wizard/structure.ts'
import { requireWizard } from '../../engine/wizard/wizard-access.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { answerIdempotent, takeKeyNow } from '../../server/idempotent-response.ts'
import { modelOf } from '../../server/language.ts'
import { planRequestMutation } from '../../server/mutation.ts'
import { ok, okTagged } from '../../server/reply.ts'
import { callOf, found, type Incoming } from '../../server/route-call.ts'
import { languageOf } from '../../server/session.ts'
import * as operations from './operations.ts'
import { WIZARDS } from './settings.ts'
import { type RunUse, scopeOf } from './wizard-gate.ts'

const AREA = {
  name: 'Wizards',
  description:
    'Guided entry, step by step. A run is kept on the server and belongs to its owner: it is ' +
    'continued ' +
    'with on any device, and its finish writes all or nothing.',
}

const PREFIX = '/api/v1/svc/wizard'

const partsOf = ({ queryCache, settings }: AppContext): RunParts => ({
  reader: queryCache,
  limits: {
    lifetime: settings.get(WIZARDS.lifetime),
    maxRuns: settings.get(WIZARDS.maxRuns),
    maxBytes: settings.get(WIZARDS.maxBytes),
  },
})

/** Gate: authentication for the structure; Create on the wizard's Resource. */
function wizardRoutes(app: AppContext) {
  const parts = partsOf(app)
  const { START } = operations
  return new Elysia({ prefix: PREFIX, strictPath: true, tags: [AREA.name] })
    .get(
      '/runs',
      async ({ request }) => ok(await loadRuns(app.store, scopeOf(callOf(app, { request })))),
      operations.LIST_RUNS,
    )
    .get(
      '/:name',
      ({ params, request }) => {
        const { view } = requireWizard(modelOf(app, request), params.name)
        return okTagged(request, findStructure(view, languageOf(request)))
      },
      operations.GET_WIZARD,
    )
    .post(
      '/:name/start',
      ({ params, body, request }) =>
        answerIdempotent(request, (recordResponse) => {
          const use = found(app, START.detail, { request, params })
          return startRun(parts, planRequestMutation(app, request, recordResponse), use, body)
        }),
      {
        ...START,
        transform: async ({ request, params, body }: Incoming) => {
          const { view } = found(app, START.detail, { request, params })
          const gate = { resource: view.resource, rights: ['Create'] }
          await takeKeyNow(app, { request, body }, () => [gate])
        },
      },
    )
    .post(
      '/:name/form',
      async ({ params, body, request }) => {
        const use = found(app, operations.LOAD_STEP_FORM.detail, { request, params })
        return ok(await loadFormOf({ ...use, reader: app.queryCache }, body))
      },
      operations.LOAD_STEP_FORM,
    )
}

/** Gate: one's own run, and Create on its wizard's Resource. */
function runRoutes(app: AppContext) {
  const parts = partsOf(app)
  const { GET_RUN, NEXT, BACK, FINISH } = operations
  const requireRun = async (incoming: Incoming): Promise<RunUse> => {
    const use = await found(app, GET_RUN.detail, incoming)
    if (!use) throw missingRun()
    return use
  }
  const transform = async ({ request, params, body }: Incoming): Promise<void> => {
    const use = await found(app, GET_RUN.detail, { request, params })
    const gates = use ? [{ resource: use.view.resource, rights: ['Create'] }] : []
    await takeKeyNow(app, { request, body }, () => gates)
  }
  const mutate = (
    incoming: Incoming,
    work: (mutation: Mutation, use: RunUse) => Promise<unknown>,
  ): Promise<Response> =>
    answerIdempotent(incoming.request, async (recordResponse) => {
      const use = await requireRun(incoming)
      return work(planRequestMutation(app, incoming.request, recordResponse), use)
    })
  return new Elysia({ prefix: PREFIX, strictPath: true, tags: [AREA.name] })
    .get(
      '/runs/:id',
      async ({ params, request }) => {
        const { run, ...use } = await requireRun({ request, params })
        return ok(await loadRunResult({ ...use, reader: app.queryCache }, run))
      },
      GET_RUN,
    )
    .delete(
      '/runs/:id',
      async ({ params, request }) => {
        await removeRun(app.store, scopeOf(callOf(app, { request })), params.id)
        return ok(true)
      },
      operations.DELETE_RUN,
    )
    .post(
      '/runs/:id/next',
      ({ params, body, request }) =>
        mutate({ request, params }, (mutation, use) => goNext(parts, mutation, use, body)),
      { ...NEXT, transform },
    )
    .post(
      '/runs/:id/back',
      ({ params, body, request }) =>
        mutate({ request, params }, (mutation, use) => goBack(parts, mutation, use, body)),
      { ...BACK, transform },
    )
    .post(
      '/runs/:id/finish',
      ({ params, body, request }) =>
        mutate({ request, params }, (mutation, use) => finishRun(mutation, use, body)),
      { ...FINISH, transform },
    )
}

/** See `Feature`. */
export const wizardFeature: Feature = {
  areas: [AREA],
  routes: [wizardRoutes, runRoutes],
  settings: [WIZARDS],
  background: [
    ({ store, models, clock, settings, log }) =>
      openWizardExpiry({
        store,
        models,
        clock,
        log,
        lifetime: settings.get(WIZARDS.lifetime),
        warnBefore: settings.get(WIZARDS.warnBefore),
        language: settings.get(LANGUAGE),
      }),
  ],
}
