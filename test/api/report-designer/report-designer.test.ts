/**
 * The report designer (src/server/README.md, Report designer): drafts and versions by the table of
 * states, refusals, and a preview that no rename leads out of a row filter.
 */
import { describe, expect, test } from 'bun:test'
import {
  compileHere,
  type Compiler,
  COMPILER_HERE,
  type CompileScripts,
} from '../../../src/model/compile/compile-scripts.ts'
import { hashScripts } from '../../../src/model/compile/compile.ts'
import { deployModel } from '../../../src/model/deploy/deploy.ts'
import type { TestApp } from '../../support/app.ts'
import { propertySeed, scaleCases } from '../../support/property.ts'
import {
  type Answered,
  call,
  draft,
  findDraft,
  publish,
  report,
  save,
  startDesign,
  STOCK,
  versions,
} from '../../support/report-designs.ts'

describe('save', () => {
  test('creates, appends, and leaves alone what is the same', async () => {
    await using app = await startDesign()
    const created = await save(app, report('Fresh', 'A'))
    expect(created.body.data).toMatchObject({
      Name: 'Fresh',
      Slug: 'fresh',
      Created: true,
      Unchanged: false,
    })
    const appended = await save(app, report('Fresh', 'B'))
    expect(appended.body.data).toMatchObject({ Created: false, Unchanged: false })
    const again = await save(app, report('Fresh', 'B'))
    expect(again.body.data).toMatchObject({
      Created: false,
      Unchanged: true,
      VersionHash: appended.body.data.VersionHash,
    })
    expect(await versions(app, 'fresh')).toMatchObject([
      { VersionHash: appended.body.data.VersionHash, IsCurrent: true, SavedBy: 'des', Notes: 'n' },
      { VersionHash: created.body.data.VersionHash, IsCurrent: false },
    ])
    const { body } = await call(app, 'GET', 'fresh')
    expect(body.data).toMatchObject({
      Name: 'Fresh',
      Label: 'B',
      DefinitionXml: report('Fresh', 'B'),
    })
    const audited = await app.store.all(
      `SELECT Action, RecordKey FROM svc_audit WHERE Source = 'report-designer'`,
    )
    expect(audited).toHaveLength(2)
  })

  test('restores an earlier version, and tells what differs', async () => {
    await using app = await startDesign()
    const first = await versions(app, 'Stock')
    const second = (await save(app, report('Stock', 'Changed'))).body.data.VersionHash
    const hash = first[0]?.VersionHash ?? ''
    const old = await call<{ DefinitionXml: string }>(app, 'GET', `Stock/versions/${hash}`)
    expect(old.body.data.DefinitionXml).toBe(STOCK.body)
    const diff = await call<{ Lines: string[] }>(
      app,
      'GET',
      `Stock/versions/${hash}/diff/${second}`,
    )
    expect(diff.body.data.Lines).toEqual([`- ${STOCK.body}`, `+ ${report('Stock', 'Changed')}`])
    await save(app, old.body.data.DefinitionXml)
    const list = await versions(app, 'Stock')
    expect(list.map(({ VersionHash }) => VersionHash)).toEqual([hash, second, hash])
    expect(list.map(({ IsCurrent }) => IsCurrent)).toEqual([true, false, false])
  })

  test('is refused for what is no report, with message, line and column', async () => {
    await using app = await startDesign()
    const cases = [
      '<Report Name="A">\n  <Bogus/>\n</Report>',
      '<Report Name="A"',
      '',
      '<Entity Name="E" Table="es"><Column Name="Id" Type="Integer" Key="true"/></Entity>',
      `<Model>${report('A', 'A')}</Model>`,
      '<Rbac><Role Name="Designer"><Grant Resource="Items" Verbs="List"/></Role></Rbac>',
      report('A', 'A', 'SELECT PasswordHash FROM svc_users'),
      report('A', 'A', 'DELETE FROM items'),
      report('A', 'A', 'SELECT Nothing FROM items'),
      report('Items', 'A'),
    ]
    for (const body of cases) {
      const answer = await save(app, body)
      expect([body, answer.status, answer.body.code]).toEqual([body, 400, 'REPORT_FAULTS'])
      const [fault] = (answer.body as unknown as { faults: object[] }).faults
      expect(fault).toMatchObject({ Line: expect.any(Number), Column: expect.any(Number) })
    }
    expect((await save(app, cases[0] ?? '')).body.error).toMatch(/2:\d+: /)
    expect((await call(app, 'GET', 'A')).status).toBe(404)
  })

  test('meets another designer with 409', async () => {
    await using app = await startDesign()
    const [first] = await versions(app, 'Stock')
    const VersionHash = first?.VersionHash
    expect((await save(app, report('Stock', 'One'), { VersionHash })).status).toBe(200)
    const late = await save(app, report('Stock', 'Two'), { VersionHash })
    expect([late.status, late.body.code]).toEqual([409, 'REPORT_MOVED'])
    expect(late.body.error).toContain('des')
    const both = await Promise.all([
      save(app, report('Stock', 'Three')),
      save(app, report('Stock', 'Four')),
    ])
    expect(both.map(({ status }) => status).sort()).toContain(200)
    expect(await versions(app, 'Stock')).toHaveLength(
      2 + both.filter(({ status }) => status === 200).length,
    )
  })
})

