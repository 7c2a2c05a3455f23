/** Faults of model files: each with its line, its column and a sentence that helps. */
import { describe, expect, test } from 'bun:test'
import { MODEL_FILE_BYTES_MAX, parseModelFile } from '../../src/model/parse/parse.ts'

async function faultsOf(body: string): Promise<string[]> {
  const { scripts, faults, faulty } = await parseModelFile({ name: 'a.xml', body })
  const names = new Set(scripts.map(({ type, name }) => `${type} ${name}`))
  // A script with a fault is told as one; a second one of a name is, and the first is not.
  if (names.size === scripts.length && faults.length > 0 && scripts.length > 0)
    expect(faulty.length).toBeGreaterThan(0)
  return faults.map(({ place, message }) => {
    expect(place.file).toBe('a.xml')
    return `${place.line}:${place.column} ${message}`
  })
}

const faulty: { name: string; body: string; faults: string[] }[] = [
  {
    name: 'an unknown attribute, with the nearest name',
    body: '<Entity Name="A">\n  <Column Name="Id"\n    Requred="true"/>\n</Entity>',
    faults: ["3:5 Unknown attribute 'Requred' on Column; did you mean 'Required'?"],
  },
  {
    name: 'an unknown element, with the nearest name',
    body: '<Entity Name="A">\n <Colum Name="Id"/></Entity>',
    faults: ["2:2 Unknown element <Colum> in Entity 'A'; did you mean <Column>?"],
  },
  {
    name: 'an element in the wrong place',
    body: '<Rows Entity="A" Key="B"><Cell/></Rows>',
    faults: ['1:26 Unknown element <Cell> in <Rows>; it holds Row'],
  },
  {
    name: 'an element where none belongs',
    body: '<ObjectView Name="A"><TableQuery>SELECT <b/></TableQuery></ObjectView>',
    faults: ['1:41 <b> does not belong in <TableQuery>, which holds no elements'],
  },
  {
    name: 'an unknown root',
    body: '<Entitty Name="A"/>',
    faults: [
      '1:1 Unknown root <Entitty>; did you mean <Entity>?; it must be one of Model, Entity, ' +
        'ObjectView, Navbar, StoredProcedure, Rbac, Report, Print, Workflow, Rows, Migration, Texts',
    ],
  },
  {
    name: 'a missing attribute',
    body: '<Entity Name="A"><Column Type="Text"/></Entity>',
    faults: ["1:18 <Column> needs the attribute 'Name'"],
  },
  {
    name: 'a misspelt required attribute is one fault',
    body: '<Entity Name="A"><Column Nam="Id"/></Entity>',
    faults: ["1:26 Unknown attribute 'Nam' on Column; did you mean 'Name'?"],
  },
  {
    name: 'values outside of a list, two on one line',
    body: '<Entity Name="A" Audit="On"><Column Name="B" Type="Txt"/> <Column Name="C" Type="text"/></Entity>',
    faults: [
      "1:18 Audit of Entity cannot be 'On'; it must be Enabled, Reads or Disabled",
      "1:46 Type of Column cannot be 'Txt'; it must be one of Text Integer Decimal Boolean Date DateTime Time Guid Json File; did you mean 'Text'?",
      "1:76 Type of Column cannot be 'text'; it must be one of Text Integer Decimal Boolean Date DateTime Time Guid Json File; did you mean 'Text'?",
    ],
  },
  {
    name: 'a name that is none, an empty label, a bad slug',
    body: '<ObjectView Name="1x" Label="" Slug="A_b"/>',
    faults: [
      "1:13 Name of ObjectView cannot be '1x'; it must be a name: letters, digits and underscores, beginning with a letter",
      '1:23 Label of ObjectView is empty; it must be a text that is not empty',
      "1:32 Slug of ObjectView cannot be 'A_b'; it must be a slug: lower-case letters and digits, in groups joined by hyphens",
    ],
  },
  {
    name: 'a column twice',
    body: '<Entity Name="A">\n<Column Name="B"/>\n<Column Type="Text" Name="B"/></Entity>',
    faults: ["3:21 A second Column with the Name 'B'"],
  },
  {
    name: 'a field twice, in sections of one view',
    body: '<ObjectView Name="A"><Section Label="S"><Field Name="B"/></Section><Field Name="B"/></ObjectView>',
    faults: ["1:75 A second Field with the Name 'B'"],
  },
  {
    name: 'what stands at most once, twice',
    body: '<ObjectView Name="A"><TableQuery>SELECT 1</TableQuery>\n<TableQuery>SELECT 2</TableQuery></ObjectView>',
    faults: ["2:1 A second <TableQuery> in ObjectView 'A'; it may appear only once"],
  },
  {
    name: 'an empty query',
    body: '<ObjectView Name="A"><TableQuery>  \n </TableQuery></ObjectView>',
    faults: ['1:22 <TableQuery> must hold one SQL statement, without a semicolon at its end'],
  },
  {
    name: 'text where none belongs',
    body: '<Entity Name="A">\n text</Entity>',
    faults: ["1:18 Text does not belong in Entity 'A'"],
  },
  {
    name: 'a wrong condition of the wire',
    body: '<ObjectView Name="A"><Field Name="B" VisibleWhen="Status = new"/></ObjectView>',
    faults: [
      "1:38 VisibleWhen of Field cannot be 'Status = new'; it must be a field, an operator of the wire's filters, and its value, joined by and, or and parentheses, as in Status eq approved and (Total gt 1000 or Note isNull)",
    ],
  },
  {
    name: 'every fault of a file, also what follows an unknown element',
    body: '<Model>\n<Entitie Name="A"/>\n<Entity Name="B"><Nope/><Column Nme="C"/></Entity>\n<Navbar/>\n</Model>',
    faults: [
      '2:1 Unknown element <Entitie> in <Model>; did you mean <Entity>?',
      "3:18 Unknown element <Nope> in Entity 'B'; it holds Column, Index, Sequence, Validate, On",
      "3:33 Unknown attribute 'Nme' on Column; did you mean 'Name'?",
      "4:1 <Navbar> needs the attribute 'Name'",
    ],
  },
  {
    name: 'two scripts of one type and name',
    body: '<Model><Entity Name="A"/><Entity Name="A"/><Rbac/><Rbac/></Model>',
    faults: ["1:26 A second Entity 'A'", "1:51 A second Rbac 'Rbac'"],
  },
  { name: 'an empty file', body: ' \n', faults: ['1:1 The file is empty'] },
  {
    name: 'a tag that is closed by another',
    body: '<Entity>\n<a></b>\n</Entity>',
    faults: [
      '2:8 <a> of line 2 is closed by </b>',
      '3:10 <Entity> of line 1 is closed by </a>',
    ].slice(0, 1),
  },
  {
    name: 'a lone ampersand',
    body: '<Sql>a & b</Sql>',
    faults: ['1:9 A lone & (write &amp; for it)'],
  },
  {
    name: 'an unknown entity',
    body: '<Sql>&nbsp;</Sql>',
    faults: ['1:12 Unknown entity &nbsp; (known are &lt; &gt; &amp; &quot; &apos; and numbers)'],
  },
  {
    name: 'two roots',
    body: '<Rbac/><Rbac/>',
    faults: [
      '1:8 There is something after the root element; put several scripts of one file into <Model>',
    ],
  },
  {
    name: 'a DOCTYPE',
    body: '<?xml version="1.0"?>\n<!-- x -->\n<!DOCTYPE a [<!ENTITY b "c">]><a/>',
    faults: ['3:1 A DOCTYPE is not allowed'],
  },
  {
    name: 'a DOCTYPE behind many blanks',
    body: `${' '.repeat(70000)}<!DOCTYPE a><a/>`,
    faults: ['1:70001 A DOCTYPE is not allowed'],
  },
  {
    name: 'a namespace',
    body: '<Entity xmlns="urn:x" Name="A"/>',
    faults: ["1:9 Names have no namespace here: remove 'xmlns'"],
  },
  {
    name: 'a prefix',
    body: '<Entity xmlns:p="urn:x" p:Name="A" Name="B"/>',
    faults: ["1:25 Unknown attribute 'p:Name' on Entity; did you mean 'Name'?"],
  },
]

