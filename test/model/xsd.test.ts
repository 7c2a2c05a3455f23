/** The language's one definition: every example of its page holds, and all of it is documented. */
import { Glob } from 'bun'
import { describe, expect, test } from 'bun:test'
import { compileModel } from '../../src/model/compile/compile.ts'
import type { Script } from '../../src/model/compiled/script.ts'
import { parseModelFile } from '../../src/model/parse/parse.ts'
import { schemaRules } from '../../src/model/parse/xsd-schema.ts'
import { collectElements, renderReference } from '../../src/commands/schema.ts'

const EXAMPLES = `${import.meta.dir}/examples`
const files = [...new Glob('*.xml').scanSync(EXAMPLES)].sort()

describe('examples of the language', () => {
  test.each(files)('%s is valid', async (name) => {
    const body = await Bun.file(`${EXAMPLES}/${name}`).text()
    const { scripts, faults } = await parseModelFile({ name, body })
    expect(faults).toEqual([])
    expect(scripts.length).toBeGreaterThan(0)
  })

  test('together they are a model without a fault or a warning', async () => {
    const scripts: Script[] = []
    for (const name of files) {
      const body = await Bun.file(`${EXAMPLES}/${name}`).text()
      scripts.push(...(await parseModelFile({ name, body })).scripts)
    }
    const { faults, warnings } = await compileModel(scripts)
    expect({ faults, warnings }).toEqual({ faults: [], warnings: [] })
  })

  test('they use every root', async () => {
    const types = new Set<string>()
    for (const name of files) {
      const body = await Bun.file(`${EXAMPLES}/${name}`).text()
      for (const script of (await parseModelFile({ name, body })).scripts) types.add(script.type)
    }
    const roots = [...schemaRules().roots.keys()].filter((root) => root !== 'Model')
    expect([...types].sort()).toEqual(roots.sort())
  })
})

describe('documentation', () => {
  const undocumented: string[] = []
  for (const { rule, parents } of collectElements()) {
    const path = `${parents[0] ?? ''}/${rule.name}`
    if (!/^[A-Z].*\.$/s.test(rule.documentation)) undocumented.push(path)
    for (const attribute of rule.content.attributes.values()) {
      const isComplete = /^\S.*\.$/s.test(attribute.documentation) && attribute.value !== ''
      if (!isComplete) undocumented.push(`${path}/@${attribute.name}`)
    }
  }

  test('every element and attribute has a sentence', () => {
    expect(undocumented).toEqual([])
  })

  test('an attribute that may be left out says what then holds, where something does', () => {
    const silent: string[] = []
    for (const { rule } of collectElements()) {
      for (const each of rule.content.attributes.values()) {
        if (each.values.length > 0 && !each.required && !/Default/.test(each.documentation)) {
          silent.push(`${rule.name}/@${each.name}`)
        }
      }
    }
    expect(silent).toEqual([])
  })

  test('the reference names each of them', () => {
    const reference = renderReference()
    for (const { rule } of collectElements()) {
      expect(reference).toContain(rule.name)
      expect(reference).toContain(rule.documentation.replaceAll('<', '&lt;'))
      for (const { name } of rule.content.attributes.values()) {
        expect(reference).toContain(`\`${name}\``)
      }
    }
  })
})
