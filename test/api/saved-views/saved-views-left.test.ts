/** Saved views when what they are about goes: fields, objects, roles and users. */
import { describe, expect, test } from 'bun:test'
import { deployModel } from '../../../src/model/deploy/deploy.ts'
import { startApp } from '../../support/app.ts'
import { APPLICATION, planModel, SavedViewCalls, VIEWS } from '../../support/saved-views.ts'

describe('saved views', () => {
  test('outlive fields and objects of the model, and are judged when they are back', async () => {
    await using own = await startApp({ application: APPLICATION })
    const { save, put, remove, find } = new SavedViewCalls(own)
    const columns = [{ Field: 'Old' }, { Field: 'Name' }]
    const mine = await save('ana', { Name: 'Mine', Columns: columns })
    const ours = await save('sam', { Name: 'Ours', Columns: columns, Shared: 'company' })
    const { context } = own
    const deploy = (body: string) =>
      deployModel(
        context.store,
        context.models,
        [{ name: 'bills.xml', body }],
        { prune: true, allowDataLoss: true, overwrite: true },
        context.clock,
      )
    await deploy(planModel(''))
    const left = { Columns: [{ Field: 'Name' }], IsPartial: true }
    expect(await find('ana', mine.Id)).toMatchObject({ ...left, Ignored: ['Old'] })
    // The name is the maker's own; others learn no name that the model no longer has.
    expect(await find('ana', ours.Id)).toMatchObject({ ...left, Ignored: [] })
    expect(await find('sam', ours.Id)).toMatchObject({ ...left, Ignored: ['Old'] })
    expect((await put('ana', mine.Id, { Name: 'Renamed' })).status).toBe(200)

    await deploy(planModel('').replaceAll('"Bills"', '"Invoices"'))
    expect((await own.fetch(`${VIEWS}?object=Bills`, { as: 'ana' })).status).toBe(404)
    expect((await put('ana', mine.Id, { Name: 'Gone' })).status).toBe(404)
    await deploy(planModel('<Column Name="Old" Type="Text"/>'))
    expect(await find('ana', mine.Id)).toMatchObject({
      Name: 'Renamed',
      Columns: columns,
      Ignored: [],
      IsPartial: false,
    })
    await deploy(planModel('').replaceAll('"Bills"', '"Invoices"'))
    expect((await remove('ana', mine.Id)).status).toBe(200)
  })

  test('of a role that a deploy removes are left to their makers, told and logged', async () => {
    await using own = await startApp({ application: APPLICATION })
    const { context } = own
    const { save, find } = new SavedViewCalls(own)
    const byAdmin = await save('eve', { Name: 'Of clerks', Shared: 'role', Role: 'Blind' })
    const ofGone = await save('eve', { Name: 'Of nobody', Shared: 'role', Role: 'Blind' })
    const other = await save('eve', { Name: 'Stays', Shared: 'role', Role: 'Keeper' })
    await own.store.write(
      (tx) => tx.run(`UPDATE svc_saved_views SET MakerId = NULL WHERE Id = ${ofGone.Id}`, {}),
      { company: 'all', because: 'a test' },
    )
    const without = planModel('<Column Name="Old" Type="Text"/>').replace(
      /<Role Name="Blind">.*<\/Role>/,
      '',
    )
    const deploy = (dryRun: boolean) =>
      deployModel(
        context.store,
        context.models,
        [{ name: 'bills.xml', body: without }],
        { prune: true, dryRun, overwrite: true },
        context.clock,
      )
    const { plan } = await deploy(true)
    const told = plan.steps.filter((step) => step.includes('saved view'))
    expect(told).toEqual([
      'role Blind is removed: 1 saved view shared with it stays with its maker',
      'role Blind is removed: 1 saved view shared with it, whose maker is gone, goes with it',
    ])
    expect(await find('bo', byAdmin.Id)).toMatchObject({ Shared: 'role', Role: 'Blind' })
    expect((await deploy(false)).isDone).toBe(true)
    const left = { Shared: 'none', Role: null, IsOwn: true, RowVersion: 2 }
    expect(await find('eve', byAdmin.Id)).toMatchObject(left)
    expect(await find('eve', other.Id)).toMatchObject({ Shared: 'role', RowVersion: 1 })
    expect(await find('eve', ofGone.Id)).toBeUndefined()
    const rows = await own.store.all(`SELECT RecordKey, Action, Source FROM svc_audit
      WHERE Entity = 'svc_saved_views' AND Source = 'deploy' ORDER BY Id`)
    expect(rows).toEqual([
      { RecordKey: `[${byAdmin.Id}]`, Action: 'unshare', Source: 'deploy' },
      { RecordKey: `[${ofGone.Id}]`, Action: 'delete', Source: 'deploy' },
    ])
  })

  test('that are private go with their user, and shared ones stay', async () => {
    await using app = await startApp({ application: APPLICATION })
    const { save, find } = new SavedViewCalls(app)
    const shared = await save('eve', { Name: 'Stays', Shared: 'company' })
    const own = await save('cy', { Name: 'Goes' })
    // An earlier version wrote no audit row, which would keep the user.
    await app.store.write(
      (tx) => tx.run(`UPDATE svc_saved_views SET MakerId = 7 WHERE Id = ${shared.Id}`, {}),
      { company: 'all', because: 'a test' },
    )
    const user = await app.fetch('/api/v1/svc/auth/users/7', { as: 'root', method: 'DELETE' })
    expect(user.status).toBe(200)
    expect(await find('ana', shared.Id)).toMatchObject({ MadeBy: null })
    const rows = await app.store.all(`SELECT Id FROM svc_saved_views WHERE Id = ${own.Id}`)
    expect(rows).toEqual([])
  })
})
