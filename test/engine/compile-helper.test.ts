/** A model that is compiled in a helper is the one that this process would have compiled. */
import { expect, test } from 'bun:test'
import { Failure } from '../../src/kernel/failure.ts'
import { compileHere } from '../../src/model/compile/compile-scripts.ts'
import { CurrentModel } from '../../src/model/current.ts'
import { deployModel } from '../../src/model/deploy/deploy.ts'
import { parseModelFiles } from '../../src/model/parse/parse.ts'
import { openCompiler, openReply } from '../../src/engine/process/compile-helper.ts'
import { parseScripts } from '../support/compile-text.ts'
import { DeployTarget } from '../support/deploy.ts'
import { SHOP } from '../support/shop-model.ts'
import { WHOLE } from '../support/whole-model.ts'

test('it is the same to the letter, and serves as it is read', async () => {
  const scripts = await parseScripts({ 'shop.xml': SHOP, 'whole.xml': WHOLE })
  const there = await openCompiler().compile(scripts, [])
  const here = await compileHere(scripts, [])
  expect(await there.snapshot()).toBe(await here.snapshot())
  expect(there.warnings).toEqual(here.warnings)
  const [view] = there.model?.views.values() ?? []
  expect(view?.fields.map(({ name }) => name)).toEqual(
    here.model?.views.get(view?.name ?? '')?.fields.map(({ name }) => name) ?? [],
  )
})

test('the query plans of a report come with it, where they are asked for', async () => {
  const scripts = await parseScripts({ 'whole.xml': WHOLE })
  const there = await openCompiler().compile(scripts, [], 'Sales')
  const here = await compileHere(scripts, [], 'Sales')
  expect(there.plans).toEqual(here.plans)
  expect(there.plans?.plans.flatMap(({ steps }) => steps)).not.toEqual([])
  expect((await openCompiler().compile(scripts, [])).plans).toBeUndefined()
})

test('faults come with their places', async () => {
  const scripts = await parseScripts({
    'shop.xml': SHOP,
    'more.xml': '<ObjectView Name="Orders" Entity="Ordr"/>',
  })
  const there = await openCompiler().compile(scripts, [])
  expect(there.model).toBeUndefined()
  expect(there.faults).toEqual((await compileHere(scripts, [])).faults)
  await expect(there.snapshot()).rejects.toThrow('no snapshot')
})

test('files are parsed there as here, with faults; a helper that ends refuses them', async () => {
  const large = `<!-- ${'x'.repeat(20_000)} -->`
  const files = [
    { name: 'a/shop.xml', body: SHOP },
    { name: 'whole.xml', body: large + WHOLE },
    { name: 'broken.xml', body: '<Model><Entity Name="A"></Model>' },
    { name: 'faulty.xml', body: '<Entity Name="Faulty"><Colum/></Entity>' },
  ]
  expect(await openCompiler().parse(files)).toEqual(await parseModelFiles(files))
  const ended = openCompiler({ memoryBytesMax: 1 }).parse(files)
  await expect(ended).rejects.toMatchObject({ kind: 'unavailable' })
})

test('files of many deploys are parsed by one helper at a time', async () => {
  const files = [{ name: 'whole.xml', body: `<!-- ${'x'.repeat(20_000)} -->${WHOLE}` }]
  const compiler = openCompiler()
  let parsed = 0
  const parsing = Array.from({ length: 4 }, async () => {
    await compiler.parse(files)
    parsed++
  })
  let helpersMax = 0
  while (parsed < parsing.length) {
    helpersMax = Math.max(helpersMax, countHelpers())
    await Bun.sleep(5)
  }
  await Promise.all(parsing)
  expect(helpersMax).toBe(1)
})

/** Helpers of this process that compile or parse. */
function countHelpers(): number {
  const { stdout } = Bun.spawnSync(['ps', '-o', 'args=', '--ppid', String(process.pid)])
  const lines = stdout.toString().split('\n')
  return lines.filter((line) => line.includes('compile-model')).length
}

test('what another build has compiled is refused', async () => {
  const scripts = await parseScripts({ 'shop.xml': SHOP })
  const text = (await (await compileHere(scripts, [])).snapshot()).replace(/^\w+/, 'another')
  const opened = openReply({ text, faults: [], warnings: [] }, scripts)
  await expect(opened).rejects.toThrow('The executable was replaced while running')
})

test('a helper that is killed ends the deploy with a sentence, and nothing changes', async () => {
  await using target = await DeployTarget.open()
  await target.deploy({ 'shop.xml': SHOP })
  const before = await target.dump()
  const compiler = openCompiler({ memoryBytesMax: 1 })
  const models = new CurrentModel(target.models.get(), compiler)
  const files = [{ name: 'more.xml', body: '<ObjectView Name="Orders" Entity="Order"/>' }]
  const deploy = deployModel(target.store, models, files, {}, { now: () => new Date() })
  const failure = await deploy.catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Failure)
  expect(failure).toMatchObject({ kind: 'unavailable' })
  expect(String(failure)).toContain('Nothing was changed')
  expect(models.get()).toBe(target.models.get())
  expect(await target.dump()).toBe(before)
})
