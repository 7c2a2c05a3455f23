/** A small application of computed columns, a tree and events: one of each way of them. */
import { type AppOptions, startApp } from './app.ts'
import { Objects } from './objects.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const ENTITIES = `<Model>
<Entity Name="Rate" Table="rates">
  <Column Name="Code" Type="Text" Key="true"/>
  <Column Name="Percent" Type="Decimal" Required="true"/>
  <Column Name="Remark" Type="Text"/>
</Entity>
<Entity Name="Customer" Table="customers" Company="CompanyId" Concurrency="Enabled" Audit="Enabled" Tracking="true">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true" Unique="true"/>
  <Column Name="Discount" Type="Decimal" Required="true" Default="0"/>
  <Column Name="CreditLimit" Type="Decimal" Required="true" Default="10000"/>
  <Column Name="Balance" Type="Decimal" Required="true"><Compute From="Order">SELECT coalesce(sum(Total), 0) FROM orders WHERE CustomerId = @Id</Compute></Column>
  <Validate Field="Balance" Message="Above the credit limit">SELECT @Balance &lt;= @CreditLimit</Validate>
</Entity>
<Entity Name="Order" Table="orders" Company="CompanyId" Concurrency="Enabled" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="CustomerId" References="Customer" Required="true" OnDelete="Cascade"/>
  <Column Name="Status" Required="true" Default="new"><Option Value="new"/><Option Value="approved"/></Column>
  <Column Name="RateCode" Type="Text"/>
  <Column Name="Net" Type="Decimal" Min="0"><Compute From="OrderLine">SELECT coalesce(sum(Amount), 0) FROM order_lines WHERE OrderId = @Id</Compute></Column>
  <Column Name="Total" Type="Decimal"><Compute From="Customer">SELECT @Net * (1 - Discount / 100) FROM customers WHERE Id = @CustomerId</Compute></Column>
  <Column Name="Tax" Type="Decimal"><Compute From="Rate">SELECT @Total * Percent / 100 FROM rates WHERE Code = @RateCode</Compute></Column>
</Entity>
<Entity Name="OrderLine" Table="order_lines" Company="CompanyId" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="OrderId" References="Order" Required="true" OnDelete="Cascade"/>
  <Column Name="Quantity" Type="Integer" Required="true"/>
  <Column Name="Price" Type="Decimal" Required="true"/>
  <Column Name="Amount" Type="Decimal"><Compute>SELECT @Quantity * @Price</Compute></Column>
  <Validate Field="Price" Message="Whole or half only">SELECT @Amount &lt;&gt; 13.13</Validate>
</Entity>
<Entity Name="Person" Table="people" Company="CompanyId" Parent="BossId" Tracking="true">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="BossId" References="Person" Label="Reports to"/>
  <Validate Field="Name" Message="Too long to tell">SELECT CASE WHEN @Name &lt;&gt; 'endless' THEN 1 ELSE (SELECT count(*) &lt; 0 FROM people a, people b, people c, people d, people e, people f WHERE a.Name &lt;&gt; @Name) END</Validate>
</Entity>
</Model>`

const VIEWS = `<Model>
<ObjectView Name="Rates" Entity="Rate"/>
<ObjectView Name="Customers" Entity="Customer"/>
<ObjectView Name="Orders" Entity="Order">
  <RowAction Name="Add" Label="Add a line">
    <Parameter Name="Price" Type="Decimal" Required="true"/>
    <Sql Into="LineId">INSERT INTO order_lines (CompanyId, OrderId, Quantity, Price) VALUES (@CurrentCompanyId, @Id, 1, @Price) RETURNING Id</Sql>
    <Dispatch Type="showAlert" Message="Line {LineId}, total {Total}"/>
  </RowAction>
  <RowAction Name="Reprice" Label="Double the prices" For="View">
    <Sql>UPDATE order_lines SET Price = Price * 2</Sql>
  </RowAction>
  <RowAction Name="Move" Label="Move the lines">
    <Parameter Name="To" Type="Integer" Required="true"/>
    <Sql>UPDATE order_lines SET OrderId = @To WHERE OrderId = @Id</Sql>
  </RowAction>
  <RowAction Name="Forge" Label="Forge">
    <Sql>UPDATE orders SET Total = 1, Net = 1 WHERE Id = @Id</Sql>
  </RowAction>
  <Detail Name="Lines" View="OrderLines" Parent="OrderId=Id"/>
