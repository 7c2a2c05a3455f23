/** False tokens at hubs: a client that offers them counts as one that guesses passwords. */
import { Failure } from '../../kernel/failure.ts'
import type { Callers } from '../../access/callers/callers.ts'
import type { Identity } from '../identity.ts'
import { admit, networkOf, requireFacts } from '../session.ts'

interface Guarded {
  readonly callers: Callers
  readonly identity: Pick<Identity, 'throttles'>
}

/**
 * `admit` for the routes of hubs, which any page can reach. A forged token counts against its
 * address among failed sign-ins, and beyond their limit it is 429. A merely expired one does not
 * count as a guess, and a true one is let in whatever others at its address do.
 */
export function admitToHub(app: Guarded, request: Request): Promise<void> | undefined {
  try {
    return admit(app.callers, request)?.catch((thrown: unknown) => count(app, request, thrown))
  } catch (thrown) {
    return count(app, request, thrown)
  }
}

async function count({ identity }: Guarded, request: Request, thrown: unknown): Promise<never> {
  if (thrown instanceof Failure && thrown.code === 'TOKEN_INVALID')
    await identity.throttles.login.spend({ address: networkOf({ facts: requireFacts(request) }) })
  throw thrown
}
