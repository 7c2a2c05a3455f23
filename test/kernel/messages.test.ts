/** Holds the engine's sentences and their translations together. */
import { describe, expect, test } from 'bun:test'
import { dirname } from 'node:path'
import { learnTranslations, Message, plain, renderMessage, say } from '../../src/kernel/messages.ts'
import { listParts } from '../../src/app.ts'
import { floorOf } from '../style/floors.ts'
import { placeOf, type Source, sources, type SyntaxNode } from '../style/source.ts'

interface Said {
  template: string
  place: string
}

const product = sources.filter(({ path }) => path.startsWith('src/'))

/** `messages.ts` says what templates are. */
const engine = product.filter(({ path }) => path !== 'src/kernel/messages.ts')

const nameOf = (node: unknown): string =>
  String((node as { name?: unknown } | undefined)?.name ?? '')

function findSaid(source: Source): Said[] {
  return source.nodes
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

/** Translations of each part, by the folder that it is in. */
const german = listParts().map((part) => ({ part, sentences: part.translations?.de ?? [] }))
const catalogue = new Map(german.flatMap(({ sentences }) => sentences))

describe('the German catalogue', () => {
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

  test('has each sentence from one part', () => {
    const all = german.flatMap(({ sentences }) => sentences.map(([english]) => english))
    expect(all.sort()).toEqual([...catalogue.keys()].sort())
  })
})

test('what a floor or a feature says, it or a floor below it translates', async () => {
  const declared = new Map<unknown, string>()
  for (const { path } of product.filter(({ path }) => /\/(?:floor|part|routes)\.ts$/.test(path)))
    for (const value of Object.values((await import(`../../${path}`)) as object))
      declared.set(value, path)
  const brought = german.flatMap(({ part, sentences }) =>
    sentences.map(([english]) => [english, declared.get(part) ?? ''] as const),
  )
  const bringerOf = new Map(brought)
  const isOutside = ({ template, place }: Said): boolean => {
    const bringer = bringerOf.get(template) ?? ''
    const isOwn = place.startsWith(`${dirname(bringer)}/`)
    return !isOwn && floorOf(bringer) >= floorOf(place)
  }
  expect(said.filter(isOutside)).toEqual([])
})

/** Texts in the source that are given to a call: a literal, a template, a sum of such. */
const isWritten = (node: SyntaxNode | undefined): boolean =>
  node?.type === 'TemplateLiteral' ||
  node?.type === 'BinaryExpression' ||
  (node?.type === 'Literal' && typeof node['value'] === 'string')

test('plain is for texts of others, never for a sentence in the source', () => {
  const wrong = engine.flatMap((source) =>
    source.nodes
      .filter((node) => node.type === 'CallExpression' && nameOf(node['callee']) === 'plain')
      .filter((node) => isWritten((node['arguments'] as SyntaxNode[])[0]))
      .map((node) => placeOf(source, node)),
  )
  expect(wrong).toEqual([])
})

describe('a message', () => {
  for (const { sentences } of german) learnTranslations({ de: sentences })

  const field = 'Zahl {1}'

  test('is English by itself, also in JSON', () => {
    const message = say`Unknown field '${field}'`
    expect(String(message)).toBe("Unknown field 'Zahl {1}'")
    expect(JSON.stringify({ message })).toBe(`{"message":"Unknown field 'Zahl {1}'"}`)
    expect(message).toBeInstanceOf(Message)
  })

  test('is told in German, with the sentences within it', () => {
    const inner = say`Must be a whole number`
    const message = say`Parameter '${field}': ${inner}`
    expect(renderMessage(message, 'de')).toBe("Parameter 'Zahl {1}': Muss eine ganze Zahl sein")
    expect(renderMessage(inner, 'de-AT')).toBe('Muss eine ganze Zahl sein')
  })

  test('stays English where no catalogue has it, and as it is where it is not the engine’s', () => {
    expect(renderMessage(say`Must be a whole number`, 'fr')).toContain('whole number')
    expect(renderMessage(plain('Above {0} the limit'), 'de')).toBe('Above {0} the limit')
  })
})
