/** A small application of events and effects: tickets, comments, and a log that events write. */
import { type AppOptions, startApp } from './app.ts'
import { Objects, type Row } from './objects.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const ENTITIES = `<Model>
<Entity Name="Entry" Table="entries" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Text" Type="Text" Required="true"/>
</Entity>
<Entity Name="Ticket" Table="tickets" Company="CompanyId" Concurrency="Enabled" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text" Required="true"/>
  <Column Name="Status" Required="true" Default="new"/>
  <Column Name="Points" Type="Decimal"/>
  <Column Name="OwnerId" References="User"/>
  <Column Name="Email" Type="Text"/>
  <Validate Field="Points" Message="At most 100 points">SELECT coalesce(@Points, 0) &lt;= 100</Validate>
  <On Event="created"><Sql>INSERT INTO entries (CompanyId, Text) VALUES (@CompanyId, 'created ' || @Title || ' ' || coalesce(@Points / 2, '-'))</Sql></On>
  <On Event="updated" When="Status = 'done'"><Sql>INSERT INTO entries (CompanyId, Text) VALUES (@CurrentCompanyId, 'done ' || @Title)</Sql></On>
  <On Event="deleted"><Sql>INSERT INTO entries (CompanyId, Text) VALUES (@CompanyId, 'deleted ' || @Title || ' ' || @Status)</Sql></On>
  <On Event="Close"><Job Name="Archive"/></On>
  <On Event="updated" When="Title = 'loop'"><Sql>UPDATE tickets SET Points = coalesce(Points, 0) + 1 WHERE Id = @Id</Sql></On>
  <On Event="created" When="Title = 'fix'"><Sql>UPDATE tickets SET Points = 1 WHERE Id = @Id AND Points > 100</Sql></On>
  <On Event="updated" When="Title = 'flood'"><Sql>UPDATE entries SET Text = 'flooded'</Sql></On>
  <On Event="created" When="Title = 'forget'"><Sql>DELETE FROM tickets WHERE Id = @Id</Sql></On>
</Entity>
<Entity Name="Comment" Table="comments" Company="CompanyId">
  <Column Name="TicketId" References="Ticket" Key="true" OnDelete="Cascade"/>
  <Column Name="No" Type="Integer" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Text" Type="Text"/>
</Entity>
</Model>`

const VIEWS = `<Model>
<ObjectView Name="Entries" Entity="Entry"/>
<ObjectView Name="Tickets" Entity="Ticket">
  <TableQuery>SELECT t.*, (SELECT count(*) FROM comments c WHERE c.TicketId = t.Id) AS Comments, u.UserName AS Owner FROM tickets t LEFT JOIN svc_users u ON u.Id = t.OwnerId WHERE t.Title &lt;&gt; 'hidden'</TableQuery>
  <Field Name="Comments" Type="Integer"/>
  <RowAction Name="Close" Label="Close" For="Rows">
    <Parameter Name="Reason" Type="Text"/>
    <Sql Into="Others">SELECT count(*) FROM tickets WHERE Status = 'done'</Sql>
    <Sql Rows="1" Message="Closed already">UPDATE tickets SET Status = 'done' WHERE Id = @Id AND Status &lt;&gt; 'done'</Sql>
    <Notify Role="Clerk" Title="{Title} is {Status}" Body="{Reason}, {Others} others" Level="success"/>
    <Notify User="{OwnerId}" Title="Yours"><Sql>SELECT Id FROM svc_users WHERE Id = @OwnerId OR @Status = 'done' UNION ALL SELECT @OwnerId UNION ALL SELECT NULL UNION ALL SELECT 'nobody'</Sql></Notify>
    <Mail To="{Email}" Subject="Ticket {Id}" Body="{Comments} comments" Report="ticket-sheet" With="Id Kind='short' Points"/>
    <Job Name="Clean" With="TicketId=Id"/>
    <Dispatch Type="showAlert" Message="{Title}: {Others}"/>
  </RowAction>
  <RowAction Name="Tell" Label="Tell all" For="View"><Notify Role="Clerk" Title="Hello" Kind="Chat"/></RowAction>
  <RowAction Name="Fail" Label="Fail">
    <Notify Role="Clerk" Title="Never"/>
    <Sql Rows="9">UPDATE tickets SET Status = 'done' WHERE Id = @Id</Sql>
  </RowAction>
  <RowAction Name="Keep" Label="Keep this alone">
    <Sql>UPDATE tickets SET Status = 'done' WHERE Id = @Id</Sql>
    <Sql>DELETE FROM tickets WHERE Id &lt;&gt; @Id</Sql>
  </RowAction>
  <RowAction Name="Wipe" Label="Wipe" For="View"><Sql>DELETE FROM tickets</Sql></RowAction>
  <RowAction Name="Shift" Label="Shift" For="View"><Sql>UPDATE tickets SET Points = 200</Sql></RowAction>
  <On Event="created" When="Comments = 0 AND Points &gt; 10"><Notify Role="Clerk" Title="{Title} of {Owner}"/><Dispatch Type="showAlert" Message="New: {Title} of {Owner}"/></On>
  <On Event="deleted" When="Comments &gt; 0"><Notify Role="Clerk" Title="{Title} had {Comments} comments" Body="{Owner}"/></On>
  <On Event="Close" When="Status = 'done'"><Notify Role="Clerk" Title="closed {Title}"/></On>
