/**
 * The bare server that the engine stands beside: `Bun.serve` and `libsql` with the SQL and the JSON
 * of the engine, one connection, and nothing else: no token, no permission, no validation of its
 * own, no change log. Reads a `BareJob` as JSON on standard input, prints its address.
 */
import Database from 'libsql'

/** Values by name; one that is left out binds NULL. */
export type BareArgs = Record<string, number | string>

/** One statement of a request: its text by number, since many requests share one. */
export interface BareStatement {
  text: number
  args: BareArgs
  rows: boolean
}

export interface BareJob {
  file: string
  texts: string[]
  /** By kind of request; a request tells its own by `Index`. */
  page: BareStatement[][]
  walk: BareStatement[][]
  search: BareStatement[][]
  common: BareStatement[][]
  form: BareStatement[][]
  update: BareStatement[][]
  report: BareStatement[][]
  /** What stands around the rows of the statements in the answer of each report. */
  reportTexts: string[][]
}

const SEPARATOR = '\u001e'
const PERMISSIONS =
  '{"Create":true,"Update":true,"Delete":true,"Export":true,"Import":true,"Capabilities":[]}'
const JSON_HEADERS = { headers: { 'Content-Type': 'application/json' } }

const job = (await Bun.stdin.json()) as BareJob
const database = new Database(job.file)
database.pragma('journal_mode = WAL')
database.pragma('synchronous = FULL')
database.pragma('foreign_keys = ON')
database.pragma('cache_size = -65536')
const statements = job.texts.map((sql) => database.prepare(sql))
const { page, walk, search, common, form, update: updates, report } = job
for (const { text } of [page, walk, search, common, form, updates, report]
  .flat(2)
  .filter(({ rows }) => rows)) {
  statements[text]?.raw(true)
}

/**
 * Runs the statements of a request in order; resolves to the first cell of each that gives rows.
 */
function run(request: BareStatement[] | undefined): string[] {
  const cells: string[] = []
  for (const { text, args, rows } of request ?? []) {
    const statement = statements[text]
    if (rows) cells.push(String((statement?.get(args) as unknown[] | undefined)?.[0] ?? ''))
    else statement?.run(args)
  }
  return cells
}

const upToSeparator = (text = ''): string => text.slice(0, text.indexOf(SEPARATOR))

const answer = (data: string): Response =>
  new Response(`{"success":true,"data":${data}}`, JSON_HEADERS)

const readIndex = async (request: Request): Promise<number> =>
  ((await request.json()) as { Index: number }).Index

async function loadPage(pages: BareStatement[][], request: Request): Promise<Response> {
  const [page, count] = run(pages[await readIndex(request)])
  const pagination = { Page: 1, PageSize: 50, TotalRows: Number(count), TotalIsExact: true }
  return answer(
    `{"Rows":${upToSeparator(page)},"Pagination":${JSON.stringify(pagination)},` +
      `"Permissions":${PERMISSIONS}}`,
  )
}

async function loadForm(request: Request): Promise<Response> {
  const [form] = run(job.form[await readIndex(request)])
  return answer(
    `{"Values":${upToSeparator(form)},"Permissions":${PERMISSIONS},"CanSubmit":true,` +
      `"FormLoadTime":"${new Date().toISOString()}","IsNew":false}`,
  )
}

async function update(request: Request): Promise<Response> {
  const index = await readIndex(request)
  database.exec('BEGIN IMMEDIATE')
  const cells = run(job.update[index])
  database.exec('COMMIT')
  const values = cells.findLast((cell) => cell.startsWith('{')) ?? '{}'
  return answer(`{"Action":"updated","Values":${values},"Dispatch":[]}`)
}

/** The cell of a dataset has its facts in a line before the rows. */
async function loadReport(request: Request): Promise<Response> {
  const index = await readIndex(request)
  const cells = run(job.report[index])
  const [first, ...others] = job.reportTexts[index] ?? []
  const rows = others.map((text, at) => {
    const cell = cells[at] ?? ''
    return cell.slice(cell.indexOf('\n') + 1) + text
  })
  return new Response(first + rows.join(''), JSON_HEADERS)
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  routes: {
    '/page': { POST: (request) => loadPage(job.page, request) },
    '/walk': { POST: (request) => loadPage(job.walk, request) },
    '/search': { POST: (request) => loadPage(job.search, request) },
    '/common': { POST: (request) => loadPage(job.common, request) },
    '/form': { POST: loadForm },
    '/update': { POST: update },
    '/report': { POST: loadReport },
  },
})
console.log(`listening on http://127.0.0.1:${server.port}`)