</ObjectView>
<ObjectView Name="OrderLines" Entity="OrderLine"/>
<ObjectView Name="People" Entity="Person">
  <RowAction Name="Swap" Label="Swap" For="View">
    <Sql>UPDATE people SET BossId = CASE Id WHEN 1 THEN 2 ELSE 1 END WHERE Id IN (1, 2)</Sql>
  </RowAction>
</ObjectView>
</Model>`

const ACCESS = `<Rbac>
  <Role Name="Clerk" Label="Clerk">
    <Grant Resource="Rates" Verbs="View List Create Update Delete"/>
    <Grant Resource="Customers" Verbs="View List Create Update Delete"/>
    <Grant Resource="Orders" Verbs="View List Create Update Delete"/>
    <Grant Resource="OrderLines" Verbs="View List Create Update Delete"/>
    <Grant Resource="People" Verbs="View List Create Update Delete"/>
  </Role>
</Rbac>`

/** Companies ONE and TWO with a clerk each. */
export const COMPUTED_COLUMNS: TestApplication = {
  files: [
    { name: 'entities.xml', body: ENTITIES },
    { name: 'views.xml', body: VIEWS },
    { name: 'access.xml', body: ACCESS },
  ],
  ...makePeople('ONE TWO', { sys: 'System in ONE TWO', clerk: 'Clerk', other: 'Clerk in TWO' }),
}

/** The queries of the computed columns, run fresh over all records: what must be stored. */
export const FRESH: readonly { table: string; column: string; sql: string }[] = [
  { table: 'order_lines', column: 'Amount', sql: 'round(t.Quantity * t.Price, 2)' },
  {
    table: 'orders',
    column: 'Net',
    sql: 'round((SELECT coalesce(sum(Amount), 0) FROM order_lines WHERE OrderId = t.Id), 2)',
  },
  {
    table: 'orders',
    column: 'Total',
    sql: '(SELECT round(t.Net * (1 - Discount / 100), 2) FROM customers WHERE Id = t.CustomerId)',
  },
  {
    table: 'orders',
    column: 'Tax',
    sql: '(SELECT round(t.Total * Percent / 100, 2) FROM rates WHERE Code = t.RateCode)',
  },
  {
    table: 'customers',
    column: 'Balance',
    sql: 'round((SELECT coalesce(sum(Total), 0) FROM orders WHERE CustomerId = t.Id), 2)',
  },
]

/** The computed cells that are not what their query gives; none is what must be. */
export async function findStale(ledger: Objects): Promise<unknown[]> {
  const stale: unknown[] = []
  for (const { table, column, sql } of FRESH) {
    const query = `SELECT '${table}.${column}' AS what, t.Id, t.${column} AS stored, ${sql} AS fresh
      FROM ${table} t WHERE coalesce(abs(t.${column} - ${sql}) > 0.011,
        (t.${column} IS NULL) <> (${sql} IS NULL))`
    stale.push(...(await ledger.stored(query)))
  }
  return stale
}

/** The application with a customer of each company. */
export async function startComputedColumns(options: AppOptions = {}): Promise<Objects> {
  const ledger = new Objects(await startApp({ application: COMPUTED_COLUMNS, ...options }))
  await ledger.save('clerk', 'Customers', { Name: 'Oak' })
  await ledger.save('other', 'Customers', { Name: 'Elm' })
  return ledger
}
