/** Rules of a view for its rows: presets, permits, actions, details, validates and events. */
import { listChildren, placeOf, readFlag, readPairs, readText, readWords } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { compileParameters } from './declared-parameters.ts'
import { checkArguments, checkTexts, compileEffects, hasEffects } from './effects.ts'
import { BUILT_IN, compileEvents, listTold } from './events.ts'
import { type LabelScope, listLabelNames } from './labels.ts'
import { requireFields } from './lookup.ts'
import { CONTEXT_ONLY } from './parameters.ts'
import { attributeSource, compileCondition } from './sql.ts'
import { compileTarget } from './targets.ts'
import { compileValidates } from './validate.ts'
import { planWorkflowEvents } from './workflow-actions.ts'
import type { RowAction } from '../compiled/action.ts'
import type { AuthoredCondition } from '../compiled/authored-sql.ts'
import type { FieldFeatures } from '../compiled/field-features.ts'
import { VERBS } from '../compiled/role.ts'
import type { Detail, Permit, Preset, View } from '../compiled/view.ts'
import type { Workflow } from '../compiled/workflow.ts'
import { toWords } from '../names.ts'
import type { Element } from '../parse/element.ts'
import { isOnSurface } from '../view-index.ts'

/** Completes every view, once each has its query and fields. */
export function compileViewRules(c: Compilation): void {
  for (const view of c.views.values()) {
    view.presets = compilePresets(c, view)
    view.permits = compilePermits(c, view)
    view.rowActions = listChildren(view.element, 'RowAction').map((child) =>
      compileRowAction(c, child, view),
    )
    view.details = listChildren(view.element, 'Detail').map((child) =>
      compileDetail(c, child, view),
    )
    view.validates = compileValidates(c, view.element, {
      owner: view.name,
      fields: view.fieldByName,
      names: () => outputNames(view),
      columns: () => columnNames(view),
    })
  }
}

/** Completes every view's events, now that the actions of workflows are among its own. */
export function compileViewEvents(c: Compilation, workflows: ReadonlyMap<string, Workflow>): void {
  for (const view of c.views.values()) {
    const authored = compileEvents(c, view.element, {
      owner: view.name,
      query: view.query.text,
      names: () => outputNames(view),
      columns: () => columnNames(view),
      told: () => (view.entity ? listTold(view.entity) : []),
      labels: labelsOf(view),
      unserved: () => unservedNames(view),
      actions: () => view.rowActions.map((action) => action.name),
    })
    const own = [...workflows.values()].filter((workflow) => workflow.view === view.name)
    view.events = [...own.flatMap(planWorkflowEvents), ...authored]
  }
}

/** The columns of a view, and parameters beside them, whose values have labels. */
export function labelsOf(view: View, parameters: readonly FieldFeatures[] = []): LabelScope {
  const isTenant = view.entity?.company !== undefined
  return { features: () => [...view.fields, ...parameters], isTenant }
}

/** Lists output columns, in lower case, that no surface of the view serves. */
export function unservedNames(view: View): ReadonlySet<string> {
  const unserved = view.fields.filter((field) => !isOnSurface(view, field))
  return new Set(unserved.map(({ name }) => name.toLowerCase()))
}

/** Every output column of a view, served or not. */
export function outputNames(view: View): string[] {
  return view.query.columns.map((column) => column.name)
}

/** Columns of the records of a view. */
export const columnNames = (view: View): string[] =>
  view.entity?.columns.map((column) => column.name) ?? []

function conditionOf(
  c: Compilation,
  element: Element,
  attribute: string,
  view: View,
): AuthoredCondition | undefined {
  if (readText(element, attribute) === undefined) return undefined
  const source = attributeSource(c, element, attribute)
  return compileCondition(c, source, view.query.text, CONTEXT_ONLY)
}

function compilePresets(c: Compilation, view: View): Preset[] {
  const children = listChildren(view.element, 'Preset')
  const chosen = children.filter((child) => readFlag(child, 'Default'))
  for (const child of chosen.slice(1)) {
    c.faults.add(
      placeOf(child, 'Default'),
      'Another Preset is already the Default: only one can be',
    )
  }
  return children.flatMap((child) => {
    const where = conditionOf(c, child, 'Where', view)
    const name = readText(child, 'Name') ?? ''
    const label = c.labelOf(child, toWords(name))
    return where ? [{ name, label, where, isDefault: readFlag(child, 'Default') ?? false }] : []
  })
}

