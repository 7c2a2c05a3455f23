/**
 * Rows of the table "Files, formats, parsers" against the executable: what each costs it, and
 * whether others are answered meanwhile.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningExecutable, startExecutable } from '../support/executable.ts'
import { scaleCases } from '../support/property.ts'
import { workbook, zip } from '../support/workbook.ts'

const MB = 1024 * 1024
/** The memory that the serving process may gain during an attack. */
const GROWTH_MAX = 150 * MB
/** Each attack comes so often, one after the other. */
const TIMES = scaleCases(2)

type Content = string | Uint8Array<ArrayBuffer>

interface Attack {
  path: string
  type?: string
  body: () => string | FormData
  status: number
  /** Requests of others that are answered during one attack, where it takes many turns. */
  others: number
}

const field = (name: string, value: string): string =>
  `--cut\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const NAMES = field('objectName', 'orders') + field('fieldName', 'Documents')
const FILE = '--cut\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n'

const form = (body: () => string): Attack => ({
  path: 'object/upload',
  type: 'multipart/form-data; boundary=cut',
  body,
  status: 400,
  others: 0,
})

function filled(names: Record<string, string>, name: string, content: Content): FormData {
  const made = new FormData()
  for (const [key, value] of Object.entries(names)) made.set(key, value)
  made.set('file', new File([content], name))
  return made
}

const sheet = (name: string, make: () => Content, others = 10): Attack => ({
  path: 'object/import-data',
  body: () => filled({ objectName: 'topics' }, name, make()),
  status: 400,
  others,
})

const submit = (parameters: () => string): Attack => ({
  path: 'object/submit',
  type: 'application/json',
  status: 400,
  others: 0,
  body: () => `{"FormName":"topics","Parameters":{${parameters()}}}`,
})

const levels = (count: number): string => '['.repeat(count) + ']'.repeat(count)
const entries = () => Array.from({ length: 60_000 }, (_, at) => ({ name: `f${at}`, content: '' }))
const members = (count: number) => Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')

const ATTACKS: Readonly<Record<string, Attack>> = {
  'PackRat#2164: half a million members': submit(() => members(500_000)),
  'fault 20: JSON of 200,000 levels': submit(() => `"a":${levels(2e5)}`),
  'fault 20: JSON of four million levels': submit(() => `"a":${levels(4e6)}`),
  'fault 20: a cursor of three million levels': {
    path: 'object/topics/table',
    type: 'application/json',
    status: 400,
    others: 0,
    body: () => JSON.stringify({ Cursor: Buffer.from(levels(3e6)).toString('base64url') }),
  },
  'fault 20: JSON without an end': submit(() => `"a":"${'\\n'.repeat(3e6)}`),
  'fault 20: a million parts': form(() => `${field('a', 'x').repeat(1e6)}--cut--\r\n`),
  'fault 20: half a million files': form(() => `${NAMES}${FILE.repeat(5e5)}--cut--\r\n`),
  'fault 20: 64 MB of fields': form(
    () => `${field('a', 'x'.repeat(MB - 1)).repeat(64)}--cut--\r\n`,
  ),
  'fault 20: a head of 50 MB': form(() => `${field('x'.repeat(50 * MB), 'x')}--cut--\r\n`),
  'fault 20: a boundary that never comes': form(() => 'x'.repeat(50 * MB)),
  'fault 21: a cell of 50 MB': sheet('a.csv', () => `Code,Name\na,${'x'.repeat(50 * MB)}\n`),
  'fault 21: a quote that is never closed': sheet('a.csv', () => `Code\n"${'x\n'.repeat(25e6)}`),
  'fault 21: a line of 100 MB': sheet('a.jsonl', () => `{"Code":"${'x'.repeat(100 * MB)}"}`, 5),
  'fault 21: a line of a million members': sheet('a.jsonl', () => `{${members(1e6)}}`, 1),
  'fault 21: a line of four million levels': sheet('a.jsonl', () => `{"Code":${levels(4e6)}}`, 1),
  'CVE-2024-22363: a head of a million cells': sheet('a.csv', () => ','.repeat(1e6), 1),
  'CVE-2024-22363: a bomb of one sheet': sheet('a.xlsx', () =>
    workbook({ rows: `<row>${' '.repeat(120e6)}</row>` }),
  ),
  'CVE-2024-22363: 60,000 entries': sheet('a.xlsx', () => zip(entries()), 1),
  'Strapi CVE-2026-22707: an archive of 60,000 entries as a text': {
    path: 'object/upload',
    body: () => filled({ objectName: 'orders', fieldName: 'Documents' }, 'a.txt', zip(entries())),
    status: 400,
    others: 0,
  },
}

let server: RunningExecutable
let token: string
beforeAll(async () => {
  server = await startExecutable()
  const body = JSON.stringify({ UserName: 'ana', Password: 'ana-demo-password' })
  const answer = await send('auth/login', body, 'application/json')
  token = ((await answer.json()) as { data: { AccessToken: string } }).data.AccessToken
})
afterAll(() => server[Symbol.asyncDispose]())

const send = (path: string, body: Content, type?: string): Promise<Response> =>
  fetch(`${server.url}/api/v1/${path}`, {
    method: 'POST',
    body,
    headers: { Authorization: `Bearer ${token}`, ...(type && { 'Content-Type': type }) },
  })

/** Memory of the serving process in bytes: what it holds, or the most since it was looked at. */
const memory = (of: 'VmRSS' | 'VmHWM'): number => {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  return Number(new RegExp(`${of}:\\s+(\\d+)`).exec(status)?.[1]) * 1024
}

test.each(Object.entries(ATTACKS))('%s', async (_, attacker) => {
  const { path, type, body, status, others } = attacker
  const { bytes, contentType } = await pack(body(), type)
  writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
  const before = memory('VmRSS')
  let isOver = false
  const attacking = async (): Promise<void> => {
    for (let time = 0; time < TIMES; time++) {
      const answer = await send(`svc/${path}`, bytes, contentType)
      const { success, error } = (await answer.json()) as { success: boolean; error: string }
      expect([answer.status, success, typeof error]).toEqual([status, false, 'string'])
    }
  }
  const attack = attacking().finally(() => (isOver = true))
  let answered = 0
  for (; !isOver; answered++)
    expect((await send('svc/object/topics/table', '{}', 'application/json')).status).toBe(200)
  await attack
  expect(answered).toBeGreaterThanOrEqual(others * TIMES)
  expect(memory('VmHWM') - before).toBeLessThan(GROWTH_MAX)
  expect(readdirSync(join(server.dataFolder, 'uploads'))).toEqual([])
})

/** The bytes as they go over the wire, made before anything is measured. */
async function pack(body: string | FormData, type: string | undefined) {
  const request = new Request('http://x', { method: 'POST', body })
  const contentType = type ?? request.headers.get('content-type') ?? ''
  return { bytes: new Uint8Array(await request.arrayBuffer()), contentType }
}
