/** A company whose requests are approved: tasks of all rules, a timer, branches. */
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

/** The model; `flow` in place of its workflow. */
export const approvalModel = (flow: string): string => `<Model>
<Entity Name="Request" Table="requests" Display="Title" Company="CompanyId" Audit="Enabled" Concurrency="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text" Required="true"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="Amount" Type="Decimal" Scale="2" Default="0"/>
  <Column Name="State" Type="Text"/>
  <Column Name="OwnerId" References="User" Default="@CurrentUserId"/>
  <Column Name="Note" Type="Text"/>
</Entity>
<Entity Name="Holiday" Table="holidays" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Day" Type="Date" Required="true"/>
</Entity>
<ObjectView Name="Requests" Entity="Request">
  <On Event="Approve"><Sql>UPDATE requests SET Note = coalesce(Note, '') || 'heard;' WHERE Id = @Id</Sql></On>
</ObjectView>
<ObjectView Name="Holidays" Entity="Holiday"/>
<Navbar Name="main"><Item Name="Tasks" Url="/tasks"><Badge>SELECT count(DISTINCT TaskId) FROM svc_workflow_assignees
  WHERE UserId = @CurrentUserId OR Role IN (SELECT value FROM json_each(@CurrentRoles))</Badge></Item></Navbar>
<Rbac>
  <Capability Name="Decide" Label="Decide requests"/>
  <UserAttribute Name="Region" Type="Text"/>
  <Role Name="Maker" Label="Maker">
    <Grant Resource="Requests" Verbs="View List Create Update Delete"/>
    <Grant Resource="Holidays" Verbs="View List Create"/>
  </Role>
  <Role Name="Boss" Label="Boss"><Grant Resource="Requests" Verbs="View List" Capabilities="Decide"/></Role>
  <Role Name="Chief" Label="Chief"><Grant Resource="Requests" Verbs="View List" Capabilities="Decide"/></Role>
  <Role Name="Local" Label="Local">
    <Grant Resource="Requests" Verbs="View List Update" Capabilities="Decide"/>
    <RowFilter Resource="Requests">Region = @User_Region</RowFilter>
  </Role>
  <Role Name="Designer" Label="Designer">
    <Grant Resource="WorkflowDefinitions" Verbs="View Update"/>
    <Grant Resource="Requests" Verbs="View List"/>
  </Role>
</Rbac>
${flow}
</Model>`

/** Draft, one word of the boss, two of three of the board, a timer, and the end. */
export const APPROVAL = `<Workflow Name="Approval" Object="Requests" StateField="State">
  <Calendar Days="Mon Tue Wed Thu Fri" From="09:00" To="17:00"><Holidays>SELECT Day FROM holidays</Holidays></Calendar>
  <States>
    <State Name="draft" Kind="Initial"/>
    <State Name="review" Kind="Task"><Assign Role="Boss" Except="Starter" DueIn="2d" Remind="1d" Escalate="Chief"/></State>
    <State Name="board" Kind="Task"><Assign Role="Boss" Rule="Quorum" Count="2"/></State>
    <State Name="done" Kind="Final"/><State Name="refused" Kind="Final"/><State Name="lapsed" Kind="Final"/>
  </States>
  <Transitions>
    <Transition From="draft" To="review" Action="Submit" When="Amount &gt; 0"/>
    <Transition From="draft" To="lapsed" Action="Lapse" After="5d"/>
    <Transition From="review" To="board" Action="Approve" Capability="Decide" When="Amount &gt;= 1000"/>
    <Transition From="review" To="done" Action="Approve" Capability="Decide">
      <Sql>UPDATE requests SET Note = coalesce(Note, '') || @Comment || ';' WHERE Id = @Id</Sql>
      <Notify User="{OwnerId}" Title="{Title} was approved"/>
      <Dispatch Type="refreshTable"/>
    </Transition>
    <Transition From="review board" To="refused" Action="Refuse" Capability="Decide">
      <Parameter Name="Reason" Type="Text" Required="true"/>
      <Validate Message="Say more">SELECT length(@Reason) &gt; 3</Validate>
      <Sql>UPDATE requests SET Note = @Reason WHERE Id = @Id</Sql>
    </Transition>
    <Transition From="board" To="done" Action="Approve" Capability="Decide"/>
  </Transitions>
  <Start On="created"/>
</Workflow>`

/** Ids go by the order of the users: sys is 1, maker 2, ann 3, bob 4, cid 5, dee 6 … */
export const approvals = (flow = APPROVAL): TestApplication => ({
  files: [{ name: 'approvals.xml', body: approvalModel(flow) }],
  ...makePeople('ONE TWO', {
    sys: 'System in ONE TWO',
    maker: 'Maker@ONE',
    ann: 'Boss@ONE',
    bob: 'Boss@ONE Maker@ONE',
    cid: 'Boss@ONE',
    dee: 'Chief@ONE',
    loc: ['Local@ONE', { Region: 'north' }],
    two: 'Boss@TWO Maker@TWO in TWO',
    des: 'Designer@ONE',
    none: '',
  }),
})
