/** The navigation: what shows for whom, in which language, and when it is the same. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { writeExtensions } from '../../support/extensions.ts'
import { Navigation, NAVIGATION_FILES, navigationWith } from '../../support/navigation.ts'

let bureau: Navigation
beforeAll(async () => {
  bureau = await Navigation.start()
})
afterAll(() => bureau[Symbol.asyncDispose]())

describe('an item shows when its target’s permission holds', () => {
  const cases: [string, string, string[]][] = [
    [
      'System: everything',
      'root',
      [
        ...['Work/Orders', 'Work/Own', 'Work/Entry', 'Work/Wizard', 'Work/Deep/Marks'],
        ...['Takings', 'Help'],
      ],
    ],
    [
      'View opens a grid, Create a form for new records and a wizard, List a report',
      'clerk',
      ['Work/Orders', 'Work/Entry', 'Work/Wizard', 'Work/Deep/Marks', 'Takings', 'Help'],
    ],
    ['a grid without Create has no form and no wizard', 'reader', ['Work/Orders', 'Help']],
    ['a report alone: the groups beside it are left out', 'banker', ['Takings', 'Help']],
    ['no right at all: what a Url opens', 'nobody', ['Help']],
  ]
  test.each(cases)('%s', async (_, as, paths) => {
    expect(await bureau.paths(as)).toEqual(paths)
  })

  test('whole nodes', async () => {
    const [work, takings, help] = await bureau.tree('clerk')
    expect(work).toMatchObject({ Name: 'Work', Label: 'Work', Icon: 'desk', Kind: 'Group' })
    expect(work?.Target).toBeNull()
    expect(work?.Children.slice(0, 3)).toEqual([
      ...[
        { Name: 'Orders', Label: 'Orders', Icon: 'file', Kind: 'Object', Target: 'Orders' },
        { Name: 'Entry', Label: 'Order entry', Icon: null, Kind: 'Object', Target: 'OrderEntry' },
        { Name: 'Wizard', Label: 'A new order', Icon: null, Kind: 'Wizard', Target: 'new-order' },
      ].map((node) => ({ ...node, Children: [] })),
    ])
    expect([takings, help]).toEqual([
      ...[
        { Name: 'Takings', Label: 'Takings', Icon: null, Kind: 'Report', Target: 'takings' },
        {
          Name: 'Help',
          Label: 'Help',
          Icon: null,
          Kind: 'Url',
          Target: 'https://example.com/help',
        },
      ].map((node) => ({ ...node, Children: [] })),
    ])
  })

  test('what shows can be opened, what does not is refused', async () => {
    const open: Record<string, [string, object]> = {
      Orders: ['/api/v1/svc/object/Orders/table', {}],
      Own: ['/api/v1/svc/object/own-orders/table', {}],
      Marks: ['/api/v1/svc/object/Marks/table', {}],
      Takings: ['/api/v1/svc/reports/takings/data', {}],
    }
    for (const as of ['root', 'clerk', 'agent', 'owner', 'reader', 'banker', 'nobody']) {
      const shown = new Set((await bureau.paths(as)).map((path) => path.split('/').at(-1)))
      for (const [name, [path, body]] of Object.entries(open)) {
        const { status } = await bureau.app.fetch(path, { as, body })
        expect({ as, name, status }).toEqual({ as, name, status: shown.has(name) ? 200 : 401 })
      }
    }
  })

  test('no SQL runs for it', async () => {
    const before = bureau.app.store.counters.reads
    await bureau.tree('clerk')
    expect(bureau.app.store.counters.reads).toBe(before)
  })

  test('without a token nothing', async () => {
    for (const path of ['', '/badges'])
      expect((await bureau.app.fetch(`/api/v1/svc/navbar${path}`)).status).toBe(401)
  })
})

describe('rights that go', () => {
  test('take their items and badges along, and come back with them', async () => {
    await using own = await Navigation.start()
    const change = (method: string) =>
      own.app.fetch('/api/v1/svc/auth/users/7/roles', {
        as: 'root',
        method,
        body: { Role: 'Banker' },
      })
    const tag = (await own.ask('banker')).headers.get('ETag') ?? ''
    expect(Object.keys(await own.badges('banker'))).toEqual(['Takings', 'Help'])
    expect((await change('DELETE')).status).toBe(200)
    const gone = await own.ask('banker', { 'If-None-Match': tag })
    expect(gone.body.data.map(({ Name }) => Name)).toEqual(['Help'])
    expect(Object.keys(await own.badges('banker'))).toEqual(['Help'])
    expect((await change('POST')).status).toBe(200)
    expect((await own.ask('banker', { 'If-None-Match': tag })).status).toBe(304)
  })

  test('of a role do so too, once its grant is taken', async () => {
    await using own = await Navigation.start()
    const views = NAVIGATION_FILES[1].body
    const rbac = views.slice(views.indexOf('<Rbac>'), views.indexOf('</Rbac>') + '</Rbac>'.length)
    const body = rbac.replace('<Grant Resource="Takings" Verbs="List"/></Role>', '</Role>')
    expect(await own.paths('banker')).toEqual(['Takings', 'Help'])
    const files = [{ FileName: 'views.xml', Body: `<Model>${body}</Model>` }]
    const answer = await own.app.fetch('/api/v1/svc/scripts', {
      as: 'root',
      body: { Files: files },
    })
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 })
    expect(await own.paths('banker')).toEqual(['Help'])
  })
})

describe('the tag', () => {
  test('is that of the language and of the rights', async () => {
    await using demo = new Navigation(await startApp())
    const ask = (as: string, language: string, tag = '') =>
      demo.ask(as, { 'Accept-Language': language, ...(tag !== '' && { 'If-None-Match': tag }) })
    const [english, german] = [await ask('ana', 'en'), await ask('ana', 'de')]
    expect(german.body.data.map(({ Label }) => Label)).toEqual([
      ...['Verkauf', 'Meine Aufgaben', 'Lager', 'Berichte', 'Einstellungen', 'Hilfe'],
    ])
    expect(english.body.data.map(({ Label }) => Label)).toEqual([
      ...['Sales', 'My tasks', 'Warehouse', 'Reports', 'Settings', 'Help'],
    ])
    expect(german.headers.get('Content-Language')).toBe('de')
    expect(german.headers.get('Cache-Control')).toBe('private, no-cache')
    expect(german.headers.get('Vary')).toBe('Accept-Encoding, Authorization, Accept-Language')
    const tag = german.headers.get('ETag') ?? ''
    const known = await ask('ana', 'de-AT', tag)
    expect({ status: known.status, text: known.text }).toEqual({ status: 304, text: '' })
    expect(known.headers.get('Vary')).toBe('Accept-Encoding, Authorization, Accept-Language')
    expect((await ask('ana', 'en', tag)).status).toBe(200)
    expect((await ask('dee', 'de', tag)).status).toBe(200)
    expect((await ask('bo', 'de', tag)).status).toBe(200)
  })
})

describe('several Navbars', () => {
  test('are one tree in the order of their names; groups of one name are one', async () => {
    const second = `<Navbar Name="about">
      <Item Name="Work" Label="All work"><Item Name="Pay" Object="Payments"/></Item>
      <Item Name="About" Url="/about"/></Navbar>`
    const first = `<Navbar Name="main"><Item Name="Work" Icon="desk">
      <Item Name="Orders" Object="Orders"/></Item><Item Name="Help" Url="/help"/></Navbar>`
    await using own = await Navigation.start({ application: navigationWith(first + second) })
    expect(await own.paths('clerk')).toEqual(['Work/Pay', 'Work/Orders', 'About', 'Help'])
    expect((await own.tree('clerk'))[0]).toMatchObject({ Label: 'All work', Icon: null })
    expect(await own.paths('agent')).toEqual(['Work/Orders', 'About', 'Help'])
  })
})

describe('a report of an extension', () => {
  const NAVBAR = `<Navbar Name="main"><Item Name="Dues" Report="Dues"/><Item Name="Never" Report="Never"/></Navbar>`

  test('shows with List on its Resource, as a document; one that nobody brings never', async () => {
    await using own = await Navigation.start({ application: navigationWith(NAVBAR) })
    const body = `export default (engine) => {
      engine.report({ Key: 'Dues', Resource: 'Payments', Formats: ['json'], run: () => [] })
    }`
    writeExtensions(own.app.folder, { 'dues.ts': body })
    expect(await own.tree('clerk')).toEqual([
      {
        Name: 'Dues',
        Label: 'Dues',
        Icon: null,
        Kind: 'Report',
        Target: 'Dues',
        ReportKind: 'Document',
        Children: [],
      },
    ])
    expect(await own.tree('agent')).toEqual([])
  })
})