</ObjectView>
<ObjectView Name="Again" Entity="Ticket"><RowAction Name="Close" Label="Close"><Sql>UPDATE tickets SET Status = 'done' WHERE Id = @Id</Sql></RowAction></ObjectView>
<ObjectView Name="Comments" Entity="Comment"/>
</Model>`

const ACCESS = `<Rbac>
  <Role Name="Clerk" Label="Clerk">
    <Grant Resource="Tickets" Verbs="View List Create Update Delete"/>
    <Grant Resource="Again" Verbs="View List Create Update Delete"/>
    <Grant Resource="Comments" Verbs="View List Create Update Delete"/>
    <Grant Resource="Entries" Verbs="View List Create Update Delete"/>
  </Role>
  <Role Name="Temp" Label="Temporary">
    <Grant Resource="Tickets" Verbs="View List Create"/>
    <FieldRule Resource="Tickets" Field="Owner" Access="Hidden"/>
  </Role>
</Rbac>`

/** Companies ONE and TWO with a clerk each; ONE has another who sees no owners. */
export const EVENT_TICKETS: TestApplication = {
  files: [
    { name: 'entities.xml', body: ENTITIES },
    { name: 'views.xml', body: VIEWS },
    { name: 'access.xml', body: ACCESS },
  ],
  ...makePeople('ONE TWO', {
    sys: 'System in ONE TWO',
    clerk: 'Clerk',
    other: 'Clerk in TWO',
    temp: 'Temp',
  }),
}

/** The application without a ticket. */
export async function startEventTickets(options: AppOptions = {}): Promise<Objects> {
  return new Objects(await startApp({ application: EVENT_TICKETS, ...options }))
}

/** Log entries of the events, in order. */
export const listEntries = async (desk: Objects): Promise<unknown[]> =>
  (await desk.stored('SELECT Text FROM entries ORDER BY Id')).map((row) => row.Text)

/** Notifications of users, in order. */
export const listTold = (desk: Objects): Promise<Row[]> =>
  desk.stored(
    `SELECT UserId, CompanyId, Kind, Title, Body, Level, Object, Entity, RecordKey, Url, FromUserId
     FROM svc_notifications ORDER BY Id`,
  )

/** Requests of effects for work after the commit, in order. */
export async function listJobs(desk: Objects): Promise<(Row & { Arguments: Row })[]> {
  const rows = await desk.stored(
    `SELECT Name, State, Queue, CompanyId, UserId, ImpersonatorId, Language, Source, Arguments
     FROM svc_jobs ORDER BY Id`,
  )
  return rows.map((row) => ({ ...row, Arguments: JSON.parse(String(row.Arguments)) as Row }))
}

/** Messages of the outbox, in order, with their payloads parsed. */
export async function listOutbox(desk: Objects): Promise<(Row & { Payload: Row })[]> {
  const rows = await desk.stored(
    `SELECT Kind, CompanyId, UserId, Source, Entity, RecordKey, Payload, State, Attempts
     FROM svc_outbox ORDER BY Id`,
  )
  return rows.map((row) => ({ ...row, Payload: JSON.parse(String(row.Payload)) as Row }))
}
