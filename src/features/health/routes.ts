/**
 * Whether the process lives, and whether it can serve: for supervisors and load balancers, open to
 * all.
 */
import { Elysia } from 'elysia'
import { Type } from '@sinclair/typebox'
import { unavailable } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { AppContext } from '../../server/context.ts'
import { ok } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'

const Health = Type.Object({ Status: Type.Literal('ok') })

const OK = ok({ Status: 'ok' as const })

/** Both are open: they tell nothing but yes or no. */
export const healthRoutes = (context: AppContext) =>
  new Elysia({ prefix: '/health', strictPath: true, tags: ['Operations'] })
    .get('/live', () => OK, {
      response: Envelope(Health),
      detail: { operationId: 'getLiveness', summary: 'Whether the process answers' },
    })
    .get('/ready', () => requireReady(context), {
      response: Envelope(Health),
      detail: { operationId: 'getReadiness', summary: 'Whether both stores answer: 503 if not' },
    })

async function requireReady({ store, state, log }: AppContext): Promise<typeof OK> {
  try {
    const probe = { sql: 'SELECT 1', args: {}, quick: 'always' } as const
    await Promise.all([store.text(probe), state.text(probe)])
    return OK
  } catch (cause) {
    log.error('a store does not answer', cause)
    throw unavailable(say`A store does not answer`)
  }
}
