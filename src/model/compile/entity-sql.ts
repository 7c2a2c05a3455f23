/** The SQL of entities: computes, fills, validates and events. Needs the gate. */
import { SqlFault } from '../../store/gate/fault.ts'
import { findChild, listChildren, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { compileCompute } from './compute.ts'
import { compileEvents, listTold } from './events.ts'
import { checkPure, tableQuery } from './indexes.ts'
import { attributeSource, type SqlSource, textSource } from './sql.ts'
import { compileValidates } from './validate.ts'
import type { Column, Entity } from '../compiled/entity.ts'
import type { Element } from '../parse/element.ts'

/** Completes every entity with its SQL. */
export function compileEntitySql(c: Compilation): void {
  for (const script of c.scriptsOf('Entity')) {
    const entity = c.entities.get(script.name)
    if (entity && entity.place === script.element.place) compileOne(c, script.element, entity)
  }
}

function compileOne(c: Compilation, element: Element, entity: Entity): void {
  for (const child of listChildren(element, 'Column')) {
    const column = entity.columnByName.get((readText(child, 'Name') ?? '').toLowerCase())
    if (!column || column.place !== child.place) continue
    compileCompute(c, child, entity, column)
    checkFill(c, child, entity, column)
  }
  entity.validates = compileValidates(c, element, {
    owner: entity.name,
    fields: entity.columnByName,
    columns: () => entity.columns.map((column) => column.name),
  })
  entity.events = compileEvents(c, element, {
    owner: entity.name,
    query: tableQuery(entity),
    names: () => entity.columns.map((column) => column.name),
    columns: () => entity.columns.map((column) => column.name),
    told: () => listTold(entity),
    labels: { features: () => entity.columns, isTenant: entity.company !== undefined },
    actions: () => actionsOf(c, entity),
  })
}

/**
 * Checks a Fill, which reads the row as it was stored. Only the migration knows its columns: a
 * column or table that does not exist now is not a fault here.
 */
function checkFill(c: Compilation, element: Element, entity: Entity, column: Column): void {
  const child = findChild(element, 'Fill')
  if (child) checkStoredSql(c, textSource(c, child), (text) => void c.gate.read(text))
  else if (column.fill !== undefined) {
    const source = attributeSource(c, element, 'Fill')
    checkStoredSql(c, source, (text) => {
      const { parameters } = c.gate.condition(text, tableQuery(entity))
      checkPure(c, source, parameters, 'Fill')
    })
  }
}

/** Checks SQL that a deploy runs on stored rows: for all faults but unknown names. */
function checkStoredSql(c: Compilation, source: SqlSource, pass: (text: string) => void): void {
  try {
    pass(source.text)
  } catch (error) {
    if (!(error instanceof SqlFault)) throw error
    if (!/no such|no column|no table|ambiguous/i.test(error.message))
      c.faults.add(source.placeAt(error.offset), error.message)
  }
}

/** Names of the row actions of every view on an entity. */
function actionsOf(c: Compilation, entity: Entity): string[] {
  const views = [...c.views.values()].filter((view) => view.entity === entity)
  return views.flatMap((view) => view.rowActions.map((action) => action.name))
}
