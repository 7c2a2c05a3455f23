/** A scrape of `/metrics`, without and with many hubs that are open. */
import { readFileSync } from 'node:fs'
import { startExecutable } from '../../test/support/executable.ts'
import { closeAll, openMany, signIn } from './hub.ts'

const HUBS = 5000
const SCRAPES = 200
/** Counts of the database are kept for ten seconds: a scraper that comes later has them counted. */
const COLD_SCRAPES = 5
const COLD_MS = 10_500
/** Length of a tick of `/proc`. */
const TICK_MS = 10

/** Prints milliseconds of the answer, and of the processor for it. */
export async function* measureScrape(): AsyncGenerator<string> {
  const env = { Svc__Hubs__UserConnections: '20000', Svc__Log__Level: 'error' }
  await using server = await startExecutable({ env })
  const url = `${server.url}/metrics`
  await scrape(url, SCRAPES)
  yield await describe('without hubs', url, server.pid)
  const open = await openMany(server.url, 'notifications', await signIn(server), HUBS)
  yield await describe(`${HUBS} hubs`, url, server.pid)
  await closeAll(open)
}

async function describe(name: string, url: string, pid: number): Promise<string> {
  const before = readTicks(pid)
  const times = await scrape(url, SCRAPES)
  const ticks = readTicks(pid) - before
  const cold: number[] = []
  for (let at = 0; at < COLD_SCRAPES; at++) {
    await Bun.sleep(COLD_MS)
    cold.push(...(await scrape(url, 1)))
  }
  const processor = ((ticks * TICK_MS) / SCRAPES).toFixed(2)
  return (
    `scrape  ${name}: median ${quantile(times, 0.5)} ms, p95 ${quantile(times, 0.95)} ms, ` +
    `${processor} ms of processor; after ten seconds median ${quantile(cold, 0.5)} ms, ` +
    `at most ${quantile(cold, 1)} ms, wanted under 10`
  )
}

async function scrape(url: string, count: number): Promise<number[]> {
  const times: number[] = []
  for (let at = 0; at < count; at++) {
    const begun = performance.now()
    const answer = await fetch(url)
    await answer.text()
    if (!answer.ok) throw new Error(`${url} answers ${answer.status}`)
    times.push(performance.now() - begun)
  }
  return times
}

const quantile = (times: readonly number[], share: number): string => {
  const sorted = times.toSorted((a, b) => a - b)
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)
}

/** Processor time of a process in user and system mode. */
function readTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}
