/**
 * Scripts of extensions: `/api/v1/svc/execute-script` (src/server/README.md, Scripts and handlers).
 */
import { type Static, Type } from '@sinclair/typebox'
import { invalid } from '../../kernel/failure.ts'
import { textMember } from '../../kernel/members.ts'
import { say } from '../../kernel/messages.ts'
import { JsonValue, named, Values } from '../../kernel/schema.ts'
import { SECOND } from '../../kernel/setting.ts'
import type { Tx } from '../../store/store.ts'
import { actorOf, writeAudit } from '../../access/audit-entry.ts'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import { Grant } from '../../access/rights/grant.ts'
import { enqueueNamed } from '../../engine/extensions/enqueue-named.ts'
import {
  type ExtensionJobParts,
  findExtensionJobs,
} from '../../engine/extensions/extension-jobs.ts'
import { EXECUTE, requireExecutable } from '../../engine/extensions/find-executable.ts'
import { HostedServices } from '../../engine/extensions/hosted-services.ts'
import { findListenerJobs, planEventsJob } from '../../engine/extensions/listener-jobs.ts'
import { ShownParameter } from '../../engine/extensions/parts.ts'
import { listRecurringExtensions } from '../../engine/extensions/recurring-extensions.ts'
import { runScript } from '../../engine/extensions/run-script.ts'
import { JOBS } from '../../engine/floor.ts'
import type { RequestCall } from '../../server/call.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { AUTHENTICATED, namedGate } from '../../server/gate.ts'
import { holdOpen } from '../../server/idle.ts'
import { ok, okText } from '../../server/reply.ts'
import { type Call, route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'

const ExecuteScriptRequest = named(
  'ExecuteScriptRequest',
  Type.Object({
    Name: Type.String({ description: 'Name of the script, without regard to case' }),
    Parameters: Type.Optional(
      Type.Union([Values, Type.Null()], {
        description: 'By the names that the script declares; what it does not is dropped',
      }),
    ),
    Background: Type.Optional(
      Type.Boolean({
        description: 'As a job: the answer is its Id. Jobs are asked for in this way',
      }),
    ),
  }),
)
type ExecuteScriptRequest = Static<typeof ExecuteScriptRequest>

const ExecuteScriptResult = named(
  'ExecuteScriptResult',
  Type.Object({
    Result: { ...JsonValue, description: 'What the script returned' },
    Log: Type.Array(Type.String(), { description: 'The lines that it wrote' }),
    DurationMs: Type.Integer(),
  }),
)

const AskedJob = named(
  'EnqueuedJob',
  Type.Object({
    JobId: Type.Integer({
      description: 'With Background; the hub tells of its progress as operation `job:` and this Id',
    }),
  }),
)

const ScriptEntry = named(
  'RegisteredScript',
  Type.Object({
    Name: Type.String(),
    Label: Type.String(),
    Parameters: Type.Array(ShownParameter),
  }),
)
type ScriptEntry = Static<typeof ScriptEntry>

const AREA = {
  name: 'Scripts',
  description:
    'Scripts that extensions in the data folder register. Each runs in a process of its own, ' +
    'with the rights of its caller.',
}

const LIST_REGISTERED_SCRIPTS = {
  response: Envelope(Type.Array(ScriptEntry)),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'listRegisteredScripts',
    summary: 'The scripts that the caller may execute, with their parameters',
    description: 'Extensions in the data folder register them; `appengine types` tells how.',
  },
}

const EXECUTE_SCRIPT = {
  body: ExecuteScriptRequest,
  response: Envelope(Type.Union([ExecuteScriptResult, AskedJob])),
  detail: {
    'x-gate': namedGate('Execute on the Resource of the script', 'body', (call) => {
      const name = textMember(call.body, 'Name')
      return name === undefined ? undefined : requireExecutable(call.app.extensions, call, name)
    }),
    'x-example': {
      Name: 'OpenOrdersByCustomer',
      Parameters: { Customers: 3 },
    },
    operationId: 'executeScript',
    summary: 'Run a script and wait for its result, or ask for it as a job',
    description:
      'The script runs in a process of its own, as the caller: what it reads and writes is held ' +
      'to their company and their permissions, and what it has written before it fails stays. ' +
      'One that takes longer than `Svc:Scripts:Timeout` or more memory than ' +
      '`Svc:Scripts:MaxMemory` is ended: 400. With Background a script, or a job of an ' +
      'extension, is done as a job, by the rights that its caller has then. Gate: Execute on ' +
      'its Resource.',
  },
}

