/**
 * Work that is planned with a model and done later, or in parts: a designer's save touches none of
 * it, a deploy has it planned again without using up a try, and removed parts are refused by name.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { JobRow } from '../../../src/engine/jobs/job.ts'
import { startApp } from '../../support/app.ts'
import { Imports } from '../../support/imports.ts'
import {
  type HeldLane,
  holdLane,
  readyDeploy,
  type ReadyDeploy,
  replaceAfter,
} from '../../support/model-changes.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

interface Shape {
  note?: boolean
  more?: boolean
  title?: string
  other?: string
}

/** Its statement reads one table for each row of another: it stays in a lane, however short. */
const report = (name: string, title: string) => `<Report Name="${name}" Label="${title}">
  <DataSets><DataSet Name="All"><Sql>
    SELECT i.Id, i.Code, l.Name FROM items i JOIN lands l ORDER BY i.Id
  </Sql></DataSet></DataSets>
  <Widgets><Widget Name="W" Kind="Table" DataSet="All"/></Widgets>
</Report>`

const planModel = ({
  note = true,
  more = false,
  title = 'Sales',
  other = 'Other',
}: Shape) => `<Model>
<Entity Name="Land" Table="lands" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
</Entity>
<Entity Name="Item" Table="items" Display="Code">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Code" Type="Text" MaxLength="20" Unique="true"/>
  <Column Name="LandId" References="Land" Label="Land"/>
  ${note ? '<Column Name="Note" Type="Text"/>' : ''}
  ${more ? '<Column Name="More" Type="Text"/>' : ''}
</Entity>
<ObjectView Name="Items" Entity="Item"/><ObjectView Name="Lands" Entity="Land"/>
${report('Sales', title)}
${report('Other', other)}
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'model.xml', body: planModel({}) }],
  ...makePeople('ONE', { sys: 'System' }),
}

let all: Imports
beforeAll(async () => {
  const settings = { 'Svc:Cache:MaxBytes': '0', 'Svc:Jobs:RetryDelay': '1ms' }
  all = new Imports(await startApp({ application: APPLICATION, settings }))
  await all.save('sys', 'Lands', { Name: 'Here' })
})
afterAll(async () => {
  await all.app.context.jobs.stop()
  await all.app[Symbol.asyncDispose]()
})

const BASE = '/api/v1/svc/object'
const FILE = (code: string) => `Code,Land,Note\n${code},Here,word\n`

interface Answered {
  status: number
  text: string
}

/** A request in the background: the answer names the job. */
const FIELDS = ['Code', 'Note']
const inBackground: Record<string, (code: string) => Promise<{ body: unknown }>> = {
  'an import': (code) =>
    all.send('sys', { objectName: 'Items', file: FILE(code), fields: { background: 'true' } }),
  'an export': () =>
    all.app.fetch(`${BASE}/export-data`, {
      as: 'sys',
      body: { ObjectName: 'Items', Fields: FIELDS, Background: true },
    }),
  'a report': () =>
    all.app.fetch('/report/page', {
      as: 'sys',
      body: { Background: true, Format: 'json', Parameters: { report: 'Sales' } },
    }),
}

const atOnce: Record<string, (code: string) => Promise<Answered>> = {
  'an import': async (code) => {
    const fields = { operationId: code }
    const sent = await all.send('sys', { objectName: 'Items', file: FILE(code), fields })
    return { status: sent.status, text: JSON.stringify(sent.body) }
  },
  'an export': (code) =>
    all.app.fetch(`${BASE}/export-data`, {
      as: 'sys',
      body: { ObjectName: 'Items', Fields: FIELDS, OperationId: code },
    }),
}

const jobOf = async (id: number): Promise<JobRow> => {
  const row = await all.app.store.get<JobRow>(`SELECT * FROM svc_jobs WHERE Id = ${id}`)
  if (!row) throw new Error(`There is no job ${id}`)
  return row
}

/** Resolves when a job has planned: it wants the lane that is held, or is an import that reads. */
async function hasPlanned(lane: HeldLane): Promise<void> {
  const planned = Promise.withResolvers<void>()
  const end = all.app.context.progress.subscribe((_, { State, Total }) => {
    if (State === 'running' && Total === null) planned.resolve()
  })
  void lane.isWanted(1).then(planned.resolve)
  await planned.promise
  end()
}

/** Runs a job; `between` begins once it has planned, and is over before it has its lane. */
async function runAcross(id: number, between: () => Promise<void>): Promise<JobRow> {
  const { jobs } = all.app.context
  const lane = await holdLane(all.app)
  const planned = hasPlanned(lane)
  await jobs.start()
  await planned
  await between()
  lane.free()
  let job = await jobOf(id)
  while (job.State !== 'Succeeded' && job.State !== 'Failed') {
    await Bun.sleep(2)
    job = await jobOf(id)
  }
  await jobs.stop()
  return job
}

/** The answer, and how often it was planned: each time it reports that it begins to read. */
type Asked = Answered & { plans: number }

/** Asks while a deploy has the writer, which commits once the work is planned. */
async function askAcross(
  ask: (code: string) => Promise<Answered>,
  code: string,
  deploy: ReadyDeploy,
): Promise<Asked> {
  const planned = Promise.withResolvers<void>()
  let plans = 0
  const end = all.app.context.progress.subscribe((_, { State, Total }) => {
    if (State !== 'running' || Total !== null) return
    plans++
    planned.resolve()
  })
  await deploy.begin(planned.promise)
  const answer = await ask(code)
  end()
  await deploy.ended()
  return { ...answer, plans }
}

const countOf = async (code: string) =>
  Number((await all.stored(`SELECT count(*) AS n FROM items WHERE Code = '${code}'`))[0]?.n)

const ANEW = /The job starts over\./
let nth = 0

/** Has the model be of a shape again, with nothing at work. */
const settle = async () => (await readyDeploy(all.app, planModel({}))).run()

describe('in the background', () => {
  for (const [what, ask] of Object.entries(inBackground)) {
    const enqueue = async (code: string) => {
      const { body } = await ask(code)
      return Number((body as { data: { JobId: number } }).data.JobId)
    }
    test(`${what} is not touched by a designer's save`, async () => {
      const code = `B${++nth}`
      const save = await readyDeploy(all.app, planModel({ other: code }))
      const job = await runAcross(await enqueue(code), save.run)
      expect([job.State, job.Attempts, job.Log]).toEqual(['Succeeded', 1, null])
      expect(await countOf(code)).toBe(what === 'an import' ? 1 : 0)
    })
    test(`${what} is planned anew, within its try, where a deploy adds a field`, async () => {
      const code = `B${++nth}`
      const id = await enqueue(code)
      const deploy = await readyDeploy(all.app, planModel({ more: true }))
      const job = await runAcross(id, deploy.run)
      expect([job.State, job.Attempts, job.Log]).toEqual([
        ...['Succeeded', 1, expect.stringMatching(ANEW)],
      ])
      const rows = await all.stored(`SELECT More FROM items WHERE Code = '${code}'`)
      expect(rows).toEqual(what === 'an import' ? [{ More: null }] : [])
      await settle()
    })
    test(`${what} is refused by name, once, where a deploy takes its field away`, async () => {
      const code = `B${++nth}`
      const id = await enqueue(code)
      const deploy = await readyDeploy(all.app, planModel({ note: false }))
      const job = await runAcross(id, deploy.begin)
      await deploy.ended()
      expect([job.State, job.Attempts, job.Log]).toEqual([
        ...[what === 'a report' ? 'Succeeded' : 'Failed', 1, expect.stringMatching(ANEW)],
      ])
      expect(String(job.Error)).toMatch(what === 'a report' ? /null/ : /Note/)
      expect(await countOf(code)).toBe(0)
      await settle()
    })
  }
})