describe('drafts', () => {
  test('walk as the table of states says', async () => {
    await using app = await startDesign({ compiler: compileOnce() })
    await walk(app, Math.min(scaleCases(500), 10_000))
  })

  test('are neither parsed nor versions, and go stale', async () => {
    await using app = await startDesign()
    await draft(app, 'Stock', 'no < xml')
    expect(await findDraft(app, 'stock')).toMatchObject({
      DefinitionXml: 'no < xml',
      Notes: 'd',
      IsStale: false,
    })
    expect(await versions(app, 'Stock')).toHaveLength(1)
    expect((await publish(app, 'Stock')).status).toBe(400)
    expect((await call(app, 'GET', 'Stock/draft/structure')).status).toBe(400)
    await save(app, report('Stock', 'Moved'))
    expect((await findDraft(app, 'Stock'))?.IsStale).toBe(true)
    await draft(app, 'Stock', report('Stock', 'Mine'))
    expect((await findDraft(app, 'Stock'))?.IsStale).toBe(true)
    expect((await publish(app, 'Stock')).body.data.Unchanged).toBe(false)
    expect(await findDraft(app, 'Stock')).toBeNull()
    expect((await publish(app, 'Stock')).body.code).toBe('DRAFT_NOT_FOUND')
  })

  test('rename the report with its versions, but not onto another one', async () => {
    await using app = await startDesign()
    await draft(app, 'Stock', report('Other', 'Mine'))
    const taken = await publish(app, 'Stock')
    expect([taken.status, taken.body.code]).toEqual([409, 'REPORT_NAME_TAKEN'])
    expect(await findDraft(app, 'Stock')).not.toBeNull()
    await draft(app, 'Stock', report('Fresh', 'Mine'))
    expect((await publish(app, 'Stock')).body.data).toMatchObject({
      Name: 'Fresh',
      Slug: 'fresh',
      Created: false,
      Unchanged: false,
    })
    expect((await call(app, 'GET', 'Stock')).status).toBe(404)
    expect(await versions(app, 'Fresh')).toHaveLength(2)
    expect(await findDraft(app, 'Fresh')).toBeNull()
    // What was granted to the former name is not granted to this one.
    const read = (as: string) => app.fetch('/api/v1/svc/reports/Fresh/data', { as, body: {} })
    expect([(await read('loo')).status, (await read('root')).status]).toEqual([401, 200])
  })
})

test('of two who publish at once, one does: version, pointer and draft move together', async () => {
  await using app = await startDesign()
  await draft(app, 'Stock', report('Stock', 'Mine'))
  const both = await Promise.all([publish(app, 'Stock'), publish(app, 'Stock')])
  expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
  expect((await versions(app, 'Stock')).map(({ IsCurrent }) => IsCurrent)).toEqual([true, false])
  expect(await findDraft(app, 'Stock')).toBeNull()
  const current = await app.store.all(
    `SELECT count(*) AS N FROM svc_scripts WHERE IsCurrent = 1 AND Name = 'Stock'`,
  )
  expect(current).toEqual([{ N: 1 }])
})

