/** Documents to print: an invoice again and again, and a long list beside readers of a grid. */
import { engineJob, startEngine, workOf } from './compare.ts'
import { median, watchMemory } from './export.ts'
import { readFamilyMiB, runLoad, runLoadBeside, type ServerProcess } from './processes.ts'
import { OBJECTS } from './work.ts'
import type { World } from './world.ts'

const INVOICES = 20
/** Orders of a list of some 500 pages. */
const LISTED = 6_000
const READERS = 2

/** Lines of figures on each. */
export async function measurePrint(executable: string, world: World): Promise<string[]> {
  return [await measureInvoices(executable, world), await measureList(executable, world)]
}

async function measureInvoices(executable: string, world: World): Promise<string> {
  await using engine = await startEngine(executable, world, {}, true)
  const keys = await loadKeys(engine, world, INVOICES + 1)
  const times: number[] = []
  for (const key of keys) {
    const startedAt = performance.now()
    await print(engine, world, `invoice?Id=${key}&format=pdf`)
    times.push(performance.now() - startedAt)
  }
  const [first = 0, ...warm] = times
  return (
    `invoice ${median(warm).toFixed(0)} ms, slowest of ${warm.length} ` +
    `${Math.max(...warm).toFixed(0)} ms, wanted under 150; the first ${first.toFixed(0)} ms`
  )
}

async function measureList(executable: string, world: World): Promise<string> {
  await using engine = await startEngine(executable, world, {}, true)
  const page = workOf(world, 'page-repeated').requests
  const readers = engineJob(engine, world, page, { connections: READERS, seconds: 1 })
  const calm = await runLoad(readers)
  const [last] = (await loadKeys(engine, world, 1, LISTED)).slice(-1)
  const filters = JSON.stringify([{ Field: 'Id', Operator: 'le', Value: last }])
  const list = async () => {
    const startedAt = performance.now()
    const query = `list?object=orders&format=pdf&filters=${encodeURIComponent(filters)}`
    const bytes = await print(engine, world, query)
    return { ms: performance.now() - startedAt, pages: countPages(bytes) }
  }
  const [alone, idle, peak] = await watchMemory(engine.pid, list, readFamilyMiB)
  const { p99, max } = await runLoadBeside(readers, list())
  return (
    `list    ${alone.pages} pages in ${(alone.ms / 1000).toFixed(1)} s, peak of all processes ` +
    `${(peak - idle).toFixed(0)} MiB above ${idle.toFixed(0)}, wanted under 300; pages of a grid ` +
    `meanwhile p99 ${p99.toFixed(1)} max ${max.toFixed(1)} ms (calm p99 ${calm.p99.toFixed(1)}), ` +
    'wanted under 50'
  )
}

/** Keys of orders in their order, from one of them on. */
async function loadKeys(
  engine: ServerProcess,
  { token }: World,
  count: number,
  after = 0,
): Promise<number[]> {
  const answer = await fetch(`http://127.0.0.1:${engine.port}${OBJECTS}/orders/table`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      Sort: [{ Field: 'Id' }],
      Page: Math.floor(after / count) + 1,
      PageSize: count,
      Fields: ['Id'],
      CountMode: 'none',
    }),
  })
  const { data } = (await answer.json()) as { data: { Rows: { Id: number }[] } }
  return data.Rows.map(({ Id }) => Id)
}

/** @throws Error where it is no PDF */
async function print(engine: ServerProcess, { token }: World, query: string): Promise<Buffer> {
  const answer = await fetch(`http://127.0.0.1:${engine.port}/report/${query}`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (bytes.subarray(0, 5).toString() === '%PDF-') return bytes
  throw new Error(`${answer.status}: ${bytes.toString('utf8', 0, 500)}`)
}

const countPages = (bytes: Buffer): number =>
  Number(/\/Type \/Pages\s*\/Count (\d+)/.exec(bytes.toString('latin1'))?.[1])
