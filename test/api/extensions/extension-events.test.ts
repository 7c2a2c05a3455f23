/** Listeners of extensions: what they hear of, when, as whom, and what they are told of records. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { renderStored } from '../../../src/kernel/stored-messages.ts'
import { Extensions } from '../../../src/engine/extensions/extensions.ts'
import { openListeners } from '../../../src/engine/extensions/listener-jobs.ts'
import { enqueueJob } from '../../../src/engine/jobs/enqueue.ts'
import { startApp } from '../../support/app.ts'
import { writeExtensions } from '../../support/extensions.ts'
import { Imports } from '../../support/imports.ts'
import { data, refusal, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'
import { until } from '../../support/until.ts'

const MODEL = `<Model>
<Entity Name="Parcel" Table="parcels" Display="Title" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text" Required="true" MaxLength="80"/>
  <Column Name="Secret" Type="Text"/>
</Entity>
<Entity Name="Seen" Table="seen" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Text" Type="Text" Required="true"/>
</Entity>
<ObjectView Name="Parcels" Entity="Parcel" Slug="all-parcels">
  <RowAction Name="Ship" Label="Ship"><Sql>UPDATE parcels SET Title = Title || ' shipped' WHERE Id = @Id</Sql></RowAction>
</ObjectView>
<ObjectView Name="Log" Entity="Seen"/>
<ObjectView Name="Quiet" Entity="Seen"/>
<StoredProcedure Name="Sweep" Mode="Write"><Sql>DELETE FROM parcels WHERE Title LIKE 'old%'</Sql></StoredProcedure>
<Rbac>
  <Role Name="Clerk">
    <Grant Resource="Parcels" Verbs="View List Create Update Delete Import"/>
    <Grant Resource="Log" Verbs="View List Create"/>
    <Grant Resource="Sweep" Capabilities="Execute"/>
    <FieldRule Resource="Parcels" Field="Secret" Access="Hidden"/>
  </Role>
  <Role Name="Narrow">
    <Grant Resource="Parcels" Verbs="View List Create Delete"/>
    <RowFilter Resource="Parcels">Title LIKE 'my%'</RowFilter>
  </Role>
  <Role Name="Sender"><Grant Resource="Parcels" Verbs="Create"/></Role>
</Rbac>
</Model>`

const POST: TestApplication = {
  files: [{ name: 'post.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    root: 'System in ONE TWO',
    clerk: 'Clerk',
    narrow: 'Narrow',
    sender: 'Sender',
  }),
}

const LISTENERS = `
export default (engine: Engine) => {
  for (const event of ['created', 'updated', 'deleted', 'Ship'])
    engine.on({
      Event: 'all-parcels.' + event, Attempts: 3, Queue: event === 'Ship' ? 'urgent' : undefined,
      async run({ Event, Object, Action, Keys, Values, query, submit, log }) {
        const [row] = await query('SELECT @CurrentUserName AS Who, @CurrentCompanyId AS Company')
        log(JSON.stringify({ Event, Object, Action, Keys, Values, ...row }))
        const title = String(Values?.Title)
        if (title === 'looping') await submit({ FormName: 'Parcels', Parameters: { Id: Keys.Id!, Title: 'looping' } })
        if (title.startsWith('loop')) await submit({ FormName: 'Parcels', Parameters: { Id: Keys.Id!, Title: title + '.' } })
        if (title === 'noted') await submit({ FormName: 'Log', Parameters: { Text: 'noted ' + Keys.Id } })
        if (title === 'poison') throw new Error('It is poison')
      },
    })
  engine.on({ Name: 'Second', Event: 'parcels.created', run: ({ log }) => log('second') })
  engine.on({ Event: 'nowhere.created', run() {} })
}
`

const BLOCK = {
  name: 'Block-workers',
  queue: 'extensions',
  source: 'test',
  owner: { userId: null, companyId: null },
}

let post: Imports
beforeAll(async () => {
  const settings = { 'Svc:Jobs:RetryDelay': '1ms' }
  post = new Imports(await startApp({ application: POST, settings }))
  writeExtensions(post.app.folder, { 'post.ts': LISTENERS })
  await post.app.context.extensions.load()
  await post.app.context.jobs.start()
})
afterAll(async () => {
  await post.app.context.jobs.stop()
  await post[Symbol.asyncDispose]()
})

let mark = 0
const jobs = (): Promise<Row[]> =>
  post.stored(`SELECT * FROM svc_jobs WHERE Id > ${mark} ORDER BY Id`)

/** The jobs since the last look, once all of them are over. */
async function settled(): Promise<Row[]> {
  for (;;) {
    const all = await jobs()
    if (all.every(({ State }) => State === 'Succeeded' || State === 'Failed')) {
      mark = Number(all.at(-1)?.Id ?? mark)
      return all
    }
    await Bun.sleep(10)
  }
}

