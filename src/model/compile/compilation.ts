/** State that the parts of the compiler share while a model is compiled. */
import type { RE2JS } from 're2js'
import type { SqlGate } from '../../store/gate/gate.ts'
import { listChildren, placeOf, readText } from './attributes.ts'
import { FaultList, suggest } from './fault-list.ts'
import { FaultyNames, type FaultyScript } from './faulty-scripts.ts'
import { SourceTexts } from './source-texts.ts'
import type { Entity, Sequence } from '../compiled/entity.ts'
import type { FieldType } from '../compiled/field-features.ts'
import type { Script, ScriptType } from '../compiled/script.ts'
import type { View } from '../compiled/view.ts'
import {
  findTranslation,
  type ModelText,
  type TextTranslations,
  TranslatedText,
} from '../model-text.ts'
import type { Element, Place } from '../parse/element.ts'

/** Returns the key of an output column's label: `orders.total`. */
const outputKey = (view: string, output: string): string => `${view}.${output}`.toLowerCase()

/** Collects texts and translations in any order; `complete` brings them together. */
class TranslationTable {
  /** Paths that have translations, in lower case; without any, texts stay as they are. */
  readonly #paths: ReadonlySet<string>
  readonly #texts: { element: Element; attribute: string; text: TranslatedText }[] = []
  readonly #outputs: { key: string; text: TranslatedText }[] = []
  readonly #ofElements = new Map<Element, Record<string, Record<string, string>>>()
  readonly #ofOutputs = new Map<string, Record<string, string>>()

  constructor(paths: Iterable<string>) {
    this.#paths = new Set([...paths].map((path) => path.toLowerCase()))
  }