describe('at once', () => {
  for (const [what, ask] of Object.entries(atOnce)) {
    const stored = what === 'an import' ? 1 : 0
    test(`${what} is not touched by a designer's save`, async () => {
      const code = `A${++nth}`
      const save = await readyDeploy(all.app, planModel({ other: code }))
      const { status, plans } = await askAcross(ask, code, save)
      expect([status, plans, await countOf(code)]).toEqual([200, 1, stored])
    })
    test(`${what} is planned anew where a deploy adds a field`, async () => {
      const code = `A${++nth}`
      const deploy = await readyDeploy(all.app, planModel({ more: true }))
      const { status, plans } = await askAcross(ask, code, deploy)
      expect([status, plans, await countOf(code)]).toEqual([200, 2, stored])
      await settle()
    })
    test(`${what} is refused by name where a deploy takes its field away`, async () => {
      const code = `A${++nth}`
      const deploy = await readyDeploy(all.app, planModel({ note: false }))
      const { status, text } = await askAcross(ask, code, deploy)
      expect([status, text]).toEqual([400, expect.stringMatching(/Note/)])
      expect(await countOf(code)).toBe(0)
      await settle()
    })
  }
})

test('an import that is half written goes on to its end; the deploy waits for it', async () => {
  await settle()
  const count = 2000
  const codes = Array.from({ length: count }, (_, at) => `H${at}`)
  const { body } = await all.send('sys', {
    objectName: 'Items',
    file: `Code,Land\n${codes.join(',Here\n')},Here\n`,
    fields: { background: 'true', mode: 'upsert', keyFields: 'Code' },
  })
  const deploy = await readyDeploy(all.app, planModel({ more: true }))
  const id = (body.data as unknown as { JobId: number }).JobId
  const { jobs } = all.app.context
  const isHalf = () => {
    const { Done = 0, Total = null } = jobs.findRun(id)?.latest ?? {}
    return Total !== null && Done > 0 && Done < count
  }
  let isOver = false
  // An import may be quicker than it is looked at: then the deploy comes behind it.
  const watching = (async () => {
    while (!isHalf() && !isOver) await new Promise(setImmediate)
    await deploy.begin()
  })()
  const job = await runAcross(id, async () => {})
  isOver = true
  await watching
  await deploy.ended()
  expect([job.State, job.Attempts, job.Log]).toEqual(['Succeeded', 1, null])
  const counts = 'count(*) AS n, count(DISTINCT Code) AS codes, count(More) AS more'
  expect(await all.stored(`SELECT ${counts} FROM items WHERE Code LIKE 'H%'`)).toEqual([
    { n: count, codes: count, more: 0 },
  ])
  await settle()
})

