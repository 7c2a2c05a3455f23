/**
 * The scope of a question: the objects that a caller may List, each with the words for its fields,
 * options and presets, and for those of the records that it refers to.
 */
import { renderMessage } from '../../../kernel/messages.ts'
import { Yielder } from '../../../kernel/yielder.ts'
import type { Field } from '../../../model/compiled/field.ts'
import { type View, VIEW_TYPES } from '../../../model/compiled/view.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { ModelText } from '../../../model/model-text.ts'
import type { Model } from '../../../model/model.ts'
import { toWords } from '../../../model/names.ts'
import { listViewsOf } from '../../../model/view-index.ts'
import type { Caller } from '../../../access/callers/caller.ts'
import { Grant } from '../../../access/rights/grant.ts'
import type { Language } from './language.ts'
import { listVerbs } from './verbs.ts'
import { stemText, toPlain } from './words.ts'
import { isServed } from '../../object/read/find-view.ts'

/** A field of an object, or of a record that it refers to. */
export interface ReachedField {
  /** `CustomerId.Region`. */
  path: string
  field: Field
  /** The view that the field is of. */
  view: View
  grant: Grant
  /** References on the way. */
  depth: number
  /** The reference by which it is reached. */
  via: ReachedField | undefined
  /** The label in the language of the question. */
  label: string
}

/** The meaning of a phrase for an object. */
export type Meaning =
  | { kind: 'self'; cost: number; names: string }
  | { kind: 'field'; at: ReachedField; cost: number }
  | { kind: 'option'; at: ReachedField; value: string; label: string; cost: number }
  | { kind: 'flag'; at: ReachedField; cost: number }
  | { kind: 'preset'; name: string; label: string; cost: number; isSelf?: boolean }

/** An object as it can be asked about. */
export interface Subject {
  view: View
  grant: Grant
  label: string
  /** The name of one record. */
  single: string
  fields: readonly ReachedField[]
  /** Its lists of keys, which have conditions and nothing else: `with the topic Painting`. */
  lists: readonly ReachedField[]
  /** True for the view to ask about its records: of several, the grid that shows most. */
  isMain: boolean
  /** Meanings by the stems of a phrase. */
  phrases: ReadonlyMap<string, readonly Meaning[]>
}

const DEPTH_MAX = 2
const FIELDS_MAX = 400
/** A name that an author gave in English helps where a label is in another language. */
const BY_NAME = 0.4
const BY_SYNONYM = 0.1
const A_STEP = 0.7

interface Scopes {
  model: Model
  byLanguage: Map<string, Promise<readonly Subject[]>>
}
const scopes = new WeakMap<Caller, Scopes>()

/** The objects of a caller in the model's order; made once for each of their sessions, by turns. */
export function listSubjects(
  model: Model,
  caller: Caller,
  language: Language,
): Promise<readonly Subject[]> {
  let known = scopes.get(caller)
  if (known?.model !== model) scopes.set(caller, (known = { model, byLanguage: new Map() }))
  return known.byLanguage.getOrInsertComputed(language.name, () =>
    planSubjects(model, caller, language),
  )
}

async function planSubjects(model: Model, caller: Caller, language: Language): Promise<Subject[]> {
  const subjects: Omit<Subject, 'isMain'>[] = []
  const yielder = new Yielder()
  for (const view of model.views.values()) {
    const grant = findLister(model, caller, view)
    if (grant) subjects.push(planSubject({ view, grant }, language))
    await yielder.yieldWhenDue()
  }
  return markMain(subjects)
}

function markMain(subjects: readonly Omit<Subject, 'isMain'>[]): Subject[] {
  const weigh = ({ view }: Omit<Subject, 'isMain'>): number => standing(view)
  const best = Map.groupBy(subjects, ({ view }) => view.entity ?? view)
  return subjects.map((subject) => {
    const same = best.get(subject.view.entity ?? subject.view) ?? []
    const first = same.reduce((one, other) => (weigh(other) > weigh(one) ? other : one), subject)
    return { ...subject, isMain: weigh(first) === weigh(subject) }
  })
}

