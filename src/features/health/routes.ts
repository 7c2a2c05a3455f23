/**
 * Health of the process: that it lives, and that it can serve. For supervisors and load balancers,
 * open to all.
 */
import { Type } from '@sinclair/typebox'
import { Loop } from '../../kernel/background.ts'
import { Failure, unavailable } from '../../kernel/failure.ts'
import { type Message, renderMessage, say } from '../../kernel/messages.ts'
import { named, oneOf } from '../../kernel/schema.ts'
import { renderStored } from '../../kernel/stored-messages.ts'
import { findBackupStatus } from '../../engine/backups/status.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { OPEN } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { findGuest } from '../../server/session.ts'
import { GERMAN } from './german.ts'

const AREA = {
  name: 'Operations',
  description: 'Health of the server and this document.',
}

const Health = named('Health', Type.Object({ Status: Type.Literal('ok') }))

const Readiness = named(
  'Readiness',
  Type.Object({
    Status: oneOf(['ok', 'degraded']),
    Reasons: Type.Optional(
      Type.Array(Type.String(), { description: 'What wants a hand; for System alone' }),
    ),
    FaultyExtensions: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Files of extensions that the server goes without; its log tells why',
      }),
    ),
  }),
)

const OK = ok({ Status: 'ok' as const })

const GET_LIVENESS = {
  response: Envelope(Health),
  detail: {
    'x-gate': OPEN,
    operationId: 'getLiveness',
    summary: 'Whether the process answers',
    description: 'It asks nothing of the database: a supervisor restarts what does not answer.',
  },
}

const GET_READINESS = {
  response: Envelope(Readiness),
  detail: {
    'x-gate': OPEN,
    operationId: 'getReadiness',
    summary: 'Whether both stores answer and take changes, with all extensions: 503 if not',
    description:
      'Status is degraded where it serves and something wants a hand: work that a restore holds, ' +
      'or a backup that failed. ' +
      '503 while a database was removed or replaced, its pages are damaged, or its disk is ' +
      'full, fails or does not answer: it is tried, at most once a second. Also until all ' +
      'extensions are read; what asks for one of their parts in that time waits.',
  },
}

/** Both are open: they tell yes or no, and which extensions are missing. */
const HEALTH_ROUTES: RouteGroup = {
  prefix: '/health',
  area: AREA.name,
  routes: [
    route('GET', '/live', GET_LIVENESS, () => OK),
    route('GET', '/ready', GET_READINESS, async (call) => {
      const ready = await requireReady(call.app)
      const reasons = await findReasons(call.app)
      if (reasons.length === 0) return ready
      const caller = await findGuest(call.app.callers, call)
      const shown = caller?.isSystem === true && {
        Reasons: reasons.map((write) => write(caller.language)),
      }
      return ok({ ...ready.data, ...shown, Status: 'degraded' as const })
    }),
  ],
}

const ONE = { sql: 'SELECT 1', args: {}, runs: 'inline' } as const

async function requireReady({ store, state, log, extensions }: AppContext) {
  try {
    await Promise.all([store.text(ONE), state.text(ONE)])
    await Promise.all([store.requireServing(), state.requireServing()])
    if (extensions.mayCome) throw unavailable(say`Extensions are still loading`)
    const { faultyFiles } = extensions
    return faultyFiles.length === 0 ? OK : ok({ ...OK.data, FaultyExtensions: faultyFiles })
  } catch (cause) {
    if (cause instanceof Failure && cause.kind === 'unavailable') throw cause
    log.error('a store does not answer', cause)
    throw unavailable(say`A database is not responding`)
  }
}

/** Writes a reason in a language. */
type Reason = (language: string | undefined) => string

/** Reasons why a server that serves wants a hand. */
async function findReasons({ store, hold }: AppContext): Promise<Reason[]> {
  const [held, backup] = [await hold.find(), await findBackupStatus(store)]
  const error = backup?.Error ?? null
  return [
    ...(held ? [toReason(heldSince(held.BackupOf))] : []),
    ...(error === null ? [] : [(language: string | undefined) => renderStored(error, language)]),
  ]
}

const toReason =
  (message: Message): Reason =>
  (language) =>
    renderMessage(message, language)

const heldSince = (backup: string): Message =>
  say`Since the restore of ${backup} mails and jobs that send are held: resume them`

/** Milliseconds until damage that a statement met is looked for. */
const CHECK_MS = 1000

/** Reads the pages of both databases when that is due; the log has the faults found. */
const openCheck = ({ store, state, log }: AppContext): Loop =>
  new Loop({
    name: 'Database check',
    everyMs: CHECK_MS,
    // A repaired database is to serve at once.
    faultMsMax: CHECK_MS,
    waitsFirst: true,
    steps: [store, state].map((each) => async () => {
      const damage = await each.checkPages()
      if (damage === undefined) return
      throw new Error(damage)
    }),
    failure: 'a database is not whole',
    log,
  })

/** See `Feature`. */
export const healthFeature: Feature = {
  areas: [AREA],
  routes: [HEALTH_ROUTES],
  background: [openCheck],
  answersBesideBasePath: true,
  translations: { de: GERMAN },
}
