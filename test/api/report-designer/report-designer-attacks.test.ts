/**
 * The eleven questions of attacks asked of the report designer: what a designer writes reaches no
 * file, no other table and nobody's time; what they see holds to their company and their rights.
 */
import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareTexts } from '../../../src/engine/versioned-documents/definition-text.ts'
import { holdWriter } from '../../support/held-writer.ts'
import {
  BASE,
  call,
  draft,
  findDraft,
  publish,
  report,
  save,
  startDesign,
  STOCK,
  type Version,
  versions,
} from '../../support/report-designs.ts'

/** The longest time in which nothing else ran, as a share of the whole. */
async function holdUp<T>(work: () => Promise<T>): Promise<{ result: T; share: number }> {
  let [last, longest] = [performance.now(), 0]
  const look = (): void => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 1)
  const startedAt = performance.now()
  const result = await work()
  look()
  clearInterval(timer)
  return { result, share: longest / (performance.now() - startedAt) }
}

const laughs = Array.from(
  { length: 9 },
  (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
).join('')

const inside = (text: string): string => report('Stock', 'Bomb', text)

describe('XML that is made to hurt', () => {
  test('is refused at once, and tells of no file', async () => {
    await using app = await startDesign()
    const secret = join(app.folder, 'secret.txt')
    writeFileSync(secret, 'canary')
    const bombs: Record<string, string> = {
      laughs: `<!DOCTYPE r [<!ENTITY l0 "ha">${laughs}]>${inside('&l9;')}`,
      quadratic: `<!DOCTYPE r [<!ENTITY a "${'x'.repeat(50_000)}">]>${inside('&a;'.repeat(5000))}`,
      external: `<!DOCTYPE r [<!ENTITY a SYSTEM "file://${secret}">]>${inside('&a;')}`,
      parameter: `<!DOCTYPE r [<!ENTITY % a SYSTEM "file://${secret}"> %a;]>${inside('SELECT 1')}`,
      bare: `<!DOCTYPE Report>${STOCK.body}`,
      hidden: `<?xml version="1.0"?><!-- x --> <!doctype Report>${STOCK.body}`,
      undeclared: inside('&nothing;'),
      references: inside('&#65;'.repeat(1_000_000)),
      'references that fit': inside('&#65;'.repeat(800_000)),
      deep: '<a>'.repeat(20_000) + '</a>'.repeat(20_000),
      'deep and open': '<a>'.repeat(1_000_000),
      wide: `<Report Name="A"><Widgets>${'<Widget Name="W" Kind="Text"/>'.repeat(120_000)}</Widgets></Report>`,
      many: `<Report Name="A"><Widgets>${many(4900)}</Widgets><Layout>${'<Row/>'.repeat(200)}</Layout></Report>`,
      attributes: `<Report ${Array.from({ length: 100_000 }, (_, at) => `a${at}=""`).join(' ')}/>`,
      included: `<Report xmlns:xi="http://www.w3.org/2001/XInclude" Name="A"><xi:include href="file://${secret}" parse="text"/></Report>`,
    }
    for (const [name, body] of Object.entries(bombs)) {
      const answer = await save(app, body)
      expect([name, answer.status]).toEqual([name, 400])
      expect(answer.text).not.toContain('canary')
    }
    expect(await versions(app, 'Stock')).toHaveLength(1)
  })

  test('is read beside the thread that serves', async () => {
    await using app = await startDesign()
    await save(app, 'warm')
    const body = inside('&#65;'.repeat(800_000))
    const { result, share } = await holdUp(() => save(app, body))
    expect(result.status).toBe(400)
    expect(share).toBeLessThan(0.5)
    const lines = (of: string): string => `${of}\n`.repeat(1_000_000)
    const compared = await holdUp(() => compareTexts([lines('a'), lines('b')], 1).catch(String))
    expect(compared.result).toContain('differ by more than')
    expect(compared.share).toBeLessThan(0.5)
  })

  test('of 4 MB is what may be stored, and no more', async () => {
    await using app = await startDesign()
    const pad = 4 * 1024 * 1024 - Buffer.byteLength(STOCK.body) - 7
    const whole = `${STOCK.body}<!--${'x'.repeat(pad)}-->`
    expect((await save(app, whole)).status).toBe(200)
    expect((await draft(app, 'Stock', 'x'.repeat(4 * 1024 * 1024))).status).toBe(200)
    for (const more of [`${whole} `, 'ä'.repeat(2 * 1024 * 1024 + 1)]) {
      expect((await save(app, more)).status).toBe(400)
      expect((await draft(app, 'Stock', more)).status).toBe(400)
    }
    const list = await versions(app, 'Stock')
    const [now, before] = list.map(({ VersionHash }) => VersionHash)
    const diff = await call<{ Lines: string[] }>(app, 'GET', `Stock/versions/${before}/diff/${now}`)
    expect(diff.body.data.Lines).toEqual([`- ${STOCK.body}`, `+ ${whole}`])
  })
})

const many = (count: number): string =>
  Array.from({ length: count }, (_, at) => `<Widget Name="W${at}" Kind="Text"/>`).join('')

describe('a key or hash', () => {
  test('means the same in any case, and nothing of another report', async () => {
    await using app = await startDesign()
    const changed = (await save(app, report('Stock', 'A'))).body.data.VersionHash
    const other = (await versions(app, 'Other'))[0]?.VersionHash ?? ''
    const upper = await call<{ VersionHash: string }>(
      ...([app, 'GET', `STOCK/versions/${changed.toUpperCase()}`] as const),
    )
    expect(upper.body.data.VersionHash).toBe(changed)
    const VersionHash = changed.toUpperCase()
    expect((await save(app, report('Stock', 'B'), { VersionHash })).status).toBe(200)
    for (const path of [
      `Stock/versions/${other}`,
      `Stock/versions/${changed}/diff/${other}`,
      `Stock/versions/${other}/diff/${changed}`,
      'Stock/versions/%25',
    ])
      expect([path, (await call(app, 'GET', path)).body.code]).toEqual([path, 'VERSION_NOT_FOUND'])
    for (const key of ['__proto__', 'constructor', '%2e%2e', '%00', 'x'.repeat(5000), 'Stock%20'])
      expect([key, (await call(app, 'GET', key)).status]).toEqual([key, 404])
  })

  test('in another case is no second report, and a slug no second way in', async () => {
    await using app = await startDesign()
    for (const body of [
      report('stock', 'A'),
      report('Fresh', 'A').replace('Label', 'Slug="stock" Label'),
      report('Fresh', 'A').replace('Label', 'Slug="OTHER" Label'),
    ])
      expect([body, (await save(app, body)).status]).toEqual([body, 400])
    await draft(app, 'Stock', report('other', 'A'))
    expect((await publish(app, 'Stock')).status).toBeGreaterThanOrEqual(400)
    expect((await findDraft(app, 'Stock'))?.DefinitionXml).toBe(report('other', 'A'))
  })
})

test('what one user keeps is bounded, and said so', async () => {
  await using app = await startDesign({ settings: { 'Svc:Reports:UserQuota': '20000' } })
  const full = { status: 413, code: 'REPORT_QUOTA' }
  const outcome = ({ status, body: { code } }: { status: number; body: { code: string } }) => ({
    status,
    code,
  })
  expect(outcome(await draft(app, 'Stock', 'x'.repeat(19_990)))).toMatchObject({ status: 200 })
  expect(outcome(await draft(app, 'Other', 'x'.repeat(100)))).toMatchObject(full)
  expect(await findDraft(app, 'Other')).toBeNull()
  expect((await draft(app, 'Stock', 'x'.repeat(15_000))).status).toBe(200)
  const saves: Awaited<ReturnType<typeof save>>[] = []
  for (let at = 0; at < 10 && saves.at(-1)?.status !== 413; at++)
    saves.push(await save(app, report('Other', `No ${at}`)))
  expect(saves.length).toBeGreaterThan(2)
  expect(outcome(saves.at(-1) as never)).toEqual(full)
  expect(saves.at(-1)?.body.error).toContain('Svc:Reports:UserQuota')
  expect(await versions(app, 'Other')).toHaveLength(saves.length)
  // It is charged to nobody else.
  expect((await save(app, report('Other', 'Mine'), {}, 'abe')).status).toBe(200)
})

test('a version counts before it is written as it does once it is stored', async () => {
  const body = report('Other', 'Mine')
  const quota = Buffer.byteLength(body) + 100
  await using app = await startDesign({ settings: { 'Svc:Reports:UserQuota': String(quota) } })
  const before = await versions(app, 'Other')
  expect((await save(app, body)).status).toBe(413)
  expect(await versions(app, 'Other')).toEqual(before)
})

test('versions beyond what an answer may hold are asked for in parts', async () => {
  await using app = await startDesign({ settings: { 'Svc:Results:MaxBytes': '9000' } })
  const [first] = await versions(app, 'Stock')
  const Notes = 'x'.repeat(4000)
  const saved = [first?.VersionHash ?? '']
  for (const label of ['A', 'B', 'C'])
    saved.unshift((await save(app, report('Stock', label), { Notes })).body.data.VersionHash)
  const list = async (query: string) => {
    const answer = await call<Version[]>(app, 'GET', `Stock/versions${query}`)
    return answer.status === 200
      ? answer.body.data.map(({ VersionHash, IsCurrent }) => [VersionHash, IsCurrent])
      : answer.body.code
  }
  expect(await list('')).toBe('RESULT_TOO_LARGE')
  const newest = [saved[0] ?? '', saved[1] ?? '']
  expect(await list('?limit=2')).toEqual(newest.map((hash, at) => [hash, at === 0]))
  expect(await list('?limit=9&offset=3')).toEqual([[saved[3] ?? '', false]])
  for (const query of ['?limit=0', '?limit=1001', '?limit=x', '?offset=-1'])
    expect([query, await list(query)]).toEqual([query, 'VALIDATION_FAILED'])
})

test('the name of who saved is told within their company', async () => {
  await using app = await startDesign()
  const [first] = await versions(app, 'Stock')
  await save(app, report('Stock', 'A'))
  const seen = async (as: string) =>
    (await call<{ SavedBy: string | null }[]>(app, 'GET', 'Stock/versions', undefined, as)).body
      .data[0]?.SavedBy
  expect([await seen('des'), await seen('root'), await seen('abe')]).toEqual(['des', 'des', null])
  const VersionHash = first?.VersionHash
  const moved = await save(app, report('Stock', 'B'), { VersionHash }, 'abe')
  expect(moved.status).toBe(409)
  expect(moved.text).not.toContain('des')
  expect(moved.body.error).toMatch(/^The report was changed at .*. Reload it and try again.$/)
})

test('rights that go while the body comes are gone for the write', async () => {
  await using app = await startDesign()
  const hold = (path: string, body: object) => {
    const rest = Promise.withResolvers<void>()
    const text = JSON.stringify(body)
    const stream = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode(text.slice(0, 1)))
        await rest.promise
        controller.enqueue(new TextEncoder().encode(text.slice(1)))
        controller.close()
      },
    })
    const headers = {
      Authorization: `Bearer ${app.tokens.des}`,
      'Content-Type': 'application/json',
    }
    const request = new Request(`http://localhost${BASE}/${path}`, {
      method: 'POST',
      headers,
      body: stream,
    })
    const answer = app.handle(request)
    return async () => {
      rest.resolve()
      return (await answer).status
    }
  }
  const body = { DefinitionXml: report('Stock', 'Late'), Notes: '' }
  const held = [hold('save', body), hold('Stock/draft', body)]
  await call(app, 'GET', 'Stock/versions')
  const [user] = await app.store.all(`SELECT Id FROM svc_users WHERE UserName = 'des'`)
  const path = `/api/v1/svc/auth/users/${String(user?.Id)}`
  const taken = await app.fetch(path, { as: 'root', method: 'PUT', body: { Roles: [] } })
  expect(taken.status).toBe(200)
  for (const send of held) expect(await send()).toBe(401)
  const { body: left } = await call<object[]>(app, 'GET', 'Stock/versions', undefined, 'root')
  expect(left.data).toHaveLength(1)
  expect(await app.store.all('SELECT * FROM svc_drafts')).toEqual([])
})

