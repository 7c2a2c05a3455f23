/**
 * Texts of a model by their paths: names joined by dots, as `Of` of a Text names them. A name alone
 * is that of the field or column that bears it, or of the only other thing that does; with its
 * element before it (`Orders.Preset.Open`) it is never ambiguous. Nameless things, like a message
 * or a heading, go by their text.
 */
import { readText } from './attributes.ts'
import type { Script } from '../compiled/script.ts'
import type { View } from '../compiled/view.ts'
import type { Element } from '../parse/element.ts'

/** A text: the attribute that holds it, or that would hold it in place of the default. */
interface TextSlot {
  element: Element
  attribute: string
  /** Best path of the text. */
  path: string
}

/** A thing with texts, or a text without a name, among its siblings. */
interface Entry {
  element: Element
  kind: string
  name: string
  /** The attribute that `name` alone means. */
  attribute: string
  /** True when further names follow its own. */
  isNamed: boolean
}

/** Named elements, with the attribute that each goes by. */
const NAMED: Readonly<Record<string, string>> = {
  Entity: 'Name',
  ObjectView: 'Name',
  Navbar: 'Name',
  StoredProcedure: 'Name',
  Report: 'Name',
  Workflow: 'Name',
  Print: 'Name',
  Capability: 'Name',
  Role: 'Name',
  Column: 'Name',
  Field: 'Name',
  Parameter: 'Name',
  Filter: 'Name',
  Option: 'Value',
  Section: 'Label',
  Preset: 'Name',
  RowAction: 'Name',
  Detail: 'Name',
  Step: 'Name',
  Item: 'Name',
  Widget: 'Name',
  Series: 'Column',
  Lines: 'Detail',
  Group: 'Column',
  State: 'Name',
  Transition: 'Action',
}

/** Texts of named things beside their label. */
const FURTHER: readonly string[] = [
  'PatternMessage',
  'Unit',
  'Help',
  'Synonyms',
  'Confirm',
  'Text',
  'Title',
  'Empty',
  'CategoryLabel',
]

/** Texts of things without a name. */
const UNNAMED: Readonly<Record<string, readonly string[]>> = {
  Section: ['Tab'],
  Validate: ['Message'],
  Sql: ['Message'],
  Notify: ['Title', 'Body'],
  Mail: ['Subject', 'Body'],
  Dispatch: ['Message'],
  Line: ['Text'],
  Address: ['Sender'],
  Heading: ['Text'],
  Text: ['Text'],
  Total: ['Label', 'Text'],
  Barcode: ['Label'],
  Foot: ['Left', 'Right'],
  Compare: ['Label', 'Unit'],
  Format: ['Label'],
}

/** Fields, in the widest sense: a name alone is theirs. Of the roots it is the scripts'. */
const FIRST = new Set(['Column', 'Field', 'Parameter', 'Filter', 'Option', 'Item', 'Series'])
const ROOTS_FIRST = new Set(['Entity', 'ObjectView', 'Navbar', 'StoredProcedure'])

/** Elements that only hold other elements together. */
const TRANSPARENT = new Set([
  'Rbac',
  'Section',
  'Filters',
  'Widgets',
  'States',
  'Transitions',
  'On',
  'Finish',
  'Letterhead',
  'Address',
  'Totals',
])

type Names = Pick<ReadonlySet<string>, 'has'>

/** Sibling entries, by every name that they have. */
interface Level {
  entries: readonly Entry[]
  byName: ReadonlyMap<string, readonly Entry[]>
}

/** Every text of a model; texts of one path are equal. */
export class TextTree {
  readonly #root: Level
  readonly #levels = new Map<Element, Level>()
  readonly #views: ReadonlyMap<string, View>

  constructor(scripts: readonly Script[], views: ReadonlyMap<string, View>) {
    this.#views = views
    const roots = listEntries(scripts.map(({ element }) => element))
    this.#root = planLevel(roots, ROOTS_FIRST)
  }

  /** The texts that a path names; none when it names nothing. */
  find(path: string): TextSlot[] {
    return this.#find(this.#root, path).map((slot) => ({ ...slot, path }))
  }

