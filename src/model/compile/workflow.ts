/** Workflow documents: states, transitions, branches, and how instances begin. */
import { listChildren, listGrouped, placeOf, readText, readWords } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { compileParameters } from './declared-parameters.ts'
import { compileEffects } from './effects.ts'
import { BUILT_IN } from './events.ts'
import { suggest } from './fault-list.ts'
import { requireFields } from './lookup.ts'
import { CONTEXT_ONLY } from './parameters.ts'
import { attributeSource, compileCondition } from './sql.ts'
import { compileValidates } from './validate.ts'
import { columnNames, labelsOf, outputNames, unservedNames } from './view-rules.ts'
import { slugOf } from './view.ts'
import { compileCalendar, readDuration } from './work-calendar.ts'
import { planWorkflowActions } from './workflow-actions.ts'
import { checkGraph } from './workflow-graph.ts'
import { compileStates } from './workflow-states.ts'
import type { Field } from '../compiled/field.ts'
import { VERBS } from '../compiled/role.ts'
import type { Script } from '../compiled/script.ts'
import type { View } from '../compiled/view.ts'
import {
  type Transition,
  type Workflow,
  WORKFLOW_STATES,
  type WorkflowStart,
} from '../compiled/workflow.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { toWords } from '../names.ts'
import type { Element } from '../parse/element.ts'

/**
 * Compiles every workflow, by name; its actions become row actions of its view, and its column is
 * read-only in every view.
 */
export function compileWorkflows(c: Compilation): Map<string, Workflow> {
  const workflows = new Map<string, Workflow>()
  for (const script of c.scriptsOf('Workflow')) {
    const view = c.findView(readText(script.element, 'Object') ?? '', script.element, 'Object')
    const workflow = view && compileWorkflow(c, script, view)
    if (!workflow) continue
    workflows.set(script.name, workflow)
    checkOnly(c, script.element, workflow, workflows)
    view.rowActions = [...view.rowActions, ...planWorkflowActions(workflow, view)]
    for (const each of c.views.values())
      if (each.entity === view.entity)
        for (const field of each.fields)
          if (field.column?.name === workflow.stateColumn) holdState(field, workflow)
  }
  return workflows
}

/** The field is the workflow's to write, and its options are the states too. */
function holdState(field: Field, { states }: Workflow): void {
  field.readOnly = true
  const known = new Set(field.options.map(({ value }) => value))
  const further = states.filter(({ name }) => !known.has(name))
  const options = further.map(({ name: value, label }) => ({ value, label }))
  field.options = [...field.options, ...options]
}

function compileWorkflow(
  c: Compilation,
  { element, name, ...script }: Script,
  view: View,
): Workflow | undefined {
  const stateColumn = findStateColumn(c, element, view)
  const elements = listGrouped(element, 'States', 'State')
  const states = compileStates(c, elements, view)
  const initial = states.filter(({ kind }) => WORKFLOW_STATES[kind].begins)
  if (initial.length !== 1)
    c.faults.add(element.place, 'A Workflow needs one State of Kind="Initial"')
  const names = states.map((state) => state.name)
  const named = (each: Element, attribute: string) => requireStates(c, each, attribute, names)
  const transitions = listGrouped(element, 'Transitions', 'Transition').map((child) =>
    compileTransition(c, child, view, names),
  )
  const forks = listChildren(element, 'Fork').map((child) => ({
    state: named(child, 'State')[0] ?? '',
    branches: named(child, 'Branches'),
  }))
  const joins = listChildren(element, 'Join').map((child) => ({
    from: named(child, 'From'),
    to: named(child, 'To')[0] ?? '',
  }))
  const starts = listChildren(element, 'Start').map((child): WorkflowStart => ({
    on: readText(child, 'On') === 'updated' ? 'updated' : 'created',
    when: compileWhen(c, child, view),
  }))
  if (!stateColumn || !initial[0]) return undefined
  const { versionHash } = script
  const workflow: Workflow = Object.freeze({
    name,
    slug: slugOf({ element, name, ...script }),
    versionHash,
    label: c.labelOf(element, toWords(name)),
    view: view.name,
    stateColumn,
    states,
    initial: initial[0].name,
    transitions,
    forks,
    joins,
    starts,
    calendar: compileCalendar(c, element),
    place: element.place,
  })
  checkGraph(c, element, workflow)
  return workflow
}

