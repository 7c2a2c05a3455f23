/** Answers in fewer bytes, for clients that take them so, and never other ones. */
import { afterAll, expect, test } from 'bun:test'
import { chooseCoding } from '../../../src/server/content-coding.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
afterAll(() => app[Symbol.asyncDispose]())
const TABLE = '/api/v1/svc/object/orders/table'
const METADATA = '/api/v1/svc/object/orders/metadata'

/** As it is sent, not as a client would read it. */
async function ask(
  path: string,
  { as, accepts, body, headers }: Record<string, string | undefined | object> = {},
) {
  const token = typeof as === 'string' ? app.tokens[as] : undefined
  const response = await app.handle(
    new Request(`http://localhost${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(typeof accepts === 'string' && { 'Accept-Encoding': accepts }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(headers as object),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )
  const { status, headers: answered } = response
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { status, bytes, headers: answered, coding: answered.get('Content-Encoding') }
}

function decode(bytes: Uint8Array<ArrayBuffer>, coding: string | null): string {
  if (coding === 'gzip') return new TextDecoder().decode(Bun.gunzipSync(bytes))
  if (coding === 'zstd') return new TextDecoder().decode(Bun.zstdDecompressSync(bytes))
  return new TextDecoder().decode(bytes)
}

test.each([
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'gzip'],
  ['zstd;q=0, gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['*', 'zstd'],
  ['identity', undefined],
  ['br', undefined],
  ['gzip;q=0', undefined],
  ['', undefined],
  ['gzip;q=nonsense', undefined],
  ['identity, gzip;q=0.5', undefined],
  ['identity, gzip', 'gzip'],
  ['identity;q=0', undefined],
  ['*;q=0', undefined],
  [`${'x,'.repeat(5000)}gzip`, 'gzip'],
])('of "%.40s" it takes %s', (header, coding) => {
  expect(chooseCoding(header)).toBe(coding as ReturnType<typeof chooseCoding>)
})

test.each(['gzip', 'zstd'])('rows in %s are the same rows, in fewer bytes', async (coding) => {
  const asked = { as: 'ana', body: { PageSize: 50 } }
  const plain = await ask(TABLE, asked)
  const coded = await ask(TABLE, { ...asked, accepts: coding })
  expect([plain.coding, coded.coding]).toEqual([null, coding])
  expect(decode(coded.bytes, coding)).toBe(decode(plain.bytes, null))
  expect(coded.bytes.length).toBeLessThan(plain.bytes.length / 3)
  expect(coded.headers.get('Vary')).toContain('Accept-Encoding')
  expect(coded.headers.get('Cache-Control')).toBe('no-store')
  expect(coded.headers.get('X-Trace-Id')).toMatch(/^[0-9a-f]{32}$/)
})

test('many rows, which are compressed beside other work, are the same rows', async () => {
  const asked = { as: 'root', body: { PageSize: 500, AllCompanies: true } }
  const plain = await ask(TABLE, asked)
  expect(plain.bytes.length).toBeGreaterThan(64 * 1024)
  for (const coding of ['gzip', 'zstd']) {
    const { bytes } = await ask(TABLE, { ...asked, accepts: coding })
    expect(decode(bytes, coding)).toBe(decode(plain.bytes, null))
  }
})

test('what is short, a secret or a file goes as it is', async () => {
  const short = await ask('/health/live', { accepts: 'gzip' })
  expect([short.coding, decode(short.bytes, null)]).toEqual([
    null,
    '{"success":true,"data":{"Status":"ok"}}',
  ])
  const login = { UserName: 'ana', Password: 'ana-demo-password' }
  const signedIn = await ask('/api/v1/auth/login', { body: login, accepts: 'gzip, zstd' })
  expect([signedIn.status, signedIn.coding]).toEqual([200, null])
  expect(signedIn.bytes.length).toBeGreaterThan(1024)
  const { bytes } = await ask('/api/v1/svc/object/export-data', {
    as: 'ana',
    body: { ObjectName: 'orders', Format: 'csv' },
  })
  const { data } = JSON.parse(decode(bytes, null)) as { data: { File: { Url: string } } }
  const file = await ask(data.File.Url, { as: 'ana', accepts: 'gzip' })
  expect(file.status).toBe(200)
  expect(file.coding).toBe(null)
})

test.each(['gzip', 'zstd'])(
  'a record in %s is the same record; a short one goes as it is',
  async (coding) => {
    const told = (text: string): string => text.replace(/"FormLoadTime":"[^"]+"/, '')
    for (const [path, Id, isLong] of [
      ['/api/v1/svc/object/orders/view', 400, true],
      ['/api/v1/svc/object/products/view', 1, false],
    ] as const) {
      const asked = { as: 'ana', body: { Parameters: { Id } } }
      const plain = await ask(path, asked)
      const coded = await ask(path, { ...asked, accepts: coding })
      expect([plain.status, plain.bytes.length >= 1024]).toEqual([200, isLong])
      expect(coded.coding).toBe(isLong ? coding : null)
      expect(told(decode(coded.bytes, coded.coding))).toBe(told(decode(plain.bytes, null)))
      for (const { headers } of [plain, coded])
        expect(headers.get('Vary')).toBe('Accept-Language, Accept-Encoding')
      expect(coded.headers.get('Content-Language')).toBe('en')
    }
  },
)

test('what has no body keeps its headers, and has none in a coding either', async () => {
  const head = (accepts: string) =>
    app.handle(
      new Request(`http://localhost${METADATA}`, {
        method: 'HEAD',
        headers: { Authorization: `Bearer ${app.tokens.ana ?? ''}`, 'Accept-Encoding': accepts },
      }),
    )
  const [plain, coded] = [await head('identity'), await head('gzip')]
  expect([plain.status, coded.status]).toEqual([200, 200])
  for (const name of ['Content-Length', 'Content-Type', 'ETag'])
    expect([name, coded.headers.get(name)]).toEqual([name, plain.headers.get(name)])
  expect(Number(plain.headers.get('Content-Length'))).toBeGreaterThan(1024)
  expect(await coded.text()).toBe('')
})

