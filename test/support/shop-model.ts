/** A small sound model that the cases of the compiler's tests are added to. */
export const SHOP = `<Model>
  <Entity Name="Customer" Table="customers" Company="CompanyId">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="Code" Type="Text" MaxLength="10" Unique="true"/>
    <Column Name="Name" Type="Text" Required="true"/>
    <Column Name="Region"><Option Value="north" Label="North"/><Option Value="south"/></Column>
    <Column Name="Phone" Type="Text"/>
    <Column Name="Active" Type="Boolean" Default="true"/>
    <Column Name="CompanyId" Type="Integer"/>
  </Entity>
  <Entity Name="Order" Table="orders" Company="CompanyId" Concurrency="Enabled" Tracking="true">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="Number" Type="Text" Sequence="OrderNumber"/>
    <Column Name="CompanyId" Type="Integer" Required="true"/>
    <Column Name="CustomerId" References="Customer" Required="true"/>
    <Column Name="Status" Default="new"><Option Value="new"/><Option Value="done"/></Column>
    <Column Name="OrderedAt" Type="DateTime" Default="@Now"/>
    <Column Name="DueOn" Type="Date"/>
    <Column Name="Total" Type="Decimal" Scale="2" Unit="EUR">
      <Compute From="OrderLine">SELECT sum(Price) FROM order_lines WHERE OrderId = @Id</Compute>
    </Column>
    <Column Name="Phone" Type="Text"/>
    <Sequence Name="OrderNumber" Format="SO-{yyyy}-{#####}" Reset="Yearly" PerCompany="true"/>
  </Entity>
  <Entity Name="OrderLine" Table="order_lines" Company="CompanyId">
    <Column Name="OrderId" References="Order" Key="true" OnDelete="Cascade"/>
    <Column Name="Line" Type="Integer" Key="true"/>
    <Column Name="CompanyId" Type="Integer"/>
    <Column Name="Price" Type="Decimal"/>
  </Entity>
  <ObjectView Name="Customers" Entity="Customer"/>
  <ObjectView Name="OrderLines" Entity="OrderLine"/>
  <Rbac>
    <Capability Name="Approve"/>
    <UserAttribute Name="Region"/>
    <Role Name="Clerk"><Grant Resource="Customers" Verbs="View List"/></Role>
  </Rbac>
</Model>`
