/**
 * The harm that a greedy caller does to a polite one: reads and writes of one at a time, alone and
 * beside another user's submits from 1 to 600 connections.
 */
import { engineJob, KEEPS_NOTHING, startEngine, workOf } from './compare.ts'
import type { LoadJob, LoadRequest, LoadResult } from './load.ts'
import { runLoad, type ServerProcess } from './processes.ts'
import { OBJECTS, type WorkName } from './work.ts'
import type { World } from './world.ts'

const GREEDY = { UserName: 'ana', Password: 'ana-demo-password' }
const CONNECTIONS: readonly number[] = [0, 1, 20, 100, 600]
const SECONDS = 5
const POLITE: readonly WorkName[] = ['form', 'page-repeated', 'update']
const WANTED = 5

async function post<T>(engine: ServerProcess, path: string, body: object, token = ''): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${engine.port}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
  return ((await answer.json()) as { data: T }).data
}

/** The greedy user's token, and submits of orders of theirs. */
async function planGreed(engine: ServerProcess) {
  const { AccessToken: token } = await post<{ AccessToken: string }>(
    engine,
    '/api/v1/auth/login',
    GREEDY,
  )
  const Filters = [{ Field: 'Status', Operator: 'eq', Value: 'new' }]
  const path = `${OBJECTS}/orders/table`
  const { Rows } = await post<{ Rows: { Id: number }[] }>(
    engine,
    path,
    { Filters, PageSize: 100 },
    token,
  )
  const requests = Rows.map(({ Id }, at): LoadRequest => {
    const Parameters = { Id, Reference: `G ${at}` }
    const body = JSON.stringify({ FormName: 'orders', Parameters })
    return { method: 'POST', path: `${OBJECTS}/submit`, body }
  })
  return { token, requests }
}

/** Each kind of the polite caller's requests, beside greedy ones of so many connections. */
export async function measureOverload(executable: string, world: World): Promise<string[]> {
  // Else what writes drop from the query cache would count for what they cost beside it.
  await using engine = await startEngine(executable, world, KEEPS_NOTHING)
  const { token, requests } = await planGreed(engine)
  const greedy = (connections: number): LoadJob => ({
    port: engine.port,
    headers: { Authorization: `Bearer ${token}` },
    requests,
    connections,
    seconds: SECONDS + 1,
    expect: [200, 503],
  })
  const polite = (name: WorkName, seconds: number): Promise<LoadResult> => {
    const how = { connections: 1, seconds }
    return runLoad(engineJob(engine, world, workOf(world, name).requests, how))
  }
  for (const name of POLITE) await polite(name, 2)
  const lines: string[] = []
  for (const name of POLITE) {
    let idle = Number.NaN
    for (const connections of CONNECTIONS) {
      const beside = connections > 0 ? runLoad(greedy(connections)) : undefined
      if (beside) await Bun.sleep(500)
      const { median, p99, max } = await polite(name, SECONDS)
      if (connections === 0) idle = p99
      lines.push(
        `overload ${name.padEnd(13)} beside ${String(connections).padStart(3)} submits ` +
          `(${((await beside)?.perSecond ?? 0).toFixed(0)}/s): ` +
          `median ${median.toFixed(1)} p99 ${p99.toFixed(1)} max ${max.toFixed(1)} ms; ` +
          `p99 ratio ${(p99 / idle).toFixed(1)}, wanted ${WANTED}`,
      )
    }
  }
  return lines
}
