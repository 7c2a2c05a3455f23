/** The fields of a view: its output columns in the view's order, with what they inherit and add. */
import { findChild, listChildren, placeOf, readFlag, readText, readWords } from './attributes.ts'
import { engineColumn } from './column.ts'
import type { Compilation } from './compilation.ts'
import { suggest } from './fault-list.ts'
import { compileFeatures } from './features.ts'
import { sameName } from './view-query.ts'
import type { OutputColumn } from '../compiled/authored-sql.ts'
import type { Column, Entity } from '../compiled/entity.ts'
import type { FieldFeatures } from '../compiled/field-features.ts'
import type { Field, Link, Surface } from '../compiled/field.ts'
import { toWords } from '../names.ts'
import type { Element } from '../parse/element.ts'
import { isGeneratedKey } from '../sql/generated-key.ts'

/** Every surface: the default of a field. */
export const SURFACES: readonly Surface[] = ['Grid', 'Form', 'View', 'Export']
const EVERYWHERE: ReadonlySet<Surface> = new Set(SURFACES)
const NO_SURFACES: ReadonlySet<Surface> = new Set()

/** The sources of the fields. */
interface FieldsScope {
  element: Element
  entity: Entity | undefined
  outputs: readonly OutputColumn[]
}

/** A declared Field with its section. */
interface Declared {
  element: Element
  section: string | undefined
  tab: string | undefined
}

/** Declared fields first, in their order; then the rest, or of it what no record can be without. */
export function compileViewFields(c: Compilation, scope: FieldsScope): Field[] {
  const declared = listDeclared(scope.element)
  const byKey = new Map(scope.outputs.map((output) => [output.name.toLowerCase(), output]))
  const fields: Field[] = []
  const taken = new Set<string>()
  for (const each of declared) {
    const name = readText(each.element, 'Name') ?? ''
    const output = byKey.get(name.toLowerCase())
    const field = output
      ? compileField(c, scope, output, each)
      : compileVirtualField(c, scope, each, name)
    if (!field || taken.has(name.toLowerCase())) continue
    taken.add(name.toLowerCase())
    fields.push(field)
  }
  const isOnly = readFlag(scope.element, 'Only') ?? false
  for (const output of scope.outputs) {
    if (taken.has(output.name.toLowerCase())) continue
    const field = compileField(c, scope, output, undefined)
    if (!isOnly) fields.push(field)
    else if (isEssential(field)) fields.push({ ...field, hidden: true })
  }
  return fields
}

function listDeclared(element: Element): Declared[] {
  return element.children.flatMap((child) => {
    if (child.name === 'Field') return [{ element: child, section: undefined, tab: undefined }]
    if (child.name !== 'Section') return []
    const section = readText(child, 'Label')
    const tab = readText(child, 'Tab')
    return listChildren(child, 'Field').map((field) => ({ element: field, section, tab }))
  })
}

/** Key and stamp: without them a row could not be opened or saved. */
function isEssential(field: Field): boolean {
  return field.column?.key === true || field.column?.kind === 'stamp'
}

function compileField(
  c: Compilation,
  scope: FieldsScope,
  output: OutputColumn,
  declared: Declared | undefined,
): Field {
  const behind = findBehind(c, output)
  const isOwn =
    behind !== undefined &&
    behind.entity === scope.entity &&
    sameName(behind.column.name, output.name)
  const column = isOwn ? behind.column : undefined
  const base = inherit(output, behind?.column, isOwn, scope.element)
  const isTitled = behind && (isOwn || sameName(behind.column.name, output.name))
  if (!isTitled) noteUntitled(c, scope, output, declared)
  if (!declared) {
    const view = readText(scope.element, 'Name') ?? ''
    const label = c.translations.labelOf(view, output.name, base.label)
    return completeField(scope, declared, { ...base, label }, column)
  }
  const names = () => scope.outputs.map((each) => each.name)
  const features = compileFeatures(c, declared.element, { base, name: base.name, names })
  if (column) checkType(c, declared.element, column, features)
  const field = completeField(scope, declared, features, column)
  checkWritable(c, scope, declared.element, field)
  return field
}

