/** The table of contents: the layers around every request, then one line for each feature. */
import { type AnyElysia, Elysia } from 'elysia'
import { type Background, startBackground } from './kernel/background.ts'
import { learnTranslations } from './kernel/messages.ts'
import { kernelFloor, type Part } from './kernel/part.ts'
import { loadSettings, type Settings, type SettingsOrigin } from './kernel/settings.ts'
import type { StoredTime } from './kernel/stored-times.ts'
import { storeFloor } from './store/floor.ts'
import { modelFloor } from './model/floor.ts'
import { accessFloor } from './access/floor.ts'
import { engineFloor } from './engine/floor.ts'
import { openDeliverer } from './engine/mail/deliverer.ts'
import { openClockWatch } from './server/clock-watch.ts'
import type { AppContext } from './server/context.ts'
import type { Area, Feature } from './server/feature.ts'
import { HTTP, serverFloor } from './server/floor.ts'
import { hubRoutes } from './server/hub/routes.ts'
import { IDLE_SECONDS } from './server/idle.ts'
import type { Address } from './server/listening/listeners.ts'
import { refuseLate } from './server/refusal.ts'
import { RequestPipeline } from './server/request-pipeline.ts'
import { planPlugin } from './server/route-plugin.ts'
import { type ServedRoute, serveGroup } from './server/route-table.ts'
import type { RouteGroup } from './server/route.ts'
import { accessFeature } from './features/access/routes.ts'
import { assistantFeature } from './features/assistant/routes.ts'
import { auditFeature } from './features/audit/routes.ts'
import { authFeature } from './features/auth/routes.ts'
import { backupsFeature } from './features/backups/routes.ts'
import { commentsFeature } from './features/comments/routes.ts'
import { companyFeature } from './features/company/routes.ts'
import { executeScriptFeature } from './features/extensions/routes.ts'
import { filesFeature } from './features/files/routes.ts'
import { searchFeature } from './features/global-search/routes.ts'
import { healthFeature } from './features/health/routes.ts'
import { hostedServicesFeature } from './features/hosted-services/routes.ts'
import { impersonationFeature } from './features/impersonation/routes.ts'
import { hangfireFeature } from './features/jobs/routes.ts'
import { notificationFeature } from './features/live/routes.ts'
import { navbarFeature } from './features/navbar/routes.ts'
import { notificationsFeature } from './features/notifications/routes.ts'
import { objectExplorerFeature } from './features/object-explorer/routes.ts'
import { objectFeature } from './features/object/routes.ts'
import { ownSettingsFeature } from './features/own-settings/routes.ts'
import { peopleFeature } from './features/people/routes.ts'
import { reportFeature } from './features/printed-reports/routes.ts'
import { rpcFeature } from './features/procedure/routes.ts'
import { reportDesignerFeature } from './features/report-designer/routes.ts'
import { reportsFeature } from './features/report-pages/routes.ts'
import { savedViewsFeature } from './features/saved-views/routes.ts'
import { scriptsFeature } from './features/scripts/routes.ts'
import { statisticsFeature } from './features/statistics/routes.ts'
import { swaggerFeature } from './features/swagger/routes.ts'
import { timelineFeature } from './features/timeline/routes.ts'
import { timeZoneFeature } from './features/timezone/routes.ts'
import { tracingFeature } from './features/tracing/feature.ts'
import { pushSubscriptionFeature } from './features/web-push/routes.ts'
import { webhooksFeature } from './features/webhooks/routes.ts'
import { wizardFeature } from './features/wizard/routes.ts'
import { workflowFeature } from './features/workflow/routes.ts'

/** The features of the server, in the order of its document. */
export const FEATURES: readonly Feature[] = [
  authFeature,
  impersonationFeature,
  companyFeature,
  timeZoneFeature,
  ownSettingsFeature,
  peopleFeature,
  accessFeature,
  objectFeature,
  savedViewsFeature,
  timelineFeature,
  commentsFeature,
  objectExplorerFeature,
  rpcFeature,
  reportsFeature,
  reportDesignerFeature,
  reportFeature,
  navbarFeature,
  wizardFeature,
  scriptsFeature,
  filesFeature,
  searchFeature,
  assistantFeature,
  executeScriptFeature,
  notificationFeature,
  pushSubscriptionFeature,
  notificationsFeature,
  webhooksFeature,
  workflowFeature,
  hangfireFeature,
  hostedServicesFeature,
  auditFeature,
  statisticsFeature,
  tracingFeature,
  backupsFeature,
  healthFeature,
  swaggerFeature,
]

/** The floors below the features, from the ground up. */
const FLOORS: readonly Part[] = [
  kernelFloor,
  storeFloor,
  modelFloor,
  accessFloor,
  engineFloor,
  serverFloor,
]

/** Lists the parts of the product: its floors, then its features. */
export const listParts = (features = FEATURES): readonly Part[] => [...FLOORS, ...features]

/**
 * Reads the settings of this process, which its parts declare, and adds the German of their
 * sentences from now on. Throws a `SettingError` that names the first fault.
 */
export function configure(origin: SettingsOrigin, features = FEATURES): Settings {
  const parts = listParts(features)
  for (const { translations } of parts) if (translations) learnTranslations(translations)
  return loadSettings(
    origin,
    parts.flatMap(({ settings }) => settings ?? []),
  )
}

