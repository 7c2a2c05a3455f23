/**
 * The OpenAPI document: paths and parameters as `@elysiajs/swagger` reads them from the routes,
 * bodies and answers from the schemas themselves, so that it has each named type once.
 */
import { registerSchemaPath } from '@elysiajs/swagger/utils'
import type { HTTPMethod } from 'elysia'
import type { Area } from '../../server/feature.ts'
import type { ServedRoute } from '../../server/route-table.ts'
import { shareBases } from './bases.ts'
import { Components } from './components.ts'
import { ANSWER_HEADERS, IDEMPOTENCY_KEY, IF_NONE_MATCH, REQUEST_HEADERS } from './headers.ts'
import { type DescribedRoute, planOperation } from './operation.ts'
import type { Operation, Parameter, PathItem } from './parts.ts'
import { planRefusals } from './refusals.ts'
import { liftParameters, shareAnswers, shareParameters } from './shared-parts.ts'
import project from '../../../package.json' with { type: 'json' }

/** The parts of the document that others read; it is JSON otherwise. */
export interface OpenApiDocument {
  openapi: string
  paths: Record<string, PathItem>
  [member: string]: unknown
}

const DESCRIPTION = [
  'JSON over HTTP. Every answer is an envelope: `{success: true, data}` or `{success: false,',
  'error, code, traceId}`. Sign in with `POST /api/v1/auth/login`, press **Authorize** and',
  'give it the `AccessToken`. The examples run against the demo application. Every answer has the',
  'header `X-Trace-Id`, and those with words in it have `Content-Language`.',
].join(' ')

const SECURITY_SCHEMES = {
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The AccessToken of a sign-in, without the word Bearer',
  },
}

/** Headers of requests, by the names that references have for them. */
const HEADERS: Readonly<Record<string, Parameter>> = {
  ...REQUEST_HEADERS,
  Key: IDEMPOTENCY_KEY,
  Tag: IF_NONE_MATCH,
}

/** Members of a query beside those that are named: each by its own name, as forms write them. */
const FURTHER_PARAMETERS: Parameter = {
  name: 'Parameters',
  in: 'query',
  description: 'Further parameters, each by its own name',
  style: 'form',
  explode: true,
  schema: { type: 'object', additionalProperties: true },
}

type Paths = Parameters<typeof registerSchemaPath>[0]['schema']

/** Returns a route's declarations. */
function describeRoute(route: ServedRoute, basePath: string): DescribedRoute {
  const { params, query, body, response, detail } = route.declaration
  const paths: Paths = {}
  registerSchemaPath({
    schema: paths,
    path: route.path.slice(basePath.length),
    method: route.method as HTTPMethod,
    hook: {
      ...(params && { params }),
      ...(query && { query }),
      detail: { ...(route.area !== undefined && { tags: [route.area] }), ...detail },
    },
    models: {},
  })
  const [[path, operations] = ['', {}]] = Object.entries(paths)
  const [[method, operation] = ['', {}]] = Object.entries(operations ?? {})
  const own = operation as Operation
  if (query?.additionalProperties === true)
    own.parameters = [...(own.parameters ?? []), FURTHER_PARAMETERS]
  const { gate } = route
  const isPublic = gate.kind === 'open'
  return { method, path, operation: own, body, answer: response, gate, isPublic }
}

const isShown = ({ path, declaration }: ServedRoute, basePath: string): boolean =>
  path.startsWith(basePath) && declaration.detail['hide'] !== true

/**
 * Plans the whole document. Pure: the same routes give the same document, whose paths are below
 * `basePath`, its server.
 * @throws Error where two schemas have one name and differ.
 */
export function planDocument(
  routes: readonly ServedRoute[],
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
  const responses = shareAnswers(paths, planRefusals(components))
  const parameters = shareParameters(paths, HEADERS)
  liftParameters(paths)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Application Engine',
      version: project.version,
      description: DESCRIPTION,
      contact: { name: 'The operator of this server' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    tags: areas,
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: shareBases(components.schemas),
      responses,
      parameters,
      headers: ANSWER_HEADERS,
    },
    security: [{ bearerAuth: [] }],
  }
}
