/** Translations: what they name must be there, and what is still without one. */
import type { Element, Diagnostic } from '../element.ts'
import type { Model, Script } from '../model.ts'
import { listChildren, placeOf, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { suggest } from './fault-list.ts'
import { takeAll, type Steps } from './steps.ts'
import { TextTree } from './text-tree.ts'
import { outputKey, type Translation } from './translation.ts'

/** A fault for each text of something that the model does not have, or that does not fit it. */
export function* checkTranslations(c: Compilation): Steps<void> {
  const scripts = c.scriptsOf('Texts')
  if (scripts.length === 0) return
  const tree = new TextTree(c.scripts, c.views)
  const names = () => [...tree.list().map(({ path }) => path), ...listOutputs(c)]
  for (const child of scripts.flatMap(({ element }) => listChildren(element, 'Text'))) {
    const of = readText(child, 'Of') ?? ''
    const refuse = (message: string) => c.faults.add(placeOf(child, 'Of'), message)
    const slots = tree.find(of)
    if (slots.length === 0 && !isOutput(c, of)) {
      if (!isBroken(c, of)) refuse(`There is no text ${of}${suggest(of, names())}`)
    } else if (child.text.trim() === '') refuse(`The text of ${of} is empty`)
    for (const { element, attribute } of slots) {
      const unknown = findUnknown(child.text, readText(element, attribute) ?? '')
      if (unknown) refuse(`${unknown} does not stand in the text that this translates`)
    }
    yield
  }
}

/** A `{Name}` of a translation that its original does not have. */
function findUnknown(translated: string, original: string): string | undefined {
  return translated.match(/\{[A-Za-z]\w*\}/g)?.find((name) => !original.includes(name))
}

/** Whether a path is a view's output column, which needs no element to have a label. */
function isOutput(c: Compilation, path: string): boolean {
  const [view = '', output = '', ...more] = path.split('.')
  return more.length === 0 && c.views.get(view)?.fieldByName.has(output.toLowerCase()) === true
}

/** What names a faulty script is not told again. */
function isBroken(c: Compilation, path: string): boolean {
  const [name = ''] = path.split('.')
  const isBroken =
    c.broken.has(`ObjectView ${name.toLowerCase()}`) || c.broken.has(`Entity ${name}`)
  return isBroken || c.faulty.has(name)
}

const listOutputs = (c: Compilation): string[] =>
  [...c.views.values()].flatMap((view) => view.fields.map(({ name }) => `${view.name}.${name}`))

/** What is translated: a model, also while it is compiled. */
type Translated = Pick<Model, 'scripts' | 'views'>

/** The translation into a language; what it leaves out its shorter tag may have (`de-AT`: `de`). */
export function* planTranslation(
  { scripts, views }: Translated,
  language: string,
): Steps<Translation> {
  const attributes = new Map<Element, Record<string, string>>()
  const outputs = new Map<string, string>()
  const texts = listTexts(scripts, language)
  if (texts.length === 0) return { language, attributes, outputs }
  const tree = new TextTree(scripts, views)
  for (const child of texts) {
    const of = readText(child, 'Of') ?? ''
    const slots = tree.find(of)
    for (const { element, attribute } of slots) {
      attributes.set(element, { ...attributes.get(element), [attribute]: child.text.trim() })
    }
    if (slots.length === 0) outputs.set(of.toLowerCase(), child.text.trim())
    yield
  }
  return { language, attributes, outputs }
}

/** Whether texts of `general` are also those of a language: `de` of `de-AT`, and of itself. */
export function isWithin(language: string, general: string): boolean {
  return `${language}-`.toLowerCase().startsWith(`${general}-`.toLowerCase())
}

/** The general texts first, so that the special ones replace them. */
function listTexts(scripts: readonly Script[], language: string): Element[] {
  return scripts
    .filter(({ type, name }) => type === 'Texts' && isWithin(language, name))
    .sort((a, b) => a.name.length - b.name.length)
    .flatMap(({ element }) => listChildren(element, 'Text'))
}

/**
 * A warning for each text that people read and a language of the model does not have, where the
 * original stands.
 */
export function listUntranslated(c: Compilation): Diagnostic[] {
  const tree = new TextTree(c.scripts, c.views)
  const unshown = listUnshown(c)
  const slots = tree.list().filter(({ element, attribute }) => {
    if (readText(element, attribute) !== undefined) return true
    return isUntitled(c, element) && !unshown.has(element.place)
  })
  return c.scriptsOf('Texts').flatMap((script) => {
    const { attributes, outputs } = takeAll(planTranslation(c, script.name))
    const tell = (place: Diagnostic['place'], path: string): Diagnostic => ({
      place,
      message: `${path} has no text in ${script.name}`,
    })
    const missing = slots
      .filter(({ element, attribute }) => attributes.get(element)?.[attribute] === undefined)
      .map(({ element, path }) => tell(element.place, path))
    const columns = c.untitledOutputs
      .filter(({ view, name }) => !outputs.has(outputKey(view, name)))
      .map(({ view, name, place }) => tell(place, `${view}.${name}`))
    return [...missing, ...columns]
  })
}

/** Things whose label is their name where they say none, and nothing that they inherit. */
const TITLED = new Set([
  'Entity',
  'ObjectView',
  'StoredProcedure',
  'Report',
  'Workflow',
  'Capability',
  'Role',
  'Preset',
  'RowAction',
  'Step',
  'Widget',
  'Series',
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