test('a tag holds in every coding, and a 304 has no body', async () => {
  const plain = await ask(METADATA, { as: 'ana' })
  const coded = await ask(METADATA, { as: 'ana', accepts: 'zstd' })
  const tag = plain.headers.get('ETag') ?? ''
  expect(coded.headers.get('ETag')).toBe(`W/${tag}`)
  for (const known of [tag, `W/${tag}`]) {
    const headers = { 'If-None-Match': known }
    const again = await ask(METADATA, { as: 'ana', accepts: 'zstd', headers })
    expect([again.status, again.bytes.length, again.coding]).toEqual([304, 0, null])
  }
})

test.each([
  [METADATA, 'ana'],
  ['/api/v1/svc/navbar', 'ana'],
  ['/api/v1/svc/reports/SalesOverview', 'ana'],
  ['/api/v1/svc/timezone/zones', 'ana'],
  ['/swagger/json', undefined],
  ['/swagger/swagger-ui.css', undefined],
])('%s varies by coding whatever was taken, and where the client has it', async (path, as) => {
  const plain = await ask(path, { as })
  const coded = await ask(path, { as, accepts: 'gzip' })
  const tag = plain.headers.get('ETag')
  const known = tag === null ? [] : [await ask(path, { as, headers: { 'If-None-Match': tag } })]
  expect([plain.coding, coded.coding, ...known.map(({ status }) => status)]).toEqual(
    tag === null ? [null, 'gzip'] : [null, 'gzip', 304],
  )
  for (const { headers } of [plain, coded, ...known])
    expect(headers.get('Vary')?.match(/Accept-Encoding/g)).toHaveLength(1)
})

test('a refusal of many fields is compressed, too', async () => {
  const Filters = Array.from({ length: 60 }, () => ({ Field: 'x'.repeat(40), Operator: 'eq' }))
  const { status, coding, bytes } = await ask(TABLE, {
    as: 'ana',
    accepts: 'gzip',
    body: { Filters },
  })
  expect(status).toBe(400)
  expect(JSON.parse(decode(bytes, coding))).toMatchObject({ success: false })
})

test.each([
  ['', 'text/html'],
  ['/json', 'application/json'],
  ['/swagger-ui.css', 'text/css'],
  ['/swagger-ui-bundle.js', 'text/javascript'],
  ['/favicon.png', 'image/png'],
])('Swagger UI: /swagger%s has a tag, and a coding where that helps', async (path, type) => {
  const plain = await ask(`/swagger${path}`)
  expect(plain.headers.get('Content-Type')).toStartWith(type)
  const tag = plain.headers.get('ETag') ?? ''
  const coded = await ask(`/swagger${path}`, { accepts: 'gzip' })
  if (type === 'image/png' || plain.bytes.length < 1024) expect(coded.coding).toBe(null)
  else {
    expect([coded.coding, coded.headers.get('ETag')]).toEqual(['gzip', `W/${tag}`])
    expect(decode(coded.bytes, 'gzip')).toBe(decode(plain.bytes, null))
  }
  const headers = { 'If-None-Match': tag }
  expect((await ask(`/swagger${path}`, { headers })).status).toBe(304)
  expect((await ask(`/swagger${path}`, { headers: { 'If-None-Match': '"x"' } })).status).toBe(200)
})

test('nothing is compressed where the operator does not want it', async () => {
  await using other = await startApp({ settings: { 'Svc:Http:Compression': 'false' } })
  const { headers } = await other.fetch(TABLE, {
    as: 'ana',
    body: {},
    headers: { 'Accept-Encoding': 'gzip' },
  })
  expect([headers.get('Content-Encoding'), headers.get('Vary')]).toEqual([null, 'Accept-Language'])
})
