/** API keys: `/api/v1/auth/api-keys`. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { ownRequestOf } from '../../server/client-info.ts'
import type { AppContext } from '../../server/context.ts'
import { AUTHENTICATED } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf } from '../../server/session.ts'
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
export function apiKeyRoutes(app: AppContext) {
  const toUser = ({ user }: { user?: string }) => (user === undefined ? undefined : Number(user))
  return new Elysia({ prefix: '/api/v1/auth', strictPath: true, tags: ['Sign-in'] })
    .get(
      '/api-keys',
      async ({ query, request }) => ok(await listKeys(app, callerOf(request), toUser(query))),
      { ...LIST_KEYS, transform: refuseImpersonated },
    )
    .post(
      '/api-keys',
      async ({ body, request }) => ok(await createKey(app, body, ownRequestOf(request))),
      { ...CREATE_KEY, transform: refuseImpersonated },
    )
    .delete(
      '/api-keys/:id',
      async ({ params, query, request }) => {
        const of = { id: Number(params.id), userId: toUser(query) }
        await deleteKey(app, of, ownRequestOf(request))
        return ok(null)
      },
      { ...DELETE_KEY, transform: refuseImpersonated },
    )
}
