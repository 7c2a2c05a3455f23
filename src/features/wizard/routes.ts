/** Wizards: `/api/v1/svc/wizard` (src/server/README.md, Wizards). */
import { LANGUAGE } from '../../access/users/spoken-language.ts'
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
import { mutationRoute, planMutation } from '../../server/mutation.ts'
import { ok, okTagged } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
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
const WIZARD_ROUTES: RouteGroup = {
  prefix: PREFIX,
  area: AREA.name,
  routes: [
    route('GET', '/runs', operations.LIST_RUNS, async (call) =>
      ok(await loadRuns(call.app.store, scopeOf(call))),
    ),
    route('GET', '/:name', operations.GET_WIZARD, (call) => {
      const { view } = requireWizard(call.model, call.params.name)
      return okTagged(call, findStructure(view, call.language))
    }),
    mutationRoute('POST', '/:name/start', operations.START, {
      gates: ({ found }) => [{ resource: found.view.resource, rights: ['Create'] }],
      run: (call, recordResponse) => {
        const use = call.found
        return startRun(partsOf(call.app), planMutation(call, recordResponse), use, call.body)
      },
    }),
    route('POST', '/:name/form', operations.LOAD_STEP_FORM, async ({ app, found, body }) =>
      ok(await loadFormOf({ ...found, reader: app.queryCache }, body)),
    ),
  ],
}

/** Gate: one's own run, and Create on its wizard's Resource. */
const RUN_ROUTES: RouteGroup = {
  prefix: PREFIX,
  area: AREA.name,
  routes: [
    route('GET', '/runs/:id', operations.GET_RUN, async (call) => {
      const { run, ...use } = await requireRun(call)
      return ok(await loadRunResult({ ...use, reader: call.app.queryCache }, run))
    }),
    route('DELETE', '/runs/:id', operations.DELETE_RUN, async (call) => {
      await removeRun(call.app.store, scopeOf(call), call.params.id)
      return ok(true)
    }),
    mutationRoute('POST', '/runs/:id/next', operations.NEXT, {
      gates: findRunGates,
      run: async (call, recordResponse) => {
        const use = await requireRun(call)
        return goNext(partsOf(call.app), planMutation(call, recordResponse), use, call.body)
      },
    }),
    mutationRoute('POST', '/runs/:id/back', operations.BACK, {
      gates: findRunGates,
      run: async (call, recordResponse) => {
        const use = await requireRun(call)
        return goBack(partsOf(call.app), planMutation(call, recordResponse), use, call.body)
      },
    }),
    mutationRoute('POST', '/runs/:id/finish', operations.FINISH, {
      gates: findRunGates,
      run: async (call, recordResponse) => {
        const use = await requireRun(call)
        return finishRun(planMutation(call, recordResponse), use, call.body)
      },
    }),
  ],
}

interface OfRun {
  found: Promise<RunUse | undefined>
}

/** @throws missingRun where the gate let the caller pass for a remembered answer alone */
async function requireRun({ found }: OfRun): Promise<RunUse> {
  const use = await found
  if (!use) throw missingRun()
  return use
}

async function findRunGates({ found }: OfRun) {
  const use = await found
  return use ? [{ resource: use.view.resource, rights: ['Create'] }] : []
}

/** See `Feature`. */
export const wizardFeature: Feature = {
  areas: [AREA],
  routes: [WIZARD_ROUTES, RUN_ROUTES],
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