/** The column behind the StateField: the engine writes it, so it is one of the entity's. */
function findStateColumn(c: Compilation, element: Element, view: View): string | undefined {
  const name = readText(element, 'StateField') ?? ''
  requireFields(c, element, view, 'StateField', [name])
  const column = view.fieldByName.get(name.toLowerCase())?.column
  const refuse = (message: string) => c.faults.add(placeOf(element, 'StateField'), message)
  if (!view.entity || view.entity.builtIn || view.keys.length === 0) {
    c.faults.add(placeOf(element, 'Object'), `${view.name} has no records of its own to move`)
    return undefined
  }
  if (!column) {
    if (view.fieldByName.has(name.toLowerCase()))
      refuse(`${name} is not a column of ${view.entity.name}, where the state is stored`)
    return undefined
  }
  if (!FIELD_KINDS[column.type].isText)
    refuse(`${name} is of type ${column.type}: a state must be a Text`)
  if (column.key || column.compute) refuse(`${name} cannot be written by a workflow`)
  return column.name
}

function checkOnly(
  c: Compilation,
  element: Element,
  workflow: Workflow,
  workflows: ReadonlyMap<string, Workflow>,
): void {
  const entity = c.views.get(workflow.view)?.entity
  for (const other of workflows.values()) {
    if (other === workflow || other.stateColumn !== workflow.stateColumn) continue
    if (c.views.get(other.view)?.entity !== entity) continue
    const message = `${other.name} already moves ${workflow.stateColumn}: one workflow per column`
    c.faults.add(placeOf(element, 'StateField'), message)
  }
}

function requireStates(
  c: Compilation,
  element: Element,
  attribute: string,
  states: readonly string[],
): string[] {
  const names = readWords(element, attribute)
  for (const name of names) {
    if (states.includes(name)) continue
    const message = `There is no State ${name}${suggest(name, states)}`
    c.faults.add(placeOf(element, attribute), message)
  }
  return names
}

function compileTransition(
  c: Compilation,
  element: Element,
  view: View,
  states: readonly string[],
): Transition {
  const from = requireStates(c, element, 'From', states)
  const [to = ''] = requireStates(c, element, 'To', states)
  const action = readText(element, 'Action') ?? ''
  checkAction(c, element, view, action)
  const word = readText(element, 'Capability')
  const capability = word === undefined ? undefined : c.requireCapability(word, element, VERBS)
  const after = readDuration(element, 'After')
  const owner = `The transition ${action}`
  const parameters = compileParameters(c, element, { owner, fields: view.fieldByName })
  if (after && parameters.length > 0)
    c.faults.add(placeOf(element, 'After'), 'A transition that fires by itself takes no Parameter')
  const own = parameters.map((parameter) => parameter.name)
  const names = () => [...outputNames(view), ...own, 'Comment']
  const columns = () => columnNames(view)
  const fields = new Map<string, (typeof parameters)[number] | View['fields'][number]>(
    view.fieldByName,
  )
  for (const parameter of parameters) fields.set(parameter.name.toLowerCase(), parameter)
  return {
    action,
    label: c.labelOf(element, toWords(action)),
    from,
    to,
    capability,
    after,
    when: compileWhen(c, element, view),
    parameters,
    validates: compileValidates(c, element, { owner, fields, names, columns }),
    effects: compileEffects(c, element, {
      names,
      labels: labelsOf(view, parameters),
      columns,
      unserved: () => unservedNames(view),
    }),
    place: element.place,
  }
}

function checkAction(c: Compilation, element: Element, view: View, action: string): void {
  const refuse = (message: string) => c.faults.add(placeOf(element, 'Action'), message)
  if (view.rowActions.some((each) => each.name === action && each.workflow === undefined))
    refuse(`${view.name} has a RowAction ${action}, and a transition's Action is one too`)
  if (BUILT_IN.includes(action))
    refuse(`${action} is an event of every record: give the action another name`)
}

function compileWhen(c: Compilation, element: Element, view: View) {
  if (readText(element, 'When') === undefined) return undefined
  return compileCondition(c, attributeSource(c, element, 'When'), view.query.text, CONTEXT_ONLY)
}
