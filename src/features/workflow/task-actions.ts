/** One action on many tasks: each in its own transaction, with a result for each. */
import type { Static } from '@sinclair/typebox'
import { Failure } from '../../kernel/failure.ts'
import { renderMessage } from '../../kernel/messages.ts'
import { readParameters } from '../../engine/object/parameters.ts'
import { performAction } from '../../engine/workflow/act.ts'
import { requireStateSeen } from '../../engine/workflow/instance-use.ts'
import type { TaskActionRequest, TaskActionResult } from '../../engine/workflow/schema.ts'
import { missingTask } from '../../engine/workflow/task-rows.ts'
import type { RequestCall } from '../../server/call.ts'
import { planAgain } from '../../server/idempotent-response.ts'
import { planMutation } from '../../server/mutation.ts'
import { requireTask } from './present.ts'

type Result = Static<typeof TaskActionResult>[number]

/** Takes the action on each task, in their order. */
export async function actOnTasks(
  call: RequestCall,
  { Action, Tasks, Comment, Parameters }: TaskActionRequest,
): Promise<Result[]> {
  const results: Result[] = []
  for (const taskId of new Set(Tasks)) {
    const wanted = {
      action: Action,
      comment: Comment ?? undefined,
      taskId,
      parameters: readParameters(Parameters),
    }
    const act = async (): Promise<Result> => {
      const { found } = await requireTask(call, taskId)
      const check = requireStateSeen(found, missingTask)
      const mutation = planMutation(call)
      const state = await performAction(mutation, found, { ...wanted, check }, (_, { instance }) =>
        Promise.resolve(instance.State),
      )
      return { TaskId: taskId, Success: true, State: state, Code: null, Error: null }
    }
    results.push(
      await planAgain(call, act).catch((error) => toResult(error, taskId, call.language)),
    )
  }
  return results
}

function toResult(error: unknown, TaskId: number, language: string): Result {
  if (!(error instanceof Failure)) throw error
  const text = Object.values(error.fieldErrors ?? {})[0] ?? error.text
  const Error = renderMessage(text, language)
  return { TaskId, Success: false, State: null, Code: error.code, Error }
}
