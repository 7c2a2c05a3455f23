/** Reference rows: their columns and values. */
import { listChildren, placeOf, readFlag, readText, readWords } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { suggest } from './fault-list.ts'
import { findColumn } from './find-column.ts'
import type { Column, Entity } from '../compiled/entity.ts'
import type { ReferenceRows } from '../compiled/reference-rows.ts'
import { checkField } from '../fields/check.ts'
import { FieldFault } from '../fields/field-kind.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import type { Element } from '../parse/element.ts'

/** The reference rows of every entity, in the order of the model. */
export function compileRows(c: Compilation): ReferenceRows[] {
  const all: ReferenceRows[] = []
  for (const { element } of c.scriptsOf('Rows')) {
    const entity = c.findEntity(readText(element, 'Entity') ?? '', element, 'Entity')
    if (!entity) continue
    if (entity.builtIn) {
      const message = `${entity.name} is built in: it takes no Rows`
      c.faults.add(placeOf(element, 'Entity'), message)
    }
    const columns = readWords(element, 'Key').map((name) =>
      findColumn(c, element, entity, 'Key', name),
    )
    const key = columns.flatMap((column) => (column ? [column.name] : []))
    const rows: ReferenceRows['rows'][number][] = []
    const taken = new Set<string>()
    for (const child of listChildren(element, 'Row')) {
      const row = compileRow(c, child, entity, key)
      const own = JSON.stringify(key.map((name) => row.values[name] ?? null))
      const isNamed = key.length > 0 && key.every((name) => name in row.values)
      if (isNamed && taken.has(own)) {
        const text = key.map((name) => `${name}="${row.values[name]}"`).join(' ')
        c.faults.add(child.place, `An earlier Row has ${text} already`)
      }
      taken.add(own)
      rows.push(row)
    }
    const once = readFlag(element, 'Once') ?? false
    all.push({ entity: entity.name, key, once, rows, place: element.place })
  }
  return all
}

function compileRow(
  c: Compilation,
  element: Element,
  entity: Entity,
  key: readonly string[],
): ReferenceRows['rows'][number] {
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(element.attributes)) {
    const column = findRowColumn(c, element, entity, name)
    if (!column) continue
    const parsed = FIELD_KINDS[column.type].parse(value, column)
    const broken = parsed instanceof FieldFault ? parsed.message : checkField(parsed, column)
    if (broken !== undefined) c.faults.add(placeOf(element, name), `${name}: ${broken}`)
    values[column.name] = value
  }
  for (const name of key) {
    if (name in values) continue
    c.faults.add(element.place, `The row needs ${name}, which identifies it`)
  }
  return { values, place: element.place }
}

function findRowColumn(
  c: Compilation,
  element: Element,
  entity: Entity,
  name: string,
): Column | undefined {
  const column = entity.columnByName.get(name.toLowerCase())
  if (column && column.kind === 'declared' && column.compute === undefined) return column
  const names = entity.columns.map((each) => each.name)
  const message = column
    ? `${column.name} is set by the engine: leave it out`
    : `${entity.name} has no column ${name}${suggest(name, names)}`
  c.faults.add(placeOf(element, name), message)
  return undefined
}
