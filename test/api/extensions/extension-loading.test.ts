/** Which extensions are loaded, which are left out and why, and how changed ones come in. */
import { expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HostedServices } from '../../../src/engine/extensions/hosted-services.ts'
import { startExtended, whileHasty, writeExtensions } from '../../support/extensions.ts'
import { data } from '../../support/objects.ts'

const script = (name: string, result: string): string =>
  `export default (engine) => {\n  engine.script({ Name: '${name}', run: () => ${result} })\n}\n`

/** Faulty files with the line that is to blame (0: none) and a part of the reason. */
const FAULTY: Readonly<Record<string, readonly [text: string, line: number, reason: string]>> = {
  'bad-syntax.ts': ['export default () => {\n  const x = = 3\n}', 2, 'Unexpected ='],
  'bad-throw.ts': ['\nexport default () => {\n  throw new Error("not today")\n}', 3, 'not today'],
  'bad-call.ts': [
    'export default (engine) => {\n\n  engine.work({})\n}',
    3,
    'it has: script, handler, report, job',
  ],
  'bad-package.ts': [
    '\nimport { x } from "no-such-thing"\nexport default () => x',
    2,
    'no-such-thing',
  ],
  'bad-file.ts': ['import { x } from "./nothing.ts"\nexport default () => x', 1, 'nothing.ts'],
  'bad-name.ts': ['export default (e) => {\n e.script({ Name: "a b", run() {} })\n}', 2, 'Name'],
  'bad-run.ts': [
    'export default (e) => {\n e.script({ Name: "X" })\n}',
    2,
    'script X: run is to be',
  ],
  'bad-type.ts': [
    'export default (e) => {\n e.script({ Name: "X", Parameters: [{ Name: "P", Type: "Money" }], run() {} })\n}',
    2,
    'Decimal',
  ],
  'bad-default.ts': [
    'export default (e) => {\n e.script({ Name: "X", Parameters: [{ Name: "P", Type: "Date", Default: "soon" }], run() {} })\n}',
    0,
    'script X: the Default of parameter P',
  ],
  'bad-cron.ts': [
    'export default (e) => {\n e.job({ Name: "X", Cron: "0 25 * * *", run() {} })\n}',
    2,
    'job X: Cron',
  ],
  'never.ts': [
    'export default (e) => {\n e.job({ Name: "X", Cron: "0 0 31 2 *", run() {} })\n}',
    2,
    'job X: Cron: 0 0 31 2 * never comes',
  ],
  'bad-zone.ts': [
    'export default (e) => {\n\n e.job({ Name: "X", Cron: "0 1 * * *", TimeZone: "Nowhere", run() {} })\n}',
    3,
    'no time zone Nowhere',
  ],
  'bad-job.ts': [
    'export default (e) => {\n e.script({ Name: "X", run() {} })\n e.job({ Name: "x", run() {} })\n}',
    3,
    'job x is declared twice',
  ],
  'bad-as.ts': [
    'export default (e) => {\n e.job({ Name: "X", RunAs: "run", run() {} })\n}',
    2,
    'go with a Cron',
  ],
  'bad-check.ts': [
    'export default (e) => {\n e.validate({ Object: "Notes", Name: "a b", run() {} })\n}',
    2,
    "validate Notes: Name is to have letters, digits, _ and - and begin with a letter, not 'a b'",
  ],
  'bad-checks.ts': [
    'export default (e) => {\n for (const run of [() => {}, () => {}])\n  e.validate({ Object: "Notes", run })\n}',
    3,
    'validate Notes is declared twice',
  ],
  'bad-event.ts': [
    'export default (e) => {\n e.on({ Event: "created", run() {} })\n}',
    2,
    'orders.created',
  ],
  'bad-key.ts': [
    'export default (e) => {\n e.report({ Key: "a.b", run() {} })\n}',
    2,
    "report: Key is to have letters, digits, _ and - and begin with a letter, not 'a.b'",
  ],
  'bad-resource.ts': [
    'export default (e) => {\n e.report({ Key: "a-b", Resource: "c d", run() {} })\n}',
    2,
    "report a-b: Resource is to have letters, digits, _ and - and begin with a letter, not 'c d'",
  ],
  'bad-service.ts': [
    'export default (e) => {\n e.hostedService({ Name: "X", RunAs: "run", run() {} })\n}',
    2,
    'hostedService X: RunAs and Company go together',
  ],
  'bad-export.ts': ['export const x = 1', 0, 'default export'],
  'bad-exit.ts': ['process.exit(0)', 0, 'process ended'],
  'bad-taken.ts': [
    'export default (e) => e.job({ Name: "Good", run() {} })',
    0,
    'job Good already',
  ],
  'bad-twice.ts': [script('good', '1'), 0, 'script good already'],
}

