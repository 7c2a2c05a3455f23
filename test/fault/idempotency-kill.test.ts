/**
 * `kill -9` between commit and answer (fault 5), told from outside: whatever was on its way is sent
 * again under its key, and has happened once.
 */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningExecutable, startExecutable, temporaryFolder } from '../support/executable.ts'
import { sampleCases } from '../support/property.ts'

const CLIENTS = 8
/** Answers after which the process is killed, a round each. */
const ROUNDS = sampleCases([3, 17, 40, 71], 2)

interface Sent {
  key: string
  kind: 'submit' | 'upload' | 'refused'
  /** Undefined while it has no answer. */
  answer: { status: number; text: string; isReplay: boolean } | undefined
}

async function signIn({ url }: RunningExecutable): Promise<string> {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ UserName: 'ana', Password: 'ana-demo-password' }),
  })
  return ((await answer.json()) as { data: { AccessToken: string } }).data.AccessToken
}

function request({ kind, key }: Sent): { path: string; body: string | FormData } {
  if (kind === 'upload') {
    const form = new FormData()
    form.set('objectName', 'orders')
    form.set('fieldName', 'Documents')
    form.set('file', new File([key], `${key}.txt`))
    return { path: 'upload', body: form }
  }
  // What is refused has drawn a number before, which must come again.
  const Email = kind === 'refused' ? 'none' : null
  const Parameters = { Name: key, Region: 'Coast', Email }
  return { path: 'submit', body: JSON.stringify({ FormName: 'Customers', Parameters }) }
}

/** Sends a request; its answer stays undefined when the process ends before it. */
async function send(server: RunningExecutable, token: string, sent: Sent): Promise<void> {
  const { path, body } = request(sent)
  const headers: Record<string, string> = {
    Authorization: `Bearer ${token}`,
    'Idempotency-Key': sent.key,
  }
  if (typeof body === 'string') headers['Content-Type'] = 'application/json'
  try {
    const url = `${server.url}/api/v1/svc/object/${path}`
    const answer = await fetch(url, { method: 'POST', headers, body })
    const isReplay = answer.headers.get('Idempotency-Replayed') === 'true'
    sent.answer = { status: answer.status, text: await answer.text(), isReplay }
  } catch {
    sent.answer = undefined
  }
}

const KINDS = ['submit', 'upload', 'submit', 'refused'] as const

/** Clients that send one request after another until the process is killed. */
async function load(server: RunningExecutable, round: number, answers: number): Promise<Sent[]> {
  const token = await signIn(server)
  const all: Sent[] = []
  let answered = 0
  const enough = Promise.withResolvers<void>()
  let isOver = false
  const client = async (nth: number): Promise<void> => {
    for (let at = 0; !isOver; at++) {
      const kind = KINDS[at % KINDS.length] ?? 'submit'
      const sent: Sent = { key: `round${round}-${nth}-${at}`, kind, answer: undefined }
      all.push(sent)
      await send(server, token, sent)
      if (sent.answer && ++answered === answers) enough.resolve()
      if (!sent.answer) return
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_, nth) => client(nth))
  await enough.promise
  await server.kill()
  isOver = true
  await Promise.all(clients)
  return all
}

test('whatever was on its way at kill -9 happens once, and answers the same for ever', async () => {
  using home = temporaryFolder()
  const dataFolder = join(home.path, 'data')
  mkdirSync(dataFolder)
  const start = () => startExecutable({ dataFolder, args: ['--demo'] })
  let server = await start()
  let uploads = 0
  try {
    for (const [round, answers] of ROUNDS.entries()) {
      const all = await load(server, round, answers)
      expect(all.some(({ answer }) => !answer)).toBe(true)
      server = await start()
      const token = await signIn(server)
      for (const sent of all) {
        const before = sent.answer
        await send(server, token, sent)
        const status = sent.kind === 'refused' ? 400 : 200
        expect(sent).toMatchObject({ answer: { status } })
        if (before) expect(sent.answer).toEqual({ ...before, isReplay: true })
        const again: Sent = { ...sent }
        await send(server, token, again)
        expect(again.answer).toEqual({ status, text: sent.answer?.text ?? '', isReplay: true })
      }
      uploads += all.filter(({ kind }) => kind === 'upload').length
      using database = new Database(join(dataFolder, 'engine.db'), { readonly: true })
      const names = database
        .query("SELECT Name FROM customers WHERE Name LIKE 'round' || ? || '-%' ORDER BY Name")
        .all(round)
      const submits = all.filter(({ kind }) => kind === 'submit').map(({ key: Name }) => ({ Name }))
      expect(names).toEqual(submits.sort((a, b) => (a.Name < b.Name ? -1 : 1)))
      expect(database.query('SELECT count(*) AS n FROM svc_uploads').get()).toEqual({ n: uploads })
      expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
      const codes = database.query('SELECT Code FROM customers WHERE CompanyId = 1').all() as {
        Code: string
      }[]
      const numbers = codes.map(({ Code }) => Number(Code.slice(2)))
      expect(new Set(numbers).size).toBe(Math.max(...numbers))
    }
    const files = readdirSync(join(dataFolder, 'files')).length
    using database = new Database(join(dataFolder, 'engine.db'), { readonly: true })
    const rows = database
      .query('SELECT (SELECT count(*) FROM svc_uploads) + (SELECT count(*) FROM svc_files) AS n')
      .get() as { n: number }
    // What nothing names waits a day: an older engine.db may know it.
    using state = new Database(join(dataFolder, 'state.db'), { readonly: true })
    const strays = state.query('SELECT count(*) AS n FROM svc_strays').get() as { n: number }
    expect(files).toBe(rows.n + strays.n)
  } finally {
    await server.kill()
  }
})
