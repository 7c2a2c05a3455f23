/** Datasets of report pages: queried defaults, time, size, and one run for many callers. */
import { describe, expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'
import type { Refusal } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const COUNT =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i &lt; @Steps) SELECT'

const MODEL = `<Model>
<Entity Name="Item" Table="items" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="Day" Type="Date"/>
</Entity>
<Report Name="Preset">
  <Filters>
    <Filter Name="Region" Type="Text" Required="true"><Default>SELECT max(Region) FROM items</Default></Filter>
    <Filter Name="To" Type="Date"><Default DependsOn="Region Least">SELECT max(Day) FROM items WHERE Region = @Region AND Id &gt;= @Least</Default></Filter>
    <Filter Name="Least" Type="Integer" Default="1"/>
  </Filters>
  <DataSets><DataSet Name="Bound"><Sql>SELECT @Region AS Region, @To AS Until, @To_End AS UntilEnd, count(*) AS N FROM items</Sql></DataSet></DataSets>
  <Widgets><Widget Name="Bound" Kind="Table" DataSet="Bound"/></Widgets>
</Report>
<Report Name="Slow">
  <Filters><Filter Name="Steps" Type="Integer" Default="10"/></Filters>
  <DataSets>
    <DataSet Name="Quick"><Sql>SELECT count(*) AS N FROM items</Sql></DataSet>
    <DataSet Name="Long"><Sql>${COUNT} count(*) AS N FROM n, items</Sql></DataSet>
  </DataSets>
  <Widgets><Widget Name="Quick" Kind="Kpi" DataSet="Quick"/><Widget Name="Long" Kind="Kpi" DataSet="Long"/></Widgets>
</Report>
<Report Name="Large">
  <Filters><Filter Name="Steps" Type="Integer" Default="10"/></Filters>
  <DataSets><DataSet Name="Rows"><Sql>${COUNT} n.i AS I, items.Name AS Name FROM n, items WHERE items.Id = 1</Sql></DataSet></DataSets>
  <Widgets><Widget Name="Rows" Kind="Table" DataSet="Rows"/></Widgets>
</Report>
<Report Name="Board">
  <DataSets>
    <DataSet Name="A"><Sql>SELECT count(*) AS N FROM items</Sql></DataSet>
    <DataSet Name="B"><Sql>SELECT Region, count(*) AS N FROM items GROUP BY Region</Sql></DataSet>
    <DataSet Name="C" Mode="Single"><Sql>SELECT max(Day) AS Last FROM items</Sql></DataSet>
    <DataSet Name="D"><Sql>SELECT Name FROM items</Sql></DataSet>
    <DataSet Name="Chief"><Sql>SELECT min(Day) AS First FROM items</Sql></DataSet>
  </DataSets>
  <Widgets>
    <Widget Name="Kpi" Kind="Kpi" DataSet="A"><Compare DataSet="C" Column="Last"/><Sparkline DataSet="B" Column="N"/></Widget>
    <Widget Name="Chief" Kind="Kpi" DataSet="A" AllowedRoles="Chief"><Compare DataSet="Chief" Column="First"/><Sparkline DataSet="D" Column="Name"/></Widget>
  </Widgets>
</Report>
<Rbac>
  <Role Name="Clerk"><Grant Resource="Preset" Verbs="List"/><Grant Resource="Slow" Verbs="List"/><Grant Resource="Large" Verbs="List"/><Grant Resource="Board" Verbs="List"/></Role>
  <Role Name="Chief"><Grant Resource="Board" Verbs="List"/></Role>
</Rbac>
</Model>`

const CLERKS = ['ana', 'ben', 'cleo', 'dan'] as const

const ITEMS: TestApplication = {
  files: [{ name: 'items.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    root: 'System in ONE TWO',
    ...Object.fromEntries(CLERKS.map((name) => [name, 'Clerk@ONE'])),
    max: 'Chief@ONE',
    two: 'Clerk@TWO in TWO',
  }),
}

const write = (app: TestApp, sql: string) =>
  app.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })

async function start(settings: Record<string, string> = {}): Promise<TestApp> {
  const app = await startApp({ application: ITEMS, settings })
  await write(
    app,
    `INSERT INTO items (CompanyId, Name, Region, Day) VALUES (1, 'bolt', 'north', '2026-03-29'),
      (1, 'nut', 'south', '2026-05-01'), (2, 'gear', 'west', '2026-07-01')`,
  )
  // Tokens are verified once: what a call reads from then on is its own.
  for (const as of CLERKS) await app.fetch('/api/v1/svc/reports/Board', { as })
  return app
}

interface DataSet {
  Columns: { Name: string; ClrType: string }[]
  Rows: Record<string, string | null>[]
  Error?: string
  Truncated?: string
}

interface Data {
  RequiredFilterMissing: boolean
  DataSets: Record<string, DataSet>
  AccessibleWidgets: string[]
}

