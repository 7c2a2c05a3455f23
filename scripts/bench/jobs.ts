/** Jobs: how many small ones a process does in a second, and what asking for one costs a submit. */
import { systemScope } from '../../src/store/store.ts'
import { enqueueJob } from '../../src/engine/jobs/enqueue.ts'
import { startApp, type TestApp } from '../../test/support/app.ts'
import type { TestApplication } from '../../test/support/template.ts'

const JOBS = 20_000
const SUBMITS = 2000
const ROUNDS = 21
const AT_ONCE = 16

/** An entity with audit and an index, and the same one whose records ask for a job. */
const entity = (name: string, table: string, effect: string) => `
<Entity Name="${name}" Table="${table}" Company="CompanyId" Audit="Enabled" Concurrency="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Number" Type="Text" MaxLength="20" Unique="true"/>
  <Column Name="Title" Type="Text" Required="true"/>
  <Column Name="Total" Type="Decimal" Scale="2"/>
  <Validate Field="Total" Message="Too much">SELECT coalesce(@Total, 0) &lt;= 1000</Validate>
  ${effect}
</Entity>
<ObjectView Name="${name}s" Entity="${name}"/>`

const on = (effect: string): string => `<On Event="created">${effect}</On>`

const APPLICATION: TestApplication = {
  files: [
    {
      name: 'jobs.xml',
      body: `<Model>${entity('Plain', 'plains', '')}
        ${entity('Telling', 'tellings', on('<Dispatch Type="refreshTable"/>'))}
        ${entity('Asking', 'askings', on('<Job Name="Nothing"/>'))}</Model>`,
    },
  ],
  companies: ['ONE'],
  users: [{ userName: 'sys', roles: ['System'], companies: ['ONE'] }],
}

/** Figures of a process that does nothing else, a line each. */
export async function measureJobs(): Promise<string[]> {
  await using app = await startApp({ application: APPLICATION })
  const lines = [await measureSubmits(app), await measureRuns(app)]
  await app.context.jobs.stop()
  return lines
}

/** Rounds take turns; the jobs wait, as no worker runs yet. */
async function measureSubmits(app: TestApp): Promise<string> {
  const events: number[] = []
  const asked: number[] = []
  let number = 0
  const run = async (view: string): Promise<number> => {
    // What a run leaves to collect is not the next one's.
    Bun.gc(true)
    const begun = process.cpuUsage()
    const submit = async (): Promise<void> => {
      for (let left = SUBMITS / AT_ONCE; left > 0; left--) {
        const Parameters = { Number: `N-${++number}`, Title: 'A thing', Total: 12.5 }
        const body = { FormName: view, Parameters }
        const { status, text } = await app.fetch('/api/v1/svc/object/submit', { as: 'sys', body })
        if (status !== 200) throw new Error(text)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, submit))
    const { user, system } = process.cpuUsage(begun)
    return user + system
  }
  const views = ['Plains', 'Tellings', 'Askings']
  for (const view of views) await run(view)
  for (let round = 0; round < ROUNDS; round++) {
    const plain = await run('Plains')
    const telling = await run('Tellings')
    const asking = await run('Askings')
    events.push(telling / plain)
    asked.push(asking / telling)
  }
  return (
    `processor time: an event with an effect adds ${printShare(events)} to a submit, ` +
    `a job as its effect ${printShare(asked)} more`
  )
}

/** The middle one, and between which the middle half lies. */
function printShare(ratios: number[]): string {
  ratios.sort((a, b) => a - b)
  const share = (at: number): string => `${(((ratios[at] ?? 1) - 1) * 100).toFixed(1)} %`
  const [low, middle, high] = [1, 2, 3].map((part) => share(Math.floor((ROUNDS * part) / 4)))
  return `${middle} (${low} to ${high})`
}

async function measureRuns(app: TestApp): Promise<string> {
  let done = 0
  const finished = Promise.withResolvers<undefined>()
  app.context.jobs.add({
    name: 'Nothing',
    run: () => {
      if (++done >= JOBS) finished.resolve(undefined)
      return Promise.resolve(undefined)
    },
  })
  await app.store.write((tx) => tx.run('DELETE FROM svc_jobs'), SCOPE)
  await app.store.write(async (tx) => {
    for (let at = 0; at < JOBS; at++)
      await enqueueJob(tx, {
        name: 'Nothing',
        owner: { userId: null, companyId: null },
        source: 'bench',
        now: new Date(),
      })
  }, SCOPE)
  const startedAt = performance.now()
  await app.context.jobs.start()
  await finished.promise
  await app.context.jobs.stop()
  const seconds = (performance.now() - startedAt) / 1000
  const rows = await app.store.all<{ n: number }>({
    sql: `SELECT count(*) AS n FROM svc_jobs WHERE State = 'Succeeded'`,
    args: {},
    runs: 'inline',
  })
  const rate = Math.round(JOBS / seconds)
  return `${rows[0]?.n} of ${JOBS} small jobs in ${seconds.toFixed(1)} s: ${rate} a second`
}

const SCOPE = systemScope('the bench asks for jobs')
