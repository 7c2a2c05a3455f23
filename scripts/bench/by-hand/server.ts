/**
 * The bare server that the engine is compared with: `Bun.serve` and `libsql`, as a good programmer
 * writes it by hand for the same answers over the same data, one connection, statements prepared
 * once, durable as the engine is. No token, no permission but the user's conditions spelled out, no
 * validation of its own, no audit. Reads a `BareJob` as JSON on standard input, prints its address.
 */
import Database from 'libsql'
import { type Commit, commitAlone, commitGrouped } from './commits.ts'
import { planExport } from './exports.ts'
import { planImport } from './imports.ts'
import { PAGES } from './orders-sql.ts'
import { type Caller, planForm, planPage } from './reads.ts'
import { planReports, type RecordedReports } from './reports.ts'
import { planCancel, planCreate, planDelete, planUpdate } from './writes.ts'

export interface BareJob {
  file: string
  caller: Caller
  reports: RecordedReports
}

const JSON_HEADERS = { headers: { 'Content-Type': 'application/json' } }

const job = (await Bun.stdin.json()) as BareJob
const database = new Database(job.file)
database.pragma('journal_mode = WAL')
database.pragma('synchronous = FULL')
database.pragma('foreign_keys = ON')
database.pragma('cache_size = -65536')

const respond = (data: string): Response =>
  new Response(`{"success":true,"data":${data}}`, JSON_HEADERS)

type Work<Body> = (body: Body) => string
type Route = { POST: (request: Request) => Promise<Response> }

const toRead = <Body>(work: Work<Body>): Route => ({
  POST: async (request) => respond(work((await request.json()) as Body)),
})

/** The same write, committed in either way. */
const toWrites = <Body>(name: string, work: Work<Body>): Record<string, Route> =>
  Object.fromEntries(
    Object.entries(commits).map(([how, commit]) => [
      `/${how}/${name}`,
      {
        POST: async (request: Request) => {
          const body = (await request.json()) as Body
          return respond(await commit(() => work(body)))
        },
      },
    ]),
  )

const commits: Record<string, Commit> = {
  alone: commitAlone(database),
  grouped: commitGrouped(database),
}
const answerReport = planReports(database, job.reports)
const imports = ['measures', 'audited_measures'].map((table): [string, Route] => {
  const run = planImport(database, table, job.caller.company)
  return [
    `/import/${table}`,
    { POST: async (request) => respond(String(run(await request.text()))) },
  ]
})
const exportOrders = planExport(database)
const encoder = new TextEncoder()

/** A file that is sent as it is made. */
function send(pieces: Generator<string>): Response {
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    const { value, done } = pieces.next()
    if (done === true) controller.close()
    else controller.enqueue(encoder.encode(value))
  }
  return new Response(new ReadableStream({ pull }))
}

const pages = Object.entries(PAGES).map(([name, sql]) => [
  `/page/${name}`,
  toRead(planPage(database, sql, job.caller)),
])

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  routes: {
    ...(Object.fromEntries(pages) as Record<string, Route>),
    '/form': toRead(planForm(database, job.caller)),
    ...toWrites('update', planUpdate(database, job.caller)),
    ...toWrites('create', planCreate(database, job.caller)),
    ...toWrites('delete', planDelete(database, job.caller)),
    ...toWrites('action', planCancel(database, job.caller)),
    ...Object.fromEntries(imports),
    '/export': { POST: () => send(exportOrders()) },
    '/report': {
      POST: async (request) => {
        const { Index } = (await request.json()) as { Index: number }
        return new Response(answerReport(Index), JSON_HEADERS)
      },
    },
  },
  error: (error) => Response.json({ success: false, error: error.message }, { status: 500 }),
})
console.log(`listening on http://127.0.0.1:${server.port}`)
