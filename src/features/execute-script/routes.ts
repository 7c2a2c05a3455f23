/**
 * Scripts of extensions: `/api/v1/svc/execute-script` (src/server/README.md, Scripts and handlers).
 */
import { Elysia } from 'elysia'
import { Type } from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import { actorOf, writeAudit } from '../../access/audit-entry.ts'
import type { Caller } from '../../access/caller.ts'
import { Grant } from '../../access/grant.ts'
import { scopeOf } from '../../access/caller-validity.ts'
import { planAccess } from '../../access/resource-access.ts'
import type { Declared } from '../../engine/extensions/extensions.ts'
import { PART_NAME, ShownParameter } from '../../engine/extensions/parts.ts'
import type { ScriptPart } from '../../engine/extensions/parts.ts'
import { runScript } from '../../engine/extensions/run-script.ts'
import { denied, invalid, notFound } from '../../kernel/failure.ts'
import type { Failure } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Translations } from '../../kernel/messages.ts'
import type { Model } from '../../model/model.ts'
import type { AppContext } from '../../server/context.ts'
import { AUTHENTICATED, found, namedGate, textMember } from '../../server/gate.ts'
import { modelOf } from '../../server/language.ts'
import { ok, okText } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf, languageOf, traceIdOf } from '../../server/session.ts'
import type { Feature } from '../../server/feature.ts'
import { holdOpen } from '../../server/idle.ts'

const Loose = Type.Record(Type.String(), Type.Unknown())

const ExecuteScriptRequest = Type.Object({
  Name: Type.String({ description: 'Name of the script, without regard to case' }),
  Parameters: Type.Optional(
    Type.Union([Loose, Type.Null()], {
      description: 'By the names that the script declares; what it does not is dropped',
    }),
  ),
  Background: Type.Optional(
    Type.Boolean({ description: 'As a job; refused as long as this engine has none' }),
  ),
})
type ExecuteScriptRequest = Static<typeof ExecuteScriptRequest>

const ExecuteScriptResult = Type.Object({
  Result: Type.Unknown({ description: 'What the script returned' }),
  Log: Type.Array(Type.String(), { description: 'The lines that it wrote' }),
  DurationMs: Type.Integer(),
})

export const ScriptEntry = Type.Object({
  Name: Type.String(),
  Label: Type.String(),
  Parameters: Type.Array(ShownParameter),
})
export type ScriptEntry = Static<typeof ScriptEntry>

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
  response: Envelope(ExecuteScriptResult),
  detail: {
    'x-gate': namedGate(
      'Execute on the Resource of the script',
      'body',
      (app, { request, body }) => {
        const name = textMember(body, 'Name')
        return name === undefined ? undefined : requireScript(app, name, request)
      },
    ),
    'x-example': {
      Name: 'OpenOrdersByCustomer',
      Parameters: { Customers: 3 },
    },
    operationId: 'executeScript',
    summary: 'Run a script and wait for its result',
    description:
      'The script runs in a process of its own, as the caller: what it reads and writes is held ' +
      'to their company and their permissions, and what it has written before it fails stays. ' +
      'One that takes longer than `Svc:Scripts:Timeout` or more memory than ' +
      '`Svc:Scripts:MaxMemory` is ended: 400. Gate: Execute on its Resource.',
  },
}

/** Gates: the list is narrowed to what the caller may execute; Execute on the script's Resource. */
function executeScriptRoutes(app: AppContext) {
  return new Elysia({ prefix: '/api/v1/svc/execute-script', strictPath: true, tags: [AREA.name] })
    .get('', async ({ request }) => ok(await listScripts(app, request)), LIST_REGISTERED_SCRIPTS)
    .post(
      '',
      ({ body, request, server }) => holdOpen(server, request, () => execute(app, body, request)),
      EXECUTE_SCRIPT,
    )
}

/** The capability that lets a caller run what bears a Resource. */
const EXECUTE = 'Execute'

async function listScripts(app: AppContext, request: Request): Promise<ScriptEntry[]> {
  const caller = callerOf(request)
  const model = modelOf(app, request)
  const { scripts } = await app.extensions.load()
  return [...scripts.values()]
    .filter(({ part }) => Grant.findCapability(caller, model, part.Resource, EXECUTE))
    .map(({ part: { Name, Label, Parameters } }) => ({ Name, Label, Parameters }))
}

async function execute(
  app: AppContext,
  body: ExecuteScriptRequest,
  request: Request,
): Promise<Response> {
  const { Parameters, Background } = body
  const script = await found(app, EXECUTE_SCRIPT.detail, { request, body })
  if (Background === true)
    throw invalid(say`Background: this engine has no jobs yet; run the script without it`)
  const caller = callerOf(request)
  const api = {
    ...{
      engine: app,
      reader: app.queryCache,
      queries: app.extensions.queries,
      log: app.log,
      caller,
    },
    ...{ language: languageOf(request), traceId: traceIdOf(request) },
    get model() {
      return modelOf(app, request)
    },
  }
  const outcome = await runScript(app.extensions, script, Parameters, api, () =>
    noteExecution(app, script.part.Name, request),
  )
  const log = JSON.stringify(outcome.log)
  const { resultJson, durationMs } = outcome
  return okText(`{"Result":${resultJson},"Log":${log},"DurationMs":${durationMs}}`)
}

/**
 * The script of a name. Whoever may not execute it is refused, in the same words as for a name that
 * nobody bears. @throws invalid, denied, notFound
 */
async function requireScript(
  app: AppContext,
  name: string,
  request: Request,
): Promise<Declared<ScriptPart>> {
  const { scripts } = await app.extensions.load()
  const caller = callerOf(request)
  const model = modelOf(app, request)
  const script = scripts.get(name.toLowerCase())
  if (!script) throw missing(caller, model, name)
  Grant.requireCapability(caller, model, script.part.Resource, EXECUTE)
  return script
}

/** Computed each time and never cached: there is no end to names that nobody bears. */
function missing(caller: Caller, model: Model, name: string): Failure {
  const isName = PART_NAME.test(name)
  const { capabilities } = planAccess(model, caller.roles, isName ? name : '', '')
  if (!caller.isSystem && !capabilities.has(EXECUTE)) return denied()
  if (!isName) return invalid(say`Name is no name of a script`)
  return notFound(say`There is no such script`, { code: 'SCRIPT_NOT_FOUND' })
}

/** That a script was begun stands in the audit log, however it ends. */
async function noteExecution(app: AppContext, name: string, request: Request): Promise<void> {
  const caller = callerOf(request)
  const context = { now: app.clock.now(), source: 'execute-script', traceId: traceIdOf(request) }
  const entry = { entity: 'svc_scripts', id: name, action: 'execute', changes: {} } as const
  await app.store.write((tx) => writeAudit(tx, actorOf(caller, context), entry), scopeOf(caller))
}

/** Its sentences in German, by English template. */
const GERMAN: Translations = [
  [
    'Background: this engine has no jobs yet; run the script without it',
    'Background: es gibt noch keine Aufträge; bitte das Skript ohne dies ausführen',
  ],
  ['Name is no name of a script', 'Name ist kein Name eines Skripts'],
]

/** See `Feature`. */
export const executeScriptFeature: Feature = {
  areas: [AREA],
  routes: [executeScriptRoutes],
  german: GERMAN,
}
