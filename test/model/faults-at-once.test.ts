/** All faults of a model are told in one go, and none that only a faulty file causes. */
import { describe, expect, test } from 'bun:test'
import { checkModel } from '../../src/model/compile/check.ts'
import { formatDiagnostic } from '../../src/model/deploy/report.ts'
import { readModelFolder } from '../../src/model/parse/folder.ts'
import { type ModelFile, parseModelFile } from '../../src/model/parse/parse.ts'
import { DeployTarget } from '../support/deploy.ts'
import { SHOP } from '../support/shop-model.ts'
import { WHOLE } from '../support/whole-model.ts'

const CUSTOMER = `<Entity Name="Customer" Table="customers">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Region"/><Column Name="Credit" Type="Decimal"/>
  <Sequence Name="CustomerNumber" Format="C-{####}"/>
</Entity>`
const CUSTOMERS = '<ObjectView Name="Customers" Entity="Customer"/>'
const ORDER = `<Entity Name="Order" Table="orders" Display="Number">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Number" Sequence="CustomerNumber"/>
  <Column Name="CustomerId" References="Customer"/>
  <Column Name="Total" Type="Decimal"/>
  <Validate Message="Too much">SELECT @Total &lt; Credit FROM customers WHERE Id = @CustomerId</Validate>
</Entity>`
const ORDERS = `<ObjectView Name="Orders" Entity="Order">
  <TableQuery>SELECT o.*, c.Region FROM orders o JOIN customers c ON c.Id = o.CustomerId</TableQuery>
</ObjectView>`
const RBAC = `<Rbac>
  <Capability Name="Approve"/><UserAttribute Name="Region"/>
  <Role Name="Clerk"><Grant Resource="Orders" Verbs="View" Capabilities="Approve"/>
    <RowFilter Resource="Customers">Region = @User_Region</RowFilter></Role>
</Rbac>`
const MORE = `<ObjectView Name="More" Entity="Order">
  <Permit Capability="Approve" When="Totl > 0"/>
  <Preset Name="Own" Where="Number = @User_Region"/>
  <Detail View="Customers" Parent="Id=CustomerId"/>
</ObjectView>`

const FILES = {
  'customer.xml': CUSTOMER,
  'customers.xml': CUSTOMERS,
  'more.xml': MORE,
  'order.xml': ORDER,
  'orders.xml': ORDERS,
  'rbac.xml': RBAC,
}

const check = async (files: Record<string, string>): Promise<string[]> => {
  const list = Object.entries(files).map(([name, body]) => ({ name, body }))
  return (await checkModel(list)).faults.map(formatDiagnostic)
}

const MISSPELT = 'more.xml:2:38: No column is named Totl here; the nearest is Total'

describe('beside a file with faults by the schema', () => {
  test('every other file is compiled, and nothing that names it is told', async () => {
    const broken = CUSTOMER.replace('Key=', 'Keys=')
    const rbac = RBAC.replace('Verbs="View"', 'Verbs="Vew"')
    expect(await check({ ...FILES, 'customer.xml': broken, 'rbac.xml': rbac })).toEqual([
      "customer.xml:2:36: Unknown attribute 'Keys' on Column; did you mean 'Key'?",
      MISSPELT,
      expect.stringMatching(/^rbac.xml:3:47: Verbs of Grant cannot be 'Vew'/),
    ])
  })

  test('so it is beside a file that is no XML', async () => {
    const broken = CUSTOMER.replace('</Entity>', '</Entit>')
    const [first, ...others] = await check({ ...FILES, 'customer.xml': broken })
    expect(first).toStartWith('customer.xml:5:')
    expect(others).toEqual([MISSPELT])
  })

  test('of a Model file the other scripts are compiled', async () => {
    const body = `<Model>\n${ORDER.replace('Type="Decimal"', 'Type="Decmal"')}\n${MORE}\n</Model>`
    const { 'order.xml': _order, 'more.xml': _more, ...others } = FILES
    expect(await check({ ...others, 'model.xml': body })).toEqual([
      expect.stringMatching(/^model.xml:6:24: Type of Column cannot be 'Decmal'/),
    ])
    const view =
      '<ObjectView Name="People" Entity="User"><Preset Name="A" Where="Nme = 1"/></ObjectView>'
    const two = body.replace('</Model>', `${view}\n</Model>`)
    expect(await check({ ...others, 'model.xml': two })).toEqual([
      expect.stringMatching(/^model.xml:6:24: Type of Column/),
      expect.stringMatching(/^model.xml:14:65: No column is named Nme here/),
    ])
  })

  test('a deploy tells the same beside what is stored, and changes nothing', async () => {
    await using target = await DeployTarget.open()
    const sound = { ...FILES, 'more.xml': MORE.replace('Totl', 'Total') }
    expect((await target.deploy(sound)).plan.faults).toEqual([])
    const before = await target.dump()
    const { plan, isDone } = await target.deploy({
      'customer.xml': CUSTOMER.replace('Key=', 'Keys='),
      'more.xml': MORE,
    })
    expect([isDone, ...plan.faults.map(formatDiagnostic)]).toEqual([
      false,
      "customer.xml:2:36: Unknown attribute 'Keys' on Column; did you mean 'Key'?",
      MISSPELT,
    ])
    expect(await target.dump()).toBe(before)
  })
})

/** Each script of a model in a file of its own. */
async function split(files: readonly ModelFile[]): Promise<ModelFile[]> {
  const found: ModelFile[] = []
  for (const file of files)
    for (const { type, name, body } of (await parseModelFile(file)).scripts)
      found.push({ name: `${type}-${name}.xml`, body: body.replace(/^\s*<\?.*?\?>/, '').trim() })
  return found
}

/** Scripts beyond which some stand for all. */
const MANY = 40

/** An attribute that no element has, and a text that does not end. */
const bySchema = (body: string): string => body.replace(/<([A-Z]\w*)/, '<$1 Bogus="1"')
const asXml = (body: string): string => `${body.trimEnd()}<`

const loadLanguage = (): Promise<ModelFile[]> =>
  Promise.resolve([
    { name: 'shop.xml', body: SHOP },
    { name: 'whole.xml', body: WHOLE },
  ])
const loadDemo = (): Promise<ModelFile[]> => readModelFolder(`${import.meta.dir}/../../data/demo`)

test.each([
  ['of the language, by the schema', loadLanguage, bySchema],
  ['of the language, as XML', loadLanguage, asXml],
  ['of the demo, by the schema', loadDemo, bySchema],
] as [string, () => Promise<ModelFile[]>, (body: string) => string][])(
  'any one faulty script is the only fault: %s',
  async (_model, load, spoil) => {
    const files = await split(await load())
    expect((await checkModel(files)).faults).toEqual([])
    // Of the many scripts of the demo each third: all take as long as all other tests of the model.
    const spoiled = files.filter((_, at) => files.length < MANY || at % 3 === 0)
    for (const broken of spoiled) {
      const spoilt = { ...broken, body: spoil(broken.body) }
      const { faults } = await checkModel(files.map((file) => (file === broken ? spoilt : file)))
      const others = faults.filter(({ place }) => place.file !== broken.name).map(formatDiagnostic)
      expect({ broken: broken.name, others }).toEqual({ broken: broken.name, others: [] })
      expect(faults.length).toBeGreaterThan(0)
    }
  },
)