describe('faults', () => {
  test.each(faulty)('$name', async ({ body, faults }) => {
    expect(await faultsOf(body)).toEqual(faults)
  })

  test('a file that is too big', async () => {
    const body = `<Rbac><!--${' '.repeat(MODEL_FILE_BYTES_MAX)}--></Rbac>`
    expect(await faultsOf(body)).toEqual(['1:1 The file is over 4 MB'])
  })

  test('elements that are nested too deep', async () => {
    const items = 70
    const body = `<Navbar Name="a">${'<Item Name="x">'.repeat(items)}${'</Item>'.repeat(items)}</Navbar>`
    expect(await faultsOf(body)).toEqual(['1:963 Elements are nested deeper than 64'])
    const thousands = '<a>'.repeat(20_000) + '</a>'.repeat(20_000)
    expect((await faultsOf(thousands))[0]).toContain('Elements are nested too deeply')
  })

  test('a fault beyond line 65,535', async () => {
    const body = `<Rows Entity="A" Key="B">${'\n'.repeat(70_000)}<Row B="1"/><Rw/></Rows>`
    expect(await faultsOf(body)).toEqual([
      '70001:13 Unknown element <Rw> in <Rows>; did you mean <Row>?',
    ])
    const open = `<Rows>${'\n'.repeat(70_000)}<Row></Rows>`
    expect(await faultsOf(open)).toEqual(['70001:13 <Row> of line 70001 is closed by </Rows>'])
  })

  test('thousands of faults', async () => {
    const body = `<Entity Name="A">${'<Column Name="x y"/>'.repeat(3000)}</Entity>`
    expect((await faultsOf(body)).length).toBe(3000)
    const rows = `<Rows Entity="A" Key="B">${'<Row>x</Row>'.repeat(20_000)}</Rows>`
    expect((await faultsOf(rows)).length).toBe(1000)
    const crowded = `<Model>${'<Entity Name="A"/>'.repeat(20_000)}</Model>`
    expect(await faultsOf(crowded)).toEqual([
      '1:1 More than 5000 elements in one: use several files',
    ])
  })
})