  /** Returns the text of an element: `base` where no language translates it. */
  textOf(element: Element, attribute: string, base: ModelText): ModelText {
    if (this.#paths.size === 0) return base
    const text = new TranslatedText(base)
    this.#texts.push({ element, attribute, text })
    return text
  }

  /** The label of an output column that no Field declares. */
  labelOf(view: string, output: string, base: ModelText): ModelText {
    const key = outputKey(view, output)
    if (!this.#paths.has(key)) return base
    const text = new TranslatedText(base)
    this.#outputs.push({ key, text })
    return text
  }

  /** Adds the text of an attribute in a language. */
  add(element: Element, attribute: string, language: string, text: string): void {
    const known = this.#ofElements.get(element) ?? {}
    this.#ofElements.set(element, known)
    known[attribute] = { ...known[attribute], [language.toLowerCase()]: text }
  }

  /** Adds the label of an output column in a language; `key` is its path. */
  addOutput(key: string, language: string, text: string): void {
    const known = this.#ofOutputs.get(key.toLowerCase())
    this.#ofOutputs.set(key.toLowerCase(), { ...known, [language.toLowerCase()]: text })
  }

  /** True when a language, or a shorter tag of it, has a text for an attribute. */
  has(element: Element, attribute: string, language: string): boolean {
    return isIn(this.#ofElements.get(element)?.[attribute], language)
  }

  /** The same for an output column. */
  hasOutput(view: string, output: string, language: string): boolean {
    return isIn(this.#ofOutputs.get(outputKey(view, output)), language)
  }

  /** Gives every text its translations, once all are known. */
  complete(): void {
    for (const { element, attribute, text } of this.#texts)
      text.translations = this.#ofElements.get(element)?.[attribute]
    for (const { key, text } of this.#outputs) text.translations = this.#ofOutputs.get(key)
  }
}

const isIn = (translations: TextTranslations | undefined, language: string): boolean =>
  translations !== undefined && findTranslation(translations, language) !== undefined

/** The model so far as compiled, its faults, and tasks that wait for the gate or for the views. */
export class Compilation {
  readonly faults = new FaultList()
  readonly texts: SourceTexts
  readonly scripts: readonly Script[]
  /** Entities by exact name, with `User`. */
  readonly entities = new Map<string, Entity>()
  /** Entities by lower-case table name. */
  readonly entityByTable = new Map<string, Entity>()
  /** Entities, views and reports that are there but faulty: what names them gets no fault. */
  readonly broken = new Set<string>()
  /** Resources that faulty views are granted by, beside those of `faulty`. */
  readonly brokenResources = new Set<string>()
  readonly views = new Map<string, View>()
  /** Views by lower-case name and slug. */
  readonly viewByKey = new Map<string, View>()
  /** Scripts of reports by lower-case name and slug. */
  readonly reportByKey = new Map<string, Script>()
  /** Scripts of prints, likewise. */
  readonly printByKey = new Map<string, Script>()
  readonly sequences = new Map<string, { sequence: Sequence; entity: Entity }>()
  /** Declared capabilities: name to label. */
  readonly capabilities = new Map<string, ModelText>()
  readonly attributes = new Map<string, FieldType>()
  readonly roleNames = new Set<string>()
  /** Renamed declarations (`Was`): `Role Old` or `Capability Old` to the new name. */
  readonly renamed = new Map<string, string>()
  /** Compiled patterns by source: many fields share one. */
  readonly patterns = new Map<string, RE2JS>()
  /** Elements that their name alone gives a label. */
  readonly untitled = new Set<Element>()
  /** Output columns of the kind, where no Field declares them. */
  readonly untitledOutputs: { view: string; name: string; place: Place }[] = []
  /** Names that the faulty scripts declare: references to them are not reported. */
  readonly faulty: FaultyNames
  /** Texts in the languages of the model. */
  readonly translations: TranslationTable
  #gate: SqlGate | undefined
  #waitingForGate: (() => void)[] = []
  #waitingForViews: (() => void)[] | undefined = []

  constructor(scripts: readonly Script[], faulty: readonly FaultyScript[] = []) {
    this.scripts = scripts
    const texts = this.scriptsOf('Texts').flatMap(({ element }) => listChildren(element, 'Text'))
    this.translations = new TranslationTable(texts.map((text) => readText(text, 'Of') ?? ''))
    this.texts = new SourceTexts(scripts)
    this.faulty = new FaultyNames(faulty)
  }

  /** The gate; it opens once the tables are known. */
  get gate(): SqlGate {
    if (!this.#gate) throw new Error('The SQL gate is not open yet')
    return this.#gate
  }

  /** Sets the gate and does what waited for it, in order. */
  useGate(gate: SqlGate): void {
    this.#gate = gate
    const tasks = this.#waitingForGate
    this.#waitingForGate = []
    for (const task of tasks) {
      task()
    }
  }

  /** Runs `task` once the gate is open: now or later. */
  whenGated(task: () => void): void {
    if (this.#gate) task()
    else this.#waitingForGate.push(task)
  }

  /** Runs `task` once every view is compiled with its query and fields. */
  whenViewed(task: () => void): void {
    if (this.#waitingForViews) this.#waitingForViews.push(task)
    else task()
  }

  /** Ends the compilation of views, and runs the tasks that waited for it. */
  finishViews(): void {
    const tasks = this.#waitingForViews ?? []
    this.#waitingForViews = undefined
    for (const task of tasks) {
      task()
    }
  }

  /** Returns the label of an element; `base` without one in it or in any language. */
  labelOf(element: Element, base: ModelText): ModelText {
    return this.translations.textOf(element, 'Label', readText(element, 'Label') ?? base)
  }

  /** Finds a text as written, which a language may translate; undefined where it is left out. */
  findText(element: Element, attribute: string): ModelText | undefined {
    const text = readText(element, attribute)
    return text === undefined ? undefined : this.translations.textOf(element, attribute, text)
  }

  /** Scripts of a type in the order of their names. */
  scriptsOf(type: ScriptType): Script[] {
    return this.scripts.filter((script) => script.type === type)
  }

  /** Finds an entity by name; adds a fault at the attribute if there is none. */
  findEntity(name: string, element: Element, attribute: string): Entity | undefined {
    const entity = this.entities.get(name)
    if (!entity && !this.broken.has(`Entity ${name}`) && !this.faulty.entities.has(name)) {
      const nearest = suggest(name, this.entities.keys())
      this.faults.add(placeOf(element, attribute), `There is no Entity ${name}${nearest}`)
    }
    return entity
  }

  /** A view by name or slug, or a fault at the attribute that names it. */
  findView(key: string, element: Element, attribute: string): View | undefined {
    const view = this.viewByKey.get(key.toLowerCase())
    const isKnown = this.broken.has(`ObjectView ${key.toLowerCase()}`) || this.faulty.hasLink(key)
    if (!view && !isKnown) {
      const nearest = suggest(key, this.views.keys())
      this.faults.add(placeOf(element, attribute), `There is no ObjectView ${key}${nearest}`)
    }
    return view
  }

  /** True when a view cannot be compiled, so that its fields are unknown. */
  hasBrokenView(): boolean {
    return this.brokenResources.size > 0 || this.faulty.hasView
  }

  /** True when something that is granted by the resource cannot be compiled. */
  isBrokenResource(resource: string): boolean {
    return this.brokenResources.has(resource) || this.faulty.resources.has(resource)
  }

  /**
   * The verb, capability or built-in capability of a name, as it is called now; a fault unless it
   * is known.
   */
  requireCapability(name: string, element: Element, known: readonly string[] = []): string {
    const names = [...known, ...BUILT_IN_CAPABILITIES, ...this.capabilities.keys()]
    if (names.includes(name)) return name
    const place = placeOf(element, element.name === 'Grant' ? 'Capabilities' : 'Capability')
    const now = this.findRenamed('Capability', name, place)
    if (now !== undefined || this.faulty.hasRbac) return now ?? name
    const declare = `declare <Capability Name="${name}"/> in Rbac`
    this.faults.add(place, `There is no Capability ${name}: ${declare}${suggest(name, names)}`)
    return name
  }

  /** Returns the new name of a renamed one, with a warning; undefined where nothing was renamed. */
  findRenamed(kind: 'Role' | 'Capability', name: string, place: Place): string | undefined {
    const now = this.renamed.get(`${kind} ${name}`)
    if (now !== undefined)
      this.faults.warn(place, `${kind} ${name} is called ${now} now: use that name`)
    return now
  }
}

/** Capabilities that need no declaration: of procedures, and of sending notifications. */
export const BUILT_IN_CAPABILITIES = ['Execute', 'Send'] as const
