/** A client that is generated from the OpenAPI document: its types are checked, and it runs. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OpenApiDocument } from '../../../src/features/swagger/document.ts'
import { startApp } from '../../support/app.ts'
import { DocumentSchemas } from '../../support/document-schemas.ts'

type Send = (request: Request) => Promise<Response>

const ROOT = join(import.meta.dir, '../../..')
const JOURNEY = join(ROOT, 'test/client/journey.ts')

const folder = mkdtempSync(join(tmpdir(), 'generated-client-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a program of Bun's; resolves to what it said, and how it ended. */
async function run(...args: string[]): Promise<{ code: number; said: string }> {
  const child = Bun.spawn([process.execPath, ...args], { cwd: ROOT, stderr: 'pipe' })
  const [out, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, said: `${out}${complaint}`.trim() }
}

/** The complaints of tsc about journeys, with the types that were generated. */
async function checkTypes(journeys: readonly string[]): Promise<string> {
  const config = join(folder, 'tsconfig.json')
  const paths = {
    'generated-client': [join(folder, 'types.ts')],
    'openapi-fetch': [join(ROOT, 'node_modules/openapi-fetch')],
  }
  const options = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(ROOT, 'node_modules')], paths },
    files: journeys,
    include: [],
    exclude: [],
  }
  writeFileSync(config, JSON.stringify(options))
  const { code, said } = await run('x', '--no-install', 'tsc', '-p', config)
  return code === 0 ? '' : said
}

/** The document, written down, and what openapi-typescript makes of it. */
async function generate(): Promise<{ code: number; said: string }> {
  await using app = await startApp()
  const document = join(folder, 'document.json')
  writeFileSync(document, (await app.fetch('/swagger/json')).text)
  return run(join(ROOT, 'scripts/generate-types.ts'), document, join(folder, 'types.ts'))
}

const generated = await generate()

test('types are generated from the document', () => {
  expect(generated).toEqual({ code: 0, said: '' })
})

const source = readFileSync(JOURNEY, 'utf8')

/** Right texts of the journey, each with a wrong one that the types must reject. */
const MISTAKES: readonly (readonly [right: string, wrong: string])[] = [
  ["Operator: 'startsWith'", "Operator: 'beginsWith'"],
  ["CountMode: 'bounded'", "CountMode: 'some'"],
  ["Direction: 'desc'", "Direction: 'down'"],
  ['data.Keys', 'data.Key'],
  ['Pagination.TotalRows ?? 0', 'Pagination.TotalRows + 1'],
  ['unread.Count', 'unread.Total'],
  ["body: { FormName: 'orders', ", 'body: { '],
]

/** Of the journey and of one for each mistake, which are checked together. */
const complaints = await (async () => {
  const files = MISTAKES.map(([right, wrong], at) => {
    const file = join(folder, `wrong-${at}.ts`)
    writeFileSync(file, source.replace(right, wrong))
    return file
  })
  return checkTypes([JOURNEY, ...files])
})()

test('a journey in these types needs no cast', () => {
  expect(source).not.toMatch(/\bas (?!const\b)\w|\bany\b|\bunknown\b|<\w+>\w/)
  const others = complaints.split('\n').filter((line) => !/^ |wrong-\d+\.ts\(/.test(line))
  expect(others).toEqual([])
})

test.each(MISTAKES.map(([right, wrong], at) => [right, wrong, at] as const))(
  'with %p for %p it is told',
  (right, _, at) => {
    expect(source).toContain(right)
    expect(complaints).toMatch(new RegExp(`wrong-${at}\\.ts\\(\\d+,\\d+\\): error TS`))
  },
)

/** Collects the answers of a journey that do not fit the document, as they come. */
function watch(document: OpenApiDocument, send: Send): { send: Send; faults: string[] } {
  const schemas = new DocumentSchemas(document)
  const faults: string[] = []
  const paths = Object.keys(document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }))
  return {
    faults,
    send: async (request) => {
      const answer = await send(request)
      const { pathname } = new URL(request.url)
      const { path = pathname } = paths.find(({ pattern }) => pattern.test(pathname)) ?? {}
      const place = { path, method: request.method, status: String(answer.status) }
      if (answer.headers.get('Content-Type') === 'application/json')
        faults.push(...schemas.findAnswerFaults(place, await answer.clone().json()))
      return answer
    },
  }
}

test('the journey runs, and its answers are what the types say', async () => {
  await using app = await startApp()
  const { body: document } = await app.fetch<OpenApiDocument>('/swagger/json')
  const { send, faults } = watch(document, app.handle)
  const { journey } = (await import(JOURNEY)) as {
    journey: (send: Send, name: string, password: string) => Promise<Record<string, unknown>>
  }
  const seen = await journey(send, 'ana', 'ana-demo-password')
  expect(seen).toMatchObject({
    company: 'NORTH',
    metadata: { keys: ['Id'], view: 'Grid' },
    orders: { ids: [400, 399, 396, 393, 383], total: 14, mayUpdate: true },
    saved: {
      action: 'updated',
      refreshes: ['refreshTable'],
      replayed: 'true',
      status: 409,
      code: 'CONFLICT',
      changed: ['Reference'],
    },
    approved: 'Approve',
    exported: '6 Number,Status',
    report: { RequiredFilterMissing: false },
    notifications: { titles: ['success: Order SO-2026-00200 was approved'], unread: 1 },
    refused: { status: 400, code: 'VALIDATION_FAILED', faults: ['Name', 'Region'] },
  })
  expect(faults).toEqual([])
})
