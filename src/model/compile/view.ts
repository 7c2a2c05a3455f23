/** Object views: first their query and fields, then what speaks of other views. */
import {
  findChild,
  listChildren,
  placeOf,
  readCount,
  readFlag,
  readText,
  readWords,
} from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { compileViewParameters } from './declared-parameters.ts'
import { setFieldConditions } from './field-condition.ts'
import { listLabels } from './labels.ts'
import { requireFields } from './lookup.ts'
import { scopeOf } from './parameters.ts'
import { compileRead, compileWrite, textSource } from './sql.ts'
import { compileViewFields } from './view-fields.ts'
import { compileHints } from './view-hints.ts'
import { compileViewQuery, emptyQuery } from './view-query.ts'
import type { Entity } from '../compiled/entity.ts'
import type { Field } from '../compiled/field.ts'
import type { Script } from '../compiled/script.ts'
import {
  type Section,
  type SortItem,
  type View,
  VIEW_TYPES,
  type ViewType,
} from '../compiled/view.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { toKebabCase, toWords } from '../names.ts'
import { comparePlaces, type Element } from '../parse/element.ts'
import { isOnSurface } from '../view-index.ts'

/**
 * Compiles every view into the compilation; their conditions and actions follow. They come in the
 * order of the documents, which is the model's: of several views of an entity the first is asked.
 */
export function compileViews(c: Compilation): void {
  const inOrder = (a: Script, b: Script): number => comparePlaces(a.element, b.element)
  for (const script of c.scriptsOf('ObjectView').sort(inOrder)) {
    const view = compileView(c, script)
    if (view) {
      c.views.set(view.name, view)
      addKey(c, view, view.name)
      addKey(c, view, view.slug)
    } else markBroken(c, script)
  }
}

/** Returns the slug of a view or report: as written, else the name in kebab case. */
export function slugOf(script: Script): string {
  return readText(script.element, 'Slug') ?? toKebabCase(script.name)
}

/** Clashes of names and slugs are reported where the names of scripts are checked. */
function addKey(c: Compilation, view: View, key: string): void {
  if (!c.viewByKey.has(key.toLowerCase())) c.viewByKey.set(key.toLowerCase(), view)
}

function markBroken(c: Compilation, script: Script): void {
  c.broken.add(`ObjectView ${script.name.toLowerCase()}`)
  c.broken.add(`ObjectView ${slugOf(script)}`)
  c.brokenResources.add(readText(script.element, 'Resource') ?? script.name)
}

function compileView(c: Compilation, script: Script): View | undefined {
  const element = script.element
  const viewType = (readText(element, 'ViewType') ?? 'Grid') as ViewType
  const entityName = readText(element, 'Entity')
  const named = entityName === undefined ? undefined : c.findEntity(entityName, element, 'Entity')
  if (entityName !== undefined && !named) return undefined
  // A wizard reads and writes no record by its own name: only its finish knows the entity.
  const entity = VIEW_TYPES[viewType].hasSteps ? undefined : named
  const query = findQuery(c, element, entity, viewType)
  if (!query) return undefined
  const all = compileViewFields(c, { element, entity, outputs: query.columns })
  const outputs = new Set(query.columns.map((column) => column.name.toLowerCase()))
  const fields = all.filter((field) => outputs.has(field.name.toLowerCase()))
  const lists = all.filter((field) => !fields.includes(field))
  const labelsOf = (named: readonly Field[]) =>
    listLabels(c, () => c.views.get(script.name), named, query.columns)
  const view: View = {
    name: script.name,
    slug: slugOf(script),
    label: c.labelOf(element, toWords(script.name)),
    synonyms: c.findText(element, 'Synonyms'),
    viewType,
    versionHash: script.versionHash,
    entity,
    resource: readText(element, 'Resource') ?? script.name,
    query,
    isGenerated: !findChild(element, 'TableQuery'),
    formQuery: undefined,
    insert: undefined,
    update: undefined,
    delete: undefined,
    fields,
    listed: all,
    linked: lists.flatMap((field) => [field, ...labelsOf([field])]),
    fieldByName: byName([...fields, ...labelsOf(fields)]),
    parameters: compileViewParameters(c, element, query.columns),
    keys: listKeys(entity, fields),
    sections: compileSections(c, element),
    sort: [],
    presets: [],
    search: undefined,
    hints: {},
    permits: [],
    rowActions: [],
    details: [],
    validates: [],
    events: [],
    wizard: undefined,
    element,
    place: element.place,
  }
  completeView(c, element, view)
  return view
}

const byName = (fields: readonly Field[]): Map<string, Field> =>
  new Map(fields.map((field) => [field.name.toLowerCase(), field]))

function findQuery(
  c: Compilation,
  element: Element,
  entity: Entity | undefined,
  viewType: ViewType,
): View['query'] | undefined {
  if (VIEW_TYPES[viewType].hasSteps) return emptyQuery(element)
  if (entity || findChild(element, 'TableQuery')) return compileViewQuery(c, element, entity)
  c.faults.add(element.place, 'An ObjectView needs an Entity or a TableQuery')
  return undefined
}

