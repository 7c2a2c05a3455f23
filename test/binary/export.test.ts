/** Exports through the executable: fetched whole, kept over a restart, swept after kill -9. */
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningExecutable, startExecutable, temporaryFolder } from '../support/executable.ts'
import type { MadeFile } from '../support/exported-types.ts'
import { scaleCases } from '../support/property.ts'
import { until } from '../support/until.ts'

/** Kills, each after one export more. */
const CYCLES = scaleCases(2)

const OBJECT = '/api/v1/svc/object'

async function signIn({ url }: RunningExecutable): Promise<Record<string, string>> {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ UserName: 'ana', Password: 'ana-demo-password' }),
  })
  const { data } = (await answer.json()) as { data: { AccessToken: string } }
  return { 'Content-Type': 'application/json', Authorization: `Bearer ${data.AccessToken}` }
}

type Headers = Record<string, string>

async function exportOrders(url: string, headers: Headers, Format: string): Promise<MadeFile> {
  const answer = await fetch(`${url}${OBJECT}/export-data`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ObjectName: 'orders', Format }),
  })
  return ((await answer.json()) as { data: { File: MadeFile } }).data.File
}

async function hashOf(url: string, headers: Headers, file: MadeFile): Promise<string> {
  const answer = await fetch(url + file.Url, { headers })
  expect(answer.status).toBe(200)
  return createHash('sha256')
    .update(await answer.bytes())
    .digest('hex')
}

test('files are fetched whole, and again after a restart', async () => {
  using home = temporaryFolder()
  const dataFolder = join(home.path, 'data')
  mkdirSync(dataFolder)
  const made: MadeFile[] = []
  {
    await using server = await startExecutable({ dataFolder })
    const headers = await signIn(server)
    for (const format of ['csv', 'xlsx', 'jsonl'])
      made.push(await exportOrders(server.url, headers, format))
    for (const file of made) expect(await hashOf(server.url, headers, file)).toBe(file.Sha256)
    for (const name of ['..%2f..%2fengine.db', '%252e%252e%252fengine.db', '..%5cengine.db']) {
      const answer = await fetch(`${server.url}${OBJECT}/export-file/${name}`, { headers })
      expect([400, 404]).toContain(answer.status)
    }
    expect((await fetch(server.url + made[0]?.Url)).status).toBe(401)
  }
  await using again = await startExecutable({ dataFolder })
  const headers = await signIn(again)
  for (const file of made) expect(await hashOf(again.url, headers, file)).toBe(file.Sha256)
})

test('kill -9 amid exports leaves no part of a file', async () => {
  using home = temporaryFolder()
  const dataFolder = join(home.path, 'data')
  mkdirSync(dataFolder)
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const server = await startExecutable({ dataFolder })
    const headers = await signIn(server)
    let done = 0
    let isDead = false
    const exportAgain = async (): Promise<void> => {
      while (!isDead) {
        await exportOrders(server.url, headers, 'xlsx')
        done++
      }
    }
    const ends = Array.from({ length: 4 }, () => exportAgain().catch((error: unknown) => error))
    while (done < 4 + cycle) await Promise.race([Bun.sleep(1), ...ends])
    isDead = true
    await server.kill()
    await Promise.all(ends)
  }
  await using server = await startExecutable({ dataFolder })
  const headers = await signIn(server)
  const folder = join(dataFolder, 'exports')
  await until(async () => {
    const answers = await Promise.all(
      readdirSync(folder).map((name) =>
        fetch(`${server.url}${OBJECT}/export-file/${name}`, { headers }),
      ),
    )
    return answers.every(({ status }) => status === 200)
  })
})