describe('the preview', () => {
  const rows = async (app: TestApp, key: string, as: string) =>
    (
      await call<{ Name: string; DataSets: Record<string, { Rows: object[]; Error?: string }> }>(
        app,
        'POST',
        `${key}/draft/data`,
        {},
        as,
      )
    ).body.data

  test('is held by the stored report, whatever the draft calls itself', async () => {
    await using app = await startDesign()
    const renamed = report('Open', 'Mine', `SELECT Name, Region, 'canary' AS C FROM items`)
    await draft(app, 'Stock', renamed)
    const own = await rows(app, 'Stock', 'des')
    expect(own).toMatchObject({ Name: 'Open' })
    expect(own.DataSets.All?.Rows).toEqual([{ Name: 'bolt', Region: 'north', C: 'canary' }])
    expect((await rows(app, 'Stock', 'root')).DataSets.All?.Rows).toHaveLength(2)
    expect((await rows(app, 'Stock', 'bli')).DataSets.All).toMatchObject({
      Rows: [],
      Error: 'You do not have the List right for this report',
    })
    const structure = await call(app, 'GET', 'Stock/draft/structure')
    expect(structure.status).toBe(200)
    expect(structure.text).not.toContain('canary')
    await draft(app, 'Stock', report('Open', 'Mine', 'SELECT Name FROM items'))
    expect((await rows(app, 'Stock', 'des')).DataSets.All).toMatchObject({
      Rows: [],
      Error: 'A row filter of your roles cannot be applied to this dataset',
    })
    // Nothing of a draft is served.
    const live = await app.fetch<Answered<typeof own>>('/api/v1/svc/reports/Stock/data', {
      as: 'des',
      body: {},
    })
    expect(live.body.data.DataSets.All?.Rows).toEqual([{ Name: 'bolt', Region: 'north' }])
  })

  test('validates without saving: every fault, and the plan of each dataset', async () => {
    await using app = await startDesign()
    const check = async (DefinitionXml: string) =>
      (
        await call<{ Issues: object[]; Plans: object[] }>(app, 'POST', 'Stock/validate', {
          DefinitionXml,
        })
      ).body.data
    expect(await check(report('Stock', 'A', 'SELECT Name FROM items WHERE Id = 1'))).toEqual({
      Issues: [],
      Plans: [{ DataSet: 'All', Steps: ['SEARCH main.items USING INTEGER PRIMARY KEY (rowid=?)'] }],
    })
    const all = await check(
      report(
        'Stock',
        'A',
        'WITH a AS MATERIALIZED (SELECT Weight AS W FROM units) SELECT i.Name FROM a, items i, units b',
      ),
    )
    const message = (table: string) =>
      `All reads all of ${table}: an Index would help where few rows match`
    expect(all.Issues).toMatchObject([
      { Severity: 'warning', Line: 1, Message: message('units') },
      { Severity: 'warning', Line: 1, Message: message('b') },
    ])
    const Steps = [
      'MATERIALIZE a',
      '  SCAN units',
      'SEARCH main.items USING INDEX ix_items.CompanyId (CompanyId=?)',
      'SCAN a',
      'SCAN b USING COVERING INDEX sqlite_autoindex_units_1',
    ]
    expect(all.Plans).toEqual([{ DataSet: 'All', Steps }])
    const faulty = await check(
      report('Stock', 'A', 'SELECT Nothing FROM items').replace(
        '</Widgets>',
        '<Widget Name="X" Kind="Bar"/></Widgets>',
      ),
    )
    expect(faulty).toMatchObject({
      Issues: [
        { Severity: 'error', Line: 1, Message: expect.stringContaining('Nothing') },
        { Severity: 'error', Line: 1, Message: 'A Bar needs a DataSet' },
      ],
      Plans: [],
    })
    expect((await check('<Report/>')).Issues).toMatchObject([{ Severity: 'error', Line: 1 }])
    expect(await versions(app, 'Stock')).toHaveLength(1)
  })
})

describe('others', () => {
  test('may read by View and write by Update alone', async () => {
    await using app = await startDesign()
    const body = { DefinitionXml: report('Stock', 'No'), Notes: '' }
    const writes: [string, string, object | undefined][] = [
      ['POST', 'save', body],
      ['POST', 'Stock/draft', body],
      ['DELETE', 'Stock/draft', undefined],
      ['POST', 'Stock/publish', undefined],
      ['GET', 'Stock/draft/structure', undefined],
      ['POST', 'Stock/draft/data', {}],
      ['POST', 'Stock/validate', body],
    ]
    for (const [method, path, sent] of writes)
      for (const as of ['loo', 'dee'])
        expect((await call(app, method, path, sent, as)).status).toBe(401)
    for (const path of ['Stock', 'Stock/versions', 'Stock/draft']) {
      expect((await call(app, 'GET', path, undefined, 'loo')).status).toBe(200)
      expect((await call(app, 'GET', path, undefined, 'dee')).status).toBe(401)
    }
    for (const path of ['Gone', 'Gone/versions', 'Gone/draft', `Stock/versions/${'0'.repeat(32)}`])
      expect((await call(app, 'GET', path)).status).toBe(404)
    expect(await versions(app, 'Stock')).toHaveLength(1)
  })

  test('deploy beside: what was designed here is kept, and can be replaced', async () => {
    await using app = await startDesign()
    const mine = (await save(app, report('Stock', 'Mine'))).body.data.VersionHash
    const { store, models, clock } = app.context
    const file = { name: 'stock.xml', body: report('Stock', 'From the file') }
    const kept = await deployModel(store, models, [file], {}, clock)
    expect(kept.plan.kept).toMatchObject([{ name: 'Stock', isFileChanged: true }])
    expect((await versions(app, 'Stock'))[0]).toMatchObject({ VersionHash: mine, IsCurrent: true })
    await draft(app, 'Stock', report('Stock', 'Next'))
    await deployModel(store, models, [file], { overwrite: true }, clock)
    const list = await versions(app, 'Stock')
    expect(list.map(({ SavedBy }) => SavedBy)).toEqual([null, 'des', null])
    expect(list[1]).toMatchObject({ VersionHash: mine, IsCurrent: false })
    expect((await findDraft(app, 'Stock'))?.IsStale).toBe(true)
  })
})

