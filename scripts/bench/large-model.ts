/** A large application: as many entities and views as a company's whole system has. */

/** How large. */
export interface LargeModel {
  entities: number
  views: number
}

/** An entity refers to the one ten before it, so there are ten trees of references. */
const APART = 10

/** Model files, ten entities with their views a file, as somebody would write them. */
export function planLargeModel({ entities, views }: LargeModel): { name: string; body: string }[] {
  const perEntity = Math.round(views / entities)
  const files: { name: string; body: string }[] = []
  for (let from = 0; from < entities; from += APART) {
    const numbers = Array.from({ length: Math.min(APART, entities - from) }, (_, at) => from + at)
    const bodies = numbers.map(
      (number) => planEntity(number, entities) + planViews(number, perEntity),
    )
    const body = `<Model>\n${bodies.join('')}</Model>\n`
    files.push({ name: `part-${String(from).padStart(4, '0')}.xml`, body })
  }
  return [...files, { name: 'access.xml', body: planAccess(entities, perEntity) }]
}

function planEntity(number: number, entities: number): string {
  const above = number - APART
  const below = number + APART
  const isLine = above >= 0
  const compute = `<Compute From="Part${below}">SELECT coalesce(sum(Amount), 0) FROM part${below} WHERE AboveId = @Id</Compute>`
  return `  <Entity Name="Part${number}" Table="part${number}" Display="Number" Company="CompanyId" Concurrency="Enabled" Audit="Enabled" Tracking="true">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="CompanyId" Type="Integer" Required="true"/>
    <Column Name="Number" Type="Text" MaxLength="20" Unique="true" Sequence="Number${number}"/>
    ${isLine ? `<Column Name="AboveId" References="Part${above}" OnDelete="Cascade"/>` : ''}
    <Column Name="Title" Type="Text" Required="true" MaxLength="80"/>
    <Column Name="Status" Type="Text" Required="true" Default="new"><Option Value="new" Label="New"/><Option Value="done" Label="Done"/></Column>
    <Column Name="OpenedAt" Type="DateTime" Required="true" Default="@Now"/>
    <Column Name="DueOn" Type="Date"/>
    <Column Name="Amount" Type="Decimal" Scale="2" Min="0" Unit="EUR"/>
    <Column Name="Total" Type="Decimal" Scale="2">${number % 4 === 0 && below < entities ? compute : ''}</Column>
    <Column Name="OwnerId" References="User" Default="@CurrentUserId"/>
    <Column Name="Note" Type="Text" MaxLength="500"/>
    <Index Columns="Status OpenedAt"/>
    <Sequence Name="Number${number}" Format="P-{yyyy}-{#####}" Reset="Yearly" PerCompany="true"/>
    <Validate Field="DueOn" Operator="ge" Compare="OpenedAt" Message="Due before it was opened"/>
    <Validate Field="Amount" Message="Too much">SELECT @Amount IS NULL OR @Amount &lt;= 100000 + ${number}</Validate>
  </Entity>
`
}

function planViews(number: number, count: number): string {
  const views = Array.from({ length: count - 1 }, (_, at) => planOwnView(number, at + 1))
  return `  <ObjectView Name="Parts${number}" Entity="Part${number}"/>\n${views.join('')}`
}

/** A view with a query, sections, a lookup, presets, permits and actions of its own. */
function planOwnView(number: number, at: number): string {
  const table = `part${number}`
  const hasAbove = number >= APART
  const above = hasAbove
    ? `, (SELECT a.Title FROM part${number - APART} a WHERE a.Id = p.AboveId) AS AboveTitle`
    : ''
  return `  <ObjectView Name="Parts${number}By${at}" Entity="Part${number}" Sort="OpenedAt desc">
    <TableQuery>SELECT p.*, round(p.Amount * 1.2, 2) AS Gross${above} FROM ${table} p</TableQuery>
    <Section Label="Part" Columns="2">
      <Field Name="Number" ReadOnly="true" Searchable="true"/>
      ${hasAbove ? `<Field Name="AboveId"><Lookup View="Parts${number - APART}" Search="Number Title" Where="Status = 'new'"/></Field>` : ''}
      <Field Name="Title" Searchable="true"/>
      <Field Name="Status" ReadOnly="true"/>
      <Field Name="Note" VisibleWhen="Status eq new"/>
    </Section>
    <Preset Name="Open" Where="Status = 'new'" Default="true"/>
    <Permit Capability="Close" When="Status = 'new'"/>
    <Permit Capability="Update Delete" When="Status = 'new'"/>
    <RowAction Name="Close" Capability="Close" For="Rows">
      <Sql Rows="1" Message="Closed already">UPDATE ${table} SET Status = 'done' WHERE Id = @Id AND Status = 'new'</Sql>
      <Notify Role="Reader" Title="{Number} is done"/>
      <Dispatch Type="refreshTable"/>
    </RowAction>
  </ObjectView>
`
}

function planAccess(entities: number, perEntity: number): string {
  const resources = Array.from({ length: entities }, (_, number) => [
    `Parts${number}`,
    ...Array.from({ length: perEntity - 1 }, (_each, at) => `Parts${number}By${at + 1}`),
  ]).flat()
  const grant = (resource: string): string =>
    `    <Grant Resource="${resource}" Verbs="View List Create Update Delete" Capabilities="Close"/>\n`
  const filter = (resource: string): string =>
    `    <Grant Resource="${resource}" Verbs="View List"/>\n    <RowFilter Resource="${resource}">OwnerId = @CurrentUserId OR Status = 'done'</RowFilter>\n`
  return `<Rbac>
  <Capability Name="Close"/>
  <Role Name="Writer">
${resources.map(grant).join('')}  </Role>
  <Role Name="Reader">
${resources.map(filter).join('')}  </Role>
</Rbac>
`
}