async function load(app: TestApp, as: string, key: string, body: object = {}): Promise<Data> {
  const path = `/api/v1/svc/reports/${key}/data`
  const answer = await app.fetch<{ data: Data }>(path, { as, body })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data
}

describe('a default that is a query', () => {
  const bound = async (app: TestApp, as: string, Arguments: object) => {
    const { DataSets } = await load(app, as, 'Preset', { Arguments })
    return DataSets.Bound?.Rows[0]
  }

  test('stands where its filter is left out, and depends on the others', async () => {
    await using app = await start()
    expect(await bound(app, 'ana', {})).toEqual({
      Region: 'south',
      Until: '2026-05-01',
      UntilEnd: '2026-05-02T00:00:00.000Z',
      N: '2',
    })
    expect(await bound(app, 'ana', { REGION: 'north' })).toMatchObject({ Until: '2026-03-29' })
    expect(await bound(app, 'ana', { Least: '2', Region: 'north' })).toMatchObject({ Until: null })
    expect(await bound(app, 'ana', { To: '2026-01-01' })).toMatchObject({ Until: '2026-01-01' })
    expect(await bound(app, 'ana', { To: '' })).toMatchObject({ Region: 'south', Until: null })
  })

  test('is of the caller’s company', async () => {
    await using app = await start()
    expect(await bound(app, 'two', {})).toMatchObject({ Region: 'west', N: '1' })
    const all = await load(app, 'root', 'Preset', { AllCompanies: true })
    expect(all.DataSets.Bound?.Rows[0]).toMatchObject({ Region: 'west', N: '3' })
  })

  test('that finds nothing leaves a required filter blank', async () => {
    await using app = await start()
    await write(app, 'DELETE FROM items WHERE CompanyId = 2')
    const data = await load(app, 'two', 'Preset')
    expect([data.RequiredFilterMissing, data.DataSets]).toEqual([true, {}])
    const { reads } = app.store.counters
    expect((await load(app, 'two', 'Preset', { Arguments: { Region: ' ' } })).DataSets).toEqual({})
    expect(app.store.counters.reads).toBe(reads + 1)
  })

  test('is not read for arguments that do not fit', async () => {
    await using app = await start()
    await load(app, 'ana', 'Preset')
    const { reads } = app.store.counters
    const { status, body } = await app.fetch<Refusal>('/api/v1/svc/reports/Preset/data', {
      as: 'ana',
      body: { Arguments: { Least: 'x' } },
    })
    expect([status, Object.keys(body.fieldErrors ?? {})]).toEqual([400, ['Least']])
    expect(app.store.counters.reads).toBe(reads)
  })
})

describe('time', () => {
  const LONG = { Arguments: { Steps: '2000000000' } }

  test('that is over leaves a dataset without rows, and the others with theirs', async () => {
    await using app = await start({ 'Svc:Reports:Timeout': '1s' })
    const { DataSets, AccessibleWidgets } = await load(app, 'ana', 'Slow', LONG)
    expect(AccessibleWidgets).toEqual(['Quick', 'Long'])
    expect(DataSets.Quick?.Rows).toEqual([{ N: '2' }])
    expect(DataSets.Long).toEqual({
      Columns: [{ Name: 'N', ClrType: 'System.String' }],
      Rows: [],
      Error: 'The dataset took longer than 1000 ms (Svc:Reports:Timeout)',
    })
    const german = await app.fetch<{ data: Data }>('/api/v1/svc/reports/Slow/data', {
      as: 'ana',
      body: LONG,
      headers: { 'Accept-Language': 'de' },
    })
    expect(german.body.data.DataSets.Long?.Error).toContain('hat länger als')
    // Its lane is free again.
    expect((await load(app, 'ana', 'Slow')).DataSets.Long?.Rows).toEqual([{ N: '20' }])
  })

  test('of a statement by Svc:Sql:Timeout is the same', async () => {
    await using app = await start({ 'Svc:Sql:Timeout': '1s' })
    const { DataSets } = await load(app, 'ana', 'Slow', LONG)
    expect(DataSets.Quick?.Rows).toEqual([{ N: '2' }])
    expect(DataSets.Long?.Error).toContain('Svc:Sql:Timeout')
  })

  test('while others write is told the same way, of one state', async () => {
    await using app = await start({ 'Svc:Reports:Timeout': '1s' })
    let isOver = false
    const writing = (async () => {
      while (!isOver) await write(app, `INSERT INTO items (CompanyId, Name) VALUES (1, 'more')`)
    })()
    const { DataSets } = await load(app, 'ana', 'Slow', LONG).finally(() => (isOver = true))
    await writing
    expect(DataSets.Long?.Rows).toEqual([])
    expect(DataSets.Long?.Error).toContain('Svc:Reports:Timeout')
    expect(DataSets.Quick?.Rows.length === 1 || DataSets.Quick?.Error !== undefined).toBe(true)
  })

  test('of one caller does not end what another waits for', async () => {
    await using app = await start({ 'Svc:Reports:Timeout': '700ms' })
    // Asked twice, an answer is kept, and shared while it is read.
    const body = { Arguments: { Steps: '3000000000' } }
    await load(app, 'ana', 'Slow', body)
    const first = load(app, 'ana', 'Slow', body)
    await Bun.sleep(400)
    const begun = performance.now()
    const second = await load(app, 'ben', 'Slow', body)
    const waited = performance.now() - begun
    expect((await first).DataSets.Long?.Error).toContain('Svc:Reports:Timeout')
    expect(second.DataSets.Long?.Error).toContain('Svc:Reports:Timeout')
    expect(waited).toBeGreaterThan(600)
  })
})