/** The fields of the entity's key, in its order. */
function listKeys(entity: Entity | undefined, fields: readonly Field[]): Field[] {
  return (entity?.keys ?? []).flatMap((key) => {
    const lower = key.name.toLowerCase()
    return fields.find((field) => field.name.toLowerCase() === lower) ?? []
  })
}

/** Compiles the parts of a view that refer to its own fields. */
function completeView(c: Compilation, element: Element, view: View): void {
  view.sort = compileSort(c, element, view)
  view.search = compileSearch(c, element, view)
  markSearchable(view)
  checkSearchable(c, element, view)
  view.hints = compileHints(c, element, view)
  setFieldConditions(c, element, view)
  const formQuery = findChild(element, 'FormQuery')
  const names = () => view.fields.map((field) => field.name)
  const bound = () => [...names(), ...[...view.parameters.values()].map(({ name }) => name)]
  view.formQuery = formQuery && compileRead(c, textSource(c, formQuery), scopeOf(bound))
  const compileMutation = (name: string) => {
    const child = findChild(element, name)
    return child && compileWrite(c, textSource(c, child), scopeOf(names, { writes: true }))
  }
  view.insert = compileMutation('Insert')
  view.update = compileMutation('Update')
  view.delete = compileMutation('Delete')
}

/** Refuses searchable fields that are not served: no search may find them. */
function checkSearchable(c: Compilation, element: Element, view: View): void {
  for (const field of view.fields) {
    if (!field.searchable || isOnSurface(view, field)) continue
    const declared = listFieldElements(element).find(
      (each) => readText(each, 'Name')?.toLowerCase() === field.name.toLowerCase(),
    )
    const isOwn = declared !== undefined && readFlag(declared, 'Searchable') === true
    const search = findChild(element, 'Search')
    const place = isOwn ? placeOf(declared, 'Searchable') : (search?.place ?? element.place)
    c.faults.add(place, `${field.name} is not served (In="None"): no search may find it`)
  }
}

const listFieldElements = (element: Element): Element[] =>
  [element, ...listChildren(element, 'Section')].flatMap((each) => listChildren(each, 'Field'))

function compileSections(c: Compilation, element: Element): Section[] {
  return listChildren(element, 'Section').map((child) => ({
    label: c.labelOf(child, ''),
    tab: c.findText(child, 'Tab'),
    columns: readCount(child, 'Columns') ?? 1,
    fields: listChildren(child, 'Field').map((field) => readText(field, 'Name') ?? ''),
  }))
}

/** Compiles a sort: `OrderedAt desc Number`; the key by default. */
function compileSort(c: Compilation, element: Element, view: View): SortItem[] {
  const items: SortItem[] = []
  for (const word of readWords(element, 'Sort')) {
    const last = items.at(-1)
    if (last && /^(asc|desc)$/i.test(word)) last.direction = word.toLowerCase() as 'asc' | 'desc'
    else if (last && /^(ascending|descending)$/i.test(word)) {
      c.faults.add(placeOf(element, 'Sort'), `Sort: write asc or desc for ${word}`)
    } else items.push({ field: word, direction: 'asc' })
  }
  requireFields(
    c,
    element,
    view,
    'Sort',
    items.map((item) => item.field),
  )
  const known = items.flatMap((item) => {
    const field = view.fieldByName.get(item.field.toLowerCase())
    return field ? [{ ...item, field: field.name }] : []
  })
  return known.length > 0 ? known : view.keys.map((key) => ({ field: key.name, direction: 'asc' }))
}

/** Most fields that the global search has places for. */
const SEARCHED_MAX = 16

function compileSearch(c: Compilation, element: Element, view: View): View['search'] {
  const child = findChild(element, 'Search')
  if (!child) return undefined
  const title = readText(child, 'Title')
  const text = readWords(child, 'Text')
  requireFields(c, child, view, 'Title', title === undefined ? [] : [title])
  requireFields(c, child, view, 'Text', text)
  if (text.length >= SEARCHED_MAX)
    c.faults.add(
      placeOf(child, 'Text'),
      `Search takes ${SEARCHED_MAX} fields at most, Title among them`,
    )
  const nameOf = (name: string) => view.fieldByName.get(name.toLowerCase())?.name ?? name
  return { title: title === undefined ? undefined : nameOf(title), text: text.map(nameOf) }
}

/**
 * Marks the fields that a grid searches: those in Search, else those marked so, else every Text
 * that is shown. Of a reference that is named or marked, the label is searched.
 */
function markSearchable(view: View): void {
  const { search } = view
  const named = search && [search.title ?? '', ...search.text]
  for (const field of view.fields) if (named?.includes(field.name)) field.searchable = true
  for (const field of view.fieldByName.values()) {
    const of = field.labelOf && view.fieldByName.get(field.labelOf.toLowerCase())
    field.searchable ||= (of && of.searchable) || (named?.includes(field.name) ?? false)
  }
  if (search || view.fields.some((field) => field.searchable)) return
  for (const field of view.fields) {
    field.searchable = FIELD_KINDS[field.type].isText && !field.hidden && field.in.size > 0
  }
}
