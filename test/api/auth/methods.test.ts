/** The offers of a sign-in page, before a user is known (src/server/README.md, Identity). */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startApp, type TestApp } from '../../support/app.ts'
import { makePeople } from '../../support/people.ts'

const METHODS = '/api/v1/auth/methods'
const LOGO = '/api/v1/auth/logo'
const APPLICATION = { ...makePeople('ONE', { root: 'System' }), files: [] }

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

interface Methods {
  data: Record<string, unknown>
}

let app: TestApp
let branded: TestApp

beforeAll(async () => {
  app = await startApp({ application: APPLICATION })
  branded = await startApp({
    application: APPLICATION,
    settings: {
      'Svc:Product:Name': 'Harbour Trading',
      'Svc:Product:Color': '#1A5FB4',
      'Svc:Mail:Host': 'mail.example.com',
      'Svc:Mail:From': 'app@example.com',
      'Svc:Http:BasePath': '/erp',
    },
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await branded[Symbol.asyncDispose]()
})

test('the methods are those of the settings, without a token', async () => {
  const plain = await app.fetch<Methods>(METHODS)
  expect(plain.body.data).toEqual({
    Password: true,
    Passkeys: false,
    Providers: [],
    PasswordReset: false,
    ProductName: 'Application Engine',
    Logo: null,
    Color: null,
    Languages: ['en', 'de'],
  })
  expect(plain.headers.get('cache-control')).toBe('public, max-age=300')
  const own = await branded.fetch<Methods>(`/erp${METHODS}`)
  expect(own.body.data).toMatchObject({
    PasswordReset: true,
    ProductName: 'Harbour Trading',
    Color: '#1a5fb4',
  })
})

test('the methods are the same for everybody, whatever token comes with them', async () => {
  const texts = [
    await app.fetch(METHODS),
    await app.fetch(METHODS, { as: 'root' }),
    await app.fetch(METHODS, { headers: { 'Accept-Language': 'de', Cookie: 'a=b' } }),
  ].map(({ text }) => text)
  expect(new Set(texts).size).toBe(1)
})

test('a logo is served by its address, which changes with the picture', async () => {
  expect((await branded.fetch(`/erp${LOGO}`)).status).toBe(404)
  const folder = join(branded.folder, 'branding')
  mkdirSync(folder)
  writeFileSync(join(folder, 'logo.png'), PNG)
  writeFileSync(join(folder, 'logo-ONE.png'), Buffer.concat([PNG, PNG]))
  const address = async (): Promise<string> =>
    String((await branded.fetch<Methods>(`/erp${METHODS}`)).body.data['Logo'])
  const first = await address()
  expect(first).toMatch(/^\/erp\/api\/v1\/auth\/logo\?v=[\w-]{22}$/)
  const answer = await branded.handle(new Request(`http://localhost${first}`))
  expect(Buffer.from(await answer.arrayBuffer()).equals(PNG)).toBe(true)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/png',
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
  })
  const again = await branded.fetch(first, {
    headers: { 'If-None-Match': answer.headers.get('etag') ?? '' },
  })
  expect([again.status, again.text]).toEqual([304, ''])

  rmSync(join(folder, 'logo.png'))
  writeFileSync(join(folder, 'logo.jpg'), Buffer.from([0xff, 0xd8, 0xff, 0xe0]))
  expect(await address()).not.toBe(first)
  expect((await branded.fetch(first)).headers.get('content-type')).toBe('image/jpeg')
  // A page that calls itself a picture is none.
  writeFileSync(join(folder, 'logo.jpg'), '<html><script>alert(1)</script></html>')
  expect((await branded.fetch(first)).status).toBe(404)
})
