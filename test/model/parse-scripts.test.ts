/** Scripts of a good model file, verbatim, and elements with their places. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { XmlCData, XmlDocument, XmlElement, XmlText } from 'libxml2-wasm'
import type { Element } from '../../src/model/parse/element.ts'
import { parseModelFile } from '../../src/model/parse/parse.ts'
import { scanElements, type ScannedElement } from '../../src/model/parse/scan.ts'

describe('scripts', () => {
  test('a file is its script, verbatim, with the MD5 of its body', async () => {
    const body =
      '\uFEFF<?xml version="1.0" encoding="iso-8859-1"?>\r\n<Entity Name="Café"/>'.replace('é', '')
    const { scripts } = await parseModelFile({ name: 'm/a.xml', body })
    expect(scripts.map(({ type, name, fileName }) => ({ type, name, fileName }))).toEqual([
      { type: 'Entity', name: 'Caf', fileName: 'm/a.xml' },
    ])
    expect(scripts[0]?.body).toBe(body)
    expect(scripts[0]?.versionHash).toBe(new Bun.CryptoHasher('md5').update(body).digest('hex'))
  })

  test('each child of Model is a script with its own text and place', async () => {
    const body = [
      '<Model>',
      '  <Rows Entity="LeaveType" Key="Code"><Row Code="a"/></Rows> <Texts Language="de"/>',
      '  <Rbac/> <!-- between --> <Navbar Name="main"></Navbar>',
      '</Model>',
    ].join('\n')
    const { scripts } = await parseModelFile({ name: 'a.xml', body })
    const found = scripts.map(({ type, name, body, element }) => {
      return [type, name, body, element.place.line, element.place.column]
    })
    expect(found).toEqual([
      ['Rows', 'LeaveType', '<Rows Entity="LeaveType" Key="Code"><Row Code="a"/></Rows>', 2, 3],
      ['Texts', 'de', '<Texts Language="de"/>', 2, 62],
      ['Rbac', 'Rbac', '<Rbac/>', 3, 3],
      ['Navbar', 'main', '<Navbar Name="main"></Navbar>', 3, 28],
    ])
  })

  test('an element has its attributes, its text and their places', async () => {
    const body =
      '<ObjectView\r\n  Name="A" Label="a &amp; &#x41;\n&#10;b">\r\n<TableQuery>SELECT 1\r\n' +
      ' WHERE 1 &lt; 2<!-- c --><?p <x> ?><![CDATA[ AND 1 < 3]]></TableQuery></ObjectView>'
    const { scripts } = await parseModelFile({ name: 'a.xml', body })
    const element = scripts[0]?.element
    const place = (line: number, column: number) => ({ file: 'a.xml', line, column })
    expect(element?.attributes).toEqual({ Name: 'A', Label: 'a & A \nb' })
    expect(element?.attributePlaces).toEqual({ Name: place(2, 3), Label: place(2, 12) })
    const query = element?.children[0]
    expect(query?.text).toBe('SELECT 1\n WHERE 1 < 2 AND 1 < 3')
    expect(query?.place).toEqual(place(4, 1))
  })

  test('what editors add for the schema is no attribute', async () => {
    const body =
      '<Rbac xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="model.xsd"/>'
    const { scripts, faults } = await parseModelFile({ name: 'a.xml', body })
    expect(faults).toEqual([])
    expect(scripts[0]?.element.attributes).toEqual({})
  })

  test('a row takes any attribute, of any name', async () => {
    const body = '<Rows Entity="A" Key="B"><Row B="1" __proto__="x" constructor="y"/></Rows>'
    const { scripts } = await parseModelFile({ name: 'a.xml', body })
    const row = scripts[0]?.element.children[0] as Element
    expect(Object.keys(row.attributes)).toEqual(['B', '__proto__', 'constructor'])
  })
})

describe('the scanner', () => {
  interface Plain {
    name: string
    attributes: [string, string][]
    text: string
    children: Plain[]
  }

  const ofScanned = (element: ScannedElement): Plain => ({
    name: element.name,
    attributes: element.attributes.map(({ name, value }) => [name, value]),
    text: element.text,
    children: element.children.map(ofScanned),
  })

  const ofLibxml = (element: XmlElement): Plain => {
    const plain: Plain = { name: element.name, attributes: [], text: '', children: [] }
    for (const attribute of element.attrs)
      plain.attributes.push([attribute.name, attribute.content])
    for (let node = element.firstChild; node; node = node.next) {
      if (node instanceof XmlElement) plain.children.push(ofLibxml(node))
      else if (node instanceof XmlText || node instanceof XmlCData) plain.text += node.content
    }
    return plain
  }

  const name = fc.constantFrom('A', 'Be', 'c-d', '_e', 'É')
  const blank = fc.constantFrom(' ', '\n', '\t', '\r\n', '  ')
  const text = fc.constantFrom(
    '',
    ' ',
    '\r\n',
    '\r',
    'x',
    '&lt;',
    '&#10;',
    '&#x1F600;',
    ']',
    '>',
    '"',
    "é'",
    '😀',
  )
  const value = fc.constantFrom(
    '""',
    "''",
    '"a>b"',
    "'\"/>'",
    '"&quot;&amp;"',
    '"x\r\ny\tz"',
    '"&#9;&#13;"',
  )
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc
      .record({
        name,
        attributes: fc.uniqueArray(fc.tuple(name, blank, blank, value), {
          selector: ([key]) => key,
          maxLength: 3,
        }),
        parts: fc.array(
          fc.oneof(
            { depthSize: 'small' },
            text,
            fc.constantFrom('<!-- <a b="> -->', '<![CDATA[<a>&lt;\r\n]]>'),
            tie('tree'),
          ),
          { maxLength: 4 },
        ),
        end: fc.constantFrom('', ' ', '\n'),
      })
      .map(({ name, attributes, parts, end }) => {
        const written = attributes.map(
          ([key, before, around, value]) => `${before}${key}${around}=${value}`,
        )
        const start = `<${name}${written.join('')}${end}`
        return parts.length === 0 ? `${start}/>` : `${start}>${parts.join('')}</${name}${end}>`
      })
      // Texts side by side may come to what ends CDATA, which text must not hold (XML 1.0, 2.4).
      .filter((element) => !element.replaceAll(/<!\[CDATA\[.*?\]\]>/gs, '').includes(']]>')),
  }))

  test('reads what libxml2 reads', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('', '\uFEFF', '<?xml version="1.0"?>\n<!-- > -->'),
        tree,
        (prolog, body) => {
          const source = prolog + body
          const document = XmlDocument.fromString(source)
          try {
            const root = scanElements(source)
            expect(ofScanned(root)).toEqual(ofLibxml(document.root))
            expect(source.slice(root.start, root.end)).toBe(body)
          } finally {
            document.dispose()
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})