/** The name is the label: other languages need a text for it. */
function noteUntitled(
  c: Compilation,
  { element }: FieldsScope,
  { name }: OutputColumn,
  declared: Declared | undefined,
): void {
  if (declared) c.untitled.add(declared.element)
  else {
    const view = readText(element, 'Name') ?? ''
    c.untitledOutputs.push({ view, name, place: element.place })
  }
}

/** The column from which an output column comes straight. */
function findBehind(
  c: Compilation,
  output: OutputColumn,
): { entity: Entity; column: Column } | undefined {
  if (output.table === undefined || output.column === undefined) return undefined
  const entity = c.entityByTable.get(output.table.toLowerCase())
  const column = entity?.columnByName.get(output.column.toLowerCase())
  return entity && column ? { entity, column } : undefined
}

/**
 * Returns the features that a field has of the column behind it; from another entity's column none
 * that is about writing.
 */
function inherit(
  output: OutputColumn,
  column: Column | undefined,
  isOwn: boolean,
  element: Element,
): FieldFeatures {
  if (!column) {
    const { name } = output
    const text = { label: toWords(name), type: 'Text', kind: 'declared' } as const
    return engineColumn({ ...text, name, place: element.place })
  }
  if (isOwn) return column.kind === 'stamp' ? { ...column, type: 'Text' } : column
  const label = sameName(column.name, output.name) ? column.label : toWords(output.name)
  return { ...column, name: output.name, label, required: false, default: undefined }
}

function checkType(
  c: Compilation,
  element: Element,
  column: Column,
  features: FieldFeatures,
): void {
  if (readText(element, 'Blanks') !== undefined && !column.keepsBlanks) {
    const message = `Blanks of ${column.name} is set at its Column: a Field cannot change that`
    c.faults.add(placeOf(element, 'Blanks'), message)
  }
  if (column.kind === 'stamp' || features.type === column.type) return
  const message = `${column.name} is of type ${column.type} in its Entity`
  c.faults.add(placeOf(element, 'Type'), `${message}: a Field cannot change that`)
}

function completeField(
  scope: FieldsScope,
  declared: Declared | undefined,
  features: FieldFeatures,
  column: Column | undefined,
): Field {
  const element = declared?.element
  const isFixed = !column || isGiven(column, scope.entity)
  const readOnly = (element && readFlag(element, 'ReadOnly')) ?? isFixed
  return {
    ...pickFeatures(features),
    column,
    readOnly: column && isGiven(column, scope.entity) ? true : readOnly,
    searchable: (element && readFlag(element, 'Searchable')) ?? false,
    in: readSurfaces(element),
    hidden: !declared && column !== undefined && isUnshown(column, scope.entity),
    requiredWhen: undefined,
    visibleWhen: undefined,
    readOnlyWhen: undefined,
    section: declared?.section,
    tab: declared?.tab,
    multiple: (element && readFlag(element, 'Multiple')) ?? false,
    through: element && readText(element, 'Through'),
    link: undefined,
    labelOf: undefined,
    labelSql: undefined,
  }
}

/** A column whose value the engine gives: a request never sets it. */
function isGiven(column: Column, entity: Entity | undefined): boolean {
  return (
    entity?.builtIn === true ||
    column.kind !== 'declared' ||
    column.identity ||
    column.compute !== undefined ||
    column.name === entity?.company
  )
}

/** A column that is served but not shown, unless a Field names it: what only the engine gives. */
function isUnshown(column: Column, entity: Entity | undefined): boolean {
  const isGivenKey = column.identity || isGeneratedKey(column)
  return isGivenKey || column.kind === 'stamp' || column.name === entity?.company
}

function pickFeatures(features: FieldFeatures): FieldFeatures {
  const { name, label, synonyms, type, required, maxLength, scale, min, max } = features
  const { pattern, options, format, unit, help, lookup, dataSet } = features
  const { maxCount, maxBytes, accept, place, keepsBlanks } = features
  return {
    name,
    label,
    synonyms,
    type,
    required,
    maxLength,
    scale,
    min,
    max,
    pattern,
    options,
    format,
    unit,
    help,
    lookup,
    dataSet,
    maxCount,
    maxBytes,
    accept,
    place,
    keepsBlanks,
    default: features.default,
    references: features.references,
  }
}

