/**
 * A process that does the jobs of a data folder, and writes down when each begins and ends: it is
 * there to be killed, or stopped by SIGTERM. `bun job-process.ts FOLDER LOG [LINES]` prints a line
 * once it works; after so many lines of the log it is killed, amid whatever it does.
 */
import { appendFileSync } from 'node:fs'
import { systemClock } from '../../src/kernel/clock.ts'
import { createLog } from '../../src/kernel/log.ts'
import type { Callers } from '../../src/access/callers/callers.ts'
import { Hold } from '../../src/engine/jobs/hold.ts'
import { readQueues } from '../../src/engine/jobs/job-queues.ts'
import { JobServer } from '../../src/engine/jobs/job-server.ts'
import type { JobRow } from '../../src/engine/jobs/job.ts'
import { Progress } from '../../src/engine/progress.ts'
import { closeStores, openStores } from '../../src/server/open-context.ts'
import { configure } from '../../src/app.ts'
import { printRunLine, type RunLine } from './job-runs.ts'

const RUN_MS_MAX = 8
const KILL_MS_MAX = 2

const [folder = '', logFile = '', linesMax = 'Infinity'] = process.argv.slice(2)
const settings = configure({
  dataFolder: folder,
  env: {},
  environment: 'Development',
  flags: { 'Svc:Sql:Lanes': '1' },
})
const stores = await openStores(folder, settings, { info: () => {}, warn: () => {} })
const { store } = stores
const clock = systemClock
let lines = 0
const write = (what: RunLine['what'], { Id: job, ExclusiveKey }: JobRow): void => {
  const line = { process: String(process.pid), what, job, key: ExclusiveKey ?? '' }
  appendFileSync(logFile, printRunLine(line))
  if (++lines === Number(linesMax))
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), Math.random() * KILL_MS_MAX)
}
const server = new JobServer({
  store,
  clock,
  progress: new Progress(),
  workers: 16,
  queues: readQueues([], 16),
  log: createLog(clock, () => {}, 'error'),
  // No job of these has a user.
  callers: {} as Callers,
  hold: new Hold(store),
  reads: { run: (_, work) => work() },
  server: String(process.pid),
  timeoutMs: 60_000,
  retryDelayMs: 1,
  stopMs: 1000,
})
server.add({
  name: 'Note',
  run: async ({ job }) => {
    write('begin', job)
    await Bun.sleep(Math.random() * RUN_MS_MAX)
    write('end', job)
  },
})
process.on('SIGTERM', () => {
  void server
    .stop()
    .then(() => closeStores(stores))
    .then(() => process.exit(0))
})
await server.start()
console.log('works')