  /** Every text with its shortest path, in the order of the source. */
  list(): TextSlot[] {
    return this.#list(this.#root, '')
  }

  #find(level: Level, path: string): Omit<TextSlot, 'path'>[] {
    const whole = level.byName.get(path)
    if (whole) return whole.map(({ element, attribute }) => ({ element, attribute }))
    for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
      const entries = level.byName.get(path.slice(0, dot)) ?? []
      const found = entries.flatMap((entry) => this.#findWithin(entry, path.slice(dot + 1)))
      if (found.length > 0) return found
    }
    return []
  }

  #findWithin({ element, isNamed }: Entry, rest: string): Omit<TextSlot, 'path'>[] {
    if (!isNamed) return []
    if (hasFurther(element, rest)) return [{ element, attribute: rest }]
    return this.#find(this.#levelOf(element), rest)
  }

  #list(level: Level, prefix: string): TextSlot[] {
    return level.entries.flatMap((entry) => {
      const { element, attribute, kind, name, isNamed } = entry
      const isShort = level.byName.get(name)?.includes(entry) ?? false
      const path = `${prefix}${isShort ? name : `${kind}.${name}`}`
      const own = { element, attribute, path }
      if (!isNamed) return [own]
      const further = FURTHER.filter((each) => hasFurther(element, each)).map((each) => ({
        element,
        attribute: each,
        path: `${path}.${each}`,
      }))
      return [own, ...further, ...this.#list(this.#levelOf(element), `${path}.`)]
    })
  }

  #levelOf(element: Element): Level {
    let level = this.#levels.get(element)
    if (!level) {
      level = planLevel(listEntries(element.children), FIRST, this.#columnsOf(element))
      this.#levels.set(element, level)
    }
    return level
  }

  /** A view's output columns by lower-case name: they have labels without a Field, too. */
  #columnsOf(element: Element): Names | undefined {
    if (element.name !== 'ObjectView') return undefined
    return this.#views.get(readText(element, 'Name') ?? '')?.fieldByName
  }
}

const hasFurther = (element: Element, attribute: string): boolean =>
  FURTHER.includes(attribute) && readText(element, attribute) !== undefined

function planLevel(entries: readonly Entry[], first: ReadonlySet<string>, columns?: Names): Level {
  const byName = new Map<string, Entry[]>()
  const note = (name: string, entry: Entry): void => {
    const known = byName.get(name)
    if (known) known.push(entry)
    else byName.set(name, [entry])
  }
  for (const entry of entries) note(`${entry.kind}.${entry.name}`, entry)
  const bare = Map.groupBy(entries, ({ name }) => name)
  for (const [name, group] of bare) {
    const foremost = group.filter(({ kind }) => first.has(kind))
    const owners = foremost.length > 0 ? foremost : group
    const isOne = owners.every(({ kind }) => kind === owners[0]?.kind)
    const isColumn = foremost.length === 0 && columns?.has(name.toLowerCase()) === true
    if (isOne && !isColumn && !byName.has(name)) for (const owner of owners) note(name, owner)
  }
  return { entries, byName }
}

/** Lists sibling elements; those of a group are listed at the group's place. */
function listEntries(elements: readonly Element[]): Entry[] {
  return elements.flatMap((element) => [
    ...listOwn(element),
    ...(TRANSPARENT.has(element.name) ? listEntries(element.children) : []),
  ])
}

function listOwn(element: Element): Entry[] {
  const named = NAMED[element.name]
  const unnamed = (UNNAMED[element.name] ?? []).flatMap((attribute): Entry[] => {
    const name = readText(element, attribute)
    const kind = attribute === 'Tab' ? attribute : element.name
    return name === undefined ? [] : [{ element, kind, name, attribute, isNamed: false }]
  })
  if (named === undefined) return unnamed
  const name = readText(element, named) ?? readText(element, 'View') ?? ''
  const isHeading = element.name === 'Section'
  const own = { element, kind: element.name, name, attribute: 'Label', isNamed: !isHeading }
  return [own, ...unnamed]
}
