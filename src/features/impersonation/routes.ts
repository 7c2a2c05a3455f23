/** Acting as another user: `/api/v1/impersonation`. */
import { Elysia } from 'elysia'
import { ownRequestOf } from '../../server/client-info.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { AUTHENTICATED, rolesGate } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'
import { Tokens } from '../../server/token-schema.ts'
import { StartRequest } from './schema.ts'
import { MAX_TIME, startImpersonation, stopImpersonation } from './impersonate.ts'
import type { Translations } from '../../kernel/messages.ts'

const START = {
  body: StartRequest,
  response: Envelope(Tokens),
  detail: {
    'x-gate': rolesGate('System'),
    operationId: 'startImpersonation',
    summary: 'Act as another user for some minutes',
    description:
      'The tokens are the user’s, with their rights and rows in the company of their last ' +
      'sign-in, and carry the claim `act` (RFC 8693). All that is written is audited under both ' +
      'names. The session ends after its minutes, with the session that began it, and when the ' +
      'impersonator is locked or is System no longer. Passwords, second factors, users, roles ' +
      'and companies cannot be changed in it. Gate: System.',
  },
}

const STOP = {
  response: Envelope(Tokens),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'stopImpersonation',
    summary: 'Be oneself again',
    description:
      'Ends the session that acts as another user and gives new tokens of the one that began ' +
      'it, which lives no longer for it. 400 from any other session. From another network than ' +
      'the one that began it, it only ends (401 IMPERSONATION_ENDED): go on with your own tokens.',
  },
}

const AREA = {
  name: 'Impersonation',
  description:
    'A System user acts as another one for some minutes, with that user’s rights; what is ' +
    'written is audited under both names.',
}

/** Gates: start is for System, stop for whoever has a token. */
function impersonationRoutes(app: AppContext) {
  return new Elysia({
    prefix: '/api/v1/impersonation',
    strictPath: true,
    tags: [AREA.name],
  })
    .post(
      '/start',
      async ({ body, request }) => ok(await startImpersonation(app, body, ownRequestOf(request))),
      START,
    )
    .post(
      '/stop',
      async ({ request }) => ok(await stopImpersonation(app, ownRequestOf(request))),
      STOP,
    )
}

/** Its sentences in German, by English template. */
const GERMAN: Translations = [
  ['Say what for', 'Sagen Sie, wozu'],
  ['At most {0} minutes', 'Höchstens {0} Minuten'],
  ['Nobody acts as themselves', 'Niemand handelt als er selbst'],
  ['Nobody acts as a System user', 'Niemand handelt als ein System-Benutzer'],
  ['This user is locked', 'Dieser Benutzer ist gesperrt'],
  ['This user belongs to no company', 'Dieser Benutzer gehört zu keiner Firma'],
  ['This session acts as nobody else', 'Diese Sitzung handelt als niemand anderes'],
  [
    'This has ended; go on with your own tokens',
    'Das ist beendet; bitte mit den eigenen Tokens weitermachen',
  ],
]

/** See `Feature`. */
export const impersonationFeature: Feature = {
  areas: [AREA],
  routes: [impersonationRoutes],
  settings: [{ MAX_TIME }],
  german: GERMAN,
}
