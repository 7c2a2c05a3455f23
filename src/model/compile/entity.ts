/** Entities: their columns, keys and names; their SQL follows once the gate is open. */
import { type Message, say } from '../../kernel/messages.ts'
import { listChildren, placeOf, readFlag, readSwitch, readText, readWords } from './attributes.ts'
import { compileColumn, engineColumn } from './column.ts'
import type { Compilation } from './compilation.ts'
import { describePlace } from './fault-list.ts'
import { findColumn } from './find-column.ts'
import { compileIndexes } from './indexes.ts'
import { ReferenceTypes } from './reference-types.ts'
import { compileSequences } from './sequence.ts'
import type { Column, Entity } from '../compiled/entity.ts'
import type { FieldType } from '../compiled/field-features.ts'
import type { Script } from '../compiled/script.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { toWords } from '../names.ts'
import type { Element, Place } from '../parse/element.ts'

/** Columns that are a record's label where Display is left out, in the order of preference. */
const DISPLAY_NAMES = ['Name', 'Code', 'Number', 'Title', 'Label']

/** Compiles every entity into the compilation, `User` first. */
export function compileEntities(c: Compilation): void {
  const user = makeUserEntity()
  c.entities.set(user.name, user)
  c.entityByTable.set(user.table, user)
  const scripts = c.scriptsOf('Entity')
  const faulty = c.faulty.scripts.filter(({ type }) => type === 'Entity')
  const types = new ReferenceTypes([...scripts, ...faulty])
  const names = new Set<string>()
  for (const script of scripts) {
    // A second one of a name is a fault already; what names it means the first.
    if (!names.has(script.name)) compileEntity(c, script, types)
    names.add(script.name)
  }
  for (const script of scripts) {
    checkReferences(c, script.element)
    checkWas(c, script.element)
  }
}

function compileEntity(c: Compilation, script: Script, types: ReferenceTypes): void {
  const element = script.element
  const name = script.name
  const columns = compileColumns(c, element, types)
  const keys = columns.filter((column) => column.key)
  const table = readText(element, 'Table') ?? name
  const isNamed = checkNames(c, element, name, table)
  if (!checkKeys(c, element, keys) || !isNamed) {
    c.broken.add(`Entity ${name}`)
    return
  }
  const entity: Entity = {
    name,
    table,
    label: c.labelOf(element, toWords(name)),
    synonyms: c.findText(element, 'Synonyms'),
    display: [],
    concurrency: readSwitch(element, 'Concurrency'),
    company: undefined,
    audit: readSwitch(element, 'Audit') || logsReads(element),
    logsReads: logsReads(element),
    tracking: readFlag(element, 'Tracking') ?? false,
    comments: readFlag(element, 'Comments') ?? false,
    parent: undefined,
    columns,
    columnByName: new Map(columns.map((column) => [column.name.toLowerCase(), column])),
    keys,
    indexes: [],
    sequences: [],
    validates: [],
    events: [],
    was: readText(element, 'Was'),
    builtIn: false,
    place: element.place,
  }
  completeEntity(c, element, entity)
  c.entities.set(name, entity)
  c.entityByTable.set(table.toLowerCase(), entity)
}

/** Completes what names columns: display, company, parent, indexes, sequences. */
const logsReads = (element: Element): boolean => readText(element, 'Audit')?.trim() === 'Reads'

function completeEntity(c: Compilation, element: Element, entity: Entity): void {
  entity.display = readDisplay(c, element, entity)
  const company = findNamedColumn(c, element, entity, 'Company')
  if (company && FIELD_KINDS[company.type].number !== 'whole') {
    const place = placeInColumn(element, company, 'Type')
    c.faults.add(place, 'The Company column holds a company id: it is an Integer')
  }
  if (company) company.required = true
  entity.company = company?.name
  const parent = findNamedColumn(c, element, entity, 'Parent')
  if (parent && parent.references !== entity.name) {
    const place = placeInColumn(element, parent, 'References')
    c.faults.add(place, `The Parent column must have References="${entity.name}"`)
  }
  entity.parent = parent?.name
  const period = findNamedColumn(c, element, entity, 'Period')
  if (period && !FIELD_KINDS[period.type].isDated) {
    const place = placeInColumn(element, period, 'Type')
    c.faults.add(place, 'The Period column says when a record counts: it is a Date or a DateTime')
  }
  entity.period = period?.name
  entity.indexes = compileIndexes(c, element, entity)
  entity.sequences = compileSequences(c, element, entity)
}

/** Returns the place of an attribute of a column of the entity. */
function placeInColumn(element: Element, { place }: Column, attribute: string): Place {
  const child = listChildren(element, 'Column').find((each) => each.place === place)
  return child ? placeOf(child, attribute) : place
}

function compileColumns(c: Compilation, element: Element, types: ReferenceTypes): Column[] {
  const columns: Column[] = []
  const taken = new Set<string>()
  const names = () => columns.map((column) => column.name)
  for (const child of listChildren(element, 'Column')) {
    const column = compileColumn(c, child, types, names)
    const key = column.name.toLowerCase()
    if (taken.has(key)) {
      c.faults.add(placeOf(child, 'Name'), `There are two columns ${column.name}`)
    } else columns.push(column)
    taken.add(key)
  }
  for (const column of engineColumns(element)) {
    if (taken.has(column.name.toLowerCase())) {
      const own = columns.find((each) => each.name.toLowerCase() === column.name.toLowerCase())
      const message = `${column.name} is added by the engine: leave it out`
      c.faults.add(placeInColumn(element, own ?? column, 'Name'), message)
    } else columns.push(column)
  }
  return columns
}

