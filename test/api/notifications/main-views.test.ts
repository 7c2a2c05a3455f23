/** Where notifications about a record lead, and by which kinds users choose their channels. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { Objects } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'

const MODEL = `<Model>
<Entity Name="Order" Table="orders" Company="CompanyId" Display="Title">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text" Required="true"/>
  <On Event="created"><Notify Role="Clerk" Title="{Title}"/><Notify Role="Printer" Title="{Title}"/></On>
</Entity>
<Entity Name="Box" Table="boxes" Company="CompanyId" Display="Title">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text" Required="true"/>
  <On Event="created"><Notify Role="Clerk" Title="{Title}"/></On>
</Entity>
<ObjectView Name="AllPrintedOrders" Entity="Order"/>
<ObjectView Name="NewOrder" Entity="Order" ViewType="Form"/>
<ObjectView Name="Orders" Entity="Order">
  <RowAction Name="Ask" Label="Ask"><Notify Role="Clerk" Title="Asked"/></RowAction>
</ObjectView>
<ObjectView Name="WorkOrders" Entity="Order"/>
<ObjectView Name="AllBoxes" Entity="Box"/>
<ObjectView Name="Boxes" Entity="Box"/>
<Navbar Name="main">
  <Item Name="New" Object="NewOrder"/>
  <Item Name="Group"><Item Name="Work" Object="work-orders"/><Item Name="Orders" Object="Orders"/></Item>
</Navbar>
<Texts Language="de"><Text Of="Orders">Aufträge</Text></Texts>
<Rbac>
  <Role Name="Clerk">
    <Grant Resource="AllPrintedOrders" Verbs="View List"/><Grant Resource="NewOrder" Verbs="View Create"/>
    <Grant Resource="Orders" Verbs="View List Create Update"/>
    <Grant Resource="AllBoxes" Verbs="View"/><Grant Resource="Boxes" Verbs="View Create"/>
  </Role>
  <Role Name="Worker"><Grant Resource="WorkOrders" Verbs="View List"/></Role>
  <Role Name="Printer"><Grant Resource="AllPrintedOrders" Verbs="View List"/></Role>
</Rbac>
</Model>`

let app: TestApp
beforeAll(async () => {
  app = await startApp({
    application: {
      files: [{ name: 'orders.xml', body: MODEL }],
      ...makePeople('ONE', { ana: 'Clerk', eva: 'Clerk Worker', pia: 'Printer' }),
    },
  })
})
afterAll(() => app[Symbol.asyncDispose]())

interface Reply<T> {
  success: boolean
  data: T
}

const get = async <T>(as: string, path: string, language = 'en'): Promise<T> => {
  const headers = { 'Accept-Language': language }
  return (await app.fetch<Reply<T>>(`/api/v1/${path}`, { as, headers })).body.data
}

const listObjects = async (as: string) =>
  (await get<{ Title: string; Object: string | null }[]>(as, 'notification')).map(
    ({ Title, Object: object }) => `${Title}: ${object}`,
  )

test('a notification leads where the navigation does, then to the view of that name', async () => {
  const desk = new Objects(app)
  await desk.save('ana', 'Orders', { Title: 'Lamp' })
  await desk.save('ana', 'Boxes', { Title: 'Box' })
  expect(await listObjects('ana')).toEqual(['Box: Boxes', 'Lamp: Orders'])
  // What comes first in the navigation counts only for those who may view it.
  expect(await listObjects('eva')).toEqual(['Box: Boxes', 'Lamp: WorkOrders'])
  expect(await listObjects('pia')).toEqual(['Lamp: AllPrintedOrders'])
})

test('an entity and its main view are one kind, by whose channels both are told', async () => {
  const kinds = await get<{ Kind: string; Label: string }[]>('ana', 'notifications/kinds', 'de')
  const own = kinds.filter(({ Kind }) => /order|box/i.test(Kind))
  expect(own).toEqual([
    { Kind: 'Box', Label: 'Box' },
    { Kind: 'Orders', Label: 'Aufträge' },
  ])
  const put = (Kind: string) =>
    app.fetch<Reply<{ Kind: string; Hub: boolean }[]>>('/api/v1/notifications/preferences', {
      as: 'ana',
      method: 'PUT',
      body: { Preferences: [{ Kind, Hub: false }] },
    })
  // By either name.
  const { data } = (await put('order')).body
  expect(data).toContainEqual(expect.objectContaining({ Kind: 'Orders', Hub: false }))
  expect(data.some(({ Kind }) => Kind === 'Order')).toBe(false)
  await app.fetch('/api/v1/notification/read-all', { as: 'ana', body: {} })
  const desk = new Objects(app)
  const { Keys } = await desk.save('ana', 'Orders', { Title: 'Quiet' })
  await app.fetch('/api/v1/svc/object/execute-row-action', {
    as: 'ana',
    body: { ObjectName: 'Orders', ActionName: 'Ask', Parameters: Keys },
  })
  const unread = await get<{ Title: string }[]>('ana', 'notification?unread=true')
  const all = await get<{ Title: string }[]>('ana', 'notification?limit=2')
  expect([unread, all.map(({ Title }) => Title)]).toEqual([[], ['Asked', 'Quiet']])
})
