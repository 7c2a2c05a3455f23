/** Effects of actions, events and finishes, in document order. */
import { isLanguageTag } from '../../kernel/languages.ts'
import { findChild, placeOf, readCount, readText, readWith } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { suggest } from './fault-list.ts'
import { type LabelScope, listLabelNames, NO_LABELS, planTextLabels } from './labels.ts'
import { type Columns, type ParameterScope, scopeOf, typesOf } from './parameters.ts'
import { compileRead, compileStatement, textSource } from './sql.ts'
import { requireReport } from './targets.ts'
import {
  type Effect,
  EFFECT_KINDS,
  type EffectKind,
  type Recipients,
  type TextLabel,
} from '../compiled/effect.ts'
import type { Element, Place } from '../parse/element.ts'

/** Elements that are effects. */
/** Effects that authors write, by their elements. */
const EFFECTS: ReadonlyMap<string, EffectKind> = new Map(
  (Object.keys(EFFECT_KINDS) as EffectKind[]).flatMap((kind) => {
    const { element } = EFFECT_KINDS[kind]
    return element === undefined ? [] : [[element, kind] as const]
  }),
)
/** Dispatches that every client knows (src/model/README.md, Effects). */
const DISPATCH_TYPES = ['refreshTable', 'showAlert']
/** Attributes in which `{Name}` means a column of the row. */
const NAMED = /\{([A-Za-z][A-Za-z0-9_]*)\}/g
const TEXTS = [
  'Title',
  'Body',
  'Subject',
  'To',
  'User',
  'Message',
  'Url',
  'Target',
  'Text',
  'Language',
]

/** Names that effects may use. */
interface EffectNames {
  /** Bound by their SQL. */
  names: () => Iterable<string>
  /** Columns of the row and parameters in their texts; what SQL binds where it is left out. */
  texts?: () => Iterable<string>
  /** Named by their texts as `<Name>__Label`. */
  labels?: LabelScope
  /** Columns of the record that they are about, for what they held before. */
  columns?: Columns | undefined
  /** Columns, in lower case, that are not served to anyone: texts may not use them. */
  unserved?: () => ReadonlySet<string>
}

/** Names that one effect may use, with the results of those before it. */
interface KnownNames {
  names: () => string[]
  texts: () => string[]
  labels: LabelScope
  columns: Columns | undefined
  unserved: () => ReadonlySet<string>
}

/** The effects among an element's children. */
export function compileEffects(
  c: Compilation,
  element: Element,
  { names, texts = names, labels = NO_LABELS, columns, unserved = () => NONE }: EffectNames,
): Effect[] {
  const results: string[] = []
  const known: KnownNames = {
    names: () => [...names(), ...results],
    texts: () => [...texts(), ...results],
    labels,
    columns,
    unserved,
  }
  const effects: Effect[] = []
  for (const child of element.children.filter((each) => EFFECTS.has(each.name))) {
    const effect = compileEffect(c, child, known)
    if (effect) effects.push(effect)
    const into = readText(child, 'Into')
    if (into !== undefined) results.push(into)
  }
  return effects
}

function compileEffect(c: Compilation, element: Element, known: KnownNames): Effect | undefined {
  const kind = EFFECTS.get(element.name)
  return kind && COMPILERS[kind](c, element, known)
}

type CompileEffect<K extends EffectKind> = (
  c: Compilation,
  element: Element,
  known: KnownNames,
) => Effect<K> | undefined

