/** Holds the compiler and the XSD together: what an author may write, the compiler reads. */
import { expect, test } from 'bun:test'
import { compileModel } from '../../src/model/compile/compile.ts'
import type { Script } from '../../src/model/compiled/script.ts'
import type { Element } from '../../src/model/parse/element.ts'
import { parseModelFile } from '../../src/model/parse/parse.ts'
import { type ElementRule, schemaRules } from '../../src/model/parse/xsd-schema.ts'
import { SHOP } from '../support/shop-model.ts'
import { WHOLE } from '../support/whole-model.ts'

/**
 * Read where the thing itself is: by the parser, or by the engines that run the elements which the
 * model keeps. A parameter or filter is no field of a view.
 */
const READ_ELSEWHERE = new Map([
  ['Rbac', 'Name'],
  ['Texts', 'Language'],
  ['Migration', 'Name'],
  ['Parameter', 'In ReadOnly Searchable Through'],
  ['Filter', 'In Multiple ReadOnly ReadOnlyWhen RequiredWhen Searchable Through VisibleWhen'],
])

test('the compiler reads every attribute of every element of the XSD', async () => {
  const { read, met } = await compileWatched()
  const rules = [...listElements()].filter((rule) => rule.name !== 'Model')
  expect(rules.map((rule) => rule.name).filter((name) => !met.has(name))).toEqual([])
  const unread = rules.flatMap((rule) =>
    [...rule.content.attributes.keys()]
      .map((attribute) => `${rule.name} ${attribute}`)
      .filter((key) => !read.has(key)),
  )
  const elsewhere = [...READ_ELSEWHERE].flatMap(([element, names]) =>
    names.split(' ').map((name) => `${element} ${name}`),
  )
  expect([...new Set(unread)].sort()).toEqual(elsewhere.sort())
})

test('the compiler reads no attribute that the XSD does not have', async () => {
  const { read } = await compileWatched()
  const known = new Set([...listElements()].flatMap((rule) => [...rule.content.attributes.keys()]))
  const names = [...read].map((key) => key.split(' ')[1] ?? '')
  expect([...new Set(names)].filter((name) => !known.has(name))).toEqual(['Code'])
})

/** Compiles a model of every element; `read` holds `Element Attribute` of what was asked for. */
async function compileWatched(): Promise<{ read: Set<string>; met: Set<string> }> {
  const read = new Set<string>()
  const met = new Set<string>()
  const watch = (element: Element): Element => {
    met.add(element.name)
    const attributes = new Proxy(element.attributes, {
      get(target, name) {
        read.add(`${element.name} ${String(name)}`)
        return Reflect.get(target, name)
      },
    })
    return { ...element, attributes, children: element.children.map(watch) }
  }
  const scripts: Script[] = []
  for (const [name, body] of Object.entries({ 'shop.xml': SHOP, 'whole.xml': WHOLE })) {
    const parsed = await parseModelFile({ name, body })
    scripts.push(...parsed.scripts.map((each) => ({ ...each, element: watch(each.element) })))
  }
  const { faults } = await compileModel(scripts)
  expect(faults).toEqual([])
  return { read, met }
}

function* listElements(): Iterable<ElementRule> {
  const seen = new Set<ElementRule>()
  const waiting = [...schemaRules().roots.values()]
  for (let rule = waiting.pop(); rule; rule = waiting.pop()) {
    if (seen.has(rule)) continue
    seen.add(rule)
    yield rule
    waiting.push(...rule.content.children.values())
  }
}
