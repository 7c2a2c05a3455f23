import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { compileModel } from '../../src/model/compile/compile.ts'
import type { Script } from '../../src/model/compiled/script.ts'
import type { Element } from '../../src/model/parse/element.ts'
import { parseScripts } from '../support/compile-text.ts'
import { SHOP } from '../support/shop-model.ts'
import { WHOLE } from '../support/whole-model.ts'

const WORDS = [
  '',
  'Id',
  'Order',
  'orders',
  '@Id',
  'User',
  'SELECT 1',
  'true',
  '{x}',
  "x'",
  '9',
  '¦',
]

/** Attributes whose values the XSD lists: it has refused any other. */
const LISTED = new Set(['Type', 'OnDelete', 'Reset', 'Operator', 'For', 'Access', 'Mode', 'Scale'])

/** The mutation of the `at`-th element: it is left out, doubled, or changed. */
interface Mutation {
  at: number
  kind: 'drop' | 'double' | 'attribute' | 'forget' | 'text'
  which: number
  word: string
}

function mutate(element: Element, mutation: Mutation, count: { left: number }): Element[] {
  const isMeant = count.left === 0
  count.left -= 1
  const names = Object.keys(element.attributes).filter((each) => !LISTED.has(each))
  const name = names[mutation.which % Math.max(1, names.length)] ?? 'Name'
  const children = element.children.flatMap((child) => mutate(child, mutation, count))
  const same = { ...element, children }
  if (!isMeant) return [same]
  if (mutation.kind === 'drop') return []
  if (mutation.kind === 'double') return [same, same]
  if (mutation.kind === 'text') return [{ ...same, text: mutation.word }]
  const attributes: Record<string, string> = { ...element.attributes }
  if (mutation.kind === 'forget') delete attributes[name]
  else attributes[name] = mutation.word
  return [{ ...same, attributes }]
}

test('whatever a model holds, it compiles or has faults with places', async () => {
  const scripts = await parseScripts({ 'shop.xml': SHOP, 'whole.xml': WHOLE })
  const mutation = fc.record({
    at: fc.nat(150),
    kind: fc.constantFrom('drop', 'double', 'attribute', 'forget', 'text'),
    which: fc.nat(5),
    word: fc.constantFrom(...WORDS),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
      const mutants = mutations.reduce((all, each) => mutateScripts(all, each), scripts)
      const { model, faults } = await compileModel(mutants)
      expect(model === undefined).toBe(faults.length > 0)
      for (const { place } of faults) expect(place.line * place.column).toBeGreaterThan(0)
    }),
    { numRuns: 60 },
  )
})

function mutateScripts(scripts: readonly Script[], mutation: Mutation): Script[] {
  const count = { left: mutation.at }
  return scripts.flatMap((script) => {
    const [element, ...more] = mutate(script.element, mutation, count)
    return element && more.length === 0 ? [{ ...script, element }] : []
  })
}