const findLister = (model: Model, caller: Caller, view: View): Grant | undefined =>
  view.wizard ? undefined : Grant.find(caller, model, view.resource, 'List')

/** The view to ask about the records that a field refers to. */
export function findTarget(field: Field, { model, caller }: Grant) {
  const named = field.lookup && model.views.get(field.lookup.view)
  const entity = field.references ?? named?.entity?.name
  if (entity === undefined) return undefined
  const listed = listViewsOf(model, entity).flatMap((view) => {
    const grant = findLister(model, caller, view)
    return grant && view.keys.length === 1 ? [{ view, grant }] : []
  })
  return listed.toSorted((one, other) => standing(other.view) - standing(one.view))[0]
}

/** The rank of a view: grids come before other views, and first the grid that shows most. */
const standing = ({ viewType, fields }: View): number =>
  (VIEW_TYPES[viewType].isGrid ? 1000 : 0) + fields.filter((field) => !field.hidden).length

function planSubject(
  of: { view: View; grant: Grant },
  language: Language,
): Omit<Subject, 'isMain'> {
  const { view, grant } = of
  const text = (label: ModelText): string => renderMessage(label, language.name)
  const fields: ReachedField[] = []
  const start = { ...of, depth: 0, via: undefined }
  reach(fields, start, language)
  const lists = view.listed
    .filter((field) => field.labelOf === undefined && field.link && isServed(view, grant, field))
    .map((field) => toReached(start, field, language))
  const phrases = new PhraseMap(language)
  for (const each of namesOfView(view))
    phrases.add(each, { kind: 'self', cost: 0, names: toPlain(text(each.text)) })
  for (const { name, label } of view.presets) {
    const words = text(label)
    const own = new Set(namesOfView(view).flatMap((each) => phrases.stems(text(each.text))))
    const rest = phrases.stems(words).filter((stem) => !own.has(stem))
    const meaning: Meaning = { kind: 'preset', name, label: words, cost: 0.3 }
    const isSelf = rest.length < phrases.stems(words).length
    phrases.put(phrases.stems(words).join(' '), { ...meaning, isSelf })
    if (rest.length > 0) phrases.put(rest.join(' '), meaning)
  }
  for (const at of [...fields, ...lists]) addField(phrases, at)
  const single = view.entity ? text(view.entity.label) : text(view.label)
  for (const at of fields) if (at.depth === 0) addOwnCompounds(phrases, single, at)
  for (const [phrase, meaning] of listWeak(phrases, fields)) phrases.put(phrase, meaning)
  return { view, grant, label: text(view.label), single, fields, lists, phrases: phrases.all }
}

/** The meanings of verbs that the model has no word for itself, but for records behind it. */
const listWeak = ({ all, language }: PhraseMap, fields: readonly ReachedField[]) =>
  listVerbs(fields, language).filter(([phrase]) =>
    (all.get(phrase) ?? []).every((each) => 'at' in each && each.at.depth > 0),
  )

/** A name with its cost. */
interface Name {
  text: ModelText
  cost: number
  isList?: boolean
  /** True for a name that counts only if the phrase means nothing else: `ordered`, order. */
  isWeak?: boolean
}

/** The names of an object and of one of its records. */
function namesOfView({ label, name, synonyms, entity }: View): Name[] {
  return [
    { text: label, cost: 0 },
    { text: toWords(name), cost: BY_NAME },
    ...(synonyms === undefined ? [] : [{ text: synonyms, cost: BY_SYNONYM, isList: true }]),
    ...(entity ? [{ text: entity.label, cost: 0 }] : []),
    ...(entity ? [{ text: toWords(entity.name), cost: BY_NAME }] : []),
    ...(entity?.synonyms === undefined
      ? []
      : [{ text: entity.synonyms, cost: BY_SYNONYM, isList: true }]),
  ]
}

