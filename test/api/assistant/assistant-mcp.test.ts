/** The assistant's tools for MCP clients, by the official client over a real socket. */
import { describe, expect, test } from 'bun:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { McpError } from '@modelcontextprotocol/sdk/types.js'
import Ajv2020 from 'ajv/dist/2020'
import { type HubServer, startHubs } from '../../support/hubs.ts'
import type { Row } from '../../support/objects.ts'

async function connect(server: HubServer, token: string | undefined): Promise<Client> {
  const client = new Client({ name: 'a test', version: '1' })
  const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {}
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/api/v1/mcp`), {
    requestInit: { headers },
  })
  await client.connect(transport)
  return client
}

async function call(client: Client, name: string, args: Row) {
  const result = await client.callTool({ name, arguments: args })
  const [content] = result.content as { type: string; text: string }[]
  return { isError: result.isError === true, value: JSON.parse(content?.text ?? 'null') as Row }
}

/** The protocol's error for a call whose arguments do not fit. */
const unfit = (client: Client, name: string, args: Row): Promise<McpError> =>
  client.callTool({ name, arguments: args }).then(
    () => {
      throw new Error(`${name} took what does not fit`)
    },
    (error: unknown) => {
      if (error instanceof McpError) return error
      throw error
    },
  )

/** Judges arguments by the schemas that a client is given, and nothing else. */
async function compileSchemas(client: Client): Promise<(tool: string, args: Row) => boolean> {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true })
  const { tools } = await client.listTools()
  const schemas = new Map(tools.map((tool) => [tool.name, ajv.compile(tool.inputSchema)]))
  return (tool, args) => schemas.get(tool)?.(args) === true
}

describe('a client', () => {
  test('lists the tools and calls them, as its user', async () => {
    await using server = await startHubs()
    const client = await connect(server, server.tokens.dee)
    expect(client.getServerVersion()?.name).toBe('application-engine')
    const { tools } = await client.listTools()
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['list_objects', true],
      ['describe', true],
      ['query', true],
      ['report', true],
      ['propose', false],
    ])
    const { value } = await call(client, 'list_objects', {})
    expect(JSON.stringify(value)).toContain('"Orders"')
    expect(JSON.stringify(value)).not.toContain('StockMovements')
    const described = await call(client, 'describe', { ObjectName: 'orders' })
    expect(JSON.stringify(described.value)).not.toContain('"Margin"')
    const asked = { ObjectName: 'orders', GroupBy: ['Region'], Aggregates: [{ Function: 'count' }] }
    const queried = await call(client, 'query', asked)
    expect((queried.value.Rows as Row[]).map(({ Region }) => Region)).toEqual(['Lakes'])
    await client.close()
    const audited = await server.store.all(
      "SELECT Source, UserId FROM svc_audit WHERE Entity = 'svc_assistant'",
    )
    expect(audited).toHaveLength(3)
    expect(audited[0]).toMatchObject({ Source: 'assistant/mcp', UserId: 5 })
  })

  test('is sent each part of a schema once, and all that it refers to', async () => {
    await using server = await startHubs()
    const client = await connect(server, server.tokens.ana)
    const fits = await compileSchemas(client)
    const { tools } = await client.listTools()
    await client.close()
    const query = tools.find(({ name }) => name === 'query')?.inputSchema
    const text = JSON.stringify(query)
    expect(Buffer.byteLength(text)).toBeLessThan(6000)
    for (const once of ['notStartsWith', 'In place of Value', 'Nested to', 'names the row'])
      expect([once, text.split(once).length - 1]).toEqual([once, 1])
    // What a member is for stands beside its reference too.
    expect(query?.properties?.Filters).toEqual({
      $ref: '#/$defs/Filters',
      description: 'A list, joined by and; a group with its Logic; a condition',
    })
    const condition = { Field: 'Status', Operator: 'in', Value: ['new'] }
    const deep = { Filters: { Logic: 'or', Filters: [condition, { Filters: [condition] }] } }
    const related = [{ ObjectName: 'Lines', Field: 'OrderId', Filters: [condition] }]
    const whole = { ObjectName: 'Orders', ...deep, With: related, Without: related }
    expect(fits('query', whole)).toBe(true)
    for (const wrong of [
      { ...condition, Op: 'eq' },
      { ...condition, Operator: 'like' },
    ]) {
      expect(fits('query', { ...whole, Filters: wrong })).toBe(false)
      expect(fits('query', { ...whole, With: [{ ...related[0], Filters: [wrong] }] })).toBe(false)
    }
  })

  test('is refused what its user may not do, and told why', async () => {
    await using server = await startHubs()
    const client = await connect(server, server.tokens.dee)
    for (const [name, args, code] of [
      ['query', { ObjectName: 'stock-movements' }, 'PERMISSION_DENIED'],
      ['query', { ObjectName: 'svc_users' }, 'OBJECT_NOT_FOUND'],
      ['query', { ObjectName: 'orders', Fields: ['Margin'] }, 'UNKNOWN_FIELD'],
      ['report', { Name: 'SalesOverview' }, 'PERMISSION_DENIED'],
      ['propose', { Kind: 'delete', ObjectName: 'products', Keys: { Id: 1 } }, 'PERMISSION_DENIED'],
    ] as const) {
      const { isError, value } = await call(client, name, args)
      expect({ args, isError, code: value.code }).toEqual({ args, isError: true, code })
    }
    await client.close()
  })

  test('is told of a member that there is not, at any depth, before anything is read', async () => {
    await using server = await startHubs()
    const client = await connect(server, server.tokens.ana)
    const isFit = await compileSchemas(client)
    const asked = { ObjectName: 'orders', Aggregates: [{ Function: 'count' }] }
    const filter = { Field: 'Region', Value: 'Coast' }
    for (const [name, args, shown] of [
      ['query', { ...asked, Filters: [{ ...filter, op: 'ne' }] }, 'Filters[0].op'],
      ['query', { ...asked, Filters: { ...filter, op: 'ne' } }, 'Filters.op'],
      [
        'query',
        { ...asked, Filters: { Logic: 'or', Filters: [{ Filters: [{ ...filter, op: 'ne' }] }] } },
        'Filters.Filters[0].Filters[0].op',
      ],
      ['query', { ...asked, Filters: { Filters: [], Op: 'or' } }, 'Filters.Op'],
      ['query', { ...asked, Filter: [filter] }, 'Filter'],
      [
        'query',
        { ...asked, Aggregates: [{ Function: 'count', Over: 'Id' }] },
        'Aggregates[0].Over',
      ],
      ['query', { ...asked, Sort: [{ Field: 'Region', Dir: 'desc' }] }, 'Sort[0].Dir'],
      ['describe', { ObjectName: 'orders', Fields: [] }, 'Fields'],
      ['list_objects', { All: true }, 'All'],
      ['report', { Name: 'SalesOverview', Filters: {} }, 'Filters'],
      ['propose', { Kind: 'delete', ObjectName: 'customers', Key: { Id: 1 } }, 'Key'],
    ] as const) {
      const told = await unfit(client, name, args)
      expect(told).toMatchObject({ code: -32602, data: { code: 'UNKNOWN_MEMBER' } })
      expect({ name, args, isFit: isFit(name, args) }).toEqual({ name, args, isFit: false })
      expect(told.message).toStartWith(`MCP error -32602: Unknown member '${shown}'. `)
    }
    for (const [name, args, text] of [
      ['confirm', { proposalId: 'x' }, 'There is no such tool. Use one of: list_objects, '],
      ['query', {}, 'ObjectName is missing'],
      ['report', {}, 'Name is missing'],
      ['propose', { ObjectName: 'orders' }, 'Kind is missing'],
      ['query', { ...asked, Aggregates: [{}] }, 'Aggregates'],
      ['describe', { ObjectName: 7 }, 'ObjectName has the wrong type. See the schema of the tool.'],
    ] as const) {
      const { code, message } = await unfit(client, name, args)
      expect({ code, isFit: isFit(name, args) }).toEqual({ code: -32602, isFit: false })
      expect(message).toStartWith(`MCP error -32602: ${text}`)
    }
    for (const [name, args] of [
      ['query', { ...asked, Filters: [{ ...filter, Operator: 'like' }] }],
      ['query', { ...asked, Filters: { Logic: 'xor', Filters: [filter] } }],
      ['query', { ...asked, Filters: { Filters: [{ Filters: [{ Value: 'Coast' }] }] } }],
      ['query', { ...asked, Filters: 'Region' }],
      ['query', { ...asked, Aggregates: [{ Function: 'median', Field: 'Total' }] }],
      ['query', { ObjectName: 'orders', Sort: [{ Field: 'Region', Direction: 'up' }] }],
      ['propose', { Kind: 'burn', ObjectName: 'customers', Keys: { Id: 1 } }],
    ] as const)
      expect({ name, args, isFit: isFit(name, args), ...(await call(client, name, args)) }).toEqual(
        { name, args, isFit: false, isError: true, value: expect.anything() },
      )
    const named = { ...asked, Filters: [{ ...filter, Operator: 'ne' }] }
    const nested = { Logic: 'or', Filters: [{ Filters: [filter] }, filter] }
    for (const args of [named, { ...named, Filters: nested }, { ...asked, Filters: null }])
      expect([isFit('query', args), (await call(client, 'query', args)).isError]).toEqual([
        ...[true, false],
      ])
    await client.close()
  })

  test('is told of values that its proposal would lose', async () => {
    await using server = await startHubs()
    const client = await connect(server, server.tokens.ana)
    const isFit = await compileSchemas(client)
    const of = { ObjectName: 'customers', Keys: { Id: 1 } }
    const named = { ObjectName: 'customers', Values: { Name: 'Reed', Region: 'Coast' } }
    for (const [args, lost] of [
      [{ ...of, Kind: 'update', Values: { No: 1, PaymentDays: 45 } }, 'No'],
      [{ ...of, Kind: 'update', Keys: { Id: 1, Nr: 7 }, Values: { PaymentDays: 45 } }, 'Nr'],
      [{ ...named, Kind: 'create', Values: { ...named.Values, Nmae: 'R' } }, 'Nmae'],
      [{ ...of, Kind: 'delete', Values: { PaymentDays: 45 } }, 'PaymentDays'],
    ] as const) {
      // Members of Values are free: the object's form judges them, not the schema of the tool.
      expect([args, isFit('propose', args)]).toEqual([args, true])
      expect(await call(client, 'propose', args)).toMatchObject({
        isError: true,
        value: {
          code: 'VALUES_IGNORED',
          error: expect.stringMatching(new RegExp(`^${lost} cannot be written`)),
        },
      })
    }
    const kept = await server.store.all('SELECT Id FROM svc_assistant_proposals')
    expect(kept).toEqual([])
    await client.close()
  })

  test('only proposes', async () => {
    await using server = await startHubs()
    const client = await connect(server, server.tokens.ana)
    const { value } = await call(client, 'propose', {
      Kind: 'update',
      ObjectName: 'customers',
      Keys: { Id: 1 },
      Values: { PaymentDays: 45 },
    })
    expect(value).toMatchObject({ Type: 'proposal', Kind: 'update' })
    const [row] = await server.store.all('SELECT PaymentDays FROM customers WHERE Id = 1')
    expect(row?.PaymentDays).not.toBe(45)
    await client.close()
  })

  test('reads a report page', async () => {
    await using server = await startHubs()
    const client = await connect(server, server.tokens.ana)
    const { isError, value } = await call(client, 'report', { Name: 'SalesOverview' })
    expect({ isError, value }).toMatchObject({ isError: false })
    expect(Object.keys(value)).toContain('DataSets')
    await client.close()
  })

  test('may come by an API key, within its roles', async () => {
    await using server = await startHubs()
    const { body } = await server.fetch<{ data: { Key: string } }>('/api/v1/auth/api-keys', {
      as: 'ana',
      body: { Name: 'desktop', Roles: ['SalesManager'], Companies: [1] },
    })
    const client = await connect(server, body.data.Key)
    const { isError } = await call(client, 'query', { ObjectName: 'orders', Limit: 1 })
    expect(isError).toBe(false)
    await client.close()
  })
})

describe('the route', () => {
  test('wants a caller, and messages of the protocol', async () => {
    await using server = await startHubs()
    await expect(connect(server, undefined)).rejects.toThrow()
    await expect(connect(server, 'ak_false')).rejects.toThrow()
    const post = (body: unknown) => server.fetch('/api/v1/mcp', { as: 'ana', body })
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    expect((await post(list)).status).toBe(200)
    const from = (Origin: string) =>
      server.fetch<Row>('/api/v1/mcp', { as: 'ana', headers: { Origin }, body: list })
    for (const Origin of ['https://evil.example', 'null', `${server.url}.evil.example`, 'file://'])
      expect([(await from(Origin)).status, (await from(Origin)).body.code]).toEqual([
        403,
        'ORIGIN_DENIED',
      ])
    const own = await fetch(`${server.url}/api/v1/mcp`, {
      method: 'POST',
      body: JSON.stringify(list),
      headers: {
        Origin: server.url,
        Authorization: `Bearer ${server.tokens.ana}`,
        'Content-Type': 'application/json',
      },
    })
    expect(own.status).toBe(200)
    const { body } = await post({ jsonrpc: '2.0', id: 7, method: 'nothing/here' })
    expect(body).toMatchObject({ id: 7, error: { code: -32601 } })
  })

  test('says by JSON-RPC what is no JSON, no message, and no argument of a method', async () => {
    await using server = await startHubs()
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const send = async (body: string | Uint8Array<ArrayBuffer>, type = 'application/json') => {
      const headers = { Authorization: `Bearer ${server.tokens.ana}`, 'Content-Type': type }
      const answer = await fetch(`${server.url}/api/v1/mcp`, { method: 'POST', body, headers })
      const { jsonrpc, id, error } = (await answer.json()) as Row & { error: Row }
      expect([jsonrpc, typeof error.message]).toEqual(['2.0', 'string'])
      return [answer.status, id, error.code]
    }
    for (const text of ['{"jsonrpc":', 'hello', '{"jsonrpc":"2.0"}}', "{'a':1}"])
      expect([text, ...(await send(text))]).toEqual([text, 400, null, -32700])
    expect(await send(new Uint8Array([0x22, 0xff, 0x22]))).toEqual([400, null, -32700])
    const deep = `${'['.repeat(1000)}${']'.repeat(1000)}`
    const nested = JSON.stringify({ ...list, params: 0 }).replace('0}', `${deep}}`)
    expect(await send(nested)).toEqual([400, null, -32600])
    for (const body of [
      ...[{}, 7, null, 'text', { ...list, jsonrpc: '1.0' }, { jsonrpc: '2.0', method: 7 }],
      ...[
        { ...list, id: null },
        { ...list, id: {} },
        { ...list, params: [1] },
      ],
      // The protocol of now has no batches.
      ...[[], [list], [list, list], [{ id: 1 }]],
    ])
      expect([body, ...(await send(JSON.stringify(body)))]).toEqual([body, 400, null, -32600])
    expect(await send(JSON.stringify(list), 'text/plain')).toEqual([400, null, -32600])
    for (const [method, params] of [
      ['tools/call', undefined],
      ['tools/call', { name: 7 }],
      ['tools/call', { name: 'query', arguments: [] }],
      ['tools/call', { name: 'nothing' }],
      ['tools/list', { cursor: 7 }],
      ['initialize', {}],
    ] as const)
      expect([
        method,
        params,
        ...(await send(JSON.stringify({ ...list, method, params }))),
      ]).toEqual([method, params, 200, 1, -32602])
  })
})
