/** A thousand jobs, and a process that does them and is killed again and again. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemScope } from '../../src/store/store.ts'
import { enqueueJob } from '../../src/engine/jobs/enqueue.ts'
import { closeStores, openStores } from '../../src/server/open-context.ts'
import { configure } from '../../src/app.ts'
import { makeFolder } from '../store/temporary.ts'
import { findOverlaps, listDone, readRunLines, type RunLine } from '../support/job-runs.ts'

const JOBS = 1000
const KILLS = 8
/** A process is killed once so many jobs, at the most, have begun or ended in it. */
const LINES_MAX = 40

const SCOPE = systemScope('a test asks for jobs')

async function withStore<T>(
  folder: string,
  work: (store: Awaited<ReturnType<typeof openStores>>['store']) => Promise<T>,
): Promise<T> {
  const settings = configure({ dataFolder: folder, env: {}, flags: {}, environment: 'Development' })
  const stores = await openStores(folder, settings, { info: () => {}, warn: () => {} })
  try {
    return await work(stores.store)
  } finally {
    await closeStores(stores)
  }
}

/** Begins a process, which is killed after so many lines; resolves once it does jobs. */
async function begin(folder: string, log: string, lines = Infinity) {
  const script = join(import.meta.dir, '../support/job-process.ts')
  const child = Bun.spawn([process.execPath, script, folder, log, String(lines)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await child.stdout.getReader().read()
  return child
}

const readLines = (log: string): RunLine[] =>
  existsSync(log) ? readRunLines(readFileSync(log, 'utf8')) : []

test('each is done, none is stuck, and exclusive ones never run side by side', async () => {
  using made = makeFolder()
  const log = join(made.folder, 'runs.log')
  await withStore(made.folder, (store) =>
    store.write(async (tx) => {
      for (let at = 0; at < JOBS; at++)
        await enqueueJob(tx, {
          name: 'Note',
          owner: { userId: null, companyId: null },
          source: 'test',
          now: new Date(),
          // Each kill may be one of the same job.
          attemptsMax: KILLS + 1,
          ...(at % 5 === 0 && { exclusiveKey: `key-${at % 50}` }),
        })
    }, SCOPE),
  )
  for (let kill = 0; kill < KILLS; kill++) {
    const child = await begin(made.folder, log, Math.ceil(Math.random() * LINES_MAX))
    await child.exited
    expect(child.signalCode).toBe('SIGKILL')
  }
  // The kills came while there was work to be cut off.
  expect(readLines(log).length).toBeLessThan(JOBS * 2)
  const last = await begin(made.folder, log)
  await waitForSuccess(made.folder)
  last.kill('SIGTERM')
  expect(await last.exited).toBe(0)
  const lines = readLines(log)
  expect(listDone(lines).size).toBe(JOBS)
  expect(findOverlaps(lines)).toEqual([])
  const again = lines.filter(({ what }) => what === 'begin').length - JOBS
  expect(again).toBeGreaterThan(0)
})

/** Resolves when all jobs have succeeded: a test that waits for ever is ended. */
async function waitForSuccess(folder: string): Promise<void> {
  const database = new Database(join(folder, 'engine.db'), { readonly: true })
  const count = database.query("SELECT count(*) AS Jobs FROM svc_jobs WHERE State = 'Succeeded'")
  while ((count.get() as { Jobs: number }).Jobs < JOBS) await Bun.sleep(20)
  database.close()
}
