/** The notice to users about a task that has come to them. */
import { renderMessage, say } from '../../kernel/messages.ts'
import type { ModelText } from '../../model/model-text.ts'
import type { NoticeKind } from '../notifications/notice-kinds.ts'

/** The kind by which users choose how they are notified of tasks. */
export const TASK_KIND: NoticeKind = 'Task'

/** `Task: Approval`, with the label of its state below, in a language. */
export const writeTaskNotice = (
  workflow: ModelText,
  state: ModelText | null,
  language: string | undefined,
): { title: string; body: string | null } => ({
  title: renderMessage(say`Task: ${renderMessage(workflow, language)}`, language),
  body: state === null ? null : renderMessage(state, language),
})