const COMPILERS: { readonly [K in EffectKind]: CompileEffect<K> } = {
  sql: (c, element, known) =>
    compileSqlEffect(c, element, scopeOf(known.names, { writes: true, ...scopedBy(known) })),
  dispatch: (c, element, known) => {
    const labels = planTexts(c, element, known)
    checkDispatch(c, element)
    return {
      kind: 'dispatch',
      type: readText(element, 'Type') ?? '',
      target: readText(element, 'Target'),
      level: readText(element, 'Level'),
      message: c.findText(element, 'Message'),
      labels,
    }
  },
  job: (c, element, known) => {
    planTexts(c, element, known)
    checkArguments(c, element, known.texts())
    checkJob(c, element)
    return { kind: 'job', name: readText(element, 'Name') ?? '', with: readWith(element) }
  },
  webhook: (c, element, known) => {
    planTexts(c, element, known)
    checkArguments(c, element, known.texts())
    return { kind: 'webhook', event: readText(element, 'Event') ?? '' }
  },
  mail: (c, element, known) => {
    const labels = planTexts(c, element, known)
    checkArguments(c, element, known.texts())
    const recipients = compileRecipients(c, element, known, ['To', 'Role', 'User'])
    return compileMail(c, element, { recipients, labels })
  },
  notify: (c, element, known) => {
    const labels = planTexts(c, element, known)
    checkArguments(c, element, known.texts())
    return {
      kind: 'notify',
      recipients: compileRecipients(c, element, known, ['Role', 'User']),
      title: c.findText(element, 'Title') ?? '',
      body: c.findText(element, 'Body'),
      level: readText(element, 'Level') ?? 'info',
      topic: readText(element, 'Kind'),
      url: readText(element, 'Url'),
      labels,
    }
  },
  workflow: () => undefined,
}

const scopedBy = ({ columns, labels }: KnownNames) => ({
  columns,
  types: typesOf(labels.features()),
})

/** Checks what the texts of an effect name; the labels among it. */
function planTexts(c: Compilation, element: Element, known: KnownNames): TextLabel[] {
  const { texts, labels, unserved } = known
  checkTexts(c, element, [...texts(), ...listLabelNames(labels)], unserved())
  return planTextLabels(c, labels, listNamed(element))
}

function compileMail(
  c: Compilation,
  element: Element,
  { recipients, labels }: { recipients: Recipients; labels: TextLabel[] },
): Effect<'mail'> {
  const report = readText(element, 'Report')
  if (report !== undefined) requireReport(c, element, report)
  return {
    kind: 'mail',
    recipients,
    to: readText(element, 'To'),
    language: readLanguage(c, element),
    subject: c.findText(element, 'Subject') ?? '',
    body: c.findText(element, 'Body'),
    report,
    with: readWith(element),
    labels,
  }
}

/** A tag, or the `{Name}` of what gives one; it goes with the address that it is about. */
function readLanguage(c: Compilation, element: Element): string | undefined {
  const language = readText(element, 'Language')
  if (language === undefined) return undefined
  const place = placeOf(element, 'Language')
  if (readText(element, 'To') === undefined)
    c.faults.add(place, 'Language goes with To: users are written to in their own language')
  if (!/^\{[A-Za-z][A-Za-z0-9_]*\}$/.test(language) && !isLanguageTag(language))
    c.faults.add(place, `Language: "${language}" must be a language tag, such as de, or a {Column}`)
  return language
}

function compileSqlEffect(
  c: Compilation,
  element: Element,
  scope: ParameterScope,
): Effect<'sql'> | undefined {
  const source = textSource(c, element)
  const sql = compileStatement(c, source, scope)
  const rows = readCount(element, 'Rows')
  const message = c.findText(element, 'Message')
  const into = readText(element, 'Into')
  if (into !== undefined && sql && sql.columns.length === 0) {
    const needed = 'Into needs a result: a SELECT, or RETURNING at the end'
    c.faults.add(placeOf(element, 'Into'), needed)
  }
  if (message !== undefined && rows === undefined) {
    c.faults.add(
      placeOf(element, 'Message'),
      'Message is shown when the number of changed rows is not Rows: add Rows',
    )
  }
  return sql && { kind: 'sql', sql, rows, message, into }
}

/** Compiles the recipients, which a Notify or Mail needs. */
function compileRecipients(
  c: Compilation,
  element: Element,
  known: KnownNames,
  addresses: readonly string[],
): Recipients {
  const scope = scopeOf(known.names, scopedBy(known))
  const query = findChild(element, 'Sql')
  const sql = query && compileRead(c, textSource(c, query), scope)
  const word = readText(element, 'Role')
  const role = word === undefined ? undefined : checkRole(c, word, placeOf(element, 'Role'))
  if (!query && addresses.every((address) => readText(element, address) === undefined)) {
    c.faults.add(
      element.place,
      `${element.name} has no recipient: give ${addresses.join(', ')} or a Sql child`,
    )
  }
  return { role, user: readText(element, 'User'), sql }
}