/** The events that the listeners of a name received. */
const toldOf = (all: readonly Row[], name: string): Row[] =>
  all
    .filter(({ Name }) => Name === `on:all-parcels.${name}`)
    .flatMap(({ Log }) => String(Log).split('\n'))
    .map((line) => JSON.parse(line.slice(line.indexOf('{'))) as Row)

test('each change of a record is told of as the user, with what they see', async () => {
  const { Values: made } = await post.save('clerk', 'Parcels', { Title: 'one', Secret: 'x' })
  const created = await settled()
  expect(created.map(({ Name, UserId, Queue }) => [Name, UserId, Queue])).toEqual([
    ['on:all-parcels.created', 2, 'extensions'],
    ['on:Second', 2, 'extensions'],
  ])
  const Keys = { Id: made.Id }
  const base = { Object: 'Parcels', Keys, Who: 'clerk', Company: 1 }
  const Values = { Id: made.Id, Title: 'one' }
  const [told] = toldOf(created, 'created')
  expect(told).toMatchObject({ ...base, Event: 'all-parcels.created', Action: 'created', Values })
  expect(Object.keys(told?.Values as Row)).not.toContain('Secret')
  await post.save('clerk', 'Parcels', { Id: made.Id, Title: 'two' })
  expect(toldOf(await settled(), 'updated')).toMatchObject([
    { ...base, Action: 'updated', Values: { Title: 'two' } },
  ])
  data(await post.act('clerk', 'Parcels', 'Ship', Keys))
  const shipped = await settled()
  expect(shipped.map(({ Name, Queue }) => [Name, Queue])).toEqual([
    ['on:all-parcels.updated', 'extensions'],
    ['on:all-parcels.Ship', 'urgent'],
  ])
  expect(toldOf(shipped, 'Ship')).toMatchObject([{ Action: 'Ship', Keys, Who: 'clerk' }])
  data(await post.remove('clerk', 'Parcels', Keys))
  const [deleted] = toldOf(await settled(), 'deleted')
  expect(deleted).toMatchObject({ ...base, Action: 'deleted' })
  expect(deleted?.Values).toEqual({ Id: made.Id, CompanyId: 1, Title: 'two shipped' })
})

test('attack: who sees nothing of a record is told nothing but its key', async () => {
  data(await post.submit('sender', 'Parcels', { Title: 'blind' }))
  expect(toldOf(await settled(), 'created')).toMatchObject([{ Values: null, Who: 'sender' }])
  const { Values: mine } = await post.save('narrow', 'Parcels', { Title: 'my own' })
  expect(toldOf(await settled(), 'created')).toMatchObject([{ Values: { Title: 'my own' } }])
  data(await post.remove('narrow', 'Parcels', { Id: mine.Id }))
  expect(toldOf(await settled(), 'deleted')).toMatchObject([{ Values: null }])
})

test('what is not committed is not told of, nor what changes nothing or nobody hears', async () => {
  refusal(await post.submit('clerk', 'Parcels', { Title: '' }), 400)
  const { Values } = await post.save('clerk', 'Parcels', { Title: 'still' })
  await settled()
  await post.save('clerk', 'Parcels', { Id: Values.Id, Title: 'still' })
  await post.save('clerk', 'Log', { Text: 'nobody hears' })
  const history = { objectName: 'Parcels', file: 'Id,Title\n5000,past\n' }
  await post.take('root', { ...history, fields: { takeover: 'true' } })
  const upsert = { takeover: 'true', mode: 'upsert' }
  await post.take('root', { ...history, file: 'Id,Title\n5000,passed\n', fields: upsert })
  expect(await jobs()).toEqual([])
})