test('a report that is saved while its own file is made is made by what was saved', async () => {
  const { body } = await all.app.fetch<{ data: { JobId: number } }>('/report/page', {
    as: 'sys',
    body: { Background: true, Format: 'json', Parameters: { report: 'Sales' } },
  })
  const save = await readyDeploy(all.app, planModel({ title: 'Sold' }))
  const job = await runAcross(body.data.JobId, save.run)
  expect([job.State, job.Attempts, job.Log]).toEqual(['Succeeded', 1, expect.stringMatching(ANEW)])
  const [notice] = await all.stored('SELECT Title FROM svc_notifications ORDER BY Id DESC LIMIT 1')
  expect(notice).toMatchObject({ Title: 'Report Report page is ready' })
})

test('deploys, saves and changes of rights at once are all done, none is overtaken', async () => {
  const send = (path: string, body: object) => all.app.fetch(path, { as: 'sys', body })
  const deploy = (shape: Shape) =>
    send('/api/v1/svc/scripts', { Files: [{ FileName: 'model.xml', Body: planModel(shape) }] })
  const save = (name: string) =>
    send('/api/v1/svc/report-designer/definitions/save', { DefinitionXml: report(name, 'saved') })
  const makeRole = (Name: string) => send('/api/v1/svc/auth/roles', { Name, Label: Name })
  const answers = await Promise.all([
    ...[deploy({ more: true }), save('One'), makeRole('RoleOne'), save('Two')],
    ...[deploy({}), makeRole('RoleTwo'), save('Three'), deploy({ more: true })],
  ])
  expect(answers.map(({ status, text }) => (status === 200 ? status : text))).toEqual(
    answers.map(() => 200),
  )
  const { roles, entities, reports } = all.app.context.models.get()
  expect(['One', 'Two', 'Three'].filter((name) => !reports.has(name))).toEqual([])
  expect([roles.has('RoleOne'), roles.has('RoleTwo')]).toEqual([true, true])
  expect(entities.get('Item')?.columns.some(({ name }) => name === 'More')).toBe(true)
})

test('a deploy that takes a field away is not overtaken by writes into it', async () => {
  await settle()
  await all.send('sys', { objectName: 'Items', file: FILE('L1') })
  const deploy = await readyDeploy(all.app, planModel({ note: false }))
  await all.send('sys', { objectName: 'Items', file: FILE('L2') })
  await deploy.run()
  const { losses } = deploy.plan()
  expect(losses).toEqual(['Item.Note is removed: its values in 2 rows'])
})

test('a report that is noted down before a deploy comes is not noted a second time', async () => {
  const noted = () => all.stored("SELECT Id FROM svc_audit WHERE Action = 'report'")
  const before = await noted()
  const served = all.app.context.models.get()
  replaceAfter(all.app, 'svc_audit')
  const { status } = await all.app.fetch('/report/page?report=Other&format=json', { as: 'sys' })
  expect([status, (await noted()).length - before.length]).toEqual([200, 1])
  expect(all.app.context.models.holds(served)).toBe(false)
})
