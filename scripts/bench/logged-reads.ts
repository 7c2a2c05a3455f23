/** The cost of logging who reads records (`Audit="Reads"`), for pages and forms. */
import { systemScope } from '../../src/store/store.ts'
import { startApp, type TestApp } from '../../test/support/app.ts'
import type { TestApplication } from '../../test/support/template.ts'
import { runLoad } from './processes.ts'

const ROWS = 20_000
const SECONDS = 1
const ROUNDS = 15
const WARM_ROUNDS = 1

const entity = (name: string, table: string, audit: string) => `
<Entity Name="${name}" Table="${table}" Display="Name" Company="CompanyId" Audit="${audit}">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Street" Type="Text"/>
  <Column Name="City" Type="Text"/>
  <Column Name="Born" Type="Date"/>
  <Column Name="Salary" Type="Decimal" Scale="2"/>
  <Column Name="Active" Type="Boolean"/>
</Entity>
<ObjectView Name="${name}s" Entity="${name}"/>`

const APPLICATION: TestApplication = {
  files: [
    {
      name: 'people.xml',
      body: `<Model>${entity('Plain', 'plains', 'Enabled')}
        ${entity('Logged', 'loggeds', 'Reads')}</Model>`,
    },
  ],
  companies: ['ONE'],
  users: [{ userName: 'ana', roles: ['System'], companies: ['ONE'] }],
}

/** Pages and forms, as many that none is at hand of a round before. */
const PAGES = 400

/** Kinds of reading, each with its requests. */
const READS: Readonly<Record<string, readonly (readonly [path: string, body: object])[]>> = {
  'pages, each another one': Array.from({ length: PAGES }, (_, at) => [
    'table',
    { Page: 1 + at, PageSize: 50, CountMode: 'none' },
  ]),
  'the same page again and again': [['table', { Page: 3, PageSize: 50 }]],
  forms: Array.from({ length: ROWS / 10 }, (_, at) => [
    'form',
    { Parameters: { Id: at * 10 + 1 } },
  ]),
}

/** Figures of a process that does nothing else, a line each. */
export async function measureLoggedReads(): Promise<string[]> {
  await using app = await startApp({ application: APPLICATION })
  for (const table of ['plains', 'loggeds']) await fill(app, table)
  const lines: string[] = []
  for (const [kind, reads] of Object.entries(READS)) lines.push(await measure(app, kind, reads))
  return lines
}

const SCOPE = systemScope('the bench fills its tables')

const fill = (app: TestApp, table: string): Promise<number> =>
  app.store.write(
    (tx) =>
      tx.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
        INSERT INTO ${table} (CompanyId, Name, Street, City, Born, Salary, Active)
        SELECT 1, 'Person number ' || i, 'Long Street ' || i % 100, 'Springfield', '1980-01-02',
          i * 1.25, 1 FROM n`),
    SCOPE,
  )

/** Rounds take turns; what was logged is in the audit log when a round ends. */
async function measure(app: TestApp, kind: string, reads: (typeof READS)[string]): Promise<string> {
  await using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => app.handle(request),
  })
  const run = async (view: string): Promise<number> => {
    const begun = process.cpuUsage()
    const { answered, firstError } = await runLoad({
      port: server.port ?? 0,
      connections: 4,
      seconds: SECONDS,
      headers: { Authorization: `Bearer ${app.tokens.ana}` },
      requests: reads.map(([path, body]) => ({
        method: 'POST',
        path: `/api/v1/svc/object/${view}/${path}`,
        body: JSON.stringify(body),
      })),
      expect: [200],
    })
    if (firstError !== undefined) throw new Error(firstError)
    await app.context.reads.flush()
    const { user, system } = process.cpuUsage(begun)
    return (user + system) / answered
  }
  const rounds: [plain: number, logged: number][] = []
  for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
    const isFirst = round % 2 === 0
    const before = isFirst ? await run('Plains') : 0
    const logged = await run('Loggeds')
    const costs: [number, number] = [isFirst ? before : await run('Plains'), logged]
    if (round >= 0) rounds.push(costs)
  }
  const middle = (list: number[]): number =>
    list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0
  const speed = middle(rounds.map(([plain, logged]) => plain / logged))
  const [plain, logged] = [0, 1].map((at) =>
    middle(rounds.map((costs) => costs[at] ?? 0)).toFixed(0),
  )
  return `${kind}: ${speed.toFixed(3)} of the speed (processor time, ${plain} and ${logged} µs)`
}
