/** Wizards: the steps of a view, what each of them asks for, and the finish. */
import { findChild, listChildren, placeOf, readCount, readFlag, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { compileEffects } from './effects.ts'
import { suggest } from './fault-list.ts'
import { scopeOf } from './parameters.ts'
import { attributeSource, compileCondition, compileRead, textSource } from './sql.ts'
import { compileStepFields, GivenNames } from './step-fields.ts'
import { compileValidates } from './validate.ts'
import type { Entity } from '../compiled/entity.ts'
import { type View, VIEW_TYPES } from '../compiled/view.ts'
import {
  type Step,
  STEP_KINDS,
  type StepField,
  type StepKind,
  type Wizard,
} from '../compiled/wizard.ts'
import { toWords } from '../names.ts'
import type { Element } from '../parse/element.ts'

/** Sets the steps and the finish of every wizard; no other view has any. Needs the gate. */
export function compileWizards(c: Compilation): void {
  for (const view of c.views.values()) {
    const steps = listChildren(view.element, 'Step')
    const finish = findChild(view.element, 'Finish')
    if (!VIEW_TYPES[view.viewType].hasSteps) {
      const stray = steps[0] ?? finish
      if (stray) c.faults.add(stray.place, `${stray.name} belongs to a view with ViewType="Wizard"`)
    } else if (steps.length === 0) {
      c.faults.add(view.place, 'A wizard needs a Step')
    } else view.wizard = compileWizard(c, view, steps, finish)
  }
}

function compileWizard(
  c: Compilation,
  view: View,
  elements: readonly Element[],
  finish: Element | undefined,
): Wizard {
  checkStepNames(c, elements)
  checkParts(c, view)
  const entity = c.entities.get(readText(view.element, 'Entity') ?? '')
  const given = new GivenNames()
  const steps = elements.map((element) => {
    const step = compileStep(c, entity, element, given)
    given.add(step)
    return step
  })
  const labels = { features: () => given.fields.values(), isTenant: true }
  const names = () => given.names()
  const effects = finish ? compileEffects(c, finish, { names, labels }) : []
  return { entity, steps, effects }
}

/** Refuses parts about rows: a wizard has no rows that they could be checked against. */
function checkParts(c: Compilation, { element }: View): void {
  for (const child of element.children)
    if (child.name !== 'Step' && child.name !== 'Finish')
      c.faults.add(child.place, `${child.name} does not belong to a wizard: it has no rows`)
}

function checkStepNames(c: Compilation, elements: readonly Element[]): void {
  const taken = new Set<string>()
  for (const element of elements) {
    const name = readText(element, 'Name') ?? ''
    if (taken.has(name.toLowerCase()))
      c.faults.add(placeOf(element, 'Name'), `An earlier step is called ${name} already`)
    taken.add(name.toLowerCase())
  }
}

function compileStep(
  c: Compilation,
  entity: Entity | undefined,
  element: Element,
  given: GivenNames,
): Step {
  const name = readText(element, 'Name') ?? ''
  const kind = kindOf(element)
  checkForm(c, element, kind)
  const fields = compileStepFields(c, { entity, element, kind, given })
  const scope = new Map<string, StepField>(given.fields)
  for (const field of fields) scope.set(field.name.toLowerCase(), field)
  const min = readCount(element, 'Min') ?? 0
  const max = readCount(element, 'Max')
  if (max !== undefined && min > max) c.faults.add(placeOf(element, 'Min'), 'Min is above Max')
  return {
    name,
    label: c.labelOf(element, toWords(name)),
    kind,
    when: compileWhen(c, element, given),
    fields,
    validates: compileValidates(c, element, {
      owner: `The step ${name}`,
      fields: scope,
      names: () => given.names(),
    }),
    query: compileFieldQuery(c, element, given),
    min,
    max,
    place: element.place,
  }
}

function kindOf(element: Element): StepKind {
  if (readFlag(element, 'Summary')) return 'Summary'
  if (findChild(element, 'FieldQuery')) return 'Query'
  return readFlag(element, 'Repeat') ? 'List' : 'Fields'
}

/** Checks the attributes of a step against its kind. */
function checkForm(c: Compilation, element: Element, kind: StepKind): void {
  const refuse = (attribute: string, message: string) =>
    c.faults.add(placeOf(element, attribute), message)
  const hasFields = listChildren(element, 'Field').length > 0
  const asksOnItsOwn = STEP_KINDS[kind].asksByQuery || STEP_KINDS[kind].isSummary
  const own = STEP_KINDS[kind].asksByQuery
    ? 'the rows of its FieldQuery'
    : 'no fields: it is a Summary'
  for (const name of ['Entity', 'Repeat'])
    if (asksOnItsOwn && readText(element, name) !== undefined)
      refuse(name, `${name} does not belong here: the step has ${own}`)
  const [field] = listChildren(element, 'Field')
  if (asksOnItsOwn && field)
    c.faults.add(field.place, `Field does not belong here: the step has ${own}`)
  const query = findChild(element, 'FieldQuery')
  if (STEP_KINDS[kind].isSummary && query)
    c.faults.add(query.place, `FieldQuery does not belong here: the step has ${own}`)
  for (const name of ['Min', 'Max'])
    if (!STEP_KINDS[kind].hasRows && readText(element, name) !== undefined)
      refuse(name, `${name} counts the rows of a step with Repeat="true"`)
  if (!asksOnItsOwn && readFlag(element, 'Only') && readText(element, 'Entity') === undefined)
    refuse('Only', 'Only goes with an Entity')
  if (asksOnItsOwn || hasFields || readText(element, 'Entity') !== undefined) return
  c.faults.add(element.place, 'A Step needs a Field, an Entity, a FieldQuery or Summary="true"')
}

function compileWhen(c: Compilation, element: Element, given: GivenNames): Step['when'] {
  if (readText(element, 'When') === undefined) return undefined
  const source = attributeSource(c, element, 'When')
  const earlier = given.names()
  return compileCondition(
    c,
    source,
    'SELECT 1 AS Step',
    scopeOf(() => earlier),
  )
}

/** Columns that a FieldQuery may give for a field. */
const QUERIED_COLUMNS = ['Name', 'Label', 'Type', 'Required', 'Help', 'Options'] as const

function compileFieldQuery(c: Compilation, element: Element, given: GivenNames): Step['query'] {
  const child = findChild(element, 'FieldQuery')
  if (!child) return undefined
  const earlier = given.names()
  const sql = compileRead(
    c,
    textSource(c, child),
    scopeOf(() => earlier),
  )
  if (!sql) return undefined
  const known: readonly string[] = QUERIED_COLUMNS
  for (const { name } of sql.columns) {
    if (known.includes(name)) continue
    const what = `The FieldQuery returns ${name}: its columns are ${known.join(', ')}`
    c.faults.add(child.place, `${what}${suggest(name, known)}`)
  }
  if (!sql.columns.some(({ name }) => name === 'Name'))
    c.faults.add(child.place, 'The FieldQuery has no output column Name: write AS Name')
  return sql
}
