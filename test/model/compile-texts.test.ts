import { describe, expect, test } from 'bun:test'
import { learnTranslations, Message, renderMessage } from '../../src/kernel/messages.ts'
import { checkModel } from '../../src/model/compile/check.ts'
import { compileModel } from '../../src/model/compile/compile.ts'
import { modelFloor } from '../../src/model/floor.ts'
import type { Model } from '../../src/model/model.ts'
import {
  compileShop,
  expectFault,
  type FaultCase,
  parseScripts,
  requireView,
} from '../support/compile-text.ts'
import { SHOP } from '../support/shop-model.ts'

learnTranslations(modelFloor.translations ?? { de: [] })

const VIEW = `<ObjectView Name="Orders" Entity="Order">
  <TableQuery>SELECT o.*, c.Name AS Customer, c.Phone AS Call FROM orders o JOIN customers c ON c.Id = o.CustomerId</TableQuery>
  <Section Label="Order" Tab="Main">
    <Field Name="Number" Help="Given at once" Searchable="true"/>
    <Field Name="Phone" Pattern="[0-9]+" PatternMessage="Digits only"/>
  </Section>
  <Preset Name="Status" Label="All that is new" Where="Status = 'new'"/>
  <Preset Name="Open" Where="Status = 'new'"/>
  <Detail View="OrderLines" Parent="OrderId=Id"/>
  <RowAction Name="Close" Confirm="Close it?">
    <Parameter Name="Remark" Type="Text"/>
    <Sql Rows="1" Message="Closed already">UPDATE orders SET Status = 'done' WHERE Id = @Id AND Status = 'new'</Sql>
    <Dispatch Type="showAlert" Message="{Number} is closed"/>
  </RowAction>
  <Validate Field="Total" Operator="ge" Value="0" Message="Below zero"/>
</ObjectView>`

const CUSTOMERS = '<ObjectView Name="Clients" Entity="Customer"/>'

const texts = (inner: string, language = 'de'): string =>
  `<Texts Language="${language}">${inner}</Texts>`

const GERMAN = texts(`
  <Text Of="Orders">Aufträge</Text>
  <Text Of="Orders.Number">Auftragsnummer</Text>
  <Text Of="Orders.Number.Help">Kommt von selbst</Text>
  <Text Of="Orders.Phone.PatternMessage">Nur Ziffern</Text>
  <Text Of="Orders.Customer">Kunde</Text>
  <Text Of="Orders.Order">Auftrag</Text>
  <Text Of="Orders.Main">Allgemein</Text>
  <Text Of="Orders.Preset.Status">Alles Neue</Text>
  <Text Of="Orders.Open">Offen</Text>
  <Text Of="Orders.OrderLines">Positionen</Text>
  <Text Of="Orders.Close">Abschließen</Text>
  <Text Of="Orders.Close.Confirm">Abschließen?</Text>
  <Text Of="Orders.Close.Remark">Bemerkung</Text>
  <Text Of="Orders.Close.Closed already">Schon abgeschlossen</Text>
  <Text Of="Orders.Close.{Number} is closed">{Number} ist abgeschlossen</Text>
  <Text Of="Orders.Below zero">Unter null</Text>
  <Text Of="Order.Status">Zustand</Text>
  <Text Of="Order.Status.done">erledigt</Text>
  <Text Of="Order.Total.Unit">Euro</Text>
  <Text Of="Customer.Region">Gebiet</Text>
  <Text Of="Role.Clerk">Sachbearbeiter</Text>
  <Text Of="Approve">Freigeben</Text>`)

/** The model with its texts as they are shown in a language. */
function show<T>(shown: T, language: string | undefined): T
function show(shown: unknown, language: string | undefined): unknown {
  if (shown instanceof Message) return renderMessage(shown, language)
  if (Array.isArray(shown)) return shown.map((each: unknown) => show(each, language))
  if (typeof shown !== 'object' || shown === null) return shown
  if (Object.getPrototypeOf(shown) !== Object.prototype) return shown
  return Object.fromEntries(Object.entries(shown).map(([key, each]) => [key, show(each, language)]))
}

