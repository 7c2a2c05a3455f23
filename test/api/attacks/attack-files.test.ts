/** Rows of the table "Files, formats, parsers" that every parser of the server must stand. */
import { afterAll, expect, test } from 'bun:test'
import elysia from 'elysia/package.json'
import { startApp } from '../../support/app.ts'
import { startImports } from '../../support/imports.ts'
import { Objects, refusal, type Refusal } from '../../support/objects.ts'
import { openPapers, text } from '../../support/papers.ts'
import { makePeople } from '../../support/people.ts'
import { TEST_PASSWORD, type TestApplication } from '../../support/template.ts'
import manifest from '../../../package.json'

const laughs = Array.from(
  { length: 9 },
  (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
).join('')

/** Where entities would be fetched from: nobody ever calls. */
let calls = 0
const listener = Bun.listen({
  hostname: '127.0.0.1',
  port: 0,
  socket: { open: () => void calls++, data() {} },
})
afterAll(() => listener.stop(true))
const OUTSIDE = `http://127.0.0.1:${listener.port}/x`

test.each([
  ['laughs', `<!DOCTYPE m [<!ENTITY l0 "ha">${laughs}]><Model>&l9;</Model>`],
  [
    'a quadratic entity',
    `<!DOCTYPE m [<!ENTITY q "${'q'.repeat(50_000)}">]><Model>${'&q;'.repeat(9000)}</Model>`,
  ],
  ['half a million references', `<Model Name="${'&#65;'.repeat(500_000)}"/>`],
  [
    'an external entity',
    `<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]><Model Name="&x;">&x;</Model>`,
  ],
  ['a parameter entity', `<!DOCTYPE m [<!ENTITY % x SYSTEM "${OUTSIDE}">%x;]><Model>&y;</Model>`],
  ['an entity from outside', `<!DOCTYPE m [<!ENTITY x SYSTEM "${OUTSIDE}">]><Model>&x;</Model>`],
  ['a DOCTYPE from outside', `<!DOCTYPE Model SYSTEM "${OUTSIDE}"><Model/>`],
  [
    'an inclusion and a schema from outside',
    `<Model xmlns:xi="http://www.w3.org/2001/XInclude" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="${OUTSIDE}"><xi:include href="${OUTSIDE}"/></Model>`,
  ],
  ['a style sheet from outside', `<?xml-stylesheet href="${OUTSIDE}"?><Model Name="x"/>`],
  [
    '200,000 attributes',
    `<Model ${Array.from({ length: 200_000 }, (_, at) => `a${at}="1"`).join(' ')}/>`,
  ],
  ['an entity that is not declared', '<Model Name="&nothing;"/>'],
  ['20,000 levels', `${'<Entity>'.repeat(20_000)}${'</Entity>'.repeat(20_000)}`],
  ['a DOCTYPE alone', '<!DOCTYPE Model><Model/>'],
  [
    '__proto__ as element and attribute',
    '<Model><__proto__ __proto__="1" constructor="2"/></Model>',
  ],
])('fast-xml-parser CVE-2026-25896, -26278, -33036, -33349: %s', async (_, Body) => {
  const { app } = await openPapers()
  await using _app = app
  const before = await app.store.all({ sql: DIGEST, args: {}, runs: 'inline' })
  const body = { Files: [{ FileName: 'evil.xml', Body }] }
  const answer = await app.fetch<Refusal>('/api/v1/svc/scripts', { as: 'sys', body })
  const { status, body: told } = answer
  expect([status, told.success, told.code]).toEqual([400, false, 'MODEL_FAULTS'])
  expect(calls).toBe(0)
  expect(answer.text).not.toMatch(/root:|haha|qqqq|AAAAAAAA/)
  expect(await app.store.all({ sql: DIGEST, args: {}, runs: 'inline' })).toEqual(before)
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(INHERITED)
})

/** Members that every object inherits, before any test adds to it. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype)

const DIGEST = 'SELECT count(*) AS Scripts, max(Id) AS Last FROM svc_scripts'

test('Elysia CVE-2025-66456, CVE-2026-31865; NocoDB CVE-2026-24766: no key pollutes', async () => {
  await using app = await startImports()
  const keys = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']
  const json = keys.map((key) => `"${key}":{"polluted":"yes","toString":null}`).join(',')
  const nested = `{"constructor":{"prototype":{"polluted":"yes"}},${json}}`
  const bodies = [
    nested,
    `{"FormName":"People","Parameters":${nested},${json}}`,
    `{"ObjectName":"People","Parameters":${nested},"Filters":[${nested}],"Sort":[${nested}]}`,
    `{"UserName":${nested},"Password":"x",${json}}`,
  ]
  const routes = [
    ...['object/submit', 'object/People/table', 'object/export-data', 'object/delete-row'],
    ...['object/execute-row-action', 'object-explorer/query', 'object/sequence-number'],
    ...['execute-script', 'rpc/Nothing', 'handlers/csv/export', 'object/field-dataset'],
  ].map((path) => `/api/v1/svc/${path}`)
  const query =
    '?__proto__[polluted]=yes&constructor[prototype][polluted]=yes&__proto__.polluted=yes'
  const headers = { Cookie: '__proto__=yes; constructor.prototype=yes; toString=yes' }
  for (const path of [...routes, '/api/v1/auth/login'])
    for (const body of bodies) {
      const { status } = await app.app.fetch(path + query, { as: 'clerk', body, headers })
      expect({ path, body, isFailure: status >= 500 }).toEqual({ path, body, isFailure: false })
    }
  const fields = {
    '__proto__[polluted]': 'yes',
    'constructor.prototype.polluted': 'yes',
    toString: 'x',
  }
  const file = '__proto__,constructor,Name\nyes,yes,A\n'
  refusal(await app.send('clerk', { objectName: 'People', file, fields }), 400)
  const mapping = '{"__proto__":null,"constructor":null}'
  refusal(await app.send('clerk', { objectName: 'People', file, fields: { mapping } }), 400)
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(INHERITED)
  expect((await app.app.fetch('/api/v1/auth/me', { as: 'other' })).status).toBe(200)
  const login = { UserName: 'clerk', Password: TEST_PASSWORD }
  expect((await app.app.fetch('/api/v1/auth/login', { body: login })).status).toBe(200)
  const saved = await app.save('clerk', 'People', { Name: 'A', Email: 'a@x' })
  expect((await app.table('other', 'People')).Rows).toEqual([])
  expect((await app.form('clerk', 'People', { Id: saved.Values.Id })).Values.Name).toBe('A')
})

test.each([
  ['members', Array.from({ length: 100_001 }, (_, at) => `"k${at}":1`).join(',')],
  ['items', `"More":[${'{},'.repeat(100_000)}{}]`],
  ['levels', `"More":${'['.repeat(100_000)}${']'.repeat(100_000)}`],
])('PackRat#2164: too many %s are refused before they are read', async (_, more) => {
  await using app = await startImports()
  const body = `{"FormName":"People","Parameters":{"Name":"A","Email":"a@x",${more}}}`
  const refused = await app.app.fetch<Refusal>('/api/v1/svc/object/submit', { as: 'clerk', body })
  expect([refused.status, refused.body.error]).toEqual([
    ...[400, 'The body has more than 100000 values'],
  ])
  expect((await app.table('clerk', 'People')).Rows).toEqual([])
  // Commas of a text are no values, whatever stands before them.
  const Note = '\\",\\\\'.repeat(100_001)
  const text = `{"FormName":"People","Parameters":{"Name":"A","Email":"a@x","Other":"${Note}"}}`
  expect(
    (await app.app.fetch('/api/v1/svc/object/submit', { as: 'clerk', body: text })).status,
  ).toBe(200)
})

const PATTERNS: TestApplication = {
  files: [
    {
      name: 'patterns.xml',
      body: `<Model>
<Entity Name="Page" Table="pages" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Letters" Type="Text" Pattern="^(a+)+$"/>
  <Column Name="Blanks" Type="Text" Blanks="Keep" Pattern=".*\\S\\s+$"/>
  <Column Name="Address" Type="Text" Pattern="^https?://([a-z0-9-]+\\.)+[a-z]{2,}(/.*)?$"/>
</Entity>
<ObjectView Name="Pages" Entity="Page"/>
<Rbac><Role Name="Clerk"><Grant Resource="Pages" Verbs="View List Create Update Import"/></Role></Rbac>
</Model>`,
    },
  ],
  ...makePeople('ONE', { ana: 'Clerk' }),
}

test('authored ReDoS; Elysia CVE-2025-66457, CVE-2026-30837: no text is too long', async () => {
  await using app = await startApp({ application: PATTERNS })
  const objects = new Objects(app)
  const values = {
    Letters: `${'a'.repeat(50_000)}!`,
    Blanks: `${' '.repeat(40_000)}x`,
    Address: `${'http://a.'.repeat(11_000)}`,
  }
  for (const [name, value] of Object.entries(values)) {
    const told = refusal(await objects.submit('ana', 'Pages', { [name]: value }), 400)
    expect(Object.keys(told.fieldErrors ?? {})).toEqual([name])
    expect(told.error).not.toContain(value.slice(0, 100))
  }
  const form = new FormData()
  form.set('objectName', 'Pages')
  const rows = Array.from(
    { length: 20 },
    () => `${values.Letters},${values.Blanks},${values.Address}`,
  )
  form.set('file', new File([`Letters,Blanks,Address\n${rows.join('\n')}\n`], 'pages.csv'))
  const sent = new Request('http://localhost/api/v1/svc/object/import-data', {
    method: 'POST',
    body: form,
    headers: { Authorization: `Bearer ${app.tokens.ana}` },
  })
  const answer = await app.handle(sent)
  const { fieldErrors } = (await answer.json()) as { fieldErrors: Record<string, string> }
  expect([answer.status, Object.keys(fieldErrors).length]).toEqual([400, 60])
  await objects.save('ana', 'Pages', {
    Letters: 'aaa',
    Blanks: 'x ',
    Address: 'https://a.example/',
  })
})

test('Elysia CVE-2025-66457, CVE-2026-30837: no version of it that has them is taken', () => {
  expect(Bun.semver.satisfies(elysia.version, '>=1.4.30')).toBe(true)
  expect(Bun.semver.satisfies(manifest.dependencies.elysia, '>=1.4.30')).toBe(true)
})

test('names of files that mean something to a program are names of files', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const names = [
    'a.constructor',
    'a.__proto__',
    '__proto__',
    'CON',
    'a'.repeat(5000),
    '\u202Egpj.exe',
  ]
  for (const name of names) {
    const { status, body } = await papers.upload('ana', [text('words', name)])
    expect([status, body.data[0]?.ContentType]).toEqual([200, 'text/plain'])
  }
})
