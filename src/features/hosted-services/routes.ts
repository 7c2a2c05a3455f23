/** Work beside the requests: `/api/v1/svc/hosted-services`. */
import { Type } from '@sinclair/typebox'
import type { Background } from '../../kernel/background.ts'
import { Failure, notFound } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import { instant, named, orNull } from '../../kernel/schema.ts'
import { actorOf, writeAudit } from '../../access/audit-entry.ts'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import type { RequestCall } from '../../server/call.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { rolesGate } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { type Call, route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { GERMAN } from './german.ts'

const GATE = rolesGate('System', 'Admin')

/** A service works for every company: an Admin, who is of one, looks at it alone. */
const CHANGE_GATE = rolesGate('System')

const AREA = {
  name: 'Hosted services',
  description:
    'Background work: jobs, mails, searches, notifications, sweeps. One ' +
    'that fails is tried again after growing waits.',
}

const ERROR_CHARACTERS_MAX = 500

const HostedService = named(
  'HostedService',
  Type.Object({
    Name: Type.String({ examples: ['recurring-jobs'] }),
    Label: Type.String(),
    State: Type.Union([Type.Literal('Running'), Type.Literal('Stopped'), Type.Literal('Faulted')], {
      description: 'Faulted: its latest run failed, and it is tried again',
    }),
    StartedAt: orNull(instant()),
    LastRunAt: orNull(instant('When a run ended last')),
    LastError: orNull(Type.String({ description: 'Of the latest run that failed; for System' })),
    Runs: Type.Integer({ description: 'Since the process began' }),
  }),
)

const byName = Type.Object({
  name: Type.String({ pattern: '^[a-z0-9_-]{1,200}$', examples: ['recurring-jobs'] }),
})

const plan = (operationId: string, summary: string, description: string) => ({
  'x-gate': GATE,
  operationId,
  summary,
  description: `${description} Gate: System or Admin.`,
})

const planChange = (operationId: string, summary: string, description: string) => ({
  'x-gate': CHANGE_GATE,
  operationId,
  summary,
  description: `${description} Gate: System, for a service works for every company.`,
})

const LIST = {
  response: Envelope(Type.Array(HostedService)),
  detail: plan('listHostedServices', 'The services of this process', 'By name.'),
}

const GET = {
  params: byName,
  response: Envelope(HostedService),
  detail: plan('getHostedService', 'One of them', 'As it is now.'),
}

const change = (operationId: string, summary: string, description: string) => ({
  params: byName,
  response: Envelope(HostedService),
  detail: planChange(operationId, summary, description),
})

const START = change('startHostedService', 'Starts it', 'One that runs is left alone.')

const STOP = change(
  'stopHostedService',
  'Stops it',
  'Until it is started again, or the process is; answers once what ran has ended.',
)

const RESTART = change(
  'restartHostedService',
  'Stops it and starts it again',
  'One that is stopped, too.',
)

type Change = 'start' | 'stop' | 'restart'

/** Services of extensions are known once these are loaded; the engine's own always are. */
async function requireService({ services, extensions }: AppContext, name: string) {
  const own = services.find(name)
  if (own) return own
  await extensions.load()
  const service = services.find(name)
  if (service) return service
  throw notFound(say`There is no such service`, { code: 'SERVICE_NOT_FOUND' })
}

async function apply(call: Call<typeof GET>, what: Change) {
  const { app } = call
  const { name } = call.params
  const service = await requireService(app, name)
  await app.services[what](name)
  await audit(call, { name, what })
  return ok(toEntry(call, name, service))
}

/** Gate: System or Admin; a change: System. */
const HOSTED_SERVICE_ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/hosted-services',
  area: AREA.name,
  routes: [
    route('GET', '', LIST, async (call) => {
      const { extensions, services } = call.app
      await extensions.load()
      return ok(services.list().map(([name, each]) => toEntry(call, name, each)))
    }),
    route('GET', '/:name', GET, async (call) => {
      const { name } = call.params
      return ok(toEntry(call, name, await requireService(call.app, name)))
    }),
    route('POST', '/:name/start', START, (call) => apply(call, 'start')),
    route('POST', '/:name/stop', STOP, (call) => apply(call, 'stop')),
    route('POST', '/:name/restart', RESTART, (call) => apply(call, 'restart')),
  ],
}

const STATES = { stopped: 'Stopped', waiting: 'Running', running: 'Running' } as const

/** Shows a service; its failure, which may name records of other companies, to System only. */
function toEntry({ app, caller, language }: RequestCall, Name: string, service: Background) {
  const { name, state, isFaulted, startedAt, lastRunAt, lastError, runs } = service
  const isRunning = state !== 'stopped'
  const shown = describeError(lastError, language)
    .replaceAll(app.folder, '')
    .slice(0, ERROR_CHARACTERS_MAX)
  const hidden = renderMessage(say`It failed. See the server log for the reason.`, language)
  return {
    Name,
    Label: name,
    State: isRunning && isFaulted ? ('Faulted' as const) : STATES[state],
    StartedAt: startedAt?.toISOString() ?? null,
    LastRunAt: lastRunAt?.toISOString() ?? null,
    LastError: lastError === undefined ? null : caller.isSystem ? shown : hidden,
    Runs: runs,
  }
}

/** The text of an error; of a refusal in the reader's language. */
function describeError(error: unknown, language: string): string {
  if (error instanceof Failure) return error.text.render(language)
  return error instanceof Error ? error.message : String(error)
}

/** Audits a change that was made, or logs it: a service may be restarted on a full disk. */
async function audit(
  { app: { store, clock, log }, caller, traceId }: RequestCall,
  { name, what }: { name: string; what: Change },
): Promise<void> {
  const facts = { now: clock.now(), source: 'hosted-services', traceId }
  log.info(`a service was changed by an operator`, {
    service: name,
    change: what,
    by: caller.userName,
  })
  const entry = { entity: 'svc_hosted_services' as const, id: name, action: what, changes: {} }
  try {
    const scope = scopeOf(caller, 'services are those of every company')
    await store.write((tx) => writeAudit(tx, actorOf(caller, facts), entry), scope)
  } catch (error) {
    log.error('the change of a service could not be written down', error)
  }
}

/** See `Feature`. */
export const hostedServicesFeature: Feature = {
  areas: [AREA],
  routes: [HOSTED_SERVICE_ROUTES],
  translations: { de: GERMAN },
}