class PhraseMap {
  readonly all = new Map<string, Meaning[]>()
  readonly language: Language

  constructor(language: Language) {
    this.language = language
  }

  stems = (text: string): string[] => stemText(text, this.language)

  add({ text, cost, isList, isWeak }: Name, meaning: Meaning): void {
    const priced = { ...meaning, cost: meaning.cost + cost }
    for (const words of [renderMessage(text, this.language.name), renderMessage(text)])
      for (const each of isList ? words.split(',') : [words]) {
        const phrase = this.stems(each).join(' ')
        if (!isWeak || !this.all.has(phrase)) this.put(phrase, priced)
      }
  }

  put(phrase: string, meaning: Meaning): void {
    if (phrase === '') return
    const known = this.all.getOrInsertComputed(phrase, () => [])
    if (!known.some((each) => isSame(each, meaning))) known.push(meaning)
  }
}

function isSame(one: Meaning, other: Meaning): boolean {
  if (one.kind !== other.kind) return false
  if (one.kind === 'option' && other.kind === 'option')
    return one.at === other.at && one.value === other.value
  if (one.kind === 'preset' && other.kind === 'preset') return one.name === other.name
  return !('at' in one) || !('at' in other) || one.at === other.at
}

type Step = Pick<ReachedField, 'view' | 'grant' | 'depth' | 'via'>

/** The fields of a view, and behind its references the fields of the views they lead to. */
function reach(into: ReachedField[], from: Step, language: Language): void {
  const { view, grant, depth } = from
  const fields = view.listed.filter(
    (field) => field.labelOf === undefined && !field.link && isServed(view, grant, field),
  )
  const reached = fields.map((field) => toReached(from, field, language))
  into.push(...reached.filter(({ field }) => depth === 0 || isTelling(field, view)))
  if (depth >= DEPTH_MAX) return
  for (const at of reached) {
    const target = findTarget(at.field, grant)
    if (!target || into.length > FIELDS_MAX || isCircle(at, target.view)) continue
    reach(into, { ...target, depth: depth + 1, via: at }, language)
  }
}

function toReached(from: Step, field: Field, { name }: Language): ReachedField {
  const path = from.via ? `${from.via.path}.${field.name}` : field.name
  return { ...from, path, field, label: renderMessage(field.label, name) }
}

/** True for a field behind a reference that says more than the reference's label. */
const isTelling = (field: Field, view: View): boolean =>
  !field.hidden && !view.keys.includes(field) && field.column?.kind !== 'tracking'

function isCircle(at: ReachedField, target: View): boolean {
  for (let each: ReachedField | undefined = at; each; each = each.via)
    if (each.view.entity && each.view.entity === target.entity) return true
  return false
}

function addField(phrases: PhraseMap, at: ReachedField): void {
  const { field, depth, via } = at
  const cost = depth * A_STEP
  const isShownLabel = via !== undefined && isDisplay(field, at.view)
  const meaning: Meaning = isShownLabel
    ? { kind: 'field', at: via, cost: cost - A_STEP + 0.2 }
    : { kind: 'field', at, cost }
  const names = namesOfField(at, phrases.language)
  const isFlag = FIELD_KINDS[field.type].isFlag
  for (const name of names) {
    phrases.add(name, isFlag ? { kind: 'flag', at, cost: meaning.cost } : meaning)
  }
  if (via) addCompounds(phrases, { via, names, meaning })
  const target = findTarget(field, at.grant)
  if (target)
    for (const name of namesOfView(target.view))
      phrases.add(name, { ...meaning, cost: meaning.cost + 0.1 })
  for (const { value, label, synonyms } of field.options) {
    const option: Meaning = {
      kind: 'option',
      at,
      value,
      cost: cost + 0.1,
      label: renderMessage(label, phrases.language.name),
    }
    phrases.add({ text: label, cost: 0 }, option)
    phrases.add({ text: toWords(value), cost: BY_NAME }, option)
    if (synonyms !== undefined)
      phrases.add({ text: synonyms, cost: BY_SYNONYM, isList: true }, option)
  }
}

