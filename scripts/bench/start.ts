/** How soon a started executable answers its first grid, and what memory it takes at rest. */
import { startEngine } from './compare.ts'
import { readResidentMiB } from './processes.ts'
import { OBJECTS } from './work.ts'
import type { World } from './world.ts'

const STARTS = 10
const REST_MS = 5000

/** Loads one page; resolves once its body is whole. */
async function loadPage(port: number, token: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}${OBJECTS}/orders/table`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: '{}',
  })
  if (answer.status !== 200) throw new Error(await answer.text())
  await answer.text()
}

/** Start to first grid answer (median and all), and resident memory at rest. */
export async function measureStart(executable: string, world: World): Promise<string[]> {
  const times: number[] = []
  for (let start = 0; start < STARTS; start++) {
    const startedAt = performance.now()
    await using engine = await startEngine(executable, world)
    await loadPage(engine.port, world.token)
    times.push(performance.now() - startedAt)
  }
  await using engine = await startEngine(executable, world)
  await Bun.sleep(REST_MS)
  const idle = readResidentMiB(engine.pid)
  await loadPage(engine.port, world.token)
  await Bun.sleep(REST_MS)
  const rested = readResidentMiB(engine.pid)
  const sorted = times.toSorted((a, b) => a - b).map((time) => time.toFixed(0))
  return [
    `start   first grid answer after ${sorted[STARTS / 2]} ms (${sorted.join(' ')}), ` +
      `wanted under 80`,
    `memory  ${idle.toFixed(0)} MiB idle, ${rested.toFixed(0)} MiB at rest after a grid page, ` +
      `wanted under 100 MB`,
  ]
}
