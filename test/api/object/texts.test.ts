/** Texts in the caller's language: those of the model, and the engine's own. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { data, Objects, type Reply, type Result, type Row } from '../../support/objects.ts'

const BASE = '/api/v1/svc/object'

/** The demo, asked in a language. */
async function startDemo(settings: Record<string, string> = {}) {
  const app = await startApp({ settings })
  const ask = <T = Row>(language: string | undefined, path: string, body?: unknown) =>
    app.fetch<Reply<T>['body']>(`${BASE}${path}`, {
      as: 'ana',
      ...(body !== undefined && { body }),
      ...(language !== undefined && { headers: { 'Accept-Language': language } }),
    })
  return { app, ask, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

/** `Accept-Language` and the language of the answer. */
const CHOICES: [header: string | undefined, language: string][] = [
  [undefined, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['DE', 'de'],
  ['de-AT', 'de'],
  ['de-AT-1901;q=0.5', 'de'],
  ['fr, de;q=0.5, en;q=0.8', 'en'],
  ['fr;q=1.0, de;q=0.9', 'de'],
  ['fr', 'en'],
  ['*', 'en'],
  ['en;q=0, *', 'de'],
  ['de;q=0, *;q=0.1', 'en'],
  ['de;q=0', 'en'],
  ['de;q=2', 'en'],
  ['ééé, ;;, de', 'de'],
  [`${'a,'.repeat(600)}de`, 'en'],
]

test('the header decides by its weights, cut from its end, else the default does', async () => {
  await using demo = await startDemo()
  for (const [header, language] of CHOICES) {
    const { headers } = await demo.ask(header, '/label/orders')
    expect([header, headers.get('Content-Language')]).toEqual([header, language])
    expect(headers.get('Vary')).toBe('Accept-Language, Accept-Encoding')
  }
})

test('an answer in which no language matters names none', async () => {
  await using demo = await startDemo()
  const german = { as: 'ana', headers: { 'Accept-Language': 'de' } }
  const body = { ObjectName: 'orders' }
  const made = await demo.ask<{ File: { Url: string } }>('de', '/export-data', body)
  for (const path of [made.body.data.File.Url, '/api/v1/auth/me', '/api/v1/svc/timezone']) {
    const { status, headers } = await demo.app.fetch(path, german)
    expect([path, status, headers.get('Content-Language')]).toEqual([path, 200, null])
    expect(headers.get('Vary') ?? '').not.toContain('Language')
  }
})

test('a label is told in the language', async () => {
  await using demo = await startDemo()
  const labels = ['de', 'en'].map((each) => demo.ask<string>(each, '/label/orders'))
  const told = await Promise.all(labels)
  expect(told.map(({ body }) => body.data)).toEqual(['Aufträge', 'Orders'])
})

test('metadata has a text and a tag for each language', async () => {
  await using demo = await startDemo()
  const [de, en] = await Promise.all([
    demo.ask('de', '/orders/metadata'),
    demo.ask('en', '/orders/metadata'),
  ])
  expect(de.body.data).toMatchObject({ Label: 'Aufträge', Name: 'Orders' })
  expect(de.headers.get('Content-Language')).toBe('de')
  expect(de.body.data.VersionHash).toBe(en.body.data.VersionHash)
  const tags = [de, en].map(({ headers }) => headers.get('ETag') ?? '')
  expect(new Set(tags).size).toBe(2)
  const again = (language: string, tag: string) =>
    demo.app.fetch(`${BASE}/orders/metadata`, {
      as: 'ana',
      headers: { 'Accept-Language': language, 'If-None-Match': tag },
    })
  const [known, foreign] = [await again('de', tags[0] ?? ''), await again('en', tags[0] ?? '')]
  expect([known.status, foreign.status]).toEqual([304, 200])
  expect(known.headers.get('Vary')).toBe('Accept-Encoding, Accept-Language')
  expect(known.headers.get('Content-Language')).toBe('de')
})

/** Members of metadata that people read. */
const READ = new Set(['Label', 'Help', 'PatternMessage', 'Unit', 'Confirm', 'Message', 'Tab'])

/** Texts that are the same in both languages, and need no translation. */
const SAME = ['EUR', '%', 'Id', 'Name', 'Status']

/** Every text of a metadata answer, with the path to it. */
function* listTexts(value: unknown, path = ''): Iterable<[string, string]> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    const here = `${path}.${name}`
    if (READ.has(name) && typeof member === 'string') yield [here, member]
    else yield* listTexts(member, here)
  }
}

test('no text of any view of the demo is left in English', async () => {
  await using demo = await startDemo()
  const left: string[] = []
  for (const { name } of demo.app.context.models.get().views.values()) {
    const [de, en] = await Promise.all([
      demo.ask('de', `/${name}/metadata`),
      demo.ask('en', `/${name}/metadata`),
    ])
    const english = new Map(listTexts(en.body.data, name))
    for (const [path, text] of listTexts(de.body.data, name)) {
      if (english.get(path) === text && !SAME.includes(text)) left.push(`${path}: ${text}`)
    }
    expect(english.size).toBeGreaterThan(3)
  }
  expect(left).toEqual([])
})

const SUBMIT = (more: Row): Row => ({ FormName: 'customers', Parameters: more })

/** A request, and its German answer: `error` and `fieldErrors`. */
const REFUSALS: [path: string, body: unknown, error: string, fieldErrors?: Row][] = [
  ['/nothing/table', {}, 'Ein Objekt mit diesem Namen gibt es nicht'],
  [
    '/orders/table',
    { Filters: [{ Field: 'Total', Operator: 'like' }] },
    "Filter auf 'Total': unbekannter Operator 'like'",
  ],
  [
    '/orders/table',
    { Filters: [{ Field: 'Total', Operator: 'eq', Value: [1] }] },
    "Filter auf 'Total': eq: braucht einen einzelnen Wert, keine Liste",
  ],
  [
    '/orders/table',
    { PageSize: 'x' },
    'PageSize: Muss eine ganze Zahl sein',
    {
      PageSize: 'Muss eine ganze Zahl sein',
    },
  ],
  [
    '/orders/table',
    '{"Page": }',
    'Der Inhalt ist kein gültiges JSON: Zeile 1, Spalte 10: ein Wert wird erwartet',
  ],
  ['/submit', {}, 'FormName: Das ist erforderlich', { FormName: 'Das ist erforderlich' }],
  [
    '/submit',
    SUBMIT({ Name: 'X', Region: 'Moon', Email: 'nowhere', CreditLimit: -1 }),
    'Gebiet muss einer der folgenden Werte sein: Coast, Hills, Lakes, Plains',
    {
      Region: 'Gebiet muss einer der folgenden Werte sein: Coast, Hills, Lakes, Plains',
      Email: 'Eine Adresse wie buero@example.com',
      CreditLimit: 'Kreditrahmen muss mindestens 0 sein',
    },
  ],
  [
    '/submit',
    SUBMIT({ Name: 'X', Region: 'Coast', PaymentDays: 'soon' }),
    'Muss eine ganze Zahl sein',
    { PaymentDays: 'Muss eine ganze Zahl sein' },
  ],
]

test('refusals are told in German, with the labels of the model', async () => {
  await using demo = await startDemo()
  for (const [path, body, error, fieldErrors] of REFUSALS) {
    const answer = await demo.ask('de-DE,de;q=0.9,en;q=0.8', path, body)
    expect(answer.body.error).toBe(error)
    if (fieldErrors) expect(answer.body.fieldErrors).toMatchObject(fieldErrors)
    expect(answer.body.code).toMatch(/^[A-Z_]+$/)
    expect(answer.headers.get('Content-Language')).toBe('de')
  }
})

test('who is not signed in is told so in their language', async () => {
  await using app = await startApp()
  const headers = { 'Accept-Language': 'de' }
  const stranger = await app.fetch<{ error: string; code: string }>(`${BASE}/label/x`, { headers })
  expect(stranger.body).toMatchObject({ error: 'Bitte zuerst anmelden', code: 'UNAUTHENTICATED' })
  const login = await app.fetch<{ error: string }>('/api/v1/auth/login', {
    body: { UserName: 'ana', Password: 'wrong' },
    headers,
  })
  expect(login.body.error).toBe('Der Benutzername oder das Kennwort ist falsch')
  const lost = await app.fetch<{ error: string }>('/nowhere', { as: 'ana', headers })
  expect(lost.body.error).toBe('Unter dieser Adresse gibt es nichts')
})

/** A new order of the demo's first company. */
async function findNew(app: Objects): Promise<Row> {
  const table = await app.table('ana', 'orders', {
    Filters: [{ Field: 'Status', Operator: 'eq', Value: 'new' }],
    PageSize: 1,
  })
  return table.Rows[0] ?? {}
}

test('rules, effects and envelopes of an action speak the language', async () => {
  await using demo = await startDemo()
  const { Id, Number: number } = await findNew(new Objects(demo.app))
  const approve = () =>
    demo.ask<Result>('de', '/execute-row-action', {
      ObjectName: 'orders',
      ActionName: 'ApproveSelected',
      Keys: [{ Id }],
    })
  expect((await approve()).body.success).toBe(true)
  const cancelled = await demo.ask<Result>('de', '/execute-row-action', {
    ObjectName: 'orders',
    ActionName: 'Cancel',
    Parameters: { Id, Reason: 'stock' },
  })
  expect(data(cancelled).Dispatch).toContainEqual({
    Type: 'showAlert',
    Level: 'warning',
    Message: `Auftrag ${String(number)} storniert`,
  })
  expect((await approve()).body.error).toBe(
    'Das ist im aktuellen Zustand des Datensatzes nicht möglich',
  )
})

test('rules that an entity holds at commit speak the language', async () => {
  await using demo = await startDemo()
  const broken = await demo.ask('de', '/submit', {
    FormName: 'customers',
    Parameters: { Name: 'X', Region: 'Coast', CountryCode: 'FR', CityId: 1 },
  })
  expect(broken.body.fieldErrors).toEqual({ CityId: 'Der Ort liegt in einem anderen Land' })
})

test('the setting is the language of those who name none', async () => {
  await using demo = await startDemo({ 'Svc:Language': 'de' })
  const label = async (header?: string) => (await demo.ask<string>(header, '/label/orders')).body
  expect((await label()).data).toBe('Aufträge')
  expect((await label('fr')).data).toBe('Aufträge')
  expect((await label('en')).data).toBe('Orders')
})

test('a browser may send and read what the language hangs on', async () => {
  await using demo = await startDemo({ 'Svc:Cors:Origins': 'https://app.example.com' })
  const { headers } = await demo.app.fetch(`${BASE}/label/orders`, {
    as: 'ana',
    headers: { Origin: 'https://app.example.com', 'Accept-Language': 'de' },
  })
  expect(headers.get('Vary')).toBe('Accept-Language, Origin, Accept-Encoding')
  expect(headers.get('Access-Control-Expose-Headers')).toContain('Content-Language')
})