const viewIn = (model: Model, name: string, language: string | undefined) => {
  const { entity: _, fieldByName, ...view } = requireView(model, name)
  const field = (key: string) => show({ ...fieldByName.get(key), column: undefined }, language)
  return { ...show({ ...view, fields: [], listed: [], keys: [] }, language), field }
}

const labelsOf = (model: Model, view: string, language = 'de'): Record<string, string> =>
  Object.fromEntries(
    requireView(model, view).fields.map(({ name, label }) => [
      name,
      renderMessage(label, language),
    ]),
  )

describe('a model in another language', () => {
  const compile = (more = ''): Promise<Model> =>
    compileShop(`<Model>${VIEW}${CUSTOMERS}${GERMAN}${more}</Model>`)

  test('has every kind of text', async () => {
    const model = await compile()
    const view = viewIn(model, 'Orders', 'de')
    expect(view.label).toBe('Aufträge')
    expect(view.sections).toMatchObject([{ label: 'Auftrag', tab: 'Allgemein' }])
    expect(view.presets.map(({ label }) => label)).toEqual(['Alles Neue', 'Offen'])
    expect(view.details[0]?.label).toBe('Positionen')
    expect(view.rowActions[0]).toMatchObject({
      label: 'Abschließen',
      confirm: 'Abschließen?',
      parameters: [{ label: 'Bemerkung' }],
      effects: [{ message: 'Schon abgeschlossen' }, { message: '{Number} ist abgeschlossen' }],
    })
    expect(view.validates[0]?.message).toBe('Unter null')
    expect(view.field('number').help).toBe('Kommt von selbst')
    expect(view.field('phone').pattern?.message).toBe('Nur Ziffern')
    expect(show(model.roles.get('Clerk')?.label, 'de')).toBe('Sachbearbeiter')
    expect(show(model.capabilities.get('Approve'), 'de')).toBe('Freigeben')
  })

  test('is the same model, as written without a language or in one that it lacks', async () => {
    const model = await compile()
    for (const language of [undefined, 'en', 'fr']) {
      const view = viewIn(model, 'Orders', language)
      expect(view.label).toBe('Orders')
      expect(view.rowActions[0]?.confirm).toBe('Close it?')
      expect(view.field('number').help).toBe('Given at once')
      expect(show(model.roles.get('Clerk')?.label, language)).toBe('Clerk')
    }
    expect(model.languages).toEqual(['de'])
    expect(requireView(model, 'Orders').query.text).toContain('FROM orders o')
  })

  test('gives views what their columns have', async () => {
    const model = await compile()
    const view = viewIn(model, 'Orders', 'de')
    expect(view.field('status').label).toBe('Zustand')
    expect(view.field('status').options?.map(({ label }) => label)).toEqual(['new', 'erledigt'])
    expect(view.field('total').unit).toBe('Euro')
    expect(labelsOf(model, 'Clients')).toMatchObject({ Region: 'Gebiet', Code: 'Code' })
  })

  test('names reports and procedures, by the shorter tag', async () => {
    const parts =
      '<Report Name="Sales" Label="All sales"/>' +
      '<StoredProcedure Name="Count"><Parameter Name="Day" Type="Date"/><Sql>SELECT @Day</Sql></StoredProcedure>' +
      texts(
        '<Text Of="Sales">Verkauf</Text><Text Of="Count">Zählen</Text>' +
          '<Text Of="Count.Day">Tag</Text>',
        'de-LI',
      )
    const model = await compileShop(`<Model>${VIEW}${GERMAN}${parts}</Model>`)
    const labels = (language: string) => {
      const procedure = model.procedures.get('count')
      const [day] = procedure?.parameters ?? []
      return show([model.reports.get('Sales')?.label, procedure?.label, day?.label], language)
    }
    expect(labels('de-LI')).toEqual(['Verkauf', 'Zählen', 'Tag'])
    expect(labels('de')).toEqual(['All sales', 'Count', 'Day'])
  })

  test('names output columns, and columns of the engine in its own words', async () => {
    const model = await compile()
    expect(labelsOf(model, 'Orders')).toMatchObject({
      Number: 'Auftragsnummer',
      Customer: 'Kunde',
      Call: 'Call',
      CreatedBy: 'Angelegt von',
      RowVersion: 'Datensatzversion',
    })
    expect(labelsOf(model, 'Orders', 'fr')).toMatchObject({ Call: 'Call', CreatedBy: 'Created by' })
    const name = model.entities.get('User')?.columnByName.get('username')?.label
    expect(show(name, 'de')).toBe('Benutzername')
  })

  test('tells a preset from an output column of its name', async () => {
    const view =
      '<ObjectView Name="People" Entity="User"><Preset Name="Active" Where="Active = 1"/></ObjectView>'
    const both = texts(
      '<Text Of="People.Active">Aktiv?</Text><Text Of="People.Preset.Active">Nur aktive</Text>',
      'de-LI',
    )
    const model = await compileShop(`<Model>${view}${both}</Model>`)
    const people = viewIn(model, 'People', 'de-LI')
    expect(people.field('active').label).toBe('Aktiv?')
    expect(people.presets[0]?.label).toBe('Nur aktive')
  })

  test('takes what it lacks from the shorter tag, then as it was written', async () => {
    const swiss = texts('<Text Of="Orders">Bestellungen</Text>', 'de-CH')
    const view = viewIn(await compile(swiss), 'Orders', 'de-CH')
    expect(view.label).toBe('Bestellungen')
    expect(view.presets[1]?.label).toBe('Offen')
    expect(view.field('phone').label).toBe('Phone')
  })
})

