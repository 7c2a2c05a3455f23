/** States of a workflow, and who has the tasks in them. */
import { findChild, listChildren, placeOf, readCount, readFlag, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { checkRole, checkTexts } from './effects.ts'
import { scopeOf } from './parameters.ts'
import { attributeSource, compileRead, textSource } from './sql.ts'
import { outputNames } from './view-rules.ts'
import { readDuration } from './work-calendar.ts'
import type { View } from '../compiled/view.ts'
import {
  type Assignment,
  USUAL_STATE_KIND,
  WORKFLOW_STATES,
  type WorkflowState,
} from '../compiled/workflow.ts'
import { toWords } from '../names.ts'
import type { Element } from '../parse/element.ts'

/** The states among some elements, in their order. */
export const compileStates = (
  c: Compilation,
  elements: readonly Element[],
  view: View,
): WorkflowState[] => elements.map((element) => compileState(c, element, view))

function compileState(c: Compilation, element: Element, view: View): WorkflowState {
  const name = readText(element, 'Name') ?? ''
  const kind = (readText(element, 'Kind') ?? USUAL_STATE_KIND) as WorkflowState['kind']
  const assigns = listChildren(element, 'Assign')
  if (!WORKFLOW_STATES[kind].hasTask) {
    for (const assign of assigns)
      c.faults.add(assign.place, 'Assign belongs to a State of Kind="Task"')
  } else if (assigns.length === 0) {
    c.faults.add(element.place, `The task of ${name} has no assignee: give it an Assign`)
  }
  const [x, y] = (readText(element, 'At') ?? '').trim().split(/\s+/).map(Number)
  const assignments = assigns.map((assign) => compileAssignment(c, assign, view))
  return {
    name,
    kind,
    label: c.labelOf(element, toWords(name)),
    place: element.place,
    assignment: assignments[0],
    at: x !== undefined && y !== undefined ? [x, y] : undefined,
  }
}

function compileAssignment(c: Compilation, element: Element, view: View): Assignment {
  const child = findChild(element, 'Sql')
  const scope = scopeOf(() => outputNames(view))
  const isShort = readText(element, 'Sql') !== undefined
  const source = child ? textSource(c, child) : attributeSource(c, element, 'Sql')
  const sql = child || isShort ? compileRead(c, source, scope) : undefined
  const rule = (readText(element, 'Rule') ?? 'Any') as Assignment['rule']
  const user = readText(element, 'User')
  const role = readRole(c, element, 'Role')
  checkTexts(c, element, outputNames(view))
  if (!child && !isShort && role === undefined && user === undefined)
    c.faults.add(element.place, 'Assign needs a Role, User or Sql')
  const count = readCount(element, 'Count')
  if ((rule === 'Quorum') !== (count !== undefined)) {
    const attribute = rule === 'Quorum' ? 'Rule' : 'Count'
    c.faults.add(placeOf(element, attribute), 'Count and Rule="Quorum" go together')
  }
  const dueIn = readDuration(element, 'DueIn')
  for (const attribute of ['Remind', 'Escalate'])
    if (dueIn === undefined && readText(element, attribute) !== undefined)
      c.faults.add(placeOf(element, attribute), `${attribute} needs DueIn: it is never due`)
  return {
    role,
    user,
    sql,
    rule,
    count,
    dueIn,
    remind: readDuration(element, 'Remind'),
    escalate: readRole(c, element, 'Escalate'),
    isStarterExcepted: readText(element, 'Except') === 'Starter',
    isMailed: readFlag(element, 'Mail') ?? false,
  }
}

function readRole(c: Compilation, element: Element, attribute: string): string | undefined {
  const role = readText(element, attribute)
  return role === undefined ? undefined : checkRole(c, role, placeOf(element, attribute))
}
