/** Other words for objects, fields and options: inherited, and of each language by itself. */
import { expect, test } from 'bun:test'
import { renderMessage } from '../../src/kernel/messages.ts'
import { compileTexts } from '../support/compile-text.ts'

const MODEL = `<Model>
  <Entity Name="Sale" Table="sales" Synonyms="deal">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="Total" Type="Decimal" Synonyms="revenue, turnover"/>
    <Column Name="Status" Type="Text">
      <Option Value="void" Synonyms="called off"/><Option Value="paid"/>
    </Column>
  </Entity>
  <ObjectView Name="Sales" Entity="Sale" Synonyms="bookings">
    <Field Name="Total" Label="Amount"/>
  </ObjectView>
  <Texts Language="de">
    <Text Of="Sale.Total.Synonyms">Umsatz, Erlös</Text>
    <Text Of="Sales.Synonyms">Buchungen</Text>
    <Text Of="Sale.Status.void.Synonyms">storniert</Text>
  </Texts>
</Model>`

test('synonyms of a column are those of its fields, translated as any text', async () => {
  const { model, faults } = await compileTexts({ 'sales.xml': MODEL })
  expect(faults).toEqual([])
  const view = model?.views.get('Sales')
  const total = view?.fieldByName.get('total')
  const [cancelled, paid] = view?.fieldByName.get('status')?.options ?? []
  const inBoth = (text: Parameters<typeof renderMessage>[0] | undefined) =>
    text === undefined ? undefined : [renderMessage(text), renderMessage(text, 'de')]
  expect(inBoth(view?.synonyms)).toEqual(['bookings', 'Buchungen'])
  expect(inBoth(view?.entity?.synonyms)).toEqual(['deal', 'deal'])
  expect(inBoth(total?.synonyms)).toEqual(['revenue, turnover', 'Umsatz, Erlös'])
  expect(inBoth(cancelled?.synonyms)).toEqual(['called off', 'storniert'])
  expect(paid?.synonyms).toBeUndefined()
})
