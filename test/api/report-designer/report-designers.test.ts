/** Several designers at one time, and deploys beside them: nothing is lost, and all is told. */
import { describe, expect, test } from 'bun:test'
import {
  compileHere,
  COMPILER_HERE,
  type CompileScripts,
} from '../../../src/model/compile/compile-scripts.ts'
import { deployModel, executeDeploy } from '../../../src/model/deploy/deploy.ts'
import type { DeployOptions } from '../../../src/model/deploy/plan.ts'
import { prepareDeploy } from '../../../src/model/deploy/prepare.ts'
import type { ModelFile } from '../../../src/model/parse/parse.ts'
import type { TestApp } from '../../support/app.ts'
import {
  type Answered,
  BASE,
  call,
  DESIGN,
  draft,
  findDraft,
  publish,
  report,
  save,
  type Saved,
  startDesign,
  STOCK,
  versions,
} from '../../support/report-designs.ts'

describe('designers at one time', () => {
  test('do not stand in each other’s way but on one report, and hear what moved', async () => {
    await using app = await startDesign()
    const names = ['A', 'B', 'C', 'D', 'E']
    const made = await Promise.all(names.map((name) => save(app, report(name, name))))
    expect(made.map(({ status }) => status)).toEqual(names.map(() => 200))
    const both = await Promise.all([
      save(app, report('Stock', 'One'), { Notes: 'mine' }),
      save(app, report('Stock', 'Two'), {}, 'root'),
    ])
    const [late] = both.filter(({ status }) => status === 409)
    const [done] = both.filter(({ status }) => status === 200)
    const { VersionHash } = (done as { body: Answered<Saved> }).body.data
    const [current] = await versions(app, 'Stock')
    expect(late?.body).toMatchObject({
      code: 'REPORT_MOVED',
      current: { VersionHash, SavedBy: current?.SavedBy, SavedAt: expect.any(String) },
    })
  })

  test('plan again what a deploy overtakes', async () => {
    let overtake = (): Promise<unknown> => Promise.resolve()
    const compile: CompileScripts = async (scripts, faulty) => {
      await overtake()
      return compileHere(scripts, faulty)
    }
    await using app = await startDesign({ compiler: { ...COMPILER_HERE, compile } })
    const file = { name: 'third.xml', body: report('Third', 'Deployed') }
    const prepared = await prepareDeploy(app.store, [file], {})
    let times = 0
    overtake = () => (times++ === 0 ? executeDeploy(app.context, prepared, {}) : Promise.resolve())
    expect((await save(app, report('Stock', 'Mine'))).status).toBe(200)
    expect(times).toBe(2)
    expect((await call(app, 'GET', 'Third')).status).toBe(200)
    expect(await versions(app, 'Stock')).toHaveLength(2)
  })

  test('do not overwrite each other’s draft where they name the one they know', async () => {
    await using app = await startDesign()
    const mine = (await draft(app, 'Stock', 'mine')).body.data
    const DefinitionXml = 'theirs'
    const theirs = await call(app, 'POST', 'Stock/draft', { DefinitionXml }, 'bli')
    expect(theirs.status).toBe(200)
    const late = { DefinitionXml: 'late', SavedAt: mine.SavedAt }
    const refused = await call<never>(app, 'POST', 'Stock/draft', late)
    expect([refused.status, refused.body.code]).toEqual([409, 'DRAFT_MOVED'])
    expect(refused.body).toMatchObject({ current: { SavedBy: 'bli' } })
    const other = await call<never>(app, 'POST', 'Stock/draft', late, 'abe')
    expect(other.body).toMatchObject({ code: 'DRAFT_MOVED', current: { SavedBy: null } })
    expect(other.text).not.toContain('bli')
    const known = await findDraft(app, 'Stock')
    expect(known).toMatchObject({ DefinitionXml, SavedBy: 'bli' })
    const next = { DefinitionXml: 'next', SavedAt: known?.SavedAt }
    expect((await call(app, 'POST', 'Stock/draft', next)).status).toBe(200)
    await call(app, 'DELETE', 'Stock/draft')
    const gone = await call<never>(app, 'POST', 'Stock/draft', next)
    expect([gone.body.code, gone.body.error]).toEqual([
      ...['DRAFT_MOVED', 'The draft no longer exists'],
    ])
  })

  test('publish what they saw: a draft that came meanwhile stays', async () => {
    await using app = await startDesign()
    await draft(app, 'Stock', report('Stock', 'Seen'))
    const publishing = publish(app, 'Stock')
    await findDraft(app, 'Stock')
    await draft(app, 'Stock', report('Stock', 'Unseen'))
    expect((await publishing).body.code).toBe('DRAFT_MOVED')
    expect((await findDraft(app, 'Stock'))?.DefinitionXml).toBe(report('Stock', 'Unseen'))
    expect(await versions(app, 'Stock')).toHaveLength(1)
  })

  test('publish after a rename, and a deploy brings the old name anew', async () => {
    await using app = await startDesign()
    await draft(app, 'Stock', report('Fresh', 'Mine'))
    await publish(app, 'Stock')
    await draft(app, 'Fresh', report('Fresh', 'Next'))
    await deploy(app, [STOCK])
    expect(await versions(app, 'Stock')).toHaveLength(1)
    expect(await findDraft(app, 'Stock')).toBeNull()
    expect(await versions(app, 'Fresh')).toHaveLength(2)
    expect((await publish(app, 'Fresh')).status).toBe(200)
    await draft(app, 'Fresh', report('Stock', 'Back'))
    expect((await publish(app, 'Fresh')).body.code).toBe('REPORT_NAME_TAKEN')
  })
})

