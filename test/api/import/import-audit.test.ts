/** The audit entry of an imported record is that of the same record from a form, to the letter. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { Imports } from '../../support/imports.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const THINGS: TestApplication = {
  files: [
    {
      name: 'things.xml',
      body: `<Model>
<Entity Name="Shelf" Table="shelves" Display="Name">
  <Column Name="Code" Type="Text" Key="true"/>
  <Column Name="Name" Type="Text"/>
</Entity>
<Entity Name="Thing" Table="things" Company="CompanyId" Audit="Enabled" Tracking="true">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Text" Type="Text"/>
  <Column Name="Whole" Type="Integer"/>
  <Column Name="Price" Type="Decimal" Scale="4"/>
  <Column Name="IsNew" Type="Boolean"/>
  <Column Name="Day" Type="Date"/>
  <Column Name="Instant" Type="DateTime"/>
  <Column Name="Clock" Type="Time"/>
  <Column Name="Data" Type="Json"/>
  <Column Name="ShelfCode" References="Shelf"/>
  <Column Name="OtherCode" References="Shelf"/>
</Entity>
<Entity Name="Place" Table="places" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text"/>
</Entity>
<Rows Entity="Shelf" Key="Code">
  <Row Code="A" Name="Upper &quot;left&quot;"/>
  <Row Code="N"/>
</Rows>
<ObjectView Name="Things" Entity="Thing"/>
<ObjectView Name="Places" Entity="Place"/>
<ObjectView Name="Shelves" Entity="Shelf"/>
<Rbac>
  <Role Name="Clerk">
    <Grant Resource="Things" Verbs="View List Create Import"/>
    <Grant Resource="Places" Verbs="View List Create Import"/>
    <Grant Resource="Shelves" Verbs="View List"/>
  </Role>
</Rbac>
</Model>`,
    },
  ],
  ...makePeople('ONE', { clerk: 'Clerk' }),
}

type Cells = Readonly<Record<string, string | number | boolean | object>>

const RECORDS: readonly Cells[] = [
  { Text: 'plain' },
  { Text: `"quotes", 'single', \\ and /`, Whole: -7, Price: 5, IsNew: true },
  { Text: 'a\ttab, a\nline, \u0001 and \u007f', Price: 1234567890.1234, IsNew: false },
  { Text: 'ä ß 😀 \u2028 null', Whole: 9007199254740991, Price: -0.5, ShelfCode: 'A' },
  { Day: '2026-02-28', Instant: '2026-02-28T10:11:12.000Z', Clock: '23:59:58', ShelfCode: 'N' },
  { Data: { list: [1, 2.5, null], text: '"x"' }, ShelfCode: 'A', OtherCode: 'A', Price: 0.1 },
  { Text: 'null', Price: 99999999999, OtherCode: 'N' },
]

const quoted = (value: Cells[string] | undefined): string => {
  if (value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return `"${text.replaceAll('"', '""')}"`
}

async function listEntries(app: Imports, entity: string) {
  const rows = await app.stored(
    `SELECT UserId, ImpersonatorId, CompanyId, Source, Entity, RecordKey, Action, Changes
     FROM svc_audit WHERE Entity = '${entity}' ORDER BY Id`,
  )
  // The key and the time of its making are a record's own.
  return rows.map(({ RecordKey, Changes, ...row }) => {
    const [, id] = /^\[(\d+)\]$/.exec(String(RecordKey)) ?? []
    const text = String(Changes)
    expect(text).toStartWith(`{"Id":[null,${id}],`)
    return { ...row, text: text.slice(text.indexOf('],') + 2).replaceAll(AT, '"at"') }
  })
}

const AT = /(?<=edAt":\[null,)"[^"]*"/g

test('every type, labels and blanks are audited as from a form', async () => {
  await using app = new Imports(await startApp({ application: THINGS }))
  for (const record of RECORDS) await app.save('clerk', 'Things', record)
  const heads = [...new Set(RECORDS.flatMap((record) => Object.keys(record)))]
  const lines = RECORDS.map((record) => heads.map((head) => quoted(record[head])).join(','))
  const file = `${heads.join(',')}\r\n${lines.join('\r\n')}\r\n`
  const taken = await app.take('clerk', { objectName: 'Things', file })
  expect(taken).toMatchObject({ Inserted: RECORDS.length })
  const entries = await listEntries(app, 'Thing')
  expect(entries).toHaveLength(RECORDS.length * 2)
  expect(entries.slice(RECORDS.length)).toEqual(entries.slice(0, RECORDS.length))
  expect(entries[3]?.text).toContain('"ShelfCode__Label":[null,"Upper \\"left\\""]')
  expect(entries[4]?.text).not.toContain('__Label')
})

test('records of no company are audited in that of the caller, by several statements', async () => {
  await using app = new Imports(await startApp({ application: THINGS }))
  await app.save('clerk', 'Places', { Name: 'Place' })
  const rows = 60
  const file = `Name\n${'Place\n'.repeat(rows)}`
  expect(await app.take('clerk', { objectName: 'Places', file })).toMatchObject({ Inserted: rows })
  const [first, ...others] = await listEntries(app, 'Place')
  expect(others).toHaveLength(rows)
  const texts = new Set(others.map((other) => JSON.stringify(other)))
  expect(texts).toEqual(new Set([JSON.stringify(first)]))
})
