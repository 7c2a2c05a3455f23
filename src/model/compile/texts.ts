/** Texts of other languages: what they name must be there, and what has none yet. */
import { listChildren, placeOf, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { suggest } from './fault-list.ts'
import { TextTree } from './text-tree.ts'
import type { Diagnostic, Element } from '../parse/element.ts'

/** Compiles the model's Texts; adds a fault for each that names nothing, or does not fit. */
export function compileTexts(c: Compilation): void {
  const scripts = c.scriptsOf('Texts')
  if (scripts.length === 0) return
  const tree = new TextTree(c.scripts, c.views)
  for (const { name, element } of scripts) {
    for (const child of listChildren(element, 'Text')) {
      compileText(c, tree, child, name)
    }
  }
  c.translations.complete()
}

function compileText(c: Compilation, tree: TextTree, child: Element, language: string): void {
  const of = readText(child, 'Of') ?? ''
  const text = child.text.trim()
  const refuse = (message: string) => c.faults.add(placeOf(child, 'Of'), message)
  const slots = tree.find(of)
  if (slots.length === 0 && !isOutput(c, of)) {
    const names = () => [...tree.list().map(({ path }) => path), ...listOutputs(c)]
    if (!isBroken(c, of)) refuse(`There is no text ${of}${suggest(of, names())}`)
  } else if (text === '') refuse(`The text of ${of} is empty`)
  for (const { element, attribute } of slots) {
    const unknown = findUnknown(text, readText(element, attribute) ?? '')
    if (unknown) refuse(`${unknown} does not appear in the text that this translates`)
    c.translations.add(element, attribute, language, text)
  }
  if (slots.length === 0) c.translations.addOutput(of, language, text)
}

/** A `{Name}` of a translation that its original does not have. */
function findUnknown(translated: string, original: string): string | undefined {
  return translated.match(/\{[A-Za-z]\w*\}/g)?.find((name) => !original.includes(name))
}

/** True when a path is a view's output column, which needs no element to have a label. */
function isOutput(c: Compilation, path: string): boolean {
  const [view = '', output = '', ...more] = path.split('.')
  return more.length === 0 && c.views.get(view)?.fieldByName.has(output.toLowerCase()) === true
}

/** Returns whether a path names a faulty script, whose names are not reported again. */
function isBroken(c: Compilation, path: string): boolean {
  const [name = ''] = path.split('.')
  const isBroken =
    c.broken.has(`ObjectView ${name.toLowerCase()}`) || c.broken.has(`Entity ${name}`)
  return isBroken || c.faulty.has(name)
}

const listOutputs = (c: Compilation): string[] =>
  [...c.views.values()].flatMap((view) => view.fields.map(({ name }) => `${view.name}.${name}`))

/** A warning of a text that a language of the model does not have. */
export interface Untranslated extends Diagnostic {
  language: string
}

/**
 * Lists a warning, at the original, for each text that people read and a language of the model does
 * not have.
 */
export function listUntranslated(c: Compilation): Untranslated[] {
  const tree = new TextTree(c.scripts, c.views)
  const unshown = listUnshown(c)
  const slots = tree.list().filter(({ element, attribute }) => {
    const written = readText(element, attribute)
    if (written !== undefined) return needsWords(element, written)
    return isUntitled(c, element) && !unshown.has(element.place)
  })
  return c.scriptsOf('Texts').flatMap((script) => {
    const describe = (place: Diagnostic['place'], path: string): Untranslated => ({
      place,
      language: script.name,
      message: `${path} has no text in ${script.name}`,
    })
    const missing = slots
      .filter(({ element, attribute }) => !c.translations.has(element, attribute, script.name))
      .map(({ element, path }) => describe(element.place, path))
    const columns = c.untitledOutputs
      .filter(({ view, name }) => !c.translations.hasOutput(view, name, script.name))
      .map(({ view, name, place }) => describe(place, `${view}.${name}`))
    return [...missing, ...columns]
  })
}

/** Tests for words: an address is the same in every language, as is a text of `{Name}`s alone. */
const needsWords = (element: Element, written: string): boolean =>
  element.name !== 'Line' && /\p{L}/u.test(written.replace(/\{\w+\}/g, ''))

/** Elements whose default label is their name, and not inherited. */
const TITLED = new Set([
  'Entity',
  'ObjectView',
  'StoredProcedure',
  'Report',
  'Workflow',
  'Print',
  'Capability',
  'Role',
  'Preset',
  'RowAction',
  'Step',
  'Widget',
  'State',
  'Transition',
])

/** Places of columns that no view shows by itself: what the engine numbers, and the company. */
const listUnshown = (c: Compilation): Set<Diagnostic['place']> =>
  new Set(
    [...c.entities.values()].flatMap(({ columns, company }) =>
      columns
        .filter(({ identity, name }) => identity || name === company)
        .map(({ place }) => place),
    ),
  )

function isUntitled(c: Compilation, element: Element): boolean {
  if (element.name === 'Option') return /\p{L}/u.test(readText(element, 'Value') ?? '')
  if (element.name === 'Item')
    return !['Object', 'Report', 'Wizard'].some((at) => element.attributes[at])
  return TITLED.has(element.name) || c.untitled.has(element)
}
