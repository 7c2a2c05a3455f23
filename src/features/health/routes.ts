/**
 * Whether the process lives, and whether it can serve: for supervisors and load balancers, open to
 * all.
 */
import { Elysia } from 'elysia'
import { Type } from '@sinclair/typebox'
import { Failure, unavailable } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { AppContext } from '../../server/context.ts'
import { OPEN } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'
import type { Feature } from '../../server/feature.ts'
import type { Translations } from '../../kernel/messages.ts'

const AREA = {
  name: 'Operations',
  description: 'Health of the server and this document.',
}

const Health = Type.Object({ Status: Type.Literal('ok') })

const Readiness = Type.Object({
  Status: Type.Literal('ok'),
  FaultyExtensions: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Files of extensions that the server goes without; its log tells why',
    }),
  ),
})

const OK = ok({ Status: 'ok' as const })

/** Both are open: they tell yes or no, and which extensions are missing. */
const healthRoutes = (context: AppContext) =>
  new Elysia({ prefix: '/health', strictPath: true, tags: [AREA.name] })
    .get('/live', () => OK, {
      response: Envelope(Health),
      detail: {
        'x-gate': OPEN,
        operationId: 'getLiveness',
        summary: 'Whether the process answers',
      },
    })
    .get('/ready', () => requireReady(context), {
      response: Envelope(Readiness),
      detail: {
        'x-gate': OPEN,
        operationId: 'getReadiness',
        summary: 'Whether both stores answer and take changes: 503 if not',
      },
    })

async function requireReady({ store, state, log, extensions }: AppContext) {
  try {
    const probe = { sql: 'SELECT 1', args: {}, runs: 'inline' } as const
    await Promise.all([store.text(probe), state.text(probe)])
    await Promise.all([store.requireWritable(), state.requireWritable()])
    const { faultyFiles } = extensions
    return faultyFiles.length === 0 ? OK : ok({ ...OK.data, FaultyExtensions: faultyFiles })
  } catch (cause) {
    if (cause instanceof Failure && cause.kind === 'unavailable') throw cause
    log.error('a store does not answer', cause)
    throw unavailable(say`A store does not answer`)
  }
}

/** Its sentences in German, by English template. */
const GERMAN: Translations = [['A store does not answer', 'Ein Speicher antwortet nicht']]

/** See `Feature`. */
export const healthFeature: Feature = {
  areas: [AREA],
  routes: [healthRoutes],
  answersBesideBasePath: true,
  german: GERMAN,
}