/** Lists the times that are stored and compared with the clock. */
export const listTimes = (features = FEATURES): readonly StoredTime[] =>
  listParts(features).flatMap(({ times }) => times ?? [])

/** Lists the loops beside the requests: of all features together, then of each. */
export const listBackground = (context: AppContext, features = FEATURES): Background[] => [
  openClockWatch(context, listTimes(features)),
  openDeliverer(context).loop,
  context.jobs,
  context.recurring.loop,
  context.hubs.loop,
  ...(context.listeners.loop ? [context.listeners.loop] : []),
  ...features.flatMap(({ background }) => (background ?? []).map((open) => open(context))),
]

/**
 * Starts all of them, listed among the context's services; the value stops them again. `firstMs`:
 * see `Background.start`.
 */
export function startServices(
  context: AppContext,
  {
    features = FEATURES,
    before = [],
    firstMs,
  }: { features?: readonly Feature[]; before?: Background[]; firstMs?: number } = {},
): Promise<AsyncDisposable> {
  const all = [...before, ...listBackground(context, features)]
  for (const service of all) context.services.add(service)
  return startBackground(all, firstMs)
}

/**
 * Adds what features do without being asked: jobs, recurring jobs, events that leave the server.
 * @throws Error for a job's name without a hyphen: a model could have a procedure of that name
 */
function addWork(context: AppContext, features: readonly Feature[]): void {
  for (const { jobs = [], jobFinders = [], recurring = [], outerEvents = [] } of features) {
    for (const kind of jobs.map((open) => open(context))) {
      if (!kind.name.includes('-')) throw new Error(`The job ${kind.name} has no hyphen`)
      context.jobs.add(kind)
    }
    for (const open of recurring) context.recurring.addSource(open(context))
    for (const open of jobFinders) context.jobs.addFinder(open(context))
    for (const open of outerEvents) context.recordChanges.addOuter(open(context))
  }
}

/**
 * Creates the whole HTTP application. `standardHostname`: without it Elysia finds the path also
 * behind a host of one letter, but behind `https://` with it alone (`withAddress`); the session
 * looks for it in the same way. `systemRouter: false`: one way in, for tests and for Bun.
 * `normalize: 'typebox'`: Elysia's own copying turns a text in place of an object into an object of
 * its letters, before it is checked, and takes minutes for it.
 */
export function createApp(context: AppContext, features = FEATURES): AnyElysia {
  addWork(context, features)
  const { groups, beside, routes } = planGroups(context, features)
  const pipeline = new RequestPipeline(context, routes)
  const plugIn = (base: AnyElysia, plugged: readonly RouteGroup[]): AnyElysia =>
    plugged.reduce((all, group) => all.use(planPlugin(pipeline.reader, group)), base)
  const prefix = context.settings.get(HTTP.basePath)
  return new Elysia({
    systemRouter: false,
    normalize: 'typebox',
    handler: { standardHostname: context.listeners.isTls },
  })
    .wrap((handle, request) => () => pipeline.answer(handle, request))
    .onError(({ request, error }) => pipeline.refuse(request, error))
    .onParse(({ request, route, params }) => pipeline.reader.parse(request, route, params))
    .use(plugIn(new Elysia(), beside))
    .use(plugIn(new Elysia({ prefix, strictPath: true }), groups))
}

/**
 * Starts to listen: see `Listeners.listen`. `idleSeconds`: without a byte for so long a connection
 * is closed.
 */
export const listen = (
  { listeners, hubs, log }: AppContext,
  app: AnyElysia,
  address: Address | undefined,
  idleSeconds = IDLE_SECONDS,
): Promise<number | undefined> =>
  listeners.listen(
    {
      fetch: app.fetch,
      websocket: hubs.handler,
      error: (thrown) => refuseLate(log, thrown),
      idleSeconds,
    },
    address,
  )

/** Routes of an app: in groups, and each by itself at its whole path. */
interface AppRoutes {
  readonly groups: readonly RouteGroup[]
  /** Groups that answer without the base path, too. */
  readonly beside: readonly RouteGroup[]
  readonly routes: readonly ServedRoute[]
}

function planGroups(context: AppContext, features: readonly Feature[]): AppRoutes {
  const routes: ServedRoute[] = []
  const figures = features.flatMap((each) => (each.figures ?? []).map((open) => open(context)))
  const served = { listRoutes: () => routes, areas: listAreas(features), figures }
  const plan = ({ routes: planned, hubs = [], areas = [] }: Feature): RouteGroup[] => [
    ...planned.map((each) => (typeof each === 'function' ? each(context, served) : each)),
    ...hubs.map((declare) => hubRoutes(context, declare, areas[0]?.name ?? '')),
  ]
  const prefix = context.settings.get(HTTP.basePath)
  const besides = prefix === '' ? [] : features.filter((each) => each.answersBesideBasePath)
  const beside = besides.flatMap(plan)
  const groups = features.flatMap(plan)
  routes.push(...beside.flatMap((group) => serveGroup(group, '')))
  routes.push(...groups.flatMap((group) => serveGroup(group, prefix)))
  return { groups, beside, routes }
}

/** Lists the routes of an app, each at its whole path, in the order of the document. */
export const listRoutes = (context: AppContext, features = FEATURES): readonly ServedRoute[] =>
  planGroups(context, features).routes

/** The areas of the OpenAPI document that features bring, in their order. */
export const listAreas = (features = FEATURES): Area[] =>
  features.flatMap(({ areas }) => areas ?? [])
