/** Holds the engine's sentences and their translations together. */
import { describe, expect, test } from 'bun:test'
import { CATALOGUES, Message, plain, renderMessage, say } from '../../src/kernel/messages.ts'
import { DE } from '../../src/kernel/messages/de.ts'
import { placeOf, sources, walkTree } from '../style/source.ts'
import type { Source, SyntaxNode } from '../style/source.ts'

interface Said {
  template: string
  place: string
}

const product = sources.filter(({ path }) => path.startsWith('src/'))

/** The catalogues hold templates, and `messages.ts` says what they are. */
const engine = product.filter(({ path }) => !path.startsWith('src/kernel/messages'))

const nameOf = (node: unknown): string =>
  String((node as { name?: unknown } | undefined)?.name ?? '')

function findSaid(source: Source): Said[] {
  return [...walkTree(source.tree)]
    .filter((node) => node.type === 'TaggedTemplateExpression' && nameOf(node['tag']) === 'say')
    .map((node) => {
      const { quasis } = node['quasi'] as { quasis: { value: { cooked: string } }[] }
      const template = quasis
        .map(({ value }) => value.cooked)
        .reduce((text, part, at) => `${text}{${at - 1}}${part}`)
      return { template, place: placeOf(source, node) }
    })
}

const said = engine.flatMap(findSaid)
const templates = new Set(said.map(({ template }) => template))

/** `{0}`, `{1}` … of a template, sorted. */
const slotsOf = (template: string): string[] => (template.match(/\{\d+\}/g) ?? []).sort()

describe.each([...CATALOGUES])('the catalogue of %s', (_, catalogue) => {
  test('has every sentence of the engine', () => {
    const missing = said.filter(({ template }) => !catalogue.has(template))
    expect(missing.map(({ template, place }) => `${place}: ${template}`)).toEqual([])
  })

  test('has no sentence that the engine does not say any more', () => {
    expect([...catalogue.keys()].filter((template) => !templates.has(template))).toEqual([])
  })

  test('fills in what the original fills in', () => {
    const wrong = [...catalogue].filter(
      ([template, text]) => slotsOf(template).join() !== slotsOf(text).join(),
    )
    expect(wrong).toEqual([])
  })
})

test('each German sentence stands in one area, and each area in the whole', async () => {
  const areas = product.filter(({ path }) => path.startsWith('src/kernel/messages/de/'))
  const held: Record<string, [string, string][]>[] = await Promise.all(
    areas.map(({ path }) => import(`../../${path}`)),
  )
  const entries = held.flatMap((area) => Object.values(area)).flat()
  expect(entries.map(([english]) => english).sort()).toEqual([...DE.keys()].sort())
})

/** What is given to a call as a text in the source: a literal, a template, a sum of such. */
const isWritten = (node: SyntaxNode | undefined): boolean =>
  node?.type === 'TemplateLiteral' ||
  node?.type === 'BinaryExpression' ||
  (node?.type === 'Literal' && typeof node['value'] === 'string')

test('plain is for texts of others, never for a sentence in the source', () => {
  const wrong = engine.flatMap((source) =>
    [...walkTree(source.tree)]
      .filter((node) => node.type === 'CallExpression' && nameOf(node['callee']) === 'plain')
      .filter((node) => isWritten((node['arguments'] as SyntaxNode[])[0]))
      .map((node) => placeOf(source, node)),
  )
  expect(wrong).toEqual([])
})

describe('a message', () => {
  const field = 'Zahl {1}'

  test('is English by itself, also in JSON', () => {
    const message = say`Unknown field '${field}'`
    expect(String(message)).toBe("Unknown field 'Zahl {1}'")
    expect(JSON.stringify({ message })).toBe(`{"message":"Unknown field 'Zahl {1}'"}`)
    expect(message).toBeInstanceOf(Message)
  })

  test('is told in German, with the sentences within it', () => {
    const inner = say`A whole number is needed here`
    const message = say`Parameter '${field}': ${inner}`
    expect(renderMessage(message, 'de')).toBe(
      "Parameter 'Zahl {1}': Hier wird eine ganze Zahl gebraucht",
    )
    expect(renderMessage(inner, 'de-AT')).toBe('Hier wird eine ganze Zahl gebraucht')
  })

  test('stays English where no catalogue has it, and as it is where it is not the engine’s', () => {
    expect(renderMessage(say`A whole number is needed here`, 'fr')).toContain('whole number')
    expect(renderMessage(plain('Above {0} the limit'), 'de')).toBe('Above {0} the limit')
  })
})