test('faulty files are left out, by file and line; the others serve', async () => {
  const texts = Object.fromEntries(Object.entries(FAULTY).map(([name, [text]]) => [name, text]))
  await using world = await startExtended({
    ...texts,
    'a-good.ts': script('Good', '"good"'),
    'types.d.ts': 'export type Nothing = = 1',
    'own.test.ts': 'throw new Error("a test")',
    'lib/part.ts': 'throw new Error("a part")',
  })
  expect(data(await world.execute('root', 'Good')).Result).toBe('good')
  const { faults } = await world.app.context.extensions.load()
  expect(faults.map(({ File }) => File)).toEqual(Object.keys(FAULTY).sort())
  for (const { File, Line, Message } of faults) {
    const [, line, reason] = FAULTY[File] ?? []
    expect({ File, Line: Line ?? 0 }).toEqual({ File, Line: line ?? -1 })
    expect(Message).toContain(reason ?? '')
    expect(Message).not.toContain(world.app.folder)
  }
  const ready = await world.app.fetch<{ data: object }>('/health/ready')
  expect(ready.status).toBe(200)
  expect(ready.body.data).toEqual({ Status: 'ok', FaultyExtensions: Object.keys(FAULTY).sort() })
  const told = world.app.log.filter((line) => line.includes('an extension is left out'))
  expect(told).toHaveLength(Object.keys(FAULTY).length)
})

test('a file that never comes to its end is left out', async () => {
  await using world = await startExtended({ 'loop.ts': 'while (true) {}' })
  const { extensions } = world.app.context
  const { faults } = await whileHasty(world, 1000, () => extensions.load())
  expect(faults).toMatchObject([{ File: 'loop.ts', Line: null }])
  expect(faults[0]?.Message).toContain('in time')
  writeExtensions(world.app.folder, { 'loop.ts': script('Good', '"good"') })
  await extensions.reload()
  expect(data(await world.execute('root', 'Good')).Result).toBe('good')
})

test('settings of the application are there while parts are declared, and no others', async () => {
  const asks = (name: string) =>
    `export default (engine) => {\n  const it = engine.setting('${name}') ?? null\n` +
    `  engine.script({ Name: 'Ask', run: () => it })\n}\n`
  await using world = await startExtended(
    { 'ask.ts': asks('app:mail:FROM'), 'bad.ts': asks('Svc:Mail:Password') },
    { 'App:Mail:From': 'office@example.com' },
  )
  const ask = async () => data(await world.execute('root', 'Ask')).Result
  expect(await ask()).toBe('office@example.com')
  const { faults } = await world.app.context.extensions.load()
  expect(faults).toMatchObject([{ File: 'bad.ts', Line: 2 }])
  expect(faults[0]?.Message).toContain('begins with App:')
  for (const name of ['App:Mail:To', 'App:__proto__']) {
    writeExtensions(world.app.folder, { 'ask.ts': asks(name) })
    expect(await ask()).toBeNull()
  }
})

test('without a folder nothing is started, and health says ok', async () => {
  await using world = await startExtended({})
  expect(data(await world.app.fetch<never>('/api/v1/svc/execute-script', { as: 'root' }))).toEqual(
    [] as never,
  )
  const ready = await world.app.fetch<{ data: object }>('/health/ready')
  expect(ready.body.data).toEqual({ Status: 'ok' })
})

test('a reload brings what changed and drops what is gone', async () => {
  await using world = await startExtended({
    'one.ts': script('One', '1'),
    'two.ts': script('Two', '2'),
  })
  expect(data(await world.execute('root', 'One')).Result).toBe(1)
  writeExtensions(world.app.folder, {
    'one.ts': script('One', '11'),
    'three.ts': 'export default 3',
  })
  rmSync(join(world.app.folder, 'extensions', 'two.ts'))
  await world.app.context.extensions.reload()
  expect(data(await world.execute('root', 'One')).Result).toBe(11)
  expect((await world.execute('root', 'Two')).status).toBe(404)
  expect(world.app.context.extensions.faultyFiles).toEqual(['three.ts'])
  writeExtensions(world.app.folder, { 'one.ts': script('Other', '3') })
  const gone = await world.execute('root', 'One')
  expect(gone.status).toBe(400)
})

