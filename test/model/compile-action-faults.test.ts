import { describe, expect, test } from 'bun:test'
import {
  compileTexts,
  expectFault,
  type FaultCase,
  findMarks,
  orders,
} from '../support/compile-text.ts'
import { SHOP } from '../support/shop-model.ts'

/** A row action X of the view Orders. */
const action = (inner: string, attributes = ''): string =>
  orders(`<RowAction Name="X"${attributes}>${inner}</RowAction>`)

const TELL = '<Dispatch Type="showAlert" Message="done"/>'

describe('row actions', () => {
  const cases: FaultCase[] = [
    [
      'two parameters but for case',
      action(`<Parameter Name="Why"/>\n<Parameter ¦Name="why"/>${TELL}`),
      'There are two parameters why',
    ],
    [
      'a parameter that the engine binds',
      action(`<Parameter ¦Name="TimeZone"/>${TELL}`),
      '@TimeZone is a context parameter: choose another name',
    ],
    [
      'a parameter that a request has for itself',
      action(`<Parameter ¦Name="RowVersion"/>${TELL}`),
      '@RowVersion is a member of requests: choose another name',
    ],
    [
      'a parameter in the place of the key',
      action(`<Parameter ¦Name="id" Type="Integer"/>${TELL}`),
      'id is the key of the row: choose another',
    ],
    [
      'a text that names a row where there is none',
      action('<Dispatch Type="showAlert" Message="¦{Number}"/>', ' For="View"'),
      'Message: {Number} is not known here',
    ],
    [
      'a label of a row where there is none',
      action('<Dispatch Type="showAlert" Message="¦{Status__Label}"/>', ' For="View"'),
      'Message: {Status__Label} is not known here',
    ],
    [
      'a condition on a row where there is none',
      action(TELL, ` For="View" ¦When="Status = 'new'"`),
      'When is judged on a row, and For="View" has none',
    ],
    [
      'a statement on a misspelt table',
      action('<Sql>UPDATE ¦ordrs SET Phone = 1</Sql>'),
      'ordrs is not a table of the model; the nearest is orders',
    ],
    [
      'a statement that changes tables',
      action('<Sql>¦DROP TABLE orders</Sql>'),
      'No DROP here: tables come from the entities of the model',
    ],
    [
      'a misspelt statement',
      action('<Sql>¦UPDTE orders SET Phone = 1</Sql>'),
      'No statement starts with UPDTE; did you mean UPDATE?',
    ],
  ]
  test.each(cases)('%s', (_rule, text, message) => expectFault(text, message))

  test('without a row: SQL names what the request brings, texts the parameters', async () => {
    const { faults } = await compileTexts({
      'shop.xml': SHOP,
      'case.xml': action(
        '<Parameter Name="Why"/>' +
          '<Sql Into="N">SELECT count(*) FROM orders WHERE CustomerId = @CustomerId</Sql>' +
          '<Dispatch Type="showAlert" Message="{N}: {Why}"/>',
        ' For="View"',
      ),
    })
    expect(faults).toEqual([])
  })
})

describe('warnings', () => {
  const cases: FaultCase[] = [
    [
      'an envelope that is nearly one that clients know',
      action('<Dispatch ¦Type="refreshTabel"/>'),
      'Clients do not know the Dispatch refreshTabel; did you mean refreshTable?',
    ],
    [
      'a figure from records that it is not computed anew for',
      `<Entity Name="Thing" Table="things" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true"/><Column Name="CompanyId" Type="Integer"/>
  <Column Name="Sum" Type="Integer">¦<Compute>SELECT count(*) FROM orders</Compute></Column>
</Entity>`,
      'The query reads orders, but a write of Order does not compute Sum again: add it to From',
    ],
  ]
  test.each(cases)('%s', async (_rule, text, message) => {
    const { faults, warnings } = await compileTexts({ 'shop.xml': SHOP, 'case.xml': text })
    expect(faults).toEqual([])
    expect(warnings).toEqual([`case.xml:${findMarks(text)[0]} ${message}`])
  })
})