/** `customer region` for the region of the customer. */
function addCompounds(
  phrases: PhraseMap,
  { via, names, meaning }: { via: ReachedField; names: readonly Name[]; meaning: Meaning },
): void {
  const target = findTarget(via.field, via.grant)
  const owners = [via.label, ...(target?.view.entity ? [target.view.entity.label] : [])]
  for (const owner of owners)
    for (const { text, cost, isList } of names) {
      if (isList) continue
      const { name } = phrases.language
      const words = `${renderMessage(owner, name)} ${renderMessage(text, name)}`
      // `order ordered` is nothing that people say; `orders orders` would be read as it.
      if (new Set(phrases.stems(words)).size === 1) continue
      phrases.put(phrases.stems(words).join(' '), {
        ...meaning,
        cost: Math.max(0, meaning.cost - 0.3) + cost,
      })
    }
}

/** `Auftragssumme` for the sum of an order, in languages that write compounds as one word. */
function addOwnCompounds(phrases: PhraseMap, single: string, at: ReachedField): void {
  const { linking, name } = phrases.language
  if (linking.length === 0 || FIELD_KINDS[at.field.type].number === undefined) return
  const names = namesOfField(at, phrases.language).filter(({ isList }) => !isList)
  for (const { text, cost } of names) {
    const label = renderMessage(text, name)
    if (/\s/.test(label)) continue
    for (const link of ['', ...linking])
      phrases.put(phrases.stems(`${single}${link}${label.toLowerCase()}`).join(' '), {
        kind: 'field',
        at,
        cost: cost + 0.1,
      })
  }
}

/** True when a field is part of its record's name. */
const isDisplay = (field: Field, { entity }: View): boolean =>
  field.column !== undefined && entity?.display.includes(field.column.name) === true

const isDay = ({ type }: Field): boolean => FIELD_KINDS[type].isDated

/** `Due on` is called `due` and `due date`, too, `Fällig am` the `Fälligkeitsdatum`. */
function listDayNames({ label, name }: Field, { name: tag, dates }: Language): Name[] {
  const cut = (text: string): string[] => {
    const words = text.toLowerCase().split(' ')
    return words.length > 1 && dates.endings.includes(words.at(-1) ?? '') ? words.slice(0, -1) : []
  }
  return [renderMessage(label, tag), toWords(name)].flatMap((text, at) => {
    const bare = cut(text).join(' ')
    const cost = at * BY_NAME
    if (bare === '') return []
    return [
      { text: bare, cost: cost + 0.1, isWeak: true },
      ...dates.words.map((word) => ({ text: `${bare} ${word}`, cost })),
      ...dates.joints.flatMap((joint) =>
        dates.words.map((word) => ({ text: `${bare}${joint}${word}`, cost })),
      ),
    ]
  })
}

function namesOfField({ field }: ReachedField, language: Language): Name[] {
  const bare = toWords(field.name.replace(/(?<=[a-z])(?:_?id|_?code|Id|ID|Code)$/, ''))
  return [
    ...(isDay(field) ? listDayNames(field, language) : []),
    { text: field.label, cost: 0 },
    { text: toWords(field.name), cost: BY_NAME },
    { text: field.name, cost: BY_NAME },
    ...(field.references === undefined ? [] : [{ text: bare, cost: 0.05 }]),
    ...(field.column && field.column.label !== field.label
      ? [{ text: field.column.label, cost: 0.2 }]
      : []),
    ...(field.synonyms === undefined
      ? []
      : [{ text: field.synonyms, cost: BY_SYNONYM, isList: true }]),
  ]
}
