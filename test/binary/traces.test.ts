/** Traces for OpenTelemetry (`Svc:Otlp:Url`), as the executable sends them to a collector. */
import { expect, test } from 'bun:test'
import { startExecutable } from '../support/executable.ts'
import { until } from '../support/until.ts'

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

interface Export {
  resourceSpans: {
    resource: { attributes: Span['attributes'] }
    scopeSpans: { spans: Span[] }[]
  }[]
}

const DEMO = { UserName: 'root', Password: 'root-demo-password' }

/** A collector that keeps what it gets. */
function startCollector() {
  const requests: { path: string; key: string | null; body: Export }[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const { pathname: path } = new URL(request.url)
      const body = (await request.json()) as Export
      requests.push({ path, key: request.headers.get('api-key'), body })
      return Response.json({})
    },
  })
  const listSpans = (): Span[] =>
    requests.flatMap(({ body }) =>
      body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    )
  return { server, requests, listSpans, url: `http://127.0.0.1:${server.port}` }
}

const readAttribute = ({ attributes }: Pick<Span, 'attributes'>, key: string) =>
  attributes.find((each) => each.key === key)?.value

test('requests, statements and jobs reach a collector; without it the server goes on', async () => {
  const collector = startCollector()
  await using server = await startExecutable({
    args: ['--demo', `--Svc:Otlp:Url=${collector.url}/`, '--Svc:Otlp:Headers=api-key=a=b'],
  })
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const signedIn = await post('/api/v1/auth/login', DEMO)
  const { data } = (await signedIn.json()) as { data: { AccessToken: string } }
  const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`
  const headers = { Authorization: `Bearer ${data.AccessToken}`, traceparent }
  const page = (SearchText: string) =>
    post('/api/v1/svc/object/Customers/table', { SearchText, PageSize: 3 }, headers)
  expect((await page('secret words')).status).toBe(200)
  const id = traceparent.slice(3, 35)
  const own = () => collector.listSpans().filter(({ traceId }) => traceId === id)
  await until(() => own().some(({ kind }) => kind === 2))

  const request = own().find(({ kind }) => kind === 2)
  expect(request).toMatchObject({
    name: 'POST /api/v1/svc/object/:name/table',
    parentSpanId: traceparent.slice(36, 52),
  })
  expect(readAttribute(request ?? { attributes: [] }, 'http.response.status_code')).toEqual({
    intValue: 200,
  })
  const statements = own().filter(({ name }) => name === 'SELECT' || name === 'WITH')
  expect(statements.length).toBeGreaterThan(0)
  for (const span of statements) {
    expect(span.parentSpanId).toBe(request?.spanId as string)
    expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true)
  }
  const [text] = statements.map((span) => readAttribute(span, 'db.query.text')?.stringValue)
  expect(text).toMatch(/customers/i)
  expect((await post('/api/v1/svc/search/rebuild', {}, headers)).status).toBe(200)
  await until(() => collector.listSpans().some(({ name }) => name.startsWith('job ')))
  const job = collector.listSpans().find(({ name }) => name.startsWith('job '))
  expect([job?.kind, job?.parentSpanId]).toEqual([5, undefined])
  await until(() => collector.listSpans().some((each) => each.parentSpanId === job?.spanId))

  const [first] = collector.requests
  expect([first?.path, first?.key]).toEqual(['/v1/traces', 'a=b'])
  const resource = first?.body.resourceSpans[0]?.resource ?? { attributes: [] }
  expect(readAttribute(resource, 'service.name')).toEqual({ stringValue: 'appengine' })
  // Nothing of a user, of a request or of a row.
  const all = JSON.stringify(collector.requests.map(({ body }) => body))
  for (const word of ['secret words', 'root', DEMO.Password, data.AccessToken])
    expect(all.includes(word) ? word : '').toBe('')

  await collector.server.stop(true)
  const figure = async (outcome: string): Promise<number> => {
    const figures = await (await fetch(`${server.url}/metrics`)).text()
    const line = new RegExp(`^appengine_otlp_spans_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm')
    return Number(line.exec(figures)?.[1])
  }
  expect(await figure('sent')).toBeGreaterThan(0)
  expect((await page('others')).status).toBe(200)
  await until(() => server.errors().includes('traces could not be sent'))
  expect(await figure('failed')).toBeGreaterThan(0)
  expect((await page('others')).status).toBe(200)
  expect(await server.stop()).toBe(0)
}, 60_000)

test('what waits at a stop is sent before the end', async () => {
  const collector = startCollector()
  await using server = await startExecutable({
    args: ['--demo', `--Svc:Otlp:Url=${collector.url}`, '--Svc:Otlp:Service=last'],
  })
  await fetch(`${server.url}/health/live`)
  expect(await server.stop()).toBe(0)
  expect(collector.listSpans().map(({ name }) => name)).toContain('GET /health/live')
  await collector.server.stop(true)
})
