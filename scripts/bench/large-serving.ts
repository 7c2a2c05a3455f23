/**
 * Time that callers wait while a large model is deployed into the running server, or its rights
 * move.
 */
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/executable.ts'
import { type LargeModel, planLargeModel } from './large-model.ts'
import { startServer } from './processes.ts'
import { OBJECTS } from './work.ts'

/** The pace of requests, sent whether the last response has come or not. */
const EVERY_MS = 10
const QUIET_MS = 2000
const GRANTS = 12
const SYSTEM = { UserName: 'root', Password: 'root-demo-password' }
const BOARD = '/api/v1/svc/auth/board'

type Call = <T>(path: string, body: object) => Promise<T>

interface Page {
  startedAt: number
  ms: number
}

/** Answer times of grid pages while each of these is under way, through a server of its own. */
export async function measureLargeServing(executable: string, size: LargeModel): Promise<string[]> {
  using home = temporaryFolder()
  const serve = [executable, 'serve', '--demo', '--port', '0', '--data', join(home.path, 'data')]
  await using server = await startServer(serve)
  const token = await signIn(server.port)
  const call: Call = (path, body) => post(server.port, token, path, body)
  const files = planLargeModel(size).map(({ name, body }) => ({
    FileName: name,
    // Beside that of the demo, in whose place it would come.
    Body: body.replace('<Rbac>', '<Rbac Name="Large">'),
  }))
  const deploy = (Files: object[]) => call('/api/v1/svc/scripts', { Files })
  const planChange = async (Grant: boolean): Promise<object> => {
    const asked = { Principals: ['role:Reader'], Resources: ['Parts1'] }
    const { Version } = await call<{ Version: string }>(`${BOARD}/matrix`, asked)
    const change = { Principal: 'role:Reader', Resource: 'Parts1', Verb: 'Export', Grant }
    return { Version, Changes: [change] }
  }
  const apply = async (): Promise<unknown> => call(`${BOARD}/apply`, await planChange(true))
  const changed = files.map(({ Body, ...file }) => ({
    ...file,
    Body: Body.replaceAll('MaxLength="500"', 'MaxLength="501"'),
  }))
  return [
    await measure('nothing', call, () => Bun.sleep(QUIET_MS)),
    await measure('its deploy', call, () => deploy(files)),
    await measure('a deploy of changes', call, () => deploy(changed)),
    await measure('a change of rights', call, apply),
    await measureRights(async (isGranted) => {
      const change = await planChange(isGranted)
      const startedAt = performance.now()
      await call(`${BOARD}/apply`, change)
      return performance.now() - startedAt
    }),
  ]
}

/** How long a grant takes until it is live, given and taken in turn. */
async function measureRights(apply: (isGranted: boolean) => Promise<number>): Promise<string> {
  const times: number[] = []
  for (let at = 0; at < GRANTS; at++) times.push(await apply(at % 2 === 1))
  const sorted = times.toSorted((a, b) => a - b)
  const median = sorted[Math.floor(GRANTS / 2)] ?? Number.NaN
  const slowest = sorted.at(-1) ?? Number.NaN
  return (
    `large   a grant on the board is live after ${median.toFixed(0)} ms, the slowest of ` +
    `${GRANTS} after ${slowest.toFixed(0)} ms, wanted under 50`
  )
}

async function measure(name: string, call: Call, work: () => Promise<unknown>): Promise<string> {
  const pages: Promise<Page>[] = []
  const ask = setInterval(() => pages.push(loadPage(call)), EVERY_MS)
  await Bun.sleep(EVERY_MS * 10)
  const startedAt = performance.now()
  await work()
  const endedAt = performance.now()
  // What comes at the end holds up those who ask then.
  await Bun.sleep(EVERY_MS * 30)
  clearInterval(ask)
  const asked = (await Promise.all(pages)).filter((page) => page.startedAt >= startedAt)
  const times = asked.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (share: number): string =>
    (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN).toFixed(1)
  return (
    `large   grid pages beside ${name} (${(endedAt - startedAt).toFixed(0)} ms): ` +
    `median ${at(0.5)} ms, p99 ${at(0.99)} ms, the slowest ${at(1)} ms, wanted p99 under 50`
  )
}

async function loadPage(call: Call): Promise<Page> {
  const startedAt = performance.now()
  const at = Math.floor(startedAt)
  await call(`${OBJECTS}/orders/table`, { PageSize: 50, Page: 1 + (at % 20) })
  return { startedAt, ms: performance.now() - startedAt }
}

async function signIn(port: number): Promise<string> {
  const { AccessToken } = await post<{ AccessToken: string }>(
    port,
    '',
    '/api/v1/auth/login',
    SYSTEM,
  )
  return AccessToken
}

async function post<T>(port: number, token: string, path: string, body: object): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(text.slice(0, 2000))
  return (JSON.parse(text) as { data: T }).data
}