/** Compiles one Permit per capability, though several may share an element. */
function compilePermits(c: Compilation, view: View): Permit[] {
  const permits: Permit[] = []
  for (const child of listChildren(view.element, 'Permit')) {
    const when = conditionOf(c, child, 'When', view)
    for (const word of readWords(child, 'Capability')) {
      const capability = c.requireCapability(word, child, VERBS)
      if (permits.some((permit) => permit.capability === capability)) {
        const message = `${capability} has a Permit already: join the conditions by AND`
        c.faults.add(placeOf(child, 'Capability'), message)
      } else if (when) permits.push({ capability, when })
    }
  }
  return permits
}

function compileRowAction(c: Compilation, element: Element, view: View): RowAction {
  const name = readText(element, 'Name') ?? ''
  const word = readText(element, 'Capability')
  const capability = word === undefined ? undefined : c.requireCapability(word, element, VERBS)
  const scope = (readText(element, 'For') ?? 'Row') as RowAction['for']
  const owner = `The action ${name}`
  const parameters = compileParameters(c, element, { owner, fields: view.fieldByName })
  const own = parameters.map((parameter) => parameter.name)
  const names = () => [...outputNames(view), ...own]
  const target = compileTarget(c, element)
  if (BUILT_IN.includes(name)) {
    const message = `${name} is an event of every record: give the action another name`
    c.faults.add(placeOf(element, 'Name'), message)
  }
  if (target && hasEffects(element)) {
    c.faults.add(element.place, 'A RowAction either opens something or has effects, not both')
  }
  if (!target && !hasEffects(element)) {
    c.faults.add(element.place, 'A RowAction without effects must open something')
  }
  const isOnRow = scope !== 'View'
  if (isOnRow) checkKeyNames(c, element, view)
  const onRow = labelsOf(view, parameters)
  const labels = isOnRow ? onRow : { ...onRow, features: () => parameters }
  const named = isOnRow ? names : () => own
  const unserved = () => unservedNames(view)
  checkTexts(c, element, [...named(), ...listLabelNames(labels)], unserved())
  checkArguments(c, element, named())
  if (!isOnRow && readText(element, 'When') !== undefined) {
    c.faults.add(placeOf(element, 'When'), 'When is judged on a row, and For="View" has none')
  }
  const permit = view.permits.find((each) => each.capability === (capability ?? 'Update'))
  const when = conditionOf(c, element, 'When', view) ?? permit?.when
  return {
    name,
    label: c.labelOf(element, toWords(name)),
    capability,
    for: scope,
    confirm: c.findText(element, 'Confirm'),
    when: isOnRow ? when : undefined,
    parameters,
    effects: compileEffects(c, element, {
      names,
      texts: named,
      labels,
      unserved,
      columns: isOnRow ? () => columnNames(view) : undefined,
    }),
    opens: target && { ...target, with: readText(element, 'With') },
    place: element.place,
  }
}

/** The key of the row comes under its own name, beside the action's parameters. */
function checkKeyNames(c: Compilation, element: Element, view: View): void {
  const keys = new Set(view.keys.map((field) => field.name.toLowerCase()))
  for (const child of listChildren(element, 'Parameter')) {
    const name = readText(child, 'Name') ?? ''
    if (!keys.has(name.toLowerCase())) continue
    c.faults.add(placeOf(child, 'Name'), `${name} is the key of the row: choose another`)
  }
}

function compileDetail(c: Compilation, element: Element, view: View): Detail {
  const target = readText(element, 'View') ?? ''
  const child = c.findView(target, element, 'View')
  const pairs = readPairs(element, 'Parent')
  if (child)
    requireFields(
      c,
      element,
      child,
      'Parent',
      pairs.map(([field]) => field),
    )
  requireFields(
    c,
    element,
    view,
    'Parent',
    pairs.map(([, field]) => field),
  )
  if (child && !child.entity) {
    const message = `${child.name} has no Entity, so it cannot be a Detail`
    c.faults.add(placeOf(element, 'View'), message)
  }
  return {
    name: readText(element, 'Name') ?? target,
    view: child?.name ?? target,
    parent: pairs.map(([field, parent]) => ({ child: field, parent })),
    label: c.labelOf(element, child?.label ?? toWords(target)),
  }
}
