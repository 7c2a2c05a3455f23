/** A small application of invoices: orders with lines, in two companies, and who may print what. */
import type { Caller } from '../../src/access/callers/caller.ts'
import type { PrintMessage } from '../../src/engine/pdf/document.ts'
import { findPrint, requirePrintUse } from '../../src/engine/printed-reports/find-print.ts'
import {
  type PreparedPrint,
  preparePrint,
} from '../../src/engine/printed-reports/print-template.ts'
import type { TestApp } from './app.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const ENTITIES = `<Model>
<Entity Name="Client" Table="clients" Company="CompanyId" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
</Entity>
<Entity Name="Bill" Table="bills" Company="CompanyId" Display="Number">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Number" Type="Text" Required="true"/>
  <Column Name="ClientId" References="Client" Required="true"/>
  <Column Name="Status" Default="new"><Option Value="new" Label="New"/><Option Value="paid" Label="Paid"/></Column>
  <Column Name="Urgent" Type="Boolean"/>
  <Column Name="IssuedAt" Type="DateTime"/>
  <Column Name="DueOn" Type="Date"/>
  <Column Name="Amount" Type="Decimal" Scale="2" Unit="EUR"/>
  <Column Name="Cost" Type="Decimal" Scale="2" Unit="EUR"/>
  <Column Name="Street" Type="Text"/>
  <Column Name="City" Type="Text"/>
  <Column Name="Tongue" Type="Text"/>
  <Column Name="Code" Type="Text"/>
  <Column Name="Secret" Type="Text"/>
</Entity>
<Entity Name="BillLine" Table="bill_lines" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="BillId" References="Bill" Required="true"/>
  <Column Name="No" Type="Integer" Required="true"/>
  <Column Name="Kind" Type="Text"/>
  <Column Name="Item" Type="Text"/>
  <Column Name="Price" Type="Decimal" Scale="2" Unit="EUR"/>
  <Column Name="Margin" Type="Decimal" Scale="2"/>
</Entity>
<ObjectView Name="Clients" Entity="Client"/>
<ObjectView Name="Bills" Entity="Bill">
  <Field Name="City" In="Grid"/>
  <Field Name="DueOn" VisibleWhen="Status eq new"/>
  <Field Name="Secret" In="None"/>
  <Detail Name="Lines" View="BillLines" Parent="BillId=Id"/>
</ObjectView>
<ObjectView Name="BillLines" Entity="BillLine" Sort="No"/>
</Model>`

const PRINTS = `<Model>
<Print Name="Invoice" View="Bills" Title="Invoice {Number}">
  <Letterhead><Line Text="{CompanyName}"/></Letterhead>
  <Address Sender="{CompanyName}"><Line Text="{ClientId}"/><Line Text="{Street}"/><Line Text=" {City} "/></Address>
  <Heading Text="Invoice {Number}"/>
  <Text Text="Issued {IssuedAt}, due {DueOn}, urgent: {Urgent}"/>
  <Text Text="Paid with thanks" Strong="true" When="Status eq paid"/>
  <Text Text="Our cost {Cost}" When="Cost isNotNull"/>
  <Fields Names="Number Status DueOn Amount Cost Street" Columns="2"/>
  <Lines Detail="Lines" Empty="Nothing was bought">
    <Column Name="No" Weight="1"/><Column Name="Item" Label="What"/>
    <Column Name="Price" Carried="true" Sum="true"/><Column Name="Margin"/>
  </Lines>
  <Totals><Total Field="Amount" Strong="true"/><Total Field="Cost"/><Total Label="For us" Text="{Amount} net" When="Status eq new"/></Totals>
  <Barcode Type="QR" Text="BCD&#10;EUR{Amount}&#10;{Number}" Label="{Number}"/>
  <Barcode Type="EAN13" Text="{Code}"/>
  <Foot Left="{CompanyName}" Right="{Page} of {Pages}"/>
</Print>
<Print Name="Groups" View="Bills"><Lines Detail="Lines" Group="Kind">
  <Column Name="Item"/><Column Name="Price" Sum="true"/></Lines></Print>
<Print Name="Tag" View="Bills" Page="62x29" Margin="2"><Barcode Type="Code128" Text="{Number}" Width="40" Align="Center"/></Print>
<Print Name="Letter" View="Bills" Language="{Tongue}"><Text Text="Due {DueOn}: {Amount}"/></Print>
<Report Name="Sums">
  <DataSets><DataSet Name="All"><Sql>SELECT Number, Amount FROM bills</Sql></DataSet></DataSets>
  <Widgets><Widget Name="All" Kind="Table" DataSet="All"><Series Column="Number"/></Widget></Widgets>
