/** What a view says of its rows: presets, permits, actions, details, validates and events. */
import type { Element } from '../element.ts'
import type {
  ActionParameter,
  AuthoredCondition,
  Detail,
  FieldFeatures,
  Permit,
  Preset,
  RowAction,
  View,
} from '../model.ts'
import { VERBS } from '../model.ts'
import { toWords } from '../names.ts'
import { listChildren, readFlag, readText, readWords } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { checkArguments, checkTexts, compileEffects, hasEffects } from './effects.ts'
import { BUILT_IN, compileEvents } from './events.ts'
import { compileFeatures } from './features.ts'
import { requireFields } from './lookup.ts'
import { readPairs } from './pairs.ts'
import { CONTEXT_ONLY } from './parameters.ts'
import { attributeSource, compileCondition } from './sql.ts'
import { compileTarget } from './targets.ts'
import { compileValidates } from './validate.ts'
import { compileWireConditions } from './wire-condition.ts'

/** Completes every view, now that each stands with its query and fields. */
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
    })
    view.events = compileEvents(c, view.element, {
      owner: view.name,
      query: view.query.text,
      names: () => outputNames(view),
      actions: () => view.rowActions.map((action) => action.name),
    })
  }
}

/** Every output column of a view, served or not. */
export function outputNames(view: View): string[] {
  return view.query.columns.map((column) => column.name)
}

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
    c.faults.add(child.place, 'Another Preset is the Default already: at most one is')
  }
  return children.flatMap((child) => {
    const where = conditionOf(c, child, 'Where', view)
    const name = readText(child, 'Name') ?? ''
    const label = readText(child, 'Label') ?? toWords(name)
    return where ? [{ name, label, where, isDefault: readFlag(child, 'Default') ?? false }] : []
  })
}

/** One Permit a capability, though several may share an element. */
function compilePermits(c: Compilation, view: View): Permit[] {
  const permits: Permit[] = []
  for (const child of listChildren(view.element, 'Permit')) {
    const when = conditionOf(c, child, 'When', view)
    for (const capability of readWords(child, 'Capability')) {
      c.requireCapability(capability, child, VERBS)
      if (permits.some((permit) => permit.capability === capability)) {
        const message = `${capability} has a Permit already: join the conditions by AND`
        c.faults.add(child.place, message)
      } else if (when) permits.push({ capability, when })
    }
  }
  return permits
}

function compileRowAction(c: Compilation, element: Element, view: View): RowAction {
  const name = readText(element, 'Name') ?? ''
  const capability = readText(element, 'Capability')
  if (capability !== undefined) c.requireCapability(capability, element, VERBS)
  const scope = (readText(element, 'For') ?? 'Row') as RowAction['for']
  const parameters = compileParameters(c, element, view)
  const names = () => [...outputNames(view), ...parameters.map((parameter) => parameter.name)]
  const target = compileTarget(c, element)
  if (BUILT_IN.includes(name)) {
    c.faults.add(element.place, `${name} is an event of every record: name the action otherwise`)
  }
  if (target && hasEffects(element)) {
    c.faults.add(element.place, 'A RowAction either opens something or has effects, not both')
  }
  if (!target && !hasEffects(element)) {
    c.faults.add(element.place, 'A RowAction without effects must open something')
  }
  checkTexts(c, element, names())
  checkArguments(c, element, names())
  const permit = view.permits.find((each) => each.capability === (capability ?? 'Update'))
  const when = conditionOf(c, element, 'When', view) ?? permit?.when
  return {
    name,
    label: readText(element, 'Label') ?? toWords(name),
    capability,
    for: scope,
    confirm: readText(element, 'Confirm'),
    when: scope === 'View' ? undefined : when,
    parameters,
    effects: compileEffects(c, element, names),
    opens: target && { ...target, with: readText(element, 'With') },
    place: element.place,
  }
}

/**
 * A parameter of a column's name inherits what the column carries; its conditions may name the
 * other parameters and the fields of the row.
 */
function compileParameters(c: Compilation, element: Element, view: View): ActionParameter[] {
  const children = listChildren(element, 'Parameter')
  const names = () => children.map((child) => readText(child, 'Name') ?? '')
  const fields = new Map<string, FieldFeatures>(view.fieldByName)
  const parameters = children.map((child) => {
    const base = view.fieldByName.get((readText(child, 'Name') ?? '').toLowerCase())
    const inherited = base && { ...base, required: false, default: undefined }
    const features = compileFeatures(c, child, { base: inherited, names })
    fields.set(features.name.toLowerCase(), features)
    return { ...features, multiple: readFlag(child, 'Multiple') ?? false }
  })
  const scope = { owner: `The action ${readText(element, 'Name')}`, fields }
  return parameters.map((parameter, at) => {
    const child = children[at] ?? element
    return { ...parameter, ...compileWireConditions(c, child, scope) }
  })
}

function compileDetail(c: Compilation, element: Element, view: View): Detail {
  const target = readText(element, 'View') ?? ''
  const child = c.findView(target, element)
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
    c.faults.add(element.place, `${child.name} has no Entity, so it cannot be a Detail`)
  }
  return {
    name: readText(element, 'Name') ?? target,
    view: child?.name ?? target,
    parent: pairs.map(([field, parent]) => ({ child: field, parent })),
    label: readText(element, 'Label') ?? child?.label ?? toWords(target),
  }
}