/** The stamp of Concurrency and the four columns of Tracking. */
function engineColumns(element: Element): Column[] {
  const place = element.place
  const columns: Column[] = []
  if (readSwitch(element, 'Concurrency')) {
    const stamp = {
      name: 'RowVersion',
      label: say`Row version`,
      type: 'Integer',
      kind: 'stamp',
    } as const
    columns.push(engineColumn({ ...stamp, place }))
  }
  if (!readFlag(element, 'Tracking')) return columns
  const user = { type: 'Integer', kind: 'tracking', references: 'User', place } as const
  const instant = { type: 'DateTime', kind: 'tracking', place } as const
  columns.push(
    engineColumn({ ...instant, name: 'CreatedAt', label: say`Created at` }),
    engineColumn({ ...user, name: 'CreatedBy', label: say`Created by` }),
    engineColumn({ ...instant, name: 'ChangedAt', label: say`Changed at` }),
    engineColumn({ ...user, name: 'ChangedBy', label: say`Changed by` }),
  )
  return columns
}

function checkNames(c: Compilation, element: Element, name: string, table: string): boolean {
  const place = placeOf(element, readText(element, 'Table') === undefined ? 'Name' : 'Table')
  if (name === 'User') {
    c.faults.add(placeOf(element, 'Name'), 'User is the built-in entity: choose another Name')
    return false
  }
  if (/^(svc|sqlite)_/i.test(table)) {
    const message = `Table ${table}: names that begin with svc_ or sqlite_ are reserved`
    c.faults.add(place, message)
    return false
  }
  const other = c.entityByTable.get(table.toLowerCase())
  if (!other) return true
  const where = describePlace(other.place)
  c.faults.add(place, `Table ${table} is also that of the Entity ${other.name} (${where})`)
  return false
}

function checkKeys(c: Compilation, element: Element, keys: readonly Column[]): boolean {
  if (keys.length === 0) {
    c.faults.add(element.place, 'The Entity has no key: give a Column Key="true"')
    return false
  }
  const identity = keys.find((key) => key.identity)
  if (!identity || (keys.length === 1 && FIELD_KINDS[identity.type].key === 'numbered')) return true
  c.faults.add(
    placeInColumn(element, identity, 'Identity'),
    'Identity is for a single Key of type Integer',
  )
  return false
}

function readDisplay(c: Compilation, element: Element, entity: Entity): readonly string[] {
  const written = readWords(element, 'Display')
  const columns = written.map((name) => findColumn(c, element, entity, 'Display', name))
  const found = columns.flatMap((column) => (column ? [column.name] : []))
  if (found.length > 0) return found
  const preferred = DISPLAY_NAMES.map((name) => entity.columnByName.get(name.toLowerCase()))
  const first =
    preferred.find((column) => column !== undefined) ??
    entity.columns.find((column) => FIELD_KINDS[column.type].isText && !column.key) ??
    entity.keys[0]
  return first ? [first.name] : []
}

function findNamedColumn(
  c: Compilation,
  element: Element,
  entity: Entity,
  attribute: string,
): Column | undefined {
  const name = readText(element, attribute)
  return name === undefined ? undefined : findColumn(c, element, entity, attribute, name)
}

/** Checks that a `Was` names something gone or renamed: rows belong to one name only. */
function checkWas(c: Compilation, element: Element): void {
  const refuse = (holder: Element, what: string) =>
    c.faults.add(placeOf(holder, 'Was'), `Was="${readText(holder, 'Was')}" names ${what}`)
  if (c.entities.has(readText(element, 'Was') ?? '')) {
    refuse(element, 'an entity that still exists')
  }
  const columns = new Map(
    listChildren(element, 'Column').map((child) => [readText(child, 'Name')?.toLowerCase(), child]),
  )
  for (const child of columns.values()) {
    const other = columns.get(readText(child, 'Was')?.toLowerCase() ?? '')
    // A column that was another itself has passed its name on: two may swap theirs.
    if (!other || (other !== child && readText(other, 'Was') !== undefined)) continue
    refuse(child, 'a column that still exists')
  }
}

function checkReferences(c: Compilation, element: Element): void {
  for (const child of listChildren(element, 'Column')) {
    const references = readText(child, 'References')
    const target = references && c.findEntity(references, child, 'References')
    if (!target || target.keys.length === 1) continue
    const message = `${target.name} has a key of several columns, so it cannot be referred to`
    c.faults.add(placeOf(child, 'References'), message)
  }
}

const PLACE: Place = { file: 'User', line: 1, column: 1 }

const COLUMNS: readonly [name: string, label: Message, type: FieldType][] = [
  ['Id', say`Id`, 'Integer'],
  ['UserName', say`User name`, 'Text'],
  ['DisplayName', say`Name`, 'Text'],
  ['Email', say`Email`, 'Text'],
  ['Active', say`Active`, 'Boolean'],
]

/** Read through its published name `svc_users`, never written. */
function makeUserEntity(): Entity {
  const columns = COLUMNS.map(([name, label, type]) => {
    const isKey = name === 'Id'
    return engineColumn({
      name,
      label,
      type,
      kind: 'declared',
      key: isKey,
      identity: isKey,
      place: PLACE,
    })
  })
  return {
    name: 'User',
    table: 'svc_users',
    label: say`User`,
    display: ['DisplayName'],
    concurrency: false,
    company: undefined,
    audit: false,
    logsReads: false,
    tracking: false,
    comments: false,
    parent: undefined,
    columns,
    columnByName: new Map(columns.map((column) => [column.name.toLowerCase(), column])),
    keys: columns.filter((column) => column.key),
    indexes: [],
    sequences: [],
    validates: [],
    events: [],
    was: undefined,
    builtIn: true,
    place: PLACE,
  }
}