describe('size', () => {
  test('of a dataset up to the bound is whole, and one more is told', async () => {
    await using app = await start({ 'Svc:Reports:MaxRows': '2000' })
    const whole = await load(app, 'ana', 'Large', { Arguments: { Steps: '2000' } })
    expect(whole.DataSets.Rows?.Rows).toHaveLength(2000)
    expect(whole.DataSets.Rows?.Truncated).toBeUndefined()
    const cut = await load(app, 'ana', 'Large', { Arguments: { Steps: '2001' } })
    expect(cut.DataSets.Rows?.Rows).toHaveLength(2000)
    expect(cut.DataSets.Rows?.Rows.at(-1)).toEqual({ I: '2000', Name: 'bolt' })
    expect(cut.DataSets.Rows?.Truncated).toBe(
      'Only the first 2000 rows are shown (Svc:Reports:MaxRows)',
    )
  })

  test('in bytes is told too', async () => {
    await using app = await start({ 'Svc:Results:MaxBytes': '3000' })
    const { DataSets } = await load(app, 'ana', 'Large', { Arguments: { Steps: '5000' } })
    const sizes = DataSets.Rows?.Rows.map((row) => JSON.stringify(row).length) ?? []
    const size = sizes.reduce((sum, each) => sum + each, 0)
    expect(size).toBeLessThanOrEqual(3000)
    expect(size).toBeGreaterThan(2900)
    expect(DataSets.Rows?.Truncated).toBe(
      'The rows were cut off at 3000 bytes (Svc:Results:MaxBytes)',
    )
  })

  test('of 100,000 rows lets others in between', async () => {
    await using app = await start({ 'Svc:Reports:MaxRows': '100000' })
    const body = { Arguments: { Steps: '100000' } }
    await load(app, 'ana', 'Large', body)
    const begun = performance.now()
    let isOver = false
    const answer = app
      .fetch<{ data: Data }>('/api/v1/svc/reports/Large/data', { as: 'ana', body })
      .finally(() => (isOver = true))
    let longest = 0
    for (let last = begun; !isOver; last = performance.now()) {
      await Bun.sleep(1)
      longest = Math.max(longest, performance.now() - last)
    }
    const took = performance.now() - begun
    const { Rows, Truncated } = (await answer).body.data.DataSets.Rows ?? {}
    expect([Rows?.length, Truncated]).toEqual([100_000, undefined])
    // The statement runs off the event loop; what is left on it is to read the answer here.
    expect(longest).toBeLessThan(took * 0.8)
  })
})

describe('a board that many look at', () => {
  test('costs one run while its tables stand still', async () => {
    await using app = await start()
    for (let at = 0; at < 2; at++) await load(app, 'ana', 'Board')
    const countReads = async (): Promise<number> => {
      const before = app.store.counters.reads
      const callers = Array.from({ length: 100 }, (_, at) => CLERKS[at % CLERKS.length] ?? 'ana')
      const answers = await Promise.all(callers.map((as) => load(app, as, 'Board')))
      for (const { DataSets } of answers) expect(DataSets).toEqual(answers[0]?.DataSets ?? {})
      return app.store.counters.reads - before
    }
    expect(await countReads()).toBe(0)
    await write(app, `UPDATE items SET Region = 'east' WHERE Id = 1`)
    expect(await countReads()).toBe(3)
    expect(await countReads()).toBe(0)
  })

  test('has what comparisons and courses read, of visible widgets alone', async () => {
    await using app = await start()
    const clerk = await load(app, 'ana', 'Board')
    expect(clerk.AccessibleWidgets).toEqual(['Kpi'])
    expect(Object.keys(clerk.DataSets)).toEqual(['A', 'B', 'C'])
    expect(clerk.DataSets.C?.Rows).toEqual([{ Last: '2026-05-01' }])
    const chief = await load(app, 'max', 'Board')
    expect(chief.AccessibleWidgets).toEqual(['Kpi', 'Chief'])
    expect(Object.keys(chief.DataSets)).toEqual(['A', 'B', 'C', 'D', 'Chief'])
  })
})
