/**
 * The harm that one caller may do to the others: a storm of sign-ins, and statements without an
 * end.
 */
import { engineJob, startEngine, workOf } from './compare.ts'
import type { LoadJob, LoadResult } from './load.ts'
import { readPeakMiB, runLoad, type ServerProcess } from './processes.ts'
import { OBJECTS, type WorkName } from './work.ts'
import { USER, type World } from './world.ts'

const SECONDS = 6
const READERS = 4
const STORMERS = 8
/** Most bytes by which a statement may have the server grow: `Svc:Sql:MaxMemory` and a fifth. */
const GROWN_MIB_MAX = 614

const shown = ({ median, p99, max }: LoadResult): string =>
  `median ${median.toFixed(1)} p99 ${p99.toFixed(1)} max ${max.toFixed(1)} ms`

/** Form loads at a calm rate, alone and beside sign-ins without a pause. */
export async function measureStorm(executable: string, world: World): Promise<string[]> {
  await using engine = await startEngine(executable, world)
  const readers = engineJob(engine, world, workOf(world, 'form').requests, {
    connections: READERS,
    seconds: SECONDS,
  })
  await runLoad({ ...readers, seconds: 2 })
  const calm = await runLoad(readers)
  const login = [{ path: '/api/v1/auth/login', body: JSON.stringify(USER) }]
  const storm = engineJob(engine, world, login, { connections: STORMERS, seconds: SECONDS + 1 })
  const [signedIn, stormy] = await Promise.all([runLoad(storm), runLoad(readers)])
  return [
    `storm   form loads calm: ${shown(calm)}; ` +
      `beside ${signedIn.perSecond.toFixed(0)} sign-ins/s: ${shown(stormy)}; ` +
      `p99 ratio ${(stormy.p99 / calm.p99).toFixed(1)}, wanted under 3`,
  ]
}

/** Views of `runaway.xml`, and what a request for each is answered with in the end. */
function planRunaways(customer: number): { name: string; path: string; body: object }[] {
  const Parameters = { Id: customer }
  return [
    { name: 'grid', path: `${OBJECTS}/runaway-grid/table`, body: {} },
    { name: 'text', path: `${OBJECTS}/runaway-text/table`, body: {} },
    {
      name: 'rule',
      path: `${OBJECTS}/submit`,
      body: { FormName: 'runaway-rule', Parameters: { ...Parameters, Phone: '+1 2' } },
    },
    {
      name: 'action',
      path: `${OBJECTS}/execute-row-action`,
      body: { ObjectName: 'runaway-rule', ActionName: 'Run', Parameters },
    },
  ]
}

/** The key of a customer that the user may change. */
async function findCustomer(engine: ServerProcess, { token }: World): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${engine.port}${OBJECTS}/customers/table`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: '{"PageSize": 1}',
  })
  const { data } = (await answer.json()) as { data: { Rows: { Id: number }[] } }
  return data.Rows[0]?.Id ?? 0
}

/** Reads and writes of others while a runaway is asked for again and again. */
export async function measureRunaways(executable: string, world: World): Promise<string[]> {
  await using engine = await startEngine(executable, world)
  const lines: string[] = []
  const job = (name: WorkName, how: Partial<LoadJob>): LoadJob =>
    engineJob(engine, world, workOf(world, name).requests, {
      connections: 2,
      seconds: SECONDS,
      ...how,
    })
  await runLoad(job('form', { seconds: 2 }))
  await runLoad(job('update', { seconds: 1 }))
  const before = readPeakMiB(engine.pid)
  for (const { name, path, body } of planRunaways(await findCustomer(engine, world))) {
    const runaway = engineJob(engine, world, [{ path, body: JSON.stringify(body) }], {
      connections: 1,
      seconds: SECONDS / 2,
      expect: [400],
    })
    const [ended, reads, writes] = await Promise.all([
      runLoad(runaway),
      runLoad(job('form', {})),
      runLoad(job('update', { connections: 1 })),
    ])
    lines.push(
      `runaway ${name}: ended ${ended.answered} times, longest ${ended.max.toFixed(0)} ms; ` +
        `reads ${shown(reads)} (wanted p99 under 50); writes ${shown(writes)}; ` +
        `grown by at most ${(readPeakMiB(engine.pid) - before).toFixed(0)} MiB, wanted ` +
        `under ${GROWN_MIB_MAX}`,
    )
  }
  return lines
}
