/** Workflow documents: what a deploy checks of them; a later engine reads the element. */
import type { Element } from '../element.ts'
import type { Script } from '../compiled/script.ts'
import type { View } from '../compiled/view.ts'
import { VERBS } from '../compiled/role.ts'
import {
  findChild,
  listChildren,
  listGrouped,
  readCount,
  readText,
  readWords,
  placeOf,
} from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { compileEffects, checkRole } from './effects.ts'
import { suggest } from './fault-list.ts'
import { compileFeatures } from './features.ts'
import { requireFields } from './lookup.ts'
import { CONTEXT_ONLY, scopeOf } from './parameters.ts'
import { attributeSource, compileCondition, compileRead, textSource } from './sql.ts'
import { compileValidates } from './validate.ts'
import { labelsOf, outputNames } from './view-rules.ts'

/** Checks every workflow. */
export function compileWorkflows(c: Compilation): void {
  for (const script of c.scriptsOf('Workflow')) {
    compileWorkflow(c, script)
  }
}

function compileWorkflow(c: Compilation, { element }: Script): void {
  const view = c.findView(readText(element, 'Object') ?? '', element, 'Object')
  if (!view) return
  const field = readText(element, 'StateField') ?? ''
  requireFields(c, element, view, 'StateField', [field])
  const states = listGrouped(element, 'States', 'State')
  checkStates(c, element, states, view)
  const names = states.map((state) => readText(state, 'Name') ?? '')
  for (const child of listGrouped(element, 'Transitions', 'Transition')) {
    checkTransition(c, child, view, names)
  }
  for (const child of listChildren(element, 'Start')) checkWhen(c, child, view)
}

function checkStates(
  c: Compilation,
  element: Element,
  states: readonly Element[],
  view: View,
): void {
  const initial = states.filter((state) => readText(state, 'Kind') === 'Initial')
  if (initial.length !== 1)
    c.faults.add(element.place, 'A Workflow needs one State of Kind="Initial"')
  for (const state of states) {
    for (const assign of listChildren(state, 'Assign')) checkAssign(c, state, assign, view)
  }
}

function checkAssign(c: Compilation, state: Element, element: Element, view: View): void {
  if (readText(state, 'Kind') !== 'Task') {
    c.faults.add(element.place, 'Assign belongs to a State of Kind="Task"')
  }
  const role = readText(element, 'Role')
  if (role !== undefined) checkRole(c, role, placeOf(element, 'Role'))
  const escalate = readText(element, 'Escalate')
  if (escalate !== undefined) checkRole(c, escalate, placeOf(element, 'Escalate'))
  const child = findChild(element, 'Sql')
  const scope = scopeOf(() => outputNames(view))
  if (child) compileRead(c, textSource(c, child), scope)
  const isShort = readText(element, 'Sql') !== undefined
  if (isShort) compileRead(c, attributeSource(c, element, 'Sql'), scope)
  if (!child && !isShort && role === undefined && readText(element, 'User') === undefined) {
    c.faults.add(element.place, 'Assign names nobody: give Role, User or Sql')
  }
  const isQuorum = readText(element, 'Rule') === 'Quorum'
  if (isQuorum !== (readCount(element, 'Count') !== undefined)) {
    const attribute = isQuorum ? 'Rule' : 'Count'
    c.faults.add(placeOf(element, attribute), 'Count and Rule="Quorum" stand together')
  }
}

function checkTransition(
  c: Compilation,
  element: Element,
  view: View,
  states: readonly string[],
): void {
  for (const attribute of ['From', 'To']) {
    for (const name of readWords(element, attribute)) {
      if (states.includes(name)) continue
      const message = `There is no State ${name}${suggest(name, states)}`
      c.faults.add(placeOf(element, attribute), message)
    }
  }
  const action = readText(element, 'Action') ?? ''
  if (view.rowActions.some((each) => each.name === action)) {
    const message = `${view.name} has a RowAction ${action}, and a transition's Action is one too`
    c.faults.add(placeOf(element, 'Action'), message)
  }
  const capability = readText(element, 'Capability')
  if (capability !== undefined) c.requireCapability(capability, element, VERBS)
  checkWhen(c, element, view)
  const parameters = listChildren(element, 'Parameter')
  const own = parameters.map((child) => readText(child, 'Name') ?? '')
  const features = parameters.map((child) => compileFeatures(c, child, { names: () => own }))
  const names = () => [...outputNames(view), ...own, 'Comment']
  compileValidates(c, element, { owner: view.name, fields: view.fieldByName, names })
  compileEffects(c, element, { names, labels: labelsOf(view, features) })
}

function checkWhen(c: Compilation, element: Element, view: View): void {
  if (readText(element, 'When') === undefined) return
  compileCondition(c, attributeSource(c, element, 'When'), view.query.text, CONTEXT_ONLY)
}