/** Compiles each set of scripts once: a long walk meets the same few again and again. */
function compileOnce(): Compiler {
  const known = new Map<string, ReturnType<CompileScripts>>()
  const compile: CompileScripts = (scripts, faulty) =>
    known.getOrInsertComputed(hashScripts(scripts), () => compileHere(scripts, faulty))
  return { ...COMPILER_HERE, compile }
}

/** The row of one report in the table of states, as little as it takes. */
interface World {
  live: string
  history: string[]
  draft: string | undefined
  base: number
}

/** Random steps; after each one the answers are those of the model. */
async function walk(app: TestApp, steps: number): Promise<void> {
  let seed = propertySeed
  const pick = (n: number): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return Math.floor((seed / 2147483648) * n)
  }
  const world: World = { live: STOCK.body, history: [STOCK.body], draft: undefined, base: 0 }
  const texts = [STOCK.body, report('Stock', 'A'), report('Stock', 'B')]
  const drafts = [...texts, 'broken', report('Other', 'taken')]
  for (let step = 0; step < steps; step++) {
    const kind = pick(4)
    const told = `step ${step}`
    if (kind === 0) await saveStep(app, world, texts[pick(texts.length)] ?? '', told)
    else if (kind === 1) await draftStep(app, world, drafts[pick(drafts.length)] ?? '', told)
    else if (kind === 2) {
      const { body } = await call<boolean>(app, 'DELETE', 'Stock/draft')
      expect(body.data, told).toBe(world.draft !== undefined)
      world.draft = undefined
    } else await publishStep(app, world, told)
    const shown = await findDraft(app, 'Stock')
    expect(shown?.DefinitionXml, told).toBe(world.draft as string)
    if (shown) expect(shown.IsStale, told).toBe(world.base !== world.history.length - 1)
    const { body } = await call<{ VersionHash: string }>(app, 'GET', 'Stock')
    expect(body.data.VersionHash, told).toBe(hashOf(world.live))
    if (step < LISTED_STEPS || step === steps - 1) await compareVersions(app, world, told)
  }
}

/** The list is long at last: so many steps, and the last one, look at all of it. */
const LISTED_STEPS = 100

async function compareVersions(app: TestApp, world: World, told: string): Promise<void> {
  const list = await versions(app, 'Stock')
  const hashes = list.map(({ VersionHash }) => VersionHash)
  expect(hashes, told).toEqual(world.history.map(hashOf).reverse())
  expect(list.filter(({ IsCurrent }) => IsCurrent)).toEqual(list.slice(0, 1))
}

const hashOf = (text: string): string => new Bun.CryptoHasher('md5').update(text).digest('hex')

async function saveStep(app: TestApp, world: World, text: string, told: string): Promise<void> {
  const { body } = await save(app, text)
  expect(body.data, told).toMatchObject({ Created: false, Unchanged: text === world.live })
  if (text !== world.live) world.history.push(text)
  world.live = text
}

async function draftStep(app: TestApp, world: World, text: string, told: string): Promise<void> {
  expect((await draft(app, 'Stock', text)).status, told).toBe(200)
  if (world.draft === undefined) world.base = world.history.length - 1
  world.draft = text
}

async function publishStep(app: TestApp, world: World, told: string): Promise<void> {
  const { status, body } = await publish(app, 'Stock')
  const { draft: text } = world
  if (text === undefined) return expect(status, told).toBe(404)
  if (text === 'broken') return expect(status, told).toBe(400)
  if (text.includes('"Other"')) return expect(status, told).toBe(409)
  expect(body.data, told).toMatchObject({ Created: false, Unchanged: text === world.live })
  if (text !== world.live) world.history.push(text)
  world.live = text
  world.draft = undefined
}
