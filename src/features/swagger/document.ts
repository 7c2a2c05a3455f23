/**
 * The OpenAPI document: what `@elysiajs/swagger` reads from the routes, completed with what it
 * leaves out (areas, security, refusals, examples) and rid of content types that the server does
 * not speak.
 */
import { filterPaths, registerSchemaPath } from '@elysiajs/swagger/utils'
import type { HTTPMethod, InternalRoute } from 'elysia'
import project from '../../../package.json' with { type: 'json' }
import { ErrorEnvelope } from '../../server/schema.ts'
import type { Area } from '../../server/feature.ts'
import { findGate } from '../../server/gate.ts'
import { ANSWER_HEADERS, IDEMPOTENCY_KEY, REQUEST_HEADERS } from './headers.ts'
import { completeOperation } from './operation.ts'
import type { Operation } from './operation.ts'
import { REFUSALS } from './refusals.ts'

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** The parts of the document that others read; it is JSON otherwise. */
export interface OpenApiDocument {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  [member: string]: unknown
}

const DESCRIPTION = [
  'JSON over HTTP. Every answer is an envelope: `{success: true, data}` or `{success: false,',
  'error, code, traceId}`. Sign in with `POST /api/v1/auth/login`, press **Authorize** and',
  'give it the `AccessToken`. The examples run against the demo application.',
].join(' ')

const SECURITY_SCHEMES = {
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The AccessToken of a sign-in, without the word Bearer',
  },
}

type Paths = Parameters<typeof registerSchemaPath>[0]['schema']

/** What the package makes of the routes, by path and method. */
function readPaths(routes: readonly InternalRoute[], basePath: string): OpenApiDocument['paths'] {
  const paths: Paths = {}
  for (const { method, path, hooks } of routes) {
    if (!METHODS.has(method)) continue
    const isHidden = (hooks as { detail?: { hide?: boolean } }).detail?.hide === true
    if (isHidden || !path.startsWith(basePath)) continue
    registerSchemaPath({
      schema: paths,
      path: path.slice(basePath.length),
      method: method as HTTPMethod,
      hook: hooks,
      models: {},
    })
  }
  // Through JSON: schemas are shared between routes and must not be completed twice.
  const text = JSON.stringify(filterPaths(paths, { excludeStaticFile: false, exclude: [] }))
  return JSON.parse(text) as OpenApiDocument['paths']
}

/**
 * The whole document. Pure: the same routes give the same document, whose paths stand below
 * `basePath`, its server.
 */
export function planDocument(
  routes: readonly InternalRoute[],
  areas: readonly Area[],
  basePath = '',
): OpenApiDocument {
  const paths = readPaths(routes, basePath)
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      operations[method] = completeOperation(operation, {
        method,
        path,
        isPublic: findGate(operation)?.kind === 'open',
        takesArguments: (operation.parameters ?? []).length > 0,
      })
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Application Engine', version: project.version, description: DESCRIPTION },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    tags: areas,
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: { ErrorEnvelope },
      responses: REFUSALS,
      parameters: { ...REQUEST_HEADERS, 'Idempotency-Key': IDEMPOTENCY_KEY },
      headers: ANSWER_HEADERS,
    },
    security: [{ bearerAuth: [] }],
  }
}
