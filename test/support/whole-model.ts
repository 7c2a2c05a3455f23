/** Every element of the language once, beside the shop's model: what the compiler reads of each. */
export const WHOLE = `<Model>
  <Entity Name="Tag" Comments="true"><Column Name="Code" Key="true"/><Column Name="Picture" Type="File"/></Entity>
  <ObjectView Name="Tags" Entity="Tag"><Gallery Image="Picture" Title="Code"/></ObjectView>
  <Entity Name="OrderTag">
    <Column Name="OrderId" References="Order" Key="true"/>
    <Column Name="TagCode" References="Tag" Key="true"/>
    <Column Name="Note" Lookup="Customers"><Default>SELECT 'x'</Default></Column>
    <Column Name="Rank" Type="Integer" Required="true" Default="0" Fill="1"/>
    <Column Name="Place" Type="Integer"><Fill>SELECT count(*) FROM Tag WHERE Code = @TagCode</Fill></Column>
    <Index Columns="Note" Where="Note = 'x'"/>
    <Validate Field="Rank" Operator="ge" Value="0" Message="Below 0"/>
    <On Event="created"><Job Name="Refresh"/><Webhook Event="Made"/></On>
  </Entity>
  <ObjectView Name="Orders" Entity="Order">
    <TableQuery>SELECT * FROM orders</TableQuery>
    <Parameter Name="AsOf" Type="Date"><Option Value="2026-01-01"/></Parameter>
    <FormQuery>SELECT * FROM orders WHERE Id = @Id</FormQuery>
    <Insert>INSERT INTO orders (CustomerId, CompanyId) VALUES (@CustomerId, 1)</Insert>
    <Update>UPDATE orders SET Phone = @Phone WHERE Id = @Id</Update>
    <Delete>DELETE FROM orders WHERE Id = @Id</Delete>
    <Section Label="Order"><Field Name="CustomerId"><Lookup View="Customers"/></Field></Section>
    <Field Name="Phone"><DataSet>SELECT Phone AS Value, Name AS Label FROM customers</DataSet></Field>
    <Field Name="Tags" Through="OrderTag"/><Field Name="Number" Lookup="Customers"/>
    <Preset Name="Open" Where="Status = 'new'"/>
    <Search Title="Number"/>
    <Board GroupBy="CustomerId" Title="Number"/>
    <Calendar From="OrderedAt" Title="Number" Tone="Status"/><Header Fields="Number"/>
    <Permit Capability="Approve" When="Status = 'new'"/>
    <RowAction Name="Approve" Capability="Approve">
      <Parameter Name="Remark"/>
      <Sql>UPDATE orders SET Status = 'done' WHERE Id = @Id</Sql>
      <Notify Title="Done"><Sql>SELECT Id FROM svc_users</Sql></Notify>
      <Mail Subject="Done" Role="Clerk"/>
      <Job Name="Refresh"/>
      <Dispatch Type="refreshTable"/>
    </RowAction>
    <Detail View="OrderLines" Parent="OrderId=Id"/>
  </ObjectView>
  <ObjectView Name="NewOrder" ViewType="Wizard" Entity="Order">
    <Step Name="Who"><Field Name="CustomerId"/></Step>
    <Step Name="Asked"><FieldQuery>SELECT Name FROM customers</FieldQuery></Step>
    <Finish>
      <Sql>INSERT INTO orders (CustomerId, CompanyId) VALUES (@CustomerId, @CurrentCompanyId)</Sql>
    </Finish>
  </ObjectView>
  <Navbar Name="main">
    <Item Name="Sales">
      <Item Name="Orders" Object="orders"><Badge>SELECT count(*) FROM orders</Badge></Item>
    </Item>
  </Navbar>
  <StoredProcedure Name="Refresh" Mode="Write">
    <Parameter Name="Id" Type="Integer"/>
    <Sql>UPDATE orders SET Phone = Phone WHERE Id = @Id</Sql>
    <Schedule Cron="0 6 * * 1-5"/>
  </StoredProcedure>
  <Rbac Name="More">
    <Role Name="Lead">
      <Grant Resource="Orders" Verbs="View"/>
      <RowFilter Resource="Orders">Status = 'new'</RowFilter>
      <FieldRule Resource="Orders" Field="Total" Access="Hidden"/>
    </Role>
  </Rbac>
  <Report Name="Sales">
    <Filters><Filter Name="To" Type="Date"/></Filters>
    <DataSets><DataSet Name="Days"><Sql>SELECT DueOn, Total FROM orders</Sql></DataSet></DataSets>
    <Widgets>
      <Widget Name="W" Kind="Bar" DataSet="Days"><Series Column="Total"/></Widget>
      <Widget Name="K" Kind="Kpi" DataSet="Days">
        <Compare Column="Total"/><Sparkline Column="Total"/>
      </Widget>
      <Widget Name="T" Kind="Table" DataSet="Days">
        <Group Column="DueOn"/><Format When="Total lt 0" Tone="bad"/><Drill Object="Orders"/>
      </Widget>
    </Widgets>
    <Layout><Row><Cell Widget="W"/></Row></Layout>
    <Schedule Cron="0 6 * * *" To="Clerk"/>
  </Report>
  <Workflow Name="Flow" Object="Orders" StateField="Status">
    <States>
      <State Name="new" Kind="Initial"/>
      <State Name="done" Kind="Task"><Assign User="ana" DueIn="2d" Remind="1d" Except="Starter" Mail="true"/></State>
      <State Name="both" At="10 20"/><State Name="one"/><State Name="two"/><State Name="end" Kind="Final"/>
    </States>
    <Transitions>
      <Transition From="new" To="done" Action="Close"/><Transition From="done" To="both" Action="Part"/>
      <Transition From="new" To="end" Action="Lapse" After="3d"/>
    </Transitions>
    <Fork State="both" Branches="one two"/>
    <Join From="one two" To="end"/>
    <Calendar Days="Mon Tue" From="09:00" To="17:00"><Holidays>SELECT '2030-01-01' AS Day</Holidays></Calendar>
    <Start On="created" When="Total = 0"/>
  </Workflow>
  <Print Name="OrderSheet" View="Orders">
    <Letterhead><Line Text="{CompanyName}"/></Letterhead>
    <Address><Line Text="{CustomerId}"/></Address>
    <Heading Text="Order {Number}"/>
    <Text Text="Due on {DueOn}" When="Status eq new"/>
    <Fields Names="Number DueOn"/>
    <Lines Detail="OrderLines" Group="Line"><Column Name="Price" Sum="true"/></Lines>
    <Totals><Total Field="Total"/><Total Text="{Total}" Label="Sum"/></Totals>
    <Barcode Type="QR" Text="{Number}"/>
    <Space/><Rule/><PageBreak/>
    <Foot Right="{Page}"/>
  </Print>
  <Migration Name="Tidy"><Sql>DELETE FROM Tag WHERE Code = ''</Sql></Migration>
  <Rows Entity="Customer" Key="Code"><Row Code="a" Name="Ana"/></Rows>
  <Texts Language="de"><Text Of="Orders.Number">Nummer</Text></Texts>
</Model>`
