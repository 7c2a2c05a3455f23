/** The assistant's tools for MCP clients: `/api/v1/mcp` (src/server/README.md, Assistant). */
import { Type } from '@sinclair/typebox'
import { Failure } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { JsonValue, named } from '../../kernel/schema.ts'
import { answerMcp } from '../../engine/assistant/mcp-server.ts'
import { MALFORMED_JSON } from '../../server/body.ts'
import type { RequestCall } from '../../server/call.ts'
import { AUTHENTICATED } from '../../server/gate.ts'
import { isOwnOrigin } from '../../server/own-origin.ts'
import { FEW_VALUES, SAFE, tellingInvalid } from '../../server/route-table.ts'
import { route, type RouteGroup, type TellInvalid } from '../../server/route.ts'
import { ErrorEnvelope } from '../../server/schema.ts'
import { toAssistantCall } from './assistant-call.ts'

const Message = named('McpMessage', Type.Record(Type.String(), JsonValue))

const Answer = named(
  'McpAnswer',
  Type.Object(
    {
      jsonrpc: Type.String(),
      id: Type.Union([Type.Integer(), Type.String(), Type.Null()]),
      result: Type.Optional(JsonValue),
      error: Type.Optional(JsonValue),
    },
    { examples: [{ jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'list_objects' }] } }] },
  ),
)

/** A body that is no message of the protocol. */
const Refusal = named(
  'McpRefusal',
  Type.Object(
    {
      jsonrpc: Type.String(),
      id: Type.Null(),
      error: named(
        'McpError',
        Type.Object({
          code: Type.Integer({ description: '-32700: no JSON; -32600: JSON that is no message' }),
          message: Type.String(),
          data: named('McpErrorData', Type.Object({ code: Type.String(), traceId: Type.String() })),
        }),
      ),
    },
    {
      examples: [
        {
          jsonrpc: '2.0',
          id: null,
          error: {
            code: -32700,
            message: 'The body is not valid JSON: line 1, column 1: expected a value',
            data: { code: 'MALFORMED_JSON', traceId: '4bf92f3577b34da6a3ce929d0e0e4736' },
          },
        },
      ],
    },
  ),
)

const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600

/** A body that is not a message, by JSON-RPC (2.0, 5.1): its request is unknown. */
const tellInvalid: TellInvalid = ({ code, error, traceId }) => ({
  jsonrpc: '2.0',
  id: null,
  error: {
    code: code === MALFORMED_JSON ? PARSE_ERROR : INVALID_REQUEST,
    message: error,
    data: { code, traceId },
  },
})

const CALL = {
  body: Message,
  response: Answer,
  detail: {
    ...SAFE,
    ...FEW_VALUES,
    ...tellingInvalid(tellInvalid),
    'x-gate': AUTHENTICATED,
    'x-refusals': { 400: Refusal, 403: ErrorEnvelope },
    'x-empty': { 202: 'A notification was taken; there is nothing to answer' },
    'x-example': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    operationId: 'callMcp',
    summary: 'A message of the Model Context Protocol, over streamable HTTP',
    description:
      'Tools `list_objects`, `describe`, `query`, `report` and `propose`, as the caller of the ' +
      'bearer token or API key, each call audited. Stateless: each request is answered by itself ' +
      'in JSON, without the envelope. A proposal is confirmed by the hub of the assistant alone. ' +
      'Gate: authentication; each tool as its route.',
  },
}

/**
 * Checks the origin, as MCP asks: a name that leads here (DNS rebinding) must open it to no page.
 * @throws 403 for a page of another origin
 */
function requireOrigin({ app, request }: RequestCall): void {
  if (isOwnOrigin(app, request)) return
  throw new Failure('foreignOrigin', say`Pages of this origin are not allowed to connect`)
}

/** Gate: anyone; each tool is checked like the route that it calls. */
export const MCP_ROUTES: RouteGroup = {
  prefix: '',
  area: 'Assistant',
  routes: [
    route('POST', '/api/v1/mcp', CALL, (call) => {
      requireOrigin(call)
      return answerMcp(toAssistantCall(call), call.request, call.body)
    }),
  ],
}
