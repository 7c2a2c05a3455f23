/** The figures of the executable as Prometheus of Debian reads them, with our rules. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningExecutable, startExecutable, temporaryFolder } from '../support/executable.ts'
import { until } from '../support/until.ts'

const MONITORING = join(import.meta.dir, '../../scripts/monitoring')
const home = temporaryFolder()
let server: RunningExecutable
let prometheus: Bun.Subprocess
let url: string

/** Exit code and both outputs of promtool. */
async function promtool(words: string[], input = ''): Promise<{ code: number; text: string }> {
  const child = Bun.spawn(['promtool', ...words], {
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()]
  const text = (await Promise.all(texts)).join('')
  return { code: await child.exited, text }
}

function findPort(): number {
  const free = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
  free.stop(true)
  return free.port
}

async function ask<T>(path: string): Promise<T | undefined> {
  const response = await fetch(`${url}/api/v1/${path}`).catch(() => undefined)
  if (response?.status !== 200) return undefined
  return ((await response.json()) as { data: T }).data
}

beforeAll(async () => {
  server = await startExecutable()
  cpSync(MONITORING, home.path, { recursive: true })
  const config = join(home.path, 'prometheus.yml')
  const text = await Bun.file(config).text()
  await Bun.write(
    config,
    text
      .replace('127.0.0.1:8080', new URL(server.url).host)
      .replace('scrape_interval: 15s', 'scrape_interval: 200ms\n  evaluation_interval: 200ms'),
  )
  const address = `127.0.0.1:${findPort()}`
  url = `http://${address}`
  prometheus = Bun.spawn(
    [
      'prometheus',
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(home.path, 'tsdb')}`,
      `--web.listen-address=${address}`,
    ],
    { stdio: ['ignore', 'ignore', 'ignore'] },
  )
})

afterAll(async () => {
  prometheus.kill()
  await prometheus.exited
  await server[Symbol.asyncDispose]()
  home[Symbol.dispose]()
})

test('promtool has nothing to say about the figures, and takes rules and settings', async () => {
  await fetch(`${server.url}/api/v1/auth/me`)
  const figures = await (await fetch(`${server.url}/metrics`)).text()
  expect(await promtool(['check', 'metrics'], figures)).toEqual({ code: 0, text: '' })
  const rules = await promtool(['check', 'rules', join(MONITORING, 'alerts.yml')])
  expect({ ...rules, text: /FAILED|error/i.test(rules.text) }).toEqual({ code: 0, text: false })
  const config = join(home.path, 'prometheus.yml')
  expect((await promtool(['check', 'config', config])).code).toBe(0)
}, 60_000)

test('Prometheus scrapes it, and evaluates each rule', async () => {
  interface Found {
    result: { metric: Record<string, string>; value: [number, string] }[]
  }
  const query = async (text: string): Promise<Found['result']> =>
    (await ask<Found>(`query?query=${encodeURIComponent(text)}`))?.result ?? []
  await until(async () => (await query('up{job="appengine"} == 1')).length === 1)
  const [built] = await query('appengine_build_info')
  expect(built?.metric).toMatchObject({ version: expect.stringMatching(/^\d/), job: 'appengine' })
  expect((await query('appengine_database_serving == 1')).length).toBe(2)
  interface Rules {
    groups: { rules: { name: string; health: string; state: string }[] }[]
  }
  const list = async () => (await ask<Rules>('rules'))?.groups.flatMap(({ rules }) => rules) ?? []
  await until(async () => (await list()).every(({ health }) => health !== 'unknown'))
  const rules = await list()
  expect(rules.length).toBeGreaterThan(15)
  expect(rules.filter(({ health }) => health !== 'ok')).toEqual([])
}, 60_000)
