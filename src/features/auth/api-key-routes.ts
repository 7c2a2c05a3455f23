/** API keys: `/api/v1/auth/api-keys`. */
import { Type } from '@sinclair/typebox'
import { ownRequestOf } from '../../server/client-info.ts'
import { AUTHENTICATED } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { createKey, deleteKey, listKeys } from './api-keys.ts'
import { ApiKey, ApiKeyPath, ApiKeyQuery, ApiKeyRequest, MadeApiKey } from './schema.ts'
import { refuseImpersonated } from './start-session.ts'

const LIST_KEYS = {
  query: ApiKeyQuery,
  response: Envelope(Type.Array(ApiKey)),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'listApiKeys',
    summary: 'The caller’s API keys, the oldest first',
    description: 'Admin and System also ask for those of the users whom they administer (?user=).',
  },
}

const CREATE_KEY = {
  body: ApiKeyRequest,
  response: Envelope(MadeApiKey),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'createApiKey',
    summary: 'Make an API key, a bearer token for a machine',
    description:
      'The answer tells the key this once. It acts as its user within the roles and companies ' +
      'that it names and the user still has: a role that the user gets later is not the key’s. ' +
      'It acts in the first by code of its companies; put .CODE behind the key for another one. ' +
      'It opens neither /auth nor impersonation, push subscriptions or another company’s ' +
      'session. The user gets a mail. Admin and System make keys of service ' +
      'accounts, too (UserId). A user has at most 50 keys.',
  },
}

const DELETE_KEY = {
  params: ApiKeyPath,
  query: ApiKeyQuery,
  response: Envelope(Type.Null()),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'deleteApiKey',
    summary: 'Revoke an API key',
    description: 'It is refused from the next request on, and its connections end.',
  },
}

/** Gates: any caller, for keys of their own; the feature decides on those of others. */
export const API_KEY_ROUTES: RouteGroup = {
  prefix: '/api/v1/auth',
  area: 'Sign-in',
  routes: [
    route(
      'GET',
      '/api-keys',
      LIST_KEYS,
      async (call) => ok(await listKeys(call.app, call.caller, toUser(call.query))),
      { before: refuseImpersonated },
    ),
    route(
      'POST',
      '/api-keys',
      CREATE_KEY,
      async (call) => ok(await createKey(call.app, call.body, ownRequestOf(call))),
      { before: refuseImpersonated },
    ),
    route(
      'DELETE',
      '/api-keys/:id',
      DELETE_KEY,
      async (call) => {
        const of = { id: Number(call.params.id), userId: toUser(call.query) }
        await deleteKey(call.app, of, ownRequestOf(call))
        return ok(null)
      },
      { before: refuseImpersonated },
    ),
  ],
}

const toUser = ({ user }: { user?: string }) => (user === undefined ? undefined : Number(user))