interface Body {
  data?: unknown
  error?: string
}

/** Declares its parts once a file `go` lies beside it. */
const WAITING = `
import { existsSync } from 'node:fs'
while (!existsSync(new URL('./go', import.meta.url).pathname)) await Bun.sleep(2)
const page = { Resource: 'Notes', Formats: ['csv'], run: () => [{ A: 1 }] }
export default (engine) => {
  engine.script({ Name: 'Ask', run: () => engine.setting('App:Word') ?? null })
  engine.job({ Name: 'Work', run: () => 1 })
  engine.job({ Name: 'Nightly', Cron: '0 1 * * *', run: () => 1 })
  engine.report({ Key: 'monthly-notes', ...page })
  engine.report({ Key: 'late-notes', Formats: ['csv'], run: page.run })
  engine.handler({ Name: 'Lines', Resource: 'Notes', async *export({ rows }) { for await (const row of rows) yield String(row) } })
  engine.hostedService({ Name: 'Clock', run: () => {} })
  engine.on({ Event: 'notes.created', run: () => {} })
  engine.validate({ Object: 'Notes', run: ({ Values }) => ({ Title: 'Not ' + Values.Title }) })
}
`

test('until extensions are read it is not ready, and who asks for a part waits', async () => {
  await using world = await startExtended({ 'slow.ts': WAITING }, { 'App:Word': 'hello' })
  const { app } = world
  const { context } = app
  const { callers, extensions, log, queryCache: reader } = context
  const parts = { engine: context, callers, extensions, log, reader, registry: context.services }
  const services = new HostedServices({ ...parts, retryMs: 1 })
  await services.start()
  const unread = await app.fetch<Body>('/health/ready')
  expect([unread.status, unread.body.error]).toEqual([503, 'Extensions are still loading'])
  let answered = 0
  const ask = async (path: string, body?: object) => {
    const reply = await app.fetch<Body>(path, { as: 'root', ...(body && { body }) })
    answered++
    return { path, status: reply.status, reply }
  }
  const asked = [
    ask('/report/monthly-notes'),
    ask('/report'),
    ask('/api/v1/svc/execute-script', { Name: 'Ask' }),
    ask('/api/v1/svc/execute-script', { Name: 'Work', Background: true }),
    ask('/api/v1/svc/handlers/lines/export', { ObjectName: 'Notes' }),
    ask('/api/v1/svc/handlers'),
    ask('/api/v1/svc/hosted-services'),
    ask('/api/v1/svc/hosted-services/extension-clock'),
    ask('/api/v1/hangfire/recurring'),
    ask('/api/v1/hangfire/recurring/Nightly/trigger', {}),
    ask('/api/v1/svc/object/submit', { FormName: 'Notes', Parameters: { Title: 'x' } }),
  ]
  await ask('/health/live')
  expect([answered, (await app.fetch('/health/ready')).status]).toEqual([1, 503])
  writeFileSync(join(app.folder, 'extensions', 'go'), '')
  const replies = await Promise.all(asked)
  expect(replies.map(({ path, status }) => [path, status])).toEqual(
    replies.map(({ path }) => [path, path.endsWith('/submit') ? 400 : 200]),
  )
  const [report, , script, , , , listed, , , , refused] = replies.map(({ reply }) => reply)
  expect(report?.text).toBe('A\r\n1\r\n')
  expect(script?.body.data).toMatchObject({ Result: 'hello' })
  expect(listed?.text).toContain('extension-clock')
  expect(refused?.text).toContain('Not x')
  expect((await app.fetch('/health/ready')).status).toBe(200)
  expect((await world.app.fetch('/report/late-notes', { as: 'run' })).status).toBe(401)
  await services.stop()
})

test('a folder of extensions that cannot be read is not empty: it is tried again', async () => {
  await using world = await startExtended({})
  const folder = join(world.app.folder, 'extensions')
  writeFileSync(folder, 'no folder')
  const ready = async () => (await world.app.fetch('/health/ready')).status
  const failed = await world.execute('root', 'One')
  expect([failed.status, failed.body.error]).toEqual([503, 'The extensions folder cannot be read'])
  expect(await ready()).toBe(503)
  rmSync(folder)
  writeExtensions(world.app.folder, { 'one.ts': script('One', '1') })
  expect(data(await world.execute('root', 'One')).Result).toBe(1)
  expect(await ready()).toBe(200)
})
