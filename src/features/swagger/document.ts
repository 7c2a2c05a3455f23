/**
 * The OpenAPI document: paths and parameters as `@elysiajs/swagger` reads them from the routes,
 * bodies and answers from the schemas themselves, so that it has each named type once.
 */
import { registerSchemaPath } from '@elysiajs/swagger/utils'
import type { TSchema } from '@sinclair/typebox'
import type { HTTPMethod, InternalRoute } from 'elysia'
import type { Area } from '../../server/feature.ts'
import { findGate } from '../../server/gate.ts'
import { Components } from './components.ts'
import { ANSWER_HEADERS, IDEMPOTENCY_KEY, IF_NONE_MATCH, REQUEST_HEADERS } from './headers.ts'
import { type DescribedRoute, type Operation, planOperation } from './operation.ts'
import { planRefusals } from './refusals.ts'
import project from '../../../package.json' with { type: 'json' }

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

/** Hooks of a route, in the parts that are read. */
interface Hooks {
  detail?: Record<string, unknown>
  body?: TSchema
  response?: TSchema | Record<string, TSchema>
}

/** The schema of the answer 200: routes declare one, or one by status. */
const findAnswer = ({ response }: Hooks): TSchema | undefined =>
  (response && '200' in response ? response['200'] : response) as TSchema | undefined

/** Returns a route's declarations. */
function describeRoute(route: InternalRoute, basePath: string): DescribedRoute {
  const { body, response: _, ...rest } = route.hooks as Hooks
  const paths: Paths = {}
  registerSchemaPath({
    schema: paths,
    path: route.path.slice(basePath.length),
    method: route.method as HTTPMethod,
    hook: rest,
    models: {},
  })
  const [[path, operations] = ['', {}]] = Object.entries(paths)
  const [[method, operation] = ['', {}]] = Object.entries(operations ?? {})
  const answer = findAnswer(route.hooks as Hooks)
  const isPublic = findGate(operation)?.kind === 'open'
  return { method, path, operation: operation as Operation, body, answer, isPublic }
}

function isShown({ method, path, hooks }: InternalRoute, basePath: string): boolean {
  return (
    METHODS.has(method) && path.startsWith(basePath) && (hooks as Hooks).detail?.['hide'] !== true
  )
}

/**
 * Plans the whole document. Pure: the same routes give the same document, whose paths are below
 * `basePath`, its server.
 * @throws Error where two schemas have one name and differ.
 */
export function planDocument(
  routes: readonly InternalRoute[],
  areas: readonly Area[],
  basePath = '',
): OpenApiDocument {
  const components = new Components()
  const paths: OpenApiDocument['paths'] = {}
  for (const route of routes.filter((each) => isShown(each, basePath))) {
    const described = describeRoute(route, basePath)
    paths[described.path] ??= {}
    Object.assign(paths[described.path] ?? {}, {
      [described.method]: planOperation(components, described),
    })
  }
  const responses = planRefusals(components)
  return {
    openapi: '3.1.0',
    info: { title: 'Application Engine', version: project.version, description: DESCRIPTION },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    tags: areas,
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: components.schemas,
      responses,
      parameters: {
        ...REQUEST_HEADERS,
        'Idempotency-Key': IDEMPOTENCY_KEY,
        'If-None-Match': IF_NONE_MATCH,
      },
      headers: ANSWER_HEADERS,
    },
    security: [{ bearerAuth: [] }],
  }
}
