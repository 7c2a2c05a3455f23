import { describe, expect, test } from 'bun:test'
import { formatDiagnostic } from '../../src/model/deploy/report.ts'
import { DeployTarget, NOW } from '../support/deploy.ts'

const KIND = `<Entity Name="Kind" Table="kinds" Concurrency="Enabled" Tracking="true">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Code" Type="Text" Required="true" Unique="true"/>
  <Column Name="Label" Type="Text" Required="true"/>
  <Column Name="Active" Type="Boolean" Required="true" Default="true"/>
  <Column Name="Since" Type="DateTime" Default="@Now"/>
  <Column Name="Rate" Type="Decimal" Scale="2"/>
</Entity>`

const STORE = `<Entity Name="Store" Table="stores" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Code" Type="Text" Required="true" Unique="true"/>
  <Column Name="KindId" References="Kind"/>
</Entity>`

const kinds = (attributes: string, ...rows: string[]): string =>
  `<Rows Entity="Kind" Key="Code" ${attributes}>${rows.map((row) => `<Row ${row}/>`).join('\n')}</Rows>`

const stores = (...rows: string[]): string =>
  `<Rows Entity="Store" Key="Code">${rows.map((row) => `<Row ${row}/>`).join('\n')}</Rows>`

const ANNUAL = 'Code="annual" Label="Annual" Rate="1.005"'

const COMPANIES = `INSERT INTO svc_companies (Code, Name, CreatedAt)
  VALUES ('one', 'One', '${NOW}'), ('two', 'Two', '${NOW}')`

describe('reference rows', () => {
  test('are inserted with defaults, then kept', async () => {
    await using target = await DeployTarget.open()
    const files = { 'kind.xml': KIND, 'rows.xml': kinds('', ANNUAL, 'Code="sick" Label="Sick"') }
    expect((await target.deploy(files)).recordsWritten).toBe(2)
    expect((await target.rows('SELECT * FROM kinds'))[0]).toEqual({
      Id: 1,
      Code: 'annual',
      Label: 'Annual',
      Active: 1,
      Since: NOW,
      Rate: 1.01,
      RowVersion: 1,
      CreatedAt: NOW,
      CreatedBy: null,
      ChangedAt: NOW,
      ChangedBy: null,
    })
    expect((await target.deploy(files)).recordsWritten).toBe(0)
  })

  test('are changed by their key; other columns and other records stay', async () => {
    await using target = await DeployTarget.open()
    await target.deploy({ 'kind.xml': KIND, 'rows.xml': kinds('', ANNUAL) })
    await target.run(
      `UPDATE kinds SET Active = 0`,
      `INSERT INTO kinds (Code, Label) VALUES ('own', 'Own')`,
    )
    const { recordsWritten } = await target.deploy({
      'rows.xml': kinds('', 'Code="annual" Label="Yearly"'),
    })
    expect(recordsWritten).toBe(1)
    expect(await target.rows('SELECT Code, Label, Active, Rate, RowVersion FROM kinds')).toEqual([
      { Code: 'annual', Label: 'Yearly', Active: 0, Rate: 1.01, RowVersion: 2 },
      { Code: 'own', Label: 'Own', Active: 1, Rate: null, RowVersion: 1 },
    ])
  })

  test('leave an audit record where the entity asks for it', async () => {
    await using target = await DeployTarget.open()
    const audited = KIND.replace('Tracking="true"', 'Audit="Enabled"')
    await target.deploy({ 'kind.xml': audited, 'rows.xml': kinds('', ANNUAL) })
    await target.deploy({ 'rows.xml': kinds('', 'Code="annual" Label="Yearly"') })
    const rows = await target.rows('SELECT Source, RecordKey, Action, Changes FROM svc_audit')
    expect(rows.map((row) => [row.Source, row.RecordKey, row.Action])).toEqual([
      ['deploy', '[1]', 'insert'],
      ['deploy', '[1]', 'update'],
    ])
    expect(rows[1]?.Changes).toBe('{"Label":["Annual","Yearly"]}')
  })

  test('once: into an empty table only', async () => {
    await using target = await DeployTarget.open()
    const files = { 'kind.xml': KIND, 'rows.xml': kinds('Once="true"', ANNUAL) }
    expect((await target.deploy(files)).recordsWritten).toBe(1)
    await target.run(`UPDATE kinds SET Label = 'Mine'`)
    expect((await target.deploy(files)).recordsWritten).toBe(0)
    expect(await target.rows('SELECT Label FROM kinds')).toEqual([{ Label: 'Mine' }])
  })

  test('of a tenant entity are for each company', async () => {
    await using target = await DeployTarget.open()
    await target.run(COMPANIES)
    const files = { 'a.xml': KIND, 'b.xml': STORE, 'rows.xml': stores('Code="main"') }
    expect((await target.deploy(files)).recordsWritten).toBe(2)
    expect(await target.rows('SELECT CompanyId, Code FROM stores')).toEqual([
      { CompanyId: 1, Code: 'main' },
      { CompanyId: 2, Code: 'main' },
    ])
    expect((await target.deploy(files)).recordsWritten).toBe(0)
  })

  test('of a tenant entity may name their company', async () => {
    await using target = await DeployTarget.open()
    await target.run(COMPANIES)
    const rows = stores('CompanyId="2" Code="main"')
    await target.deploy({ 'a.xml': KIND, 'b.xml': STORE, 'rows.xml': rows })
    expect(await target.rows('SELECT CompanyId, Code FROM stores')).toEqual([
      { CompanyId: 2, Code: 'main' },
    ])
  })

  const refusals: { name: string; rows: string; fault: string }[] = [
    {
      name: 'a value of another type',
      rows: kinds('', 'Code="a" Label="A" Rate="much"'),
      fault: 'Must be a number',
    },
    { name: 'no required value', rows: kinds('', 'Code="a"'), fault: 'Label is required' },
    {
      name: 'a record that is not there',
      rows: stores('Code="main" KindId="7"'),
      fault: 'KindId: there is no such Kind',
    },
    {
      name: 'a key for every company',
      rows: stores('Id="1" Code="main"'),
      fault: "Two companies cannot share a record's key",
    },
    {
      name: 'a company here and none there',
      rows: stores('CompanyId="1" Code="a"', 'Code="b"'),
      fault: 'Either every row names its CompanyId',
    },
  ]
  for (const { name, rows, fault } of refusals)
    test(`${name}: refused by its line, and nothing is changed`, async () => {
      await using target = await DeployTarget.open()
      await target.run(COMPANIES)
      const before = await target.dump()
      const { plan, isDone } = await target.deploy({
        'a.xml': KIND,
        'b.xml': STORE,
        'rows.xml': rows,
      })
      expect(isDone).toBe(false)
      expect(plan.faults).toHaveLength(1)
      expect(plan.faults.map(formatDiagnostic)[0]).toContain(fault)
      expect(plan.faults[0]?.place.file).toBe('rows.xml')
      expect(await target.dump()).toBe(before)
    })

  test('of one entity stand in one file', async () => {
    await using target = await DeployTarget.open()
    const { plan } = await target.deploy({
      'kind.xml': KIND,
      'one.xml': kinds('', ANNUAL),
      'two.xml': kinds('', ANNUAL),
    })
    expect(plan.faults.map(formatDiagnostic)).toEqual([
      `two.xml:1:1: A second Rows 'Kind' (the first: one.xml:1:1)`,
    ])
  })
})
