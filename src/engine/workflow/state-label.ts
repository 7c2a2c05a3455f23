/** Labels of states. */
import { renderMessage } from '../../kernel/messages.ts'
import type { Workflow } from '../../model/compiled/workflow.ts'

/** The label of a state; its name where the workflow no longer has it. */
export function labelOfState({ states }: Workflow, name: string, language: string): string {
  const state = states.find((each) => each.name === name)
  return state ? renderMessage(state.label, language) : name
}