function readSurfaces(element: Element | undefined): ReadonlySet<Surface> {
  const words = element ? readWords(element, 'In') : []
  if (words.includes('None')) return NO_SURFACES
  return words.length > 0 ? new Set(words as Surface[]) : EVERYWHERE
}

/** Compiles a field without an output column: a list of keys through another entity. */
function compileVirtualField(
  c: Compilation,
  scope: FieldsScope,
  declared: Declared,
  name: string,
): Field | undefined {
  const { element } = declared
  const outputs = scope.outputs.map((output) => output.name)
  if (readText(element, 'Through') === undefined) {
    if (readFlag(element, 'Multiple')) {
      const message = 'Multiple is a list of keys: name the entity between in Through'
      c.faults.add(placeOf(element, 'Multiple'), message)
      return undefined
    }
    const nearest = suggest(name, outputs)
    const what = findChild(scope.element, 'TableQuery') ? 'output column' : 'column'
    c.faults.add(placeOf(element, 'Name'), `There is no ${what} ${name}${nearest}`)
    return undefined
  }
  const link = checkThrough(c, element, scope.entity)
  if (!link) return undefined
  const { type, references } = link.other
  const features = compileFeatures(c, element, { type, names: () => outputs })
  const field = completeField(scope, declared, { ...features, references }, undefined)
  const readOnly = readFlag(element, 'ReadOnly') ?? false
  return { ...field, readOnly, multiple: true, link, in: readListSurfaces(element) }
}

/** Reads the surfaces of a list of keys, a query per row: grids only where the field says so. */
function readListSurfaces(element: Element): ReadonlySet<Surface> {
  if (readWords(element, 'In').length > 0) return readSurfaces(element)
  return new Set<Surface>(['Form', 'View'])
}

/** Checks a field without a column of the entity: only authored statements can write it. */
function checkWritable(c: Compilation, scope: FieldsScope, element: Element, field: Field): void {
  if (readFlag(element, 'ReadOnly') !== false) return
  const place = placeOf(element, 'ReadOnly')
  if (field.readOnly) {
    c.faults.add(place, `${field.name} is set by the engine: it cannot be written`)
  }
  const isAuthored = ['Insert', 'Update'].some((name) => findChild(scope.element, name))
  if (field.column || isAuthored) return
  const what = scope.entity ? `column of ${scope.entity.name}` : 'column of an Entity'
  const message = `${field.name} is not a ${what}: only an authored Insert or Update can write it`
  c.faults.add(place, message)
}

/**
 * The middle entity of a many-to-many relation with its two columns; undefined, with a fault,
 * unless that entity refers once to this one and to exactly one other.
 */
function checkThrough(
  c: Compilation,
  element: Element,
  entity: Entity | undefined,
): Link | undefined {
  const through = readText(element, 'Through') ?? ''
  const middle = c.findEntity(through, element, 'Through')
  if (!middle) return undefined
  const references = middle.columns.filter(
    (column) => column.references && column.kind === 'declared',
  )
  const owns = references.filter((column) => column.references === entity?.name)
  const others = references.filter((column) => column.references !== entity?.name)
  const [own] = owns
  const [other] = others
  if (owns.length === 1 && others.length === 1 && own && other) {
    checkMiddle(c, element, { entity: middle, own, other })
    return { entity: middle, own, other }
  }
  const owner = entity?.name ?? 'the Entity'
  const message = `${through} must refer once to ${owner} and once to another`
  c.faults.add(placeOf(element, 'Through'), `Through: ${message}`)
  return undefined
}

/** Checks the middle entity: required columns need a value, but for both sides and the company. */
function checkMiddle(c: Compilation, element: Element, { entity, own, other }: Link): void {
  for (const column of entity.columns) {
    const isGiven = column === own || column === other || column.name === entity.company
    const isMade = column.identity || isGeneratedKey(column) || column.default || column.compute
    if (!column.required || column.kind !== 'declared' || isGiven || isMade) continue
    const message = `${entity.name}.${column.name} is required and has no Default`
    c.faults.add(placeOf(element, 'Through'), `Through: ${message}, so no row can be written`)
  }
}
