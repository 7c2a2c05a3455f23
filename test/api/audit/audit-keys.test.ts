/** The history of a record whose key a deploy has replaced, and of none other. */
import { expect, test } from 'bun:test'
import { requireFilter } from '../../../src/features/audit/audit-filter.ts'
import { loadAudit } from '../../../src/features/audit/load-audit.ts'
import { DeployTarget, NOW } from '../../support/deploy.ts'

const client = (name: string, columns: string, more = ''): string =>
  `<Entity Name="${name}" Table="clients" Audit="Enabled" ${more}>${columns}
    <Column Name="Name"/></Entity>`

const NUMBER = '<Column Name="Number" Type="Integer" Key="true"/>'
const ID = `<Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Number" Type="Integer"/>`
const CODE = `<Column Name="Code" Key="true" Fill="'c' || Number"/>
  <Column Name="Number" Type="Integer"/>`

test('a record is known by its former keys, and not by what another bore as its key', async () => {
  await using target = await DeployTarget.open()
  const change = (entity: string, key: string, name: string): Promise<void> =>
    target.store.write(
      (tx) =>
        tx.audit({
          at: NOW,
          userId: null,
          impersonatorId: null,
          companyId: null,
          source: 'test',
          traceId: null,
          entity,
          recordKey: key,
          action: 'update',
          changes: JSON.stringify({ Name: [null, name] }),
        }),
      { company: 'all', because: 'a test' },
    )
  const history = async (key: string): Promise<unknown[]> => {
    const { store, models } = target
    const model = models.get()
    const scope = { store, model, now: new Date(NOW), zone: 'UTC' }
    const object = [...model.entities.keys()].find((name) => name !== 'User') ?? ''
    const page = await loadAudit(store, await requireFilter({ object, key }, scope), model)
    return page.Entries.map(({ Changes }) => Changes[0]?.To)
  }
  await target.deploy({ 'c.xml': client('Client', NUMBER) })
  await target.run(`INSERT INTO clients (Number, Name) VALUES (2, 'Anna'), (3, 'Bert')`)
  await change('Client', '[2]', 'Anna')
  await change('Client', '[3]', 'Bert')
  await change('Client', '[1]', 'Gone')
  expect(await history('2')).toEqual(['Anna'])
  await target.deploy({ 'c.xml': client('Client', ID) })
  await change('Client', '[2]', 'Bert again')
  expect(await history('1')).toEqual(['Anna'])
  expect(await history('2')).toEqual(['Bert again', 'Bert'])
  await target.deploy(
    { 'c.xml': client('Customer', CODE, 'Was="Client"') },
    { allowDataLoss: true },
  )
  await change('Customer', '["c2"]', 'Anna at last')
  expect(await history('c2')).toEqual(['Anna at last', 'Anna'])
  expect(await history('c3')).toEqual(['Bert again', 'Bert'])
  expect(await history('c1')).toEqual([])
  await target.deploy({ 'c.xml': client('Party', CODE, 'Was="Customer"') })
  await change('Party', '["c2"]', 'Anna here')
  expect(await history('c2')).toEqual(['Anna here', 'Anna at last', 'Anna'])
})
