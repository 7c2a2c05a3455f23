/** Contracts of which everybody is told: to be taken over without a word. */
import { type AppOptions, startApp } from './app.ts'
import { Imports } from './imports.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const MODEL = `<Model>
<Entity Name="Client" Table="clients" Company="CompanyId" Display="Name" Tracking="true">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="IsLost" Type="Boolean"/>
  <Column Name="Worth" Type="Decimal" Scale="2"><Compute From="Contract">SELECT sum(Amount) FROM contracts WHERE ClientId = @Id</Compute></Column>
</Entity>
<Entity Name="Contract" Table="contracts" Company="CompanyId" Concurrency="Enabled" Tracking="true" Audit="Enabled" Display="Title">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Number" Type="Text" Sequence="ContractNo" Unique="true"/>
  <Column Name="Title" Type="Text" Required="true" MaxLength="40"/>
  <Column Name="State" Type="Text" Default="draft"/>
  <Column Name="Amount" Type="Decimal" Scale="2" Min="0"/>
  <Column Name="ClientId" References="Client"/>
  <Column Name="SignedOn" Type="Date"/>
  <Column Name="Reason" Type="Text"/>
  <Column Name="Channel" Type="Text" Default="paper"/>
  <Column Name="Copies" Type="Integer"/>
  <Column Name="Double" Type="Decimal" Scale="2"><Compute>SELECT @Amount * 2</Compute></Column>
  <Sequence Name="ContractNo" Format="V-{####}"/>
  <Validate Field="Title" Message="No contract is called nothing">SELECT @Title &lt;&gt; 'nothing'</Validate>
  <On Event="updated"><Notify Role="Boss" Title="{Title} moved"/></On>
  <On Event="created">
    <Sql>UPDATE contracts SET Copies = coalesce(Copies, 0) + 1 WHERE Id = @Id</Sql>
    <Notify Role="Boss" Title="Decide on {Title}"/>
    <Mail Role="Boss" Subject="Decide on {Title}"/>
    <Webhook Event="ContractMoved"/>
    <Dispatch Type="toast" Message="{Title} moved"/>
  </On>
</Entity>
<Entity Name="Tag" Table="tags" Company="CompanyId"><Column Name="Code" Key="true"/><Column Name="CompanyId" Type="Integer" Required="true"/></Entity>
<Entity Name="Letter" Table="letters" Company="CompanyId" Concurrency="Enabled" Tracking="true" Audit="Enabled" Display="Text">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Text" Type="Text" Required="true"/>
  <Column Name="Sent" Type="Boolean"/>
  <Column Name="Kind" Type="Text" Default="plain"/>
  <On Event="created"><Notify Role="Boss" Title="{Text}"/></On>
</Entity>
<Entity Name="LetterTag" Table="letter_tags" Company="CompanyId">
  <Column Name="LetterId" References="Letter" Key="true"/>
  <Column Name="TagCode" References="Tag" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
</Entity>
<ObjectView Name="Clients" Entity="Client"/>
<ObjectView Name="OpenClients" Entity="Client"><TableQuery>SELECT * FROM clients WHERE IsLost IS NOT 1</TableQuery></ObjectView>
<ObjectView Name="Contracts" Entity="Contract">
  <Field Name="Title" ReadOnlyWhen="State eq signed"/>
  <Field Name="SignedOn" ReadOnly="true"/>
  <Field Name="Reason" VisibleWhen="State eq refused"/>
  <Field Name="ClientId"><Lookup View="OpenClients"/></Field>
  <Insert>INSERT INTO contracts (CompanyId, Number, Title, State) VALUES (@CurrentCompanyId, @Number, @Title, 'draft')</Insert>
</ObjectView>
<ObjectView Name="Letters" Entity="Letter">
  <Field Name="Sent" ReadOnly="true"/>
  <Field Name="Tags" Through="LetterTag" In="Grid Form Export"/>
</ObjectView>
<Workflow Name="Approval" Slug="approval" Label="Approval" Object="Contracts" StateField="State">
  <States>
    <State Name="draft" Kind="Initial"/>
    <State Name="review" Kind="Task"><Assign Role="Boss"/></State>
    <State Name="signed" Kind="Final"/>
    <State Name="refused" Kind="Final"/>
  </States>
  <Transitions>
    <Transition From="draft" To="review" Action="Submit"/>
    <Transition From="review" To="signed" Action="Sign" Capability="Decide"/>
    <Transition From="review" To="refused" Action="Refuse" Capability="Decide"/>
  </Transitions>
  <Start On="created"/>
</Workflow>
<Rbac>
  <Capability Name="Decide"/>
  <Role Name="Boss">
    <Grant Resource="Contracts" Verbs="View List Create Update Delete Import Export" Capabilities="Decide"/>
    <Grant Resource="Clients" Verbs="View List Create Update Delete Import Export"/>
    <Grant Resource="OpenClients" Verbs="View List"/>
    <Grant Resource="Letters" Verbs="View List Create Update Delete Import Export"/>
  </Role>
</Rbac>
</Model>`

export const CONTRACTS: TestApplication = {
  files: [{ name: 'contracts.xml', body: MODEL }],
  ...makePeople('ONE TWO', { sys: 'System', boss: 'Boss Admin', far: 'Boss in TWO' }),
}

/** By the order of the users. */
export const BOSS = 2
export const FAR = 3

/** Of the users of a file: a contract that is signed, one that was refused, one under review. */
export const HISTORY = `Id,Number,Title,State,Amount,ClientId,SignedOn,Reason,Copies,CreatedAt,CreatedBy,ChangedAt,ChangedBy
70,V-0901,Old lease,signed,1200.50,1,2011-03-04,,3,2011-03-01T08:00:00.000Z,${BOSS},2011-03-04T09:30:00.000Z,${BOSS}
7,V-0017,Bad idea,refused,5,2,,Too dear,,2009-01-02T03:04:05.678Z,${BOSS},2009-02-02T03:04:05.000Z,
71,V-0902,Long read,review,,,,,1,2024-05-06T07:08:09.000Z,,2024-05-06T07:08:09.000Z,
`

/** The application, with a client who is open, and one who is lost. */
export async function startContracts(
  options: Omit<AppOptions, 'application'> = {},
): Promise<Imports> {
  const app = new Imports(await startApp({ ...options, application: CONTRACTS }))
  await app.save('boss', 'Clients', { Name: 'Open' })
  await app.save('boss', 'Clients', { Name: 'Lost', IsLost: true })
  return app
}