test('an import and a procedure are told of, many records by one job', async () => {
  const rows = Array.from({ length: 250 }, (_, at) => `old ${at}`)
  await post.take('clerk', { objectName: 'Parcels', file: `Title\n${rows.join('\n')}\n` })
  const imported = await settled()
  expect(toldOf(imported, 'created').map(({ Values }) => (Values as Row).Title)).toEqual(rows)
  expect(imported.length).toBeLessThan(10)
  const call = { as: 'clerk', body: {} }
  expect((await post.app.fetch('/api/v1/svc/rpc/Sweep', call)).status).toBe(200)
  expect(toldOf(await settled(), 'deleted')).toHaveLength(250)
})

test('one record that fails is tried again alone; the others are told of', async () => {
  await post.take('clerk', { objectName: 'Parcels', file: 'Title\nfirst\npoison\nnoted\n' })
  const all = (await settled()).filter(({ Name }) => Name === 'on:all-parcels.created')
  expect(all.map(({ State, Attempts }) => [State, Attempts])).toEqual([
    ['Succeeded', 2],
    ['Succeeded', 1],
    ['Failed', 3],
    ['Succeeded', 1],
  ])
  expect(all[2]?.Error).toContain('It is poison')
  expect(await post.stored("SELECT count(*) AS N FROM seen WHERE Text LIKE 'noted%'")).toEqual([
    { N: 1 },
  ])
})

test('attack: listeners that change what they hear of come to an end', async () => {
  const { Values } = await post.save('clerk', 'Parcels', { Title: 'loop' })
  const all = (await settled()).filter(({ Name }) => String(Name).startsWith('on:all-parcels'))
  expect(all).toHaveLength(20)
  expect(all.at(-1)).toMatchObject({ State: 'Failed' })
  expect(renderStored(String(all.at(-1)?.Error))).toContain('more than 20 times')
  const [row] = await post.stored(`SELECT Title FROM parcels WHERE Id = ${String(Values.Id)}`)
  expect(row?.Title).toBe(`loop${'.'.repeat(19)}`)
})

test('what comes before extensions are loaded is told of when they are', async () => {
  const { context } = post.app
  const options = { limits: context.extensions.limits, checkMs: 1, runsMax: 1, answerBytesMax: 1 }
  const { folder, store, log } = context
  const extensions = new Extensions({ ...options, settings: {}, folder, store, log })
  const model = context.models.get()
  const entity = model.entities.get('Parcel')
  if (!entity) throw new Error('There is no entity Parcel')
  const [early, ...others] = openListeners(extensions, log)(model, entity)
  expect([early?.job, early?.event, others.length]).toEqual(['extension-events', '*', 0])
  await extensions.close()
  const event = { Entity: 'Parcel', Object: null, Action: 'created', Values: null, Depth: 1 }
  await store.write(
    (tx) =>
      enqueueJob(tx, {
        name: String(early?.job),
        source: 'test',
        now: new Date(),
        owner: { userId: 2, companyId: 1 },
        arguments: { ...event, Keys: [[257]] },
      }),
    { company: 'all', because: 'a test asks for jobs' },
  )
  expect(toldOf(await settled(), 'created')).toMatchObject([{ Keys: { Id: 257 }, Who: 'clerk' }])
  expect(post.app.log.filter((line) => line.includes('of no object'))).not.toEqual([])
})

test('attack: a user who is locked by then has nothing done', async () => {
  const waits = Promise.withResolvers<void>()
  // A worker that is busy with it keeps the queue of the listener's jobs waiting.
  const { jobs: server, store } = post.app.context
  const blocked = { company: 'all', because: 'a test has jobs wait' } as const
  server.add({ name: 'Block-workers', run: () => waits.promise })
  await store.write(async (tx) => {
    for (let at = 0; at < 4; at++) await enqueueJob(tx, { ...BLOCK, now: new Date() })
  }, blocked)
  await until(async () => (await jobs()).every(({ State }) => State === 'Processing'))
  data(await post.submit('sender', 'Parcels', { Title: 'late' }))
  const lock = { as: 'root', body: {} }
  expect((await post.app.fetch('/api/v1/svc/auth/users/4/lock', lock)).status).toBe(200)
  waits.resolve()
  const late = (await settled()).filter(({ Name }) => Name === 'on:all-parcels.created')
  expect(late).toMatchObject([{ State: 'Failed', Attempts: 1, UserId: 4, Log: null }])
})
