/** Hosted services of extensions: they go on, end when told, begin anew, and are replaced. */
import { expect, test } from 'bun:test'
import { HostedServices } from '../../../src/engine/extensions/hosted-services.ts'
import { startExtended, writeExtensions } from '../../support/extensions.ts'
import { until } from '../../support/until.ts'

const AS = "RunAs: 'run', Company: 'one'"

const SERVICES = `
const forever = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve))
export default (engine: Engine) => {
  engine.hostedService({ Name: 'Ticker', ${AS}, async run({ submit, signal, log, enqueue }) {
    const note = (Title: string) => submit({ FormName: 'Notes', Parameters: { Title } })
    await note('ticker begins')
    await enqueue('Work', {}, { delayMs: 3_600_000 })
    log('it ticks')
    await forever(signal)
    await note('ticker ends')
  } })
  engine.hostedService({ Name: 'Stumbler', ${AS}, async run({ submit, query, signal }) {
    const [row] = await query("SELECT count(*) AS Times FROM notes WHERE Title = 'stumbles'")
    if (Number(row?.Times) < 3) {
      await submit({ FormName: 'Notes', Parameters: { Title: 'stumbles' } })
      if (Number(row?.Times) === 1) process.kill(process.pid, 'SIGKILL')
      throw new Error('It stumbled')
    }
    await forever(signal)
  } })
  engine.hostedService({ Name: 'Once', run: ({ log }) => log('done already') })
  engine.hostedService({ Name: 'Nobody', run: ({ query }) => query('SELECT 1 AS One') })
  engine.hostedService({ Name: 'Ghost', RunAs: 'ghost', Company: 'ONE', run: () => 1 })
  engine.hostedService({ Name: 'Deaf', run: () => new Promise(() => {}) })
  engine.job({ Name: 'Work', Resource: 'Reports', run: () => 1 })
}
`

test('services go on, end when told, begin anew after errors, and are replaced', async () => {
  await using world = await startExtended({ 'services.ts': SERVICES })
  const { context } = world.app
  const { callers, extensions, log, queryCache: reader } = context
  const services = new HostedServices({
    engine: context,
    callers,
    extensions,
    log,
    reader,
    registry: context.services,
    retryMs: 1,
  })
  const find = (name: string) => services.list().find((each) => each.name === name)
  const count = async (title: string): Promise<number> => {
    const sql = `SELECT count(*) AS Notes FROM notes WHERE Title = '${title}' AND CompanyId = 1`
    return Number((await world.stored(sql))[0]?.Notes)
  }
  await services.start()
  expect(services.list()).toEqual([])
  await extensions.load()
  await until(async () => (await count('stumbles')) === 3)
  await until(() => String(find('Stumbler')?.lastError).includes('It stumbled'))
  expect(context.services.list().map(([name]) => name)).toEqual(
    ['deaf', 'ghost', 'nobody', 'once', 'stumbler', 'ticker'].map((name) => `extension-${name}`),
  )
  await until(() => find('Stumbler')?.state === 'running')
  await until(() => find('Once')?.state === 'stopped')
  expect([find('Once')?.runs, find('Once')?.lastError]).toEqual([1, undefined])
  await until(() => String(find('Nobody')?.lastError).includes('Set RunAs'))
  await until(() => String(find('Ghost')?.lastError).includes('no user ghost'))
  const asked = "SELECT UserId, State FROM svc_jobs WHERE Name = 'Work'"
  await until(async () => (await world.stored(asked)).length === 1)
  expect(await world.stored(asked)).toEqual([{ UserId: 2, State: 'Scheduled' }])
  const ticker = find('Ticker')
  await ticker?.stop()
  expect([ticker?.state, await count('ticker ends')]).toEqual(['stopped', 1])
  await ticker?.start()
  await until(async () => (await count('ticker begins')) === 2)
  writeExtensions(world.app.folder, {
    'services.ts':
      'export default (engine) => engine.hostedService({ Name: "New", run: () => new Promise(() => {}) })',
  })
  await extensions.reload()
  await until(() => find('New')?.state === 'running')
  expect(services.list().map(({ name }) => name)).toEqual(['New'])
  expect(await count('ticker ends')).toBe(2)
  await services.stop()
  expect([find('New')?.state, services.state]).toEqual(['stopped', 'stopped'])
})
