/**
 * What searches in a grid cost beside a bare server that asks for page and count with LIKE: each
 * for another text, for texts that very many rows have, for the same ones again, while a writer
 * writes, and in the first seconds after a start.
 */
import { bareLoad, compareWork, compareWorks, describe, engineJob, runRound } from './compare.ts'
import { startBare, startEngine } from './compare.ts'
import type { Round, Servers } from './compare.ts'
import type { ServerProcess } from './processes.ts'
import type { Work, World } from './world.ts'

const KEEPS_NOTHING = { 'Svc:Cache:MaxBytes': '0' }
/** What is wanted of a search once the texts are in memory, and always. */
const WARM = 4
const ALWAYS = 1

/** Answers are kept only where the same is asked for again. */
export async function measureSearch(executable: string, world: World): Promise<string[]> {
  const wanted = { search: WARM, common: WARM }
  return [
    ...(await compareWorks(executable, world, wanted, KEEPS_NOTHING)),
    ...(await compareWorks(executable, world, { common: WARM })).map((line) => `again   ${line}`),
    await measureBesideWriter(executable, world),
    await measureCold(executable, world),
  ]
}

/** The work of this name. */
export function workOf({ works }: World, name: Work['name']): Work {
  const work = works.find((candidate) => candidate.name === name)
  if (!work) throw new Error(`The world has no ${name}`)
  return work
}

const WRITES_A_SECOND = 20

/** Writes at an even pace until it is disposed of. */
function startWriter(send: (at: number) => Promise<Response>): AsyncDisposable {
  let isOver = false
  const write = async (): Promise<void> => {
    const start = performance.now()
    for (let at = 0; !isOver; at++) {
      await Bun.sleep(Math.max(0, start + (at * 1000) / WRITES_A_SECOND - performance.now()))
      const answer = await send(at)
      const text = await answer.text()
      if (!answer.ok) throw new Error(`A write was refused: ${text}`)
    }
  }
  const writing = write()
  return {
    [Symbol.asyncDispose]: async () => {
      isOver = true
      await writing
    },
  }
}

/** What updates orders at an even pace on one of the servers. */
export function writerBeside({
  world,
  bare,
}: Pick<Servers, 'world' | 'bare'>): (server: ServerProcess) => AsyncDisposable {
  const { requests } = workOf(world, 'update')
  return (server) =>
    startWriter((at) => {
      const Index = at % requests.length
      const { path, body } = requests[Index] ?? { path: '', body: '' }
      const isBare = server === bare
      return fetch(`http://127.0.0.1:${server.port}${isBare ? '/update' : path}`, {
        method: 'POST',
        headers: isBare
          ? {}
          : { Authorization: `Bearer ${world.token}`, 'Content-Type': 'application/json' },
        body: isBare ? JSON.stringify({ Index }) : body,
      })
    })
}

async function measureBesideWriter(executable: string, world: World): Promise<string> {
  await using engine = await startEngine(executable, world, KEEPS_NOTHING)
  await using bare = await startBare(world)
  const servers = { engine, bare, world, beside: writerBeside({ world, bare }) }
  return `writer  ${await compareWork(workOf(world, 'search'), WARM, servers)}`
}

const COLD_ROUNDS = 3
const COLD_SECONDS = 3

/** Both are started anew for each round, which begins when they listen. */
async function measureCold(executable: string, world: World): Promise<string> {
  const work = workOf(world, 'search')
  const how = { connections: 16, seconds: COLD_SECONDS }
  const rounds: { engine: Round[]; bare: Round[] } = { engine: [], bare: [] }
  for (let round = 0; round < COLD_ROUNDS; round++) {
    await using engine = await startEngine(executable, world)
    rounds.engine.push(await runRound(engine, engineJob(engine, world, work.requests, how)))
    await using bare = await startBare(world)
    rounds.bare.push(await runRound(bare, { ...bareLoad(bare, work), ...how }))
  }
  return `cold    ${describe(work.name, ALWAYS, rounds.engine, rounds.bare)}`
}
