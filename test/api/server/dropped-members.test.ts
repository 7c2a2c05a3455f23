/** Members that a request may not write are dropped everywhere, and the answer lists them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { data, Objects, refusal, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const DISCOUNT = `SELECT CASE @Tier WHEN 'gold' THEN 50 WHEN 'none' THEN 1 END`

const MODEL = `<Model>
<Entity Name="Account" Table="accounts" Concurrency="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text"/>
  <Column Name="Tier" Type="Text"/>
  <Column Name="Discount" Type="Integer"><Default DependsOn="Tier">${DISCOUNT}</Default></Column>
  <Column Name="Lock" Type="Text"/>
  <Column Name="Kind" Type="Text"/>
  <Column Name="Fee" Type="Integer"><Default DependsOn="Kind">SELECT CASE @Kind WHEN 'big' THEN 9 END</Default></Column>
  <Column Name="Kept" Type="Text" Default="canary"/>
  <Column Name="Doubled" Type="Integer"><Compute>SELECT @Discount * 2</Compute></Column>
</Entity>
<Entity Name="Line" Table="lines">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="AccountId" References="Account"/>
  <Column Name="Tier" Type="Text"/>
  <Column Name="Discount" Type="Integer"><Default DependsOn="Tier">${DISCOUNT}</Default></Column>
</Entity>
<ObjectView Name="Accounts" Entity="Account">
  <Field Name="Kind" ReadOnlyWhen="Lock eq shut"/>
  <Field Name="Kept" In="None"/>
  <RowAction Name="Rate">
    <Parameter Name="Lever"/>
    <Parameter Name="Grade" ReadOnlyWhen="Lever eq off"/>
    <Parameter Name="Rebate" Type="Integer"><Default DependsOn="Grade">SELECT CASE @Grade WHEN 'gold' THEN 50 ELSE 0 END</Default></Parameter>
    <Sql>UPDATE accounts SET Discount = @Rebate, Name = @Kind WHERE Id = @Id</Sql>
  </RowAction>
  <RowAction Name="Audit" Capability="Inspect">
    <Parameter Name="Why"/>
    <Parameter Name="Grade"><Default DependsOn="Why">SELECT 'graded'</Default></Parameter>
    <Sql>UPDATE accounts SET Name = Name WHERE Id = @Id</Sql>
  </RowAction>
  <RowAction Name="Sweep" For="View">
    <Sql>UPDATE accounts SET Name = @Name WHERE Tier = 'sweep'</Sql>
  </RowAction>
  <Detail Name="Lines" View="Lines" Parent="AccountId=Id"/>
</ObjectView>
<ObjectView Name="Lines" Entity="Line"/>
<ObjectView Name="Authored" Entity="Account" Resource="Accounts">
  <TableQuery>SELECT * FROM accounts</TableQuery>
  <Insert>INSERT INTO accounts (Name, Tier, Discount, Kept) VALUES (@Name, @Tier, @Discount, @Kept) RETURNING Id</Insert>
  <Update>UPDATE accounts SET Name = @Name, Lock = @Tier WHERE Id = @Id</Update>
</ObjectView>
<Rbac>
  <Capability Name="Inspect"/>
  <Role Name="Chief">
    <Grant Resource="Accounts" Verbs="View List Create Update Delete" Capabilities="Inspect"/>
    <Grant Resource="Lines" Verbs="View List Create Update Delete"/>
  </Role>
  <Role Name="Clerk">
    <Grant Resource="Accounts" Verbs="View List Create Update Delete"/>
    <Grant Resource="Lines" Verbs="View List Create Update Delete"/>
    <FieldRule Resource="Accounts" Field="Tier" Access="ReadOnly"/>
    <FieldRule Resource="Lines" Field="Tier" Access="Hidden"/>
  </Role>
</Rbac>
</Model>`

const ACCOUNTS: TestApplication = {
  files: [{ name: 'accounts.xml', body: MODEL }],
  ...makePeople('ONE', { chief: 'Chief', clerk: 'Clerk' }),
}

let all: Objects
beforeAll(async () => {
  all = new Objects(await startApp({ application: ACCOUNTS }))
})
afterAll(() => all[Symbol.asyncDispose]())

const dataset = async (as: string, FieldName: string, Parameters: Row, more: Row = {}) =>
  data(
    await all.call<Row[]>(as, '/field-dataset', {
      FormName: 'Accounts',
      FieldName,
      Parameters,
      ...more,
    }),
  )

describe('what is dropped feeds no default', () => {
  test('of a create', async () => {
    const free = await all.save('chief', 'Accounts', { Tier: 'gold' })
    expect(free.Values).toMatchObject({ Tier: 'gold', Discount: 50, Doubled: 100 })
    const dropped = await all.save('clerk', 'Accounts', { Tier: 'gold' })
    expect(dropped.Values).toMatchObject({ Tier: null, Discount: null, Doubled: null })
  })

  test('of a detail, in a field that is hidden', async () => {
    const Details = { Lines: { Upsert: [{ Tier: 'gold' }] } }
    await all.save('clerk', 'Accounts', { Name: 'hidden tier' }, { Details })
    const { Rows } = await all.table('chief', 'Lines')
    expect(Rows.map(({ Tier, Discount }) => [Tier, Discount])).toEqual([[null, null]])
  })

  test('of a create whose condition bars it', async () => {
    const free = await all.save('clerk', 'Accounts', { Kind: 'big' })
    expect(free.Values).toMatchObject({ Kind: 'big', Fee: 9 })
    const barred = await all.save('clerk', 'Accounts', { Kind: 'big', Lock: 'shut' })
    expect(barred.Values).toMatchObject({ Kind: null, Fee: null })
  })

  test('of an authored Insert, and none of its parameters', async () => {
    const given = { Name: 'n', Tier: 'gold', Kept: 'mine', Unknown: 1 }
    const { Keys } = await all.save('clerk', 'Authored', given)
    const [row] = await all.stored(
      `SELECT Tier, Discount, Kept FROM accounts WHERE Id = ${(Keys as Row).Id}`,
    )
    expect(row).toEqual({ Tier: null, Discount: null, Kept: 'mine' })
  })

  test('of a new form, which takes writable fields and parents alone', async () => {
    const free = await all.form('chief', 'Accounts', { Tier: 'gold', Doubled: 7 })
    expect(free.Values).toMatchObject({ Tier: 'gold', Discount: 50, Doubled: null })
    const dropped = await all.form('clerk', 'Accounts', { Tier: 'gold' })
    expect(dropped.Values).toMatchObject({ Tier: null, Discount: null })
  })

  test('that a client asks for', async () => {
    const tier = { Tier: 'gold' }
    expect(await dataset('chief', 'Discount', tier)).toEqual([{ Value: '50', Label: '50' }])
    expect(await dataset('clerk', 'Discount', tier)).toEqual([])
    const { Keys } = await all.save('chief', 'Accounts', { Tier: 'none' })
    expect(await dataset('clerk', 'Discount', { ...(Keys as Row), ...tier })).toEqual([
      { Value: '1', Label: '1' },
    ])
  })

  test('of the parameters of an action', async () => {
    const { Keys } = await all.save('chief', 'Accounts', { Tier: 'none', Kind: 'small' })
    const rate = async (more: Row) => {
      await all.act('clerk', 'Accounts', 'Rate', { ...(Keys as Row), ...more })
      return (await all.form('chief', 'Accounts', Keys as Row)).Values
    }
    expect(await rate({ Grade: 'gold' })).toMatchObject({ Discount: 50, Name: 'small' })
    expect(await rate({ Grade: 'gold', Lever: 'off' })).toMatchObject({ Discount: 0 })
    expect(await rate({ Kind: 'request' })).toMatchObject({ Name: 'small' })
  })

  test('nor an action without a row, whose statements name its parameters alone', async () => {
    const { Keys } = await all.save('chief', 'Accounts', { Name: 'before', Tier: 'sweep' })
    data(await all.act('clerk', 'Accounts', 'Sweep', { Name: 'from the request' }))
    expect((await all.form('chief', 'Accounts', Keys as Row)).Values.Name).toBeNull()
  })
})

test('the options and defaults of an action are for those who may run it', async () => {
  const ask = (as: string) =>
    dataset(as, 'Grade', {}, { ActionName: 'Audit', Default: true }).then((rows) => rows.length)
  expect([await ask('chief'), await ask('clerk')]).toEqual([1, 0])
})

test('a field that is served nowhere has neither options nor a default to ask for', async () => {
  for (const more of [{}, { Default: true }]) {
    const asked = { FormName: 'Accounts', FieldName: 'Kept', ...more }
    const answer = await all.call('chief', '/field-dataset', asked)
    expect(refusal(answer, 400)).toMatchObject({ code: 'UNKNOWN_FIELD' })
  }
})

describe('Ignored tells what was dropped, as it was sent', () => {
  const ignored = (answer: { body: { data: { Ignored: string[] } } }) => answer.body.data.Ignored

  test('of a submit: unknown, computed, hidden and read-only look the same', async () => {
    const given = {
      name: 'n',
      TIER: 'gold',
      Doubled: 7,
      Nothing: 1,
      Kept: 'x',
      Id: null,
      CurrentUserId: 1,
      RowVersion: '',
      Name: 'second spelling',
      FormLoadTime: '',
    }
    const made = await all.submit('clerk', 'Accounts', given)
    const dropped = ['TIER', 'Doubled', 'Nothing', 'Kept', 'CurrentUserId', 'Name']
    expect(ignored(made)).toEqual(dropped)
    expect(made.body.data.Values.Name).toBe('n')
    const free = await all.submit('chief', 'Accounts', { Name: 'n', Tier: 'gold' })
    expect(ignored(free)).toEqual([])
    const { Keys, RowVersion } = free.body.data
    const again = { ...(Keys as Row), RowVersion, Tier: 'none', Name: 'm' }
    expect(ignored(await all.submit('clerk', 'Accounts', again))).toEqual(['Tier'])
  })

  test('of a submit whose conditions bar a value', async () => {
    const barred = await all.submit('chief', 'Accounts', { Kind: 'big', Lock: 'shut' })
    expect(ignored(barred)).toEqual(['Kind'])
  })

  test('of details, named by their rows', async () => {
    const { Keys, RowVersion } = await all.save(...(['chief', 'Accounts', {}] as const), {
      Details: { Lines: { Upsert: [{ Discount: 1 }, { Discount: 2 }] } },
    })
    const { Rows } = await all.table('chief', 'Lines', {
      Filters: [{ Field: 'AccountId', Operator: 'eq', Value: (Keys as Row).Id }],
    })
    const [first, second] = Rows
    const Details = {
      lines: {
        Upsert: [
          { Discount: 3, AccountId: 1 },
          { Id: first?.Id, Tier: 'gold', Nothing: 1 },
        ],
        Delete: [{ Id: second?.Id, Discount: 2 }],
      },
    }
    const saved = await all.submit(
      'clerk',
      'Accounts',
      { ...(Keys as Row), RowVersion },
      { Details },
    )
    expect(ignored(saved)).toEqual([
      ...['Lines[1].Tier', 'Lines[1].Nothing', 'Lines.Delete[0].Discount'],
    ])
  })

  test('of a delete and of an action', async () => {
    const { Keys, RowVersion } = await all.save('chief', 'Accounts', { Tier: 'none' })
    const key = { ...(Keys as Row) }
    const acted = await all.act('clerk', 'Accounts', 'Rate', {
      ...key,
      Grade: 'gold',
      Lever: 'off',
      Tier: 'gold',
      nothing: 1,
    })
    expect(ignored(acted)).toEqual(['Grade', 'Tier', 'nothing'])
    const swept = await all.act('clerk', 'Accounts', 'Sweep', { Name: 'x' })
    expect(ignored(swept)).toEqual(['Name'])
    const stamp = acted.body.data.RowVersion ?? RowVersion
    const removed = await all.remove('clerk', 'Accounts', { ...key, RowVersion: stamp, Tier: 'x' })
    expect(ignored(removed)).toEqual(['Tier'])
  })
})