/** Gates: the list is narrowed to what the caller may execute; Execute on the script's Resource. */
const EXECUTE_SCRIPT_ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/execute-script',
  area: AREA.name,
  routes: [
    route('GET', '', LIST_REGISTERED_SCRIPTS, async (call) => ok(await listScripts(call))),
    route('POST', '', EXECUTE_SCRIPT, (call) =>
      holdOpen(call.server, call.request, () => execute(call)),
    ),
  ],
}

async function listScripts({ app, caller, model }: RequestCall): Promise<ScriptEntry[]> {
  const { scripts } = await app.extensions.load()
  return [...scripts.values()]
    .filter(({ part }) => Grant.findCapability(caller, model, part.Resource, EXECUTE))
    .map(({ part: { Name, Label, Parameters } }) => ({ Name, Label, Parameters }))
}

async function execute(call: Call<typeof EXECUTE_SCRIPT>): Promise<Response> {
  const { app } = call
  const { Parameters, Background } = call.body
  const { part, file } = await call.found
  const { extensions, store } = app
  const { caller, language, traceId } = call
  const api = {
    engine: app,
    reader: app.queryCache,
    extensions,
    log: app.log,
    caller,
    language,
    traceId,
    get model() {
      return call.model
    },
  }
  const note = (tx: Tx) => noteExecution(tx, call, part.Name)
  if (Background === true) {
    const source = `execute-script/${part.Name}`
    const asked = { name: part.Name, parameters: Parameters, source, alongside: note }
    return okText(JSON.stringify({ JobId: await enqueueNamed(api, asked) }))
  }
  if (part.Kind === 'job') throw invalid(say`'${part.Name}' is a job. Run it with Background.`)
  const outcome = await runScript(extensions, { part, file }, Parameters, api, () =>
    store.write(note, scopeOf(caller)),
  )
  const log = JSON.stringify(outcome.log)
  const { resultJson, durationMs } = outcome
  return okText(`{"Result":${resultJson},"Log":${log},"DurationMs":${durationMs}}`)
}

/** Audits that a script was begun or asked for, however it ends. */
async function noteExecution(
  tx: Tx,
  { app, caller, traceId }: RequestCall,
  name: string,
): Promise<void> {
  const context = { now: app.clock.now(), source: 'execute-script', traceId }
  const entry = { entity: 'svc_scripts', id: name, action: 'execute', changes: {} } as const
  await writeAudit(tx, actorOf(caller, context), entry)
}

const jobPartsOf = (app: AppContext): ExtensionJobParts => ({
  engine: app,
  reader: app.queryCache,
  extensions: app.extensions,
  log: app.log,
  timeoutMs: app.settings.get(JOBS.timeout),
})

const SERVICE_RETRY_MS = SECOND

const openServices = (app: AppContext): HostedServices =>
  new HostedServices({
    ...jobPartsOf(app),
    callers: app.callers,
    registry: app.services,
    retryMs: SERVICE_RETRY_MS,
  })

/** See `Feature`. */
export const executeScriptFeature: Feature = {
  areas: [AREA],
  routes: [EXECUTE_SCRIPT_ROUTES],
  background: [openServices],
  jobs: [(app) => planEventsJob(jobPartsOf(app))],
  jobFinders: [
    (app) => findExtensionJobs(jobPartsOf(app)),
    (app) => findListenerJobs(jobPartsOf(app)),
  ],
  recurring: [
    ({ store, extensions, log, settings }) =>
      listRecurringExtensions({ store, extensions, log, timeZone: settings.get(JOBS.timeZone) }),
  ],
}
