/** A thousand jobs, and a process that does them and is killed twenty times. */
import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { enqueueJob } from '../../src/engine/jobs/enqueue.ts'
import { configure } from '../../src/app.ts'
import { closeStores, openStores } from '../../src/server/open-context.ts'
import { systemScope } from '../../src/store/store.ts'
import { makeFolder } from '../store/temporary.ts'
import { findOverlaps, listDone, readRunLines } from '../support/job-runs.ts'
import type { RunLine } from '../support/job-runs.ts'

const JOBS = 1000
const KILLS = 20
const LIFE_MS_MAX = 60

const SCOPE = systemScope('a test asks for jobs')

async function withStore<T>(
  folder: string,
  work: (store: Awaited<ReturnType<typeof openStores>>['store']) => Promise<T>,
): Promise<T> {
  const settings = configure({ dataFolder: folder, env: {}, flags: {}, environment: 'Development' })
  const stores = await openStores(folder, settings, () => {})
  try {
    return await work(stores.store)
  } finally {
    await closeStores(stores)
  }
}

/** Begins a process; resolves once it does jobs. */
async function begin(folder: string, log: string) {
  const script = join(import.meta.dir, '../support/job-process.ts')
  const child = Bun.spawn(['bun', script, folder, log], { stdio: ['ignore', 'pipe', 'inherit'] })
  await child.stdout.getReader().read()
  return child
}

const readLines = (log: string): RunLine[] => readRunLines(readFileSync(log, 'utf8'))

test('each is done, none is stuck, and exclusive ones never run side by side', async () => {
  using made = makeFolder()
  const log = join(made.folder, 'runs.log')
  await withStore(made.folder, (store) =>
    store.write(async (tx) => {
      for (let at = 0; at < JOBS; at++)
        await enqueueJob(tx, {
          ...{ name: 'Note', owner: { userId: null, companyId: null }, source: 'test' },
          now: new Date(),
          ...(at % 5 === 0 && { exclusiveKey: `key-${at % 50}` }),
        })
    }, SCOPE),
  )
  for (let kill = 0; kill < KILLS; kill++) {
    const child = await begin(made.folder, log)
    await Bun.sleep(Math.random() * LIFE_MS_MAX)
    child.kill('SIGKILL')
    await child.exited
  }
  const ended = existsSync(log) ? readLines(log).filter(({ what }) => what === 'end').length : 0
  // The kills came while there was work to be cut off.
  expect(ended).toBeGreaterThan(50)
  const last = await begin(made.folder, log)
  const count = (state: string): Promise<number> =>
    withStore(made.folder, async (store) => {
      const sql = `SELECT count(*) AS n FROM svc_jobs WHERE State = '${state}'`
      return Number((await store.get({ sql, args: {}, runs: 'inline' }))?.n)
    })
  await waitForEnds(log)
  last.kill('SIGTERM')
  expect(await last.exited).toBe(0)
  expect(await count('Succeeded')).toBe(JOBS)
  const lines = readLines(log)
  expect(listDone(lines).size).toBe(JOBS)
  expect(findOverlaps(lines)).toEqual([])
  const again = lines.filter(({ what }) => what === 'begin').length - JOBS
  expect(again).toBeGreaterThan(0)
})

async function waitForEnds(log: string): Promise<void> {
  for (let look = 0; look < 600; look++) {
    if (listDone(readLines(log)).size === JOBS) return
    await Bun.sleep(50)
  }
}
