/** A row of a file becomes the record that the same values make in a form. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { Imports } from '../../support/imports.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const columns = (more = '') => `
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Kind" Type="Text" Required="true"/>
  <Column Name="Tier" Type="Text"/>
  <Column Name="IsPaid" Type="Boolean"/>
  <Column Name="Note" Type="Text" Default="to check"/>
  <Column Name="Level" Type="Text"><Default DependsOn="Tier">SELECT 'level ' || coalesce(@Tier, 'none')</Default></Column>
  <Column Name="State" Type="Text"><Default DependsOn="IsPaid">SELECT CASE @IsPaid WHEN 1 THEN 'paid' ELSE 'open' END</Default></Column>
  <Column Name="Echo" Type="Text"><Default DependsOn="Note">SELECT 'echo ' || coalesce(@Note, 'none')</Default></Column>
  ${more}`

/** The tier is for members alone, the note for guests. */
const FIELDS = `
  <Field Name="Tier" VisibleWhen="Kind eq member"/>
  <Field Name="Note" VisibleWhen="Kind eq guest"/>`

const CARDS: TestApplication = {
  files: [
    {
      name: 'cards.xml',
      body: `<Model>
<Entity Name="Card" Table="cards" Company="CompanyId">${columns()}</Entity>
<Entity Name="Ticket" Table="tickets" Company="CompanyId">${columns(
        '<Column Name="Number" Type="Text" Sequence="TicketNo"/><Sequence Name="TicketNo" Format="T-{###}"/>',
      )}</Entity>
<ObjectView Name="Cards" Entity="Card">${FIELDS}</ObjectView>
<ObjectView Name="Tickets" Entity="Ticket">${FIELDS}</ObjectView>
<Rbac>
  <Role Name="Clerk">
    <Grant Resource="Cards" Verbs="View List Create Import"/>
    <Grant Resource="Tickets" Verbs="View List Create Import"/>
  </Role>
</Rbac>
</Model>`,
    },
  ],
  ...makePeople('ONE', { clerk: 'Clerk' }),
}

const RECORDS: readonly Readonly<Record<string, string | boolean>>[] = [
  { Kind: 'member', Tier: 'gold', IsPaid: true },
  { Kind: 'guest', Tier: 'gold', IsPaid: false },
  { Kind: 'guest' },
  { Kind: 'other', Tier: 'gold', Note: 'mine' },
  { Kind: 'guest', Note: 'mine' },
]

/** Bulk statements write cards; tickets draw numbers, and are written row by row. */
test.each(['Cards', 'Tickets'])('%s of a file are those of a form', async (objectName) => {
  await using app = new Imports(await startApp({ application: CARDS }))
  for (const record of RECORDS) await app.save('clerk', objectName, record)
  for (const record of RECORDS) {
    const heads = Object.keys(record)
    const file = `${heads.join(',')}\n${heads.map((head) => String(record[head])).join(',')}\n`
    expect(await app.take('clerk', { objectName, file })).toMatchObject({ Inserted: 1 })
  }
  const stored = await app.stored(
    `SELECT Kind, Tier, IsPaid, Note, Level, State, Echo FROM ${objectName.toLowerCase()} ORDER BY Id`,
  )
  const [forms, files] = [stored.slice(0, RECORDS.length), stored.slice(RECORDS.length)]
  expect(files).toEqual(forms)
  expect(forms[1]).toMatchObject({ Tier: null, Note: 'to check', Level: 'level none' })
  expect(forms[3]).toMatchObject({ Tier: null, Note: 'to check', Level: 'level none' })
})
