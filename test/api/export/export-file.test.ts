/**
 * Files that were made: who gets them, under what names, and for how long (src/server/README.md,
 * Files).
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startExportedTypes } from '../../support/exported-types.ts'
import { refusal } from '../../support/objects.ts'

const HOUR_MS = 3_600_000
let now = Date.parse('2026-11-21T09:00:00Z')
let yard: Awaited<ReturnType<typeof startExportedTypes>>
const BASE = '/export-file/'

beforeAll(async () => {
  yard = await startExportedTypes({ clock: { now: () => new Date(now) } })
  await yard.save('lead', 'things', { Code: 'T1' })
})
afterAll(() => yard[Symbol.asyncDispose]())

const folder = (): string => join(yard.app.folder, 'exports')

describe('NocoDB CVE-2023-35843: a name is never a path', () => {
  const names: Readonly<Record<string, string>> = {
    'dots and a slash': '..%2f..%2fengine.db',
    'dots and a backslash': '..%5c..%5cengine.db',
    'encoded twice': '%252e%252e%252fengine.db',
    'dots encoded twice, as they come': '%252e%252e%252f%252e%252e%252fengine.db',
    'a NUL': 'things%00.csv',
    'a NUL behind a good name': 'GOOD%00',
    'an absolute path': '%2fetc%2fpasswd',
    'a drive': 'C%3a%5cwindows%5cwin.ini',
    'a dot': '.',
    'two dots': '..',
    'two dots, encoded': '%2e%2e',
    '5,000 characters': 'a'.repeat(5000),
    'a reserved name': 'CON',
    'a reserved name with an extension': 'nul.csv',
    'a good name in a folder': '.%2fGOOD',
    'a good name with a dot behind': 'GOOD.',
    'a good name in capitals': 'UPPER',
    'a stream of a good name': 'GOOD%3a%3a$DATA',
    'a broken escape': '%zz',
    nothing: '',
  }
  for (const [what, name] of Object.entries(names)) {
    test(what, async () => {
      const { FileName } = await yard.made('lead', {})
      const asked = name.replace('GOOD', FileName).replace('UPPER', FileName.toUpperCase())
      const answer = await yard.call('lead', BASE + asked)
      expect([400, 404]).toContain(answer.status)
      refusal(answer, answer.status)
      expect(answer.text).not.toContain('SQLite')
    })
  }

  test('a link in the folder leads nowhere, nor does what others put there', async () => {
    const [link, plain] = ['0', '1'].map((digit) => `things-${digit.repeat(32)}.csv`)
    mkdirSync(folder(), { recursive: true })
    symlinkSync(join(yard.app.folder, 'engine.db'), join(folder(), String(link)))
    writeFileSync(join(folder(), String(plain)), 'secret')
    for (const name of [link, plain]) refusal(await yard.call('lead', BASE + String(name)), 404)
  })
})

describe('export-file IDOR', () => {
  test('callers of the maker’s company get it; others do not, nor does nobody', async () => {
    const { Url, FileName } = await yard.made('lead', {})
    for (const as of ['lead', 'mate', 'reader', 'sys'])
      expect((await yard.fetchBytes(as, Url)).length).toBeGreaterThan(0)
    const foreign = refusal(await yard.call('other', BASE + FileName), 404)
    const missing = FileName.replace(/[0-9a-f]{32}/, 'f'.repeat(32))
    const absent = refusal(await yard.call('other', BASE + missing), 404)
    expect({ ...foreign, traceId: '' }).toEqual({ ...absent, traceId: '' })
    expect((await yard.app.fetch(Url)).status).toBe(401)
  })

  test('names differ in 128 random bits', async () => {
    const names = new Set<string>()
    for (let at = 0; at < 20; at++) {
      const { FileName } = await yard.made('lead', {})
      names.add(/^things-([0-9a-f]{32})\.csv$/.exec(FileName)?.[1] ?? '')
    }
    expect(names.size).toBe(20)
  })

  test('the folder is not listed', async () => {
    for (const path of ['/export-file', '/export-file/'])
      expect([404, 405]).toContain((await yard.call('lead', path)).status)
  })

  test('it is an attachment that runs nothing, and HEAD tells the same', async () => {
    const { FileName, Size } = await yard.made('lead', {})
    const { headers } = await yard.app.fetch(`/api/v1/svc/object${BASE}${FileName}`, { as: 'lead' })
    expect(headers.get('content-disposition')).toStartWith(
      'attachment; filename="Things 2026-11-21.csv"',
    )
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toBe('sandbox')
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(headers.get('accept-ranges')).toBe('bytes')
    expect(headers.get('content-length')).toBe(String(Size))
    const head = await yard.app.fetch(`/api/v1/svc/object${BASE}${FileName}`, {
      as: 'lead',
      method: 'HEAD',
    })
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBe(String(Size))
  })
})

describe('for how long', () => {
  test('until it expires; then it is swept', async () => {
    const { FileName } = await yard.made('lead', {})
    now += 23 * HOUR_MS
    expect((await yard.call('lead', BASE + FileName)).status).toBe(200)
    await yard.app.context.made.sweep()
    expect(existsSync(join(folder(), FileName))).toBe(true)
    now += 2 * HOUR_MS
    refusal(await yard.call('lead', BASE + FileName), 404)
    await yard.app.context.made.sweep()
    expect(existsSync(join(folder(), FileName))).toBe(false)
  })

  test('what an ended process left goes with the first sweep; what is others’ stays', async () => {
    const { FileName } = await yard.made('lead', {})
    const left = `things-${'a'.repeat(32)}.csv`
    writeFileSync(join(folder(), left), 'half')
    writeFileSync(join(folder(), 'README'), 'kept')
    await yard.app.context.made.sweep()
    expect(readdirSync(folder())).toContain('README')
    expect(readdirSync(folder())).toContain(FileName)
    expect(readdirSync(folder())).not.toContain(left)
  })

  test('one that is being made is not swept', async () => {
    const { made } = yard.app.context
    const kind = { slug: 'x', extension: '.csv', contentType: 'text/csv', shownName: 'x' }
    const row = await made.make({ userId: 1, companyId: 1, ...kind }, async (path) => {
      writeFileSync(path, 'x')
      await made.sweep()
      expect(existsSync(path)).toBe(true)
      return { size: 1, sha256: '' }
    })
    expect(existsSync(join(folder(), row.Name))).toBe(true)
  })

  test('one that fails leaves nothing', async () => {
    const before = readdirSync(folder()).length
    const { made } = yard.app.context
    const kind = { slug: 'x', extension: '.csv', contentType: 'text/csv', shownName: 'x' }
    const failed = await made
      .make({ userId: 1, companyId: 1, ...kind }, async (path) => {
        writeFileSync(path, 'x')
        throw new Error('the disk')
      })
      .catch((error: Error) => error.message)
    expect(failed).toBe('the disk')
    expect(readdirSync(folder()).length).toBe(before)
  })
})