const CASES: FaultCase[] = [
  [
    'a misspelt field',
    '<Text ¦Of="Orders.Nmber">Nummer</Text>',
    'There is no text Orders.Nmber; did you mean Orders.Number?',
  ],
  [
    'an option that is inherited',
    '<Text ¦Of="Orders.Status.done">x</Text>',
    'There is no text Orders.Status.done; did you mean Order.Status.done?',
  ],
  [
    'a message that says something else by now',
    '<Text ¦Of="Orders.Close.Closed already!">x</Text>',
    'There is no text Orders.Close.Closed already!; did you mean Orders.Close.Closed already?',
  ],
  [
    'a name that is not in the text',
    '<Text ¦Of="Orders.Close.{Number} is closed">{Nummer} ist zu</Text>',
    '{Nummer} does not appear in the text that this translates',
  ],
  ['no text', '<Text ¦Of="Orders.Number"> </Text>', 'The text of Orders.Number is empty'],
]

describe('faults of texts', () => {
  test.each(CASES)('%s', async (_, text, message) => {
    await expectFault(`<Model>${VIEW}\n${texts(text)}</Model>`, message)
  })
})

test('what has no text is told, language by language, where it stands', async () => {
  const inner =
    '<Text Of="Thing">Ding</Text><Text Of="Thing.Kind">Art</Text><Text Of="Things">Dinge</Text>'
  const scripts = await parseScripts({
    'thing.xml':
      '<Model><Entity Name="Thing" Table="things">\n' +
      '<Column Name="Id" Type="Integer" Key="true" Identity="true"/>\n' +
      '<Column Name="Kind" Help="Which one"><Option Value="a"/><Option Value="1"/></Column>\n' +
      '</Entity>\n' +
      '<ObjectView Name="Things" Entity="Thing">\n' +
      '<TableQuery>SELECT Id, Kind, upper(Kind) AS Upper FROM things</TableQuery>\n' +
      `<Field Name="Kind"/></ObjectView>${texts(inner)}</Model>`,
  })
  const { untranslated } = await compileModel(scripts)
  expect(untranslated().map(({ place, message }) => `${place.line} ${message}`)).toEqual([
    '3 Thing.Kind.Help has no text in de',
    '3 Thing.Kind.a has no text in de',
    '5 Things.Upper has no text in de',
  ])
})

test('a check warns of it', async () => {
  const shop = SHOP.replace(/<\/?Model>/g, '')
  const german = texts('<Text Of="Customer">Kunde</Text>')
  const body = `<Model>${shop}${german}</Model>`
  const { faults, untranslated } = await checkModel([{ name: 'shop.xml', body }])
  expect(faults).toEqual([])
  const told = untranslated.map(({ language, message }) => `${language}: ${message}`)
  expect(told).toContain('de: Customer.Code has no text in de')
})