/** A warning for a type that is nearly one of these; clients may know others. */
function checkDispatch(c: Compilation, element: Element): void {
  const type = readText(element, 'Type') ?? ''
  const nearest = suggest(type, DISPATCH_TYPES)
  if (DISPATCH_TYPES.includes(type) || nearest === '') return
  c.faults.warn(placeOf(element, 'Type'), `Clients do not know the Dispatch ${type}${nearest}`)
}

/** A warning for a name that is nearly a procedure's; any other is a job of an extension. */
function checkJob(c: Compilation, element: Element): void {
  const name = readText(element, 'Name') ?? ''
  const procedures = c.scriptsOf('StoredProcedure').map((script) => script.name)
  const nearest = suggest(name, procedures)
  if (procedures.includes(name) || nearest === '') return
  const message = `The model has no StoredProcedure ${name}${nearest}`
  c.faults.warn(placeOf(element, 'Name'), message)
}

/**
 * The role of a name, as it is called now; a warning unless it is declared or built in: roles are
 * made at run time, too.
 */
export function checkRole(c: Compilation, role: string, place: Place): string {
  if (c.roleNames.has(role)) return role
  const now = c.findRenamed('Role', role, place)
  if (now !== undefined) return now
  c.faults.warn(place, `The model has no Role ${role}${suggest(role, c.roleNames)}`)
  return role
}

/** The `{Name}`s in the texts of an element, in lower case. */
function listNamed(element: Element): Set<string> {
  const texts = TEXTS.flatMap((attribute) => readText(element, attribute) ?? [])
  const named = texts.flatMap((text) => [...text.matchAll(NAMED)])
  return new Set(named.map(([, name = '']) => name.toLowerCase()))
}

/** Attributes with recipients, which are not shown to anyone. */
const ADDRESSES: ReadonlySet<string> = new Set(['To', 'User'])
const NONE: ReadonlySet<string> = new Set()

/** Checks every `{Name}` in the texts of an element: it must be known and served. */
export function checkTexts(
  c: Compilation,
  element: Element,
  names: readonly string[],
  unserved: ReadonlySet<string> = NONE,
): void {
  const texts = TEXTS.flatMap((attribute) => {
    const text = readText(element, attribute)
    return text?.includes('{') ? [{ attribute, text }] : []
  })
  if (texts.length === 0) return
  const keys = new Set(names.map((name) => name.toLowerCase()))
  for (const { attribute, text } of texts) {
    for (const [, name = ''] of text.matchAll(NAMED)) {
      const key = name.toLowerCase()
      const isUnserved = unserved.has(key.replace(/__label$/, '')) && !ADDRESSES.has(attribute)
      if (keys.has(key) && !isUnserved) continue
      const place = c.texts.placeInAttribute(element, attribute, text.indexOf(`{${name}}`))
      if (isUnserved) {
        c.faults.add(place, `${attribute}: {${name}} is not served (In="None")`)
        continue
      }
      c.faults.add(place, `${attribute}: {${name}} is not known here${suggest(name, names)}`)
    }
  }
}

/** Every column that a `With` takes its values from is known. */
export function checkArguments(c: Compilation, element: Element, names: readonly string[]): void {
  if (readText(element, 'With') === undefined) return
  const keys = new Set(names.map((name) => name.toLowerCase()))
  for (const { column } of readWith(element)) {
    if (column === undefined || keys.has(column.toLowerCase())) continue
    c.faults.add(
      placeOf(element, 'With'),
      `With: ${column} is not known here${suggest(column, names)}`,
    )
  }
}

/** True when an element has effects among its children. */
export function hasEffects(element: Element): boolean {
  return element.children.some((child) => EFFECTS.has(child.name))
}
