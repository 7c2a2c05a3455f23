/**
 * Models change under work: a designer saves reports and deploys add and remove a field, while
 * imports, exports, reports and writes run, at once and in the background. All of it is done, each
 * exactly once; only what names the field that a deploy took away is refused, by its name.
 */
import { inspectFolder, readDatabase } from './database.ts'
import { Desk, type Done, MODEL } from './model-change-desk.ts'
import { type Bench, printFigures, type Report } from './report.ts'
import { Site } from './site.ts'

/** Deploys of a round: the field comes and goes. */
const DEPLOYS = 2

/** Nothing that a round asked for takes so long. */
const STUCK_MS = 60_000

/** Exports and reports lie in it: they are made to be fetched. */
const MADE = 'exports was left in the data folder'

/** Rounds of work under changes; at the end of each it is looked what became of it. */
export async function verifyModelChanges(bench: Bench): Promise<Report> {
  const site = await Site.open(bench, {
    model: MODEL,
    users: { root: 'System' },
    args: ['--Svc:Exports:UserFiles=100000', '--Svc:Jobs:RetryDelay=1ms'],
  })
  const desk = new Desk(site, bench.random)
  const faults: string[] = []
  try {
    for (let round = 1; round <= bench.rounds; round++) {
      const done = await desk.work(round, DEPLOYS)
      const told = [...done.faults, ...(await untilIdle(site.folder))]
      const found = look(site.folder)
      told.push(...compare(desk.total, found))
      faults.push(...told.map((fault) => `round ${round}: ${fault}`))
    }
    faults.push(...(await site.stop()), ...inspectFolder(site.folder).filter((f) => f !== MADE))
  } finally {
    await site.kill()
  }
  const { saves, deploys, refused, jobs, works } = desk.total
  const { anew } = look(site.folder)
  const figures = { rounds: bench.rounds, saves, deploys, works, jobs, refused, anew }
  return { figures: printFigures(figures), faults }
}

/** Resolves when no job waits or runs. */
async function untilIdle(folder: string): Promise<string[]> {
  const until = performance.now() + STUCK_MS
  const sql = `SELECT count(*) FROM svc_jobs WHERE State IN ('Enqueued', 'Processing', 'Scheduled')`
  for (;;) {
    const waiting = readDatabase(folder, 'engine', (d) => Number(d.query(sql).values()[0]?.[0]))
    if (waiting === 0) return []
    if (performance.now() > until) return [`${waiting} jobs do not end`]
    await Bun.sleep(20)
  }
}

/** The work that is done by what the files say. */
interface Found {
  /** Codes with how many records have each. */
  codes: ReadonlyMap<string, number>
  imports: number
  audited: { export: number; report: number }
  notified: number
  /** Jobs that did not succeed at their first try, and why. */
  failed: string[]
  jobs: number
  anew: number
}

const look = (folder: string): Found =>
  readDatabase(folder, 'engine', (database) => {
    const values = (sql: string) => database.query(sql).values()
    const count = (sql: string) => Number(values(sql)[0]?.[0])
    const own = `FROM svc_jobs WHERE Name IN ('table-import', 'table-export', 'report-file')`
    return {
      codes: new Map(
        values('SELECT Code, count(*) FROM items GROUP BY Code').map(([code, n]) => [
          String(code),
          Number(n),
        ]),
      ),
      // What nobody can undo any more is forgotten.
      imports: count(`SELECT seq FROM sqlite_sequence WHERE name = 'svc_imports'`),
      audited: {
        export: count(`SELECT count(*) FROM svc_audit WHERE Action = 'export'`),
        report: count(`SELECT count(*) FROM svc_audit WHERE Action = 'report'`),
      },
      notified: count('SELECT count(*) FROM svc_notifications'),
      failed: values(
        `SELECT Name, State, Attempts, Error ${own} AND (State <> 'Succeeded' OR Attempts <> 1)`,
      ).map((row) => row.join(' ')),
      jobs: count(`SELECT count(*) ${own}`),
      anew: count(`SELECT count(*) ${own} AND Log LIKE '%planned anew%'`),
    }
  })

/** Compares the acknowledged work with the stored one. */
function compare(done: Done, found: Found): string[] {
  const faults = found.failed.map((job) => `not done at the first try: ${job}`)
  const differs = (what: string, wanted: number, is: number): void => {
    if (wanted !== is) faults.push(`${what}: ${wanted} were acknowledged, ${is} are there`)
  }
  const missing = [...done.codes].filter((code) => !found.codes.has(code))
  const strange = [...found.codes].filter(([code, n]) => n !== 1 || !done.codes.has(code))
  if (missing.length > 0) faults.push(`${missing.length} records are missing, as ${missing[0]}`)
  if (strange.length > 0) faults.push(`${strange.length} records too many, as ${strange[0]?.[0]}`)
  differs('imports', done.imports, found.imports)
  differs('exports', done.exports, found.audited.export)
  differs('reports', done.reports, found.audited.report)
  differs('jobs', done.jobs, found.jobs)
  differs('notices', done.jobs, found.notified)
  return faults
}
