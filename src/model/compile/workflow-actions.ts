/**
 * Additions of a workflow to the view whose records it moves: a row action for each of its actions,
 * and the effects that begin and end its instances.
 */
import type { RowAction } from '../compiled/action.ts'
import type { AuthoredCondition } from '../compiled/authored-sql.ts'
import type { Event } from '../compiled/effect.ts'
import type { View } from '../compiled/view.ts'
import type { Transition, Workflow } from '../compiled/workflow.ts'
import { quote } from '../sql/quote.ts'

/** Plans one row action for each name, in document order; none for what fires by itself. */
export function planWorkflowActions(workflow: Workflow, view: View): RowAction[] {
  const taken = workflow.transitions.filter(({ after }) => after === undefined)
  return [...Map.groupBy(taken, ({ action }) => action).values()].flatMap((list): RowAction[] => {
    const [first] = list
    if (!first) return []
    const names = new Set<string>()
    const parameters = list
      .flatMap((transition) => transition.parameters)
      .filter(({ name }) => !names.has(name.toLowerCase()) && names.add(name.toLowerCase()))
    const { action: name, label, capability, place } = first
    const when = planPermit(workflow, view, list)
    const none = { confirm: undefined, effects: [], opens: undefined }
    const own = { name, label, capability, for: 'Row', when, parameters, place } as const
    return [{ ...own, ...none, workflow: workflow.name }]
  })
}

/**
 * Plans whether a row could take the action: the record is in a state that it leads from, and the
 * condition of a transition holds. The holder of the task is checked when it is taken.
 */
function planPermit(
  { stateColumn }: Workflow,
  view: View,
  list: readonly Transition[],
): AuthoredCondition {
  const field = view.fields.find(({ column }) => column?.name === stateColumn)
  const parts = list.map(({ from, when }) => {
    const states = from.map((state) => `'${state}'`).join(', ')
    const isIn = `${quote(field?.name ?? stateColumn)} IN (${states})`
    return when ? `${isIn} AND (\n${when.text}\n)` : isIn
  })
  const conditions = list.flatMap(({ when }) => when ?? [])
  return {
    text: parts.map((part) => `(${part})`).join(' OR '),
    place: (list[0] ?? view).place,
    parameters: [...new Set(conditions.flatMap(({ parameters }) => parameters))],
    reads: [...new Set(conditions.flatMap(({ reads }) => reads))],
    mayRunInline: conditions.every(({ mayRunInline }) => mayRunInline),
  }
}

/** Plans the events that begin an instance as the workflow says, and end it with its record. */
export function planWorkflowEvents({ name, starts, place }: Workflow): Event[] {
  const end: Event = {
    event: 'deleted',
    when: undefined,
    place,
    effects: [{ kind: 'workflow', workflow: name, does: 'end' }],
  }
  const begin = starts.map(({ on, when }): Event => ({
    event: on,
    when,
    place,
    effects: [{ kind: 'workflow', workflow: name, does: 'start' }],
  }))
  return [...begin, end]
}
