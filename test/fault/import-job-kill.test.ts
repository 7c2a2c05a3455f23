/** `kill -9` at any time of an import in the background: it is made once, whole, and told once. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningExecutable, startExecutable, temporaryFolder } from '../support/executable.ts'
import { scaleCases } from '../support/property.ts'
import { until } from '../support/until.ts'

const ROWS = scaleCases(500)
/** Tries that an import has beyond these kills. */
const KILLS = 2
const IMPORTS = 1 + scaleCases(1)

const file = (letters: string): string => {
  const rows = Array.from({ length: ROWS }, (_, at) => {
    return `${letters}-${String(at).padStart(6, '0')},Product ${at},tools,${at}.50,${at}.25\n`
  })
  return `Article number,Name,GroupCode,Price,Cost\n${rows.join('')}`
}

async function send({ url }: RunningExecutable, letters: string): Promise<number> {
  const signIn = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ UserName: 'root', Password: 'root-demo-password' }),
  })
  const { AccessToken } = ((await signIn.json()) as { data: { AccessToken: string } }).data
  const form = new FormData()
  form.set('objectName', 'Products')
  form.set('background', 'true')
  form.set('file', new File([file(letters)], `${letters}.csv`))
  const headers = { Authorization: `Bearer ${AccessToken}` }
  const path = '/api/v1/svc/object/import-data'
  const answer = await fetch(url + path, { method: 'POST', headers, body: form })
  if (answer.status !== 200) throw new Error(await answer.text())
  return ((await answer.json()) as { data: { JobId: number } }).data.JobId
}

/** The state of an import in the database. */
function look(folder: string, letters: string, job: number) {
  using database = new Database(join(folder, 'engine.db'), { readonly: true })
  const ask = (sql: string, value: string | number): unknown =>
    Object.values(database.query(sql).get(value) as object)[0]
  return {
    rows: ask(`SELECT count(*) FROM products WHERE Sku LIKE ? || '-%'`, letters),
    told: ask(`SELECT count(*) FROM svc_notifications WHERE Body = ? || '.csv'`, letters),
    state: ask('SELECT State FROM svc_jobs WHERE Id = ?', job),
  }
}

test('an import is made exactly once, however often the server dies', async () => {
  using home = temporaryFolder()
  const dataFolder = join(home.path, 'data')
  mkdirSync(dataFolder)
  const start = () => startExecutable({ dataFolder, args: ['--demo'] })
  let server = await start()
  try {
    let whole = 0
    for (let nth = 0; nth < IMPORTS; nth++) {
      const letters = `K${String.fromCharCode(65 + nth)}`
      const began = performance.now()
      const job = await send(server, letters)
      // The first one is let be: it tells how long they take.
      for (let kill = 0; nth > 0 && kill < KILLS; kill++) {
        await Bun.sleep(whole * (0.4 + 0.6 * Math.random()))
        await server.kill()
        const { rows, told } = look(dataFolder, letters, job)
        expect([`0 0`, `${ROWS} 1`]).toContain(`${String(rows)} ${String(told)}`)
        server = await start()
      }
      const isOver = () => /^(Succeeded|Failed)$/.test(String(look(dataFolder, letters, job).state))
      await until(isOver)
      expect(look(dataFolder, letters, job)).toEqual({ rows: ROWS, told: 1, state: 'Succeeded' })
      whole ||= performance.now() - began
    }
    const isEmpty = () => readdirSync(join(dataFolder, 'imports')).length === 0
    await until(isEmpty)
  } finally {
    await server.kill()
  }
})
