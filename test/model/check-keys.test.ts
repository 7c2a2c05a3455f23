/** Findings of `check` about keys that reveal other companies' records. */
import { describe, expect, test } from 'bun:test'
import { checkModel } from '../../src/model/compile/check.ts'
import { formatDiagnostic } from '../../src/model/deploy/report.ts'

describe('a key of a company’s entity', () => {
  const warn = async (columns: string, company = ''): Promise<string[]> => {
    const text = `<Model><Entity Name="Shop" Company="CompanyId">
  <Column Name="CompanyId" Type="Integer"${company}/>${columns}
</Entity>
<Entity Name="Part" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer"/>
</Entity>
<Entity Name="Land"><Column Name="Code" Key="true"/></Entity></Model>`
    const { faults, warnings } = await checkModel([{ name: 'shop.xml', body: text }])
    expect(faults).toEqual([])
    return warnings.map(formatDiagnostic)
  }
  const TOLD =
    'The key of Shop does not include CompanyId: a key that another company uses is refused, ' +
    'which reveals it. Make CompanyId a Key too, or give Shop an Identity key and make Code Unique'

  test.each([
    ['a Text', '<Column Name="Code" Key="true"/>', '2:44'],
    ['an Integer that is chosen', '<Column Name="Code" Type="Integer" Key="true"/>', '2:44'],
    [
      'a reference to what all companies share',
      '<Column Name="Code" References="Land" Key="true"/>',
      '2:44',
    ],
  ])('without the company is warned of: %s', async (_, columns, place) => {
    expect(await warn(columns)).toEqual([`shop.xml:${place}: ${TOLD}`])
  })

  test.each([
    ['with the company', '<Column Name="Code" Key="true"/>', ' Key="true"'],
    ['an Identity', '<Column Name="Id" Type="Integer" Key="true" Identity="true"/>', ''],
    ['a Guid', '<Column Name="Id" Type="Guid" Key="true"/>', ''],
    [
      'one that leads to a record of the company',
      '<Column Name="PartId" References="Part" Key="true"/>',
      '',
    ],
  ])('is not warned of: %s', async (_, columns, company) => {
    expect(await warn(columns, company)).toEqual([])
  })
})
