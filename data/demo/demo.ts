/**
 * The demo application: a trading company's model, companies and users; `seed.ts` makes its data.
 */
import accessXml from './access.xml' with { type: 'text' }
import approvalsXml from './approvals.xml' with { type: 'text' }
import customersXml from './customers.xml' with { type: 'text' }
import documentsXml from './documents.xml' with { type: 'text' }
import ordersTs from './extensions/orders.ts' with { type: 'text' }
import geographyXml from './geography.xml' with { type: 'text' }
import navigationXml from './navigation.xml' with { type: 'text' }
import newCustomerXml from './new-customer.xml' with { type: 'text' }
import ordersXml from './orders.xml' with { type: 'text' }
import productsXml from './products.xml' with { type: 'text' }
import reportsXml from './reports.xml' with { type: 'text' }
import salesXml from './sales.xml' with { type: 'text' }
import stockXml from './stock.xml' with { type: 'text' }
import textsDeXml from './texts-de.xml' with { type: 'text' }

/** A model file, as a deploy takes it. */
export interface DemoFile {
  name: string
  body: string
}

export interface DemoCompany {
  code: string
  name: string
  /** IANA zone. */
  timeZone: string
}

export interface DemoUser {
  userName: string
  displayName: string
  email: string
  password: string
  /** `Role` in every company of the user, `Role@CODE` in that one. */
  roles: readonly string[]
  /** Codes of the companies that the user belongs to. */
  companies: readonly string[]
  /** Values of the declared user attributes. */
  attributes: Readonly<Record<string, string>>
}

/** The model, file by file. The imports are texts, which the types of `*.xml` do not say. */
export const demoFiles: readonly DemoFile[] = [
  { name: 'access.xml', body: String(accessXml) },
  { name: 'approvals.xml', body: String(approvalsXml) },
  { name: 'customers.xml', body: String(customersXml) },
  { name: 'documents.xml', body: String(documentsXml) },
  { name: 'geography.xml', body: String(geographyXml) },
  { name: 'navigation.xml', body: String(navigationXml) },
  { name: 'new-customer.xml', body: String(newCustomerXml) },
  { name: 'orders.xml', body: String(ordersXml) },
  { name: 'products.xml', body: String(productsXml) },
  { name: 'reports.xml', body: String(reportsXml) },
  { name: 'sales.xml', body: String(salesXml) },
  { name: 'stock.xml', body: String(stockXml) },
  { name: 'texts-de.xml', body: String(textsDeXml) },
]

/** Its extensions, file by file. */
export const demoExtensions: readonly DemoFile[] = [{ name: 'orders.ts', body: String(ordersTs) }]

/** Three companies in three time zones. */
export const demoCompanies: readonly DemoCompany[] = [
  { code: 'NORTH', name: 'North Trading', timeZone: 'Europe/Berlin' },
  { code: 'SOUTH', name: 'South Trading', timeZone: 'Europe/Lisbon' },
  { code: 'WEST', name: 'West Trading', timeZone: 'America/New_York' },
]

/** Who signs in to the demo; passwords are for the demo alone. */
export const demoUsers: readonly DemoUser[] = [
  {
    userName: 'root',
    displayName: 'System administrator',
    email: 'root@example.com',
    password: 'root-demo-password',
    roles: ['System'],
    companies: ['NORTH', 'SOUTH', 'WEST'],
    attributes: {},
  },
  {
    userName: 'ana',
    displayName: 'Sales manager',
    email: 'ana@example.com',
    password: 'ana-demo-password',
    roles: ['SalesManager', 'Designer'],
    companies: ['NORTH', 'SOUTH', 'WEST'],
    attributes: {},
  },
  {
    userName: 'bo',
    displayName: 'Newcomer',
    email: 'bo@example.com',
    password: 'bo-demo-password',
    roles: [],
    companies: ['NORTH'],
    attributes: {},
  },
  {
    userName: 'cy',
    displayName: 'Clerk',
    email: 'cy@example.com',
    password: 'cy-demo-password',
    roles: ['Clerk@SOUTH', 'Warehouse@SOUTH', 'Auditor@WEST'],
    companies: ['SOUTH', 'WEST'],
    attributes: {},
  },
  {
    userName: 'dee',
    displayName: 'Sales representative',
    email: 'dee@example.com',
    password: 'dee-demo-password',
    roles: ['SalesRep@NORTH', 'Warehouse@WEST'],
    companies: ['NORTH', 'WEST'],
    attributes: { Region: 'Lakes' },
  },
  {
    userName: 'eva',
    displayName: 'Administrator',
    email: 'eva@example.com',
    password: 'eva-demo-password',
    roles: ['Admin'],
    companies: ['NORTH', 'SOUTH', 'WEST'],
    attributes: {},
  },
  {
    userName: 'fay',
    displayName: 'Access manager',
    email: 'fay@example.com',
    password: 'fay-demo-password',
    roles: ['AccessManager@NORTH', 'AccessManager@SOUTH'],
    companies: ['NORTH', 'SOUTH'],
    attributes: {},
  },
]

export { seedDemo } from './seed.ts'