test('a report that a deploy takes away leaves no draft, and its name begins anew', async () => {
  await using app = await startDesign()
  await save(app, report('Stock', 'Second'))
  await draft(app, 'Stock', 'left behind')
  await draft(app, 'Other', 'stays')
  const others = DESIGN.files.filter(({ name }) => name !== STOCK.name)
  // A draft is work of somebody: it is lost only where the deploy says so.
  await deploy(app, others, { prune: true, overwrite: true, allowDataLoss: true })
  expect((await call(app, 'GET', 'Stock/draft')).status).toBe(404)
  expect(await app.store.all('SELECT Body FROM svc_drafts')).toEqual([{ Body: 'stays' }])
  const again = await save(app, STOCK.body)
  expect(again.body.data).toMatchObject({ Created: true, Unchanged: false })
  expect(await versions(app, 'Stock')).toHaveLength(1)
  expect(await findDraft(app, 'Stock')).toBeNull()
})

interface Listed {
  Name: string
  VersionHash: string
  HasDraft: boolean
  IsStale: boolean
  SavedAt: string
  SavedBy: string | null
}

const list = async (app: TestApp, as: string): Promise<Listed[]> =>
  (await app.fetch<Answered<Listed[]>>(BASE, { as })).body.data

test('the list of reports says of each what its own routes say', async () => {
  await using app = await startDesign()
  await save(app, report('Stock', 'Second'))
  await save(app, report('Stock', 'Third'), {}, 'bli')
  await draft(app, 'Stock', report('Fresh', 'Renamed'))
  await publish(app, 'Stock')
  await draft(app, 'Fresh', 'stale')
  await save(app, report('Fresh', 'Newer'))
  await save(app, report('Third', 'Drafted'))
  await draft(app, 'Third', 'not stale')
  await deploy(app, [{ name: 'other.xml', body: report('Other', 'Deployed') }])
  // The same text again is no version: the one before stays the current one.
  await deploy(app, [{ name: 'other.xml', body: report('Other', 'Deployed') }], { overwrite: true })
  const listed = await list(app, 'des')
  expect(listed.map(({ Name }) => Name)).toEqual(['Fresh', 'Other', 'Third'])
  for (const entry of listed) {
    const { data } = (await call<object>(app, 'GET', entry.Name)).body
    const { HasDraft, IsStale, SavedAt, SavedBy, ...named } = entry
    expect(data).toMatchObject(named)
    const now = await findDraft(app, entry.Name)
    expect([HasDraft, IsStale]).toEqual([now !== null, now?.IsStale ?? false])
    const current = (await versions(app, entry.Name)).find(({ IsCurrent }) => IsCurrent)
    expect(current).toMatchObject({ SavedAt, SavedBy, VersionHash: entry.VersionHash })
  }
  expect(listed.map(({ IsStale, SavedBy }) => [IsStale, SavedBy])).toEqual([
    [true, 'des'],
    [false, null],
    [false, 'des'],
  ])
  // Of another company: the reports are the same, who saved them is not told.
  expect((await list(app, 'abe')).map(({ SavedBy }) => SavedBy)).toEqual([null, null, null])
  expect((await app.fetch(BASE, { as: 'dee' })).status).toBe(401)
})

const deploy = ({ context }: TestApp, files: readonly ModelFile[], options: DeployOptions = {}) =>
  deployModel(context.store, context.models, files, options, context.clock)
