/** `kill -9` at any time of an import: all of its rows are there, or none (faults 2, 5). */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningExecutable, startExecutable, temporaryFolder } from '../support/executable.ts'
import { sampleCases, scaleCases } from '../support/property.ts'

const ROWS = scaleCases(500)
const AT = sampleCases([0.1, 0.5, 0.75, 0.9, 0.97], 2)

const file = (letters: string): string => {
  const rows = Array.from({ length: ROWS }, (_, at) => {
    return `${letters}-${String(at).padStart(6, '0')},Product ${at},tools,${at}.50,${at}.25\n`
  })
  return `Article number,Name,GroupCode,Price,Cost\n${rows.join('')}`
}

async function signIn({ url }: RunningExecutable): Promise<string> {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ UserName: 'root', Password: 'root-demo-password' }),
  })
  return ((await answer.json()) as { data: { AccessToken: string } }).data.AccessToken
}

async function send(server: RunningExecutable, letters: string): Promise<Response> {
  const form = new FormData()
  form.set('objectName', 'Products')
  form.set('file', new File([file(letters)], 'products.csv'))
  const token = await signIn(server)
  return fetch(`${server.url}/api/v1/svc/object/import-data`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Idempotency-Key': `import-${letters}` },
    body: form,
  })
}

/** Products of an import, with their entries in the audit log, and whether the file is whole. */
function look(folder: string, letters: string) {
  using database = new Database(join(folder, 'engine.db'), { readonly: true })
  const ask = (sql: string): unknown => Object.values(database.query(sql).get(letters) as object)[0]
  return {
    rows: ask(`SELECT count(*) FROM products WHERE Sku LIKE ? || '-%'`),
    traces: ask(
      `SELECT count(*) FROM svc_audit WHERE Entity = 'Product' AND Action = 'insert'
         AND Changes LIKE '%"' || ? || '-%'`,
    ),
    check: (database.query('PRAGMA integrity_check').get() as { integrity_check: string })
      .integrity_check,
  }
}

test('kill -9 in an import leaves all of it or nothing, and its key runs it again', async () => {
  using home = temporaryFolder()
  const dataFolder = join(home.path, 'data')
  mkdirSync(dataFolder)
  const start = () => startExecutable({ dataFolder, args: ['--demo'] })
  let server = await start()
  try {
    const began = performance.now()
    expect((await send(server, 'AA')).status).toBe(200)
    const whole = performance.now() - began
    for (const [at, part] of AT.entries()) {
      const letters = `B${String.fromCharCode(65 + at)}`
      const sending = send(server, letters).then(
        ({ status }) => status,
        () => undefined,
      )
      await Bun.sleep(whole * part)
      await server.kill()
      await sending
      server = await start()
      const { rows, traces, check } = look(dataFolder, letters)
      expect(check).toBe('ok')
      expect([0, ROWS]).toContain(rows as number)
      expect(traces).toBe(rows)
      expect((await send(server, letters)).status).toBe(200)
      expect(look(dataFolder, letters)).toEqual({ rows: ROWS, traces: ROWS, check: 'ok' })
      expect(readdirSync(join(dataFolder, 'uploads'))).toEqual([])
    }
  } finally {
    await server.kill()
  }
})
