/** Compiles model texts for tests: faults as `file:line:column message`. */
import { expect } from 'bun:test'
import { compileModel } from '../../src/model/compile/compile.ts'
import type { Script } from '../../src/model/compiled/script.ts'
import type { View } from '../../src/model/compiled/view.ts'
import type { Model } from '../../src/model/model.ts'
import type { Diagnostic } from '../../src/model/parse/element.ts'
import { parseModelFile } from '../../src/model/parse/parse.ts'
import { SHOP } from './shop-model.ts'

export interface CompiledText {
  model: Model | undefined
  faults: string[]
  warnings: string[]
}

/** Marks in a text where its fault stands. */
export const MARK = '¦'

/** The scripts of files by name; each must be valid by the XSD. */
export async function parseScripts(files: Record<string, string>): Promise<Script[]> {
  const scripts: Script[] = []
  for (const [name, body] of Object.entries(files)) {
    const parsed = await parseModelFile({ name, body: body.replaceAll(MARK, '') })
    expect(parsed.faults.map(describe)).toEqual([])
    scripts.push(...parsed.scripts)
  }
  return scripts
}

/** Compiles files by name; each must be valid by the XSD. */
export async function compileTexts(files: Record<string, string>): Promise<CompiledText> {
  const scripts = await parseScripts(files)
  const compiled = await compileModel(scripts)
  return {
    model: compiled.model,
    faults: compiled.faults.map(describe),
    warnings: compiled.warnings.map(describe),
  }
}

/** The model of files without a fault. */
export async function compileSound(files: Record<string, string>): Promise<Model> {
  const { model, faults } = await compileTexts(files)
  expect(faults).toEqual([])
  if (!model) throw new Error('There is neither a fault nor a model')
  return model
}

/** `line:column` of each mark of a text, as it is without the marks. */
export function findMarks(text: string): string[] {
  const parts = text.split(MARK)
  return parts.slice(1).map((_, at) => {
    const lines = parts
      .slice(0, at + 1)
      .join('')
      .split('\n')
    return `${lines.length}:${(lines.at(-1) ?? '').length + 1}`
  })
}

function describe({ place, message }: Diagnostic): string {
  return `${place.file}:${place.line}:${place.column} ${message}`
}

/** A rule, a text with a mark where its one fault stands, and what the fault says. */
export type FaultCase = [rule: string, text: string, message: string]

/** Expects one fault, at the mark, of a text beside the shop's model. */
export async function expectFault(text: string, message: string): Promise<void> {
  const [place] = findMarks(text)
  const { faults, model } = await compileTexts({ 'shop.xml': SHOP, 'case.xml': text })
  expect(faults).toEqual([`case.xml:${place} ${message}`])
  expect(model).toBeUndefined()
}

/** An entity Thing, its columns after the key. */
export const thing = (inner: string, attributes = ''): string =>
  `<Entity Name="Thing" Table="things"${attributes}>
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  ${inner}
</Entity>`

/** A view Orders. */
export const orders = (inner: string, attributes = ''): string =>
  `<ObjectView Name="Orders" Entity="Order"${attributes}>
  ${inner}
</ObjectView>`

/** The shop's model with more. */
export const compileShop = (text: string): Promise<Model> =>
  compileSound({ 'shop.xml': SHOP, 'case.xml': text })

/** A view of a model. */
export function requireView(model: Model, name: string): View {
  const view = model.views.get(name)
  if (!view) throw new Error(`There is no view ${name}`)
  return view
}
