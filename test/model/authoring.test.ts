/**
 * Mistakes of authors, as `appengine check` reports them: file, line and column, and what to do.
 * `authoring/mistakes.txt` holds a mistake a paragraph: its name, the text with a mark where the
 * fault stands, and what is said of it.
 */
import { describe, expect, test } from 'bun:test'
import { checkModel } from '../../src/model/compile/check.ts'
import { formatDiagnostic } from '../../src/model/deploy/report.ts'
import mistakesText from './authoring/mistakes.txt' with { type: 'text' }
import shopXml from './authoring/shop.xml' with { type: 'text' }
import { findMarks, MARK } from '../support/compile-text.ts'

interface Mistake {
  name: string
  text: string
  message: string
}

/** `# name`, the text, `> message`. */
function parseMistakes(text: string): Mistake[] {
  const paragraphs = text.matchAll(/^# (.+)\n([^]*?)\n> (.+)$/gm)
  return [...paragraphs].map(([, name = '', body = '', message = '']) => {
    return { name, text: body, message }
  })
}

const check = (body: string) =>
  checkModel([
    { name: 'shop.xml', body: String(shopXml) },
    { name: 'mistake.xml', body },
  ])

describe('a mistake of an author', () => {
  const mistakes = parseMistakes(mistakesText)

  test('each is told apart by its name', () => {
    expect(mistakes.length).toBeGreaterThan(100)
    expect(new Set(mistakes.map(({ name }) => name)).size).toBe(mistakes.length)
  })

  for (const { name, text, message } of mistakes) {
    test(name, async () => {
      const { faults } = await check(text.replaceAll(MARK, ''))
      expect(faults.map(formatDiagnostic)).toEqual([
        `mistake.xml:${findMarks(text)[0]}: ${message}`,
      ])
    })
  }

  test('reference rows of one entity stand in one file', async () => {
    const rows = (id: number) =>
      `<Rows Entity="Customer" Key="Id"><Row Id="${id}" CompanyId="1" Name="Ana"/></Rows>`
    const { faults } = await checkModel([
      { name: 'shop.xml', body: String(shopXml) },
      { name: 'a.xml', body: rows(1) },
      { name: 'b.xml', body: rows(2) },
    ])
    expect(faults.map(formatDiagnostic)).toEqual([
      "b.xml:1:1: A second Rows 'Customer' (the first: a.xml:1:1)",
    ])
  })

  test('all are told at once, those of several files too', async () => {
    const { faults } = await checkModel([
      { name: 'shop.xml', body: String(shopXml) },
      { name: 'a.xml', body: '<ObjectView Name="A" Entity="Ordr"/>' },
      { name: 'b.xml', body: '<ObjectView Name="B" Entity="Order" Sort="Nubmer"/>' },
    ])
    expect(faults.map(({ place }) => place.file).toSorted()).toEqual(['a.xml', 'b.xml'])
  })
})