</Report>
<Texts Language="de">
  <Text Of="Invoice">Rechnung</Text>
  <Text Of="Invoice.Title">Rechnung {Number}</Text>
  <Text Of="Invoice.Invoice {Number}">Rechnung {Number}</Text>
  <Text Of="Letter.Due {DueOn}: {Amount}">Fällig {DueOn}: {Amount}</Text>
  <Text Of="Bill.Status.paid">Bezahlt</Text>
</Texts>
</Model>`

const ALL = 'View List Create Update'

const ACCESS = `<Rbac>
  <Role Name="Clerk">
    <Grant Resource="Sums" Verbs="View List Export"/>
    <Grant Resource="Bills" Verbs="${ALL}"/><Grant Resource="BillLines" Verbs="${ALL}"/>
  </Role>
  <Role Name="Seller">
    <Grant Resource="Bills" Verbs="View List"/><Grant Resource="BillLines" Verbs="View List"/>
    <RowFilter Resource="Bills">Status = 'new'</RowFilter>
    <RowFilter Resource="BillLines">Kind = 'goods'</RowFilter>
    <FieldRule Resource="Bills" Field="Cost" Access="Hidden"/>
    <FieldRule Resource="Bills" Field="Street" Access="Hidden"/>
    <FieldRule Resource="BillLines" Field="Margin" Access="Hidden"/>
  </Role>
  <Role Name="Heads"><Grant Resource="Bills" Verbs="View List"/></Role>
  <Role Name="Blind">
    <Grant Resource="Bills" Verbs="View List"/><Grant Resource="BillLines" Verbs="View List"/>
    <FieldRule Resource="BillLines" Field="BillId" Access="Hidden"/>
  </Role>
  <Role Name="Lister"><Grant Resource="Bills" Verbs="List"/></Role>
</Rbac>`

/** Companies ONE and TWO; each user has one of the roles in ONE, `other` is the clerk of TWO. */
export const INVOICES: TestApplication = {
  files: [
    { name: 'entities.xml', body: ENTITIES },
    { name: 'prints.xml', body: PRINTS },
    { name: 'access.xml', body: ACCESS },
  ],
  ...makePeople('ONE TWO', {
    clerk: 'Clerk',
    seller: 'Seller',
    heads: 'Heads',
    blind: 'Blind',
    lister: 'Lister',
    none: '',
    other: 'Clerk in TWO',
  }),
}

/** Bills 1 (new) and 2 (paid) of ONE with three lines and none, 3 of TWO. */
export const INVOICE_ROWS = [
  "INSERT INTO clients (Id, CompanyId, Name) VALUES (1, 1, 'Little Works'), (2, 2, 'Far Works')",
  `INSERT INTO bills (Id, CompanyId, Number, ClientId, Status, Urgent, IssuedAt, DueOn, Amount, Cost, Street, City, Code, Tongue, Secret) VALUES
    (1, 1, 'B-1', 1, 'new', 1, '2026-03-01T10:00:00.000Z', '2026-04-01', 1234.5, 999.25, 'Mill Lane 1', NULL, '4006381333931', 'de', 'canary'),
    (2, 1, 'B-2', 1, 'paid', 0, NULL, '2026-05-01', 10, NULL, NULL, 'Milltown', 'none', 'no tag!', 'canary'),
    (3, 2, 'B-3', 2, 'new', 0, NULL, NULL, 7, 3, NULL, NULL, NULL, NULL, 'canary')`,
  `INSERT INTO bill_lines (Id, CompanyId, BillId, No, Kind, Item, Price, Margin) VALUES
    (1, 1, 1, 2, 'goods', 'Hammer', 0.1, 5.5), (2, 1, 1, 1, 'work', 'Hours', 1000.2, 6.5),
    (3, 1, 1, 3, 'goods', 'Nails', 234.2, 7.5), (4, 2, 3, 1, 'goods', 'Far', 7, 1)`,
]

/** Prepares a print as a user of an application, in a language. */
export async function prepareAs(
  app: TestApp,
  as: string,
  key: string,
  { language, ...given }: Record<string, unknown> = {},
): Promise<PreparedPrint> {
  const verified = await app.context.callers.verify(app.tokens[as] ?? '')
  const caller: Caller = typeof language === 'string' ? { ...verified, language } : verified
  const model = app.context.models.get()
  const print = findPrint(model, key)
  if (!print) throw new Error(`There is no print ${key}`)
  const use = requirePrintUse(app.context, { caller, model }, print)
  return preparePrint(app.store, use, { arguments: given, companyName: caller.companyCode })
}

/** Every message of a prepared print. */
export async function collectMessages(prepared: PreparedPrint): Promise<PrintMessage[]> {
  const options = { setting: 'Svc:Exports:Timeout', timeoutMs: 60_000 }
  return Array.fromAsync(prepared.messages(options))
}
