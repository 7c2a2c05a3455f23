/** Reads end with who waits for them: a script, however that ends, or a client that goes away. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { type Extended, startExtended, whileHasty } from '../../support/extensions.ts'
import { data, refusal } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const SCRIPTS = `
const ENDLESS = 'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) AS n FROM r'
const pass = () => new Promise((resolve) => setTimeout(resolve, 50))

export default (engine: Engine) => {
  const script = (Name: string, run: Parameters<Engine['script']>[0]['run']) =>
    engine.script({ Name, Resource: 'Reports', run })
  script('Wait', ({ query }) => Promise.all(Array.from({ length: 6 }, () => query(ENDLESS))))
  script('Forget', async ({ query }) => { query(ENDLESS).catch(() => {}); await pass(); return 'done' })
  script('Die', async ({ query }) => { query(ENDLESS).catch(() => {}); await pass(); process.kill(process.pid, 'SIGKILL') })
}
`

/** One lane, which a read that nobody ends would hold for an hour. */
const SETTINGS = {
  'Svc:Sql:Lanes': '1',
  'Svc:Sql:Timeout': '1h',
}

const QUERY = '/api/v1/svc/object-explorer/query'

let world: Extended
beforeAll(async () => {
  world = await startExtended({ 'ends.ts': SCRIPTS }, SETTINGS)
})
afterAll(() => world[Symbol.asyncDispose]())

const ENDS: [name: string, script: string, status: number][] = [
  ['ended at its deadline', 'Wait', 400],
  ['over before its query', 'Forget', 200],
  ['whose process was killed', 'Die', 400],
]

for (const [name, script, status] of ENDS)
  test(`the SQL of a script ${name} leaves its lane at once`, async () => {
    const run = () => world.execute('run', script)
    const reply = script === 'Wait' ? await whileHasty(world, 2000, run) : await run()
    if (status === 200) expect(data(reply).Result).toBe('done')
    else expect(refusal(reply, status).code).toBe('SCRIPT_ENDED')
    const next = await world.app.fetch(QUERY, { as: 'run', body: { ObjectName: 'Notes' } })
    expect(next.status).toBe(200)
  })

const ENDLESS =
  'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r'

const RUNAWAY: TestApplication = {
  files: [
    {
      name: 'model.xml',
      body: `<Model>
<ObjectView Name="Endless"><TableQuery>SELECT 1 AS Id, (${ENDLESS}) AS N</TableQuery></ObjectView>
<ObjectView Name="One"><TableQuery>SELECT 1 AS Id</TableQuery></ObjectView>
</Model>`,
    },
  ],
  ...makePeople('ONE', { sys: 'System' }),
}

test('the query of a client that goes away leaves its lane at once', async () => {
  await using app = await startApp({ application: RUNAWAY, settings: SETTINGS })
  const { reads } = app.store.counters
  await using server = Bun.serve({ port: 0, fetch: (request) => app.handle(request) })
  const leaving = new AbortController()
  const left = fetch(new URL(QUERY, server.url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${app.tokens.sys}` },
    body: JSON.stringify({ ObjectName: 'Endless' }),
    signal: leaving.signal,
  }).then(String, () => 'left')
  while (app.store.counters.reads === reads) await Bun.sleep(5)
  leaving.abort()
  expect(await left).toBe('left')
  const next = await app.fetch(QUERY, { as: 'sys', body: { ObjectName: 'One' } })
  expect(next.status).toBe(200)
})