test('rights that go while a change waits for the writer are gone for it', async () => {
  await using app = await startDesign()
  await draft(app, 'Stock', report('Stock', 'Late'))
  const writer = await holdWriter(app.store)
  const [user] = await app.store.all(`SELECT Id FROM svc_users WHERE UserName = 'des'`)
  const path = `/api/v1/svc/auth/users/${String(user?.Id)}`
  const taken = app.fetch(path, { as: 'root', method: 'PUT', body: { Roles: [] } })
  await writer.queued(1)
  const late = [publish(app, 'Stock'), save(app, report('Fresh', 'A'))]
  // One document is saved at a time: the other waits before the writer.
  await writer.queued(2)
  const discarded = call(app, 'DELETE', 'Stock/draft')
  await writer.queued(3)
  await writer.release()
  expect((await taken).status).toBe(200)
  for (const answer of [...late, discarded]) expect((await answer).status).toBe(401)
  const { body } = await call<object | null>(app, 'GET', 'Stock/draft', undefined, 'root')
  expect(body.data).not.toBeNull()
  expect((await call(app, 'GET', 'Fresh', undefined, 'root')).status).toBe(404)
})

describe('what is said', () => {
  const one = '<Report Name="A">\n  <Bogus/>\n</Report>'
  const two = '<Report Name="A">\n  <Bogus/><Pogus/>\n</Report>'

  test('counts in the language of its reader', async () => {
    await using app = await startDesign()
    const told = async (DefinitionXml: string, language: string) => {
      const body = { DefinitionXml, Notes: '' }
      const headers = { 'Accept-Language': language }
      const { body: answer } = await app.fetch<{ error: string }>(`${BASE}/save`, {
        as: 'des',
        body,
        headers,
      })
      return answer.error
    }
    expect(await told(one, 'en')).toMatch(/^The report has an error: 2:3: Unknown element <Bogus>/)
    expect(await told(two, 'en')).toMatch(/^The report has 2 errors. The first one: 2:3: /)
    expect(await told(one, 'de')).toMatch(/^Der Bericht hat einen Fehler: 2:3: /)
    expect(await told(two, 'de')).toMatch(/^Der Bericht hat 2 Fehler. Der erste: 2:3: /)
  })
})
