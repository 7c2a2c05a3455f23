/** One action on many tasks: each in its own transaction, with a result for each. */
import type { Static } from '@sinclair/typebox'
import { Failure } from '../../kernel/failure.ts'
import { renderMessage } from '../../kernel/messages.ts'
import { readParameters } from '../../engine/object/parameters.ts'
import { performAction } from '../../engine/workflow/act.ts'
import { requireStateSeen } from '../../engine/workflow/instance-use.ts'
import type { TaskActionRequest, TaskActionResult } from '../../engine/workflow/schema.ts'
import { missingTask } from '../../engine/workflow/task-rows.ts'
import type { AppContext } from '../../server/context.ts'
import { planAgain } from '../../server/idempotent-response.ts'
import { planRequestMutation } from '../../server/mutation.ts'
import { languageOf } from '../../server/session.ts'
import { askerOf, requireTask } from './present.ts'

type Result = Static<typeof TaskActionResult>[number]

/** Takes the action on each task, in their order. */
export async function actOnTasks(
  app: AppContext,
  request: Request,
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
      const { found } = await requireTask(askerOf(app, request), taskId)
      const check = requireStateSeen(found, missingTask)
      const mutation = planRequestMutation(app, request, undefined)
      const state = await performAction(mutation, found, { ...wanted, check }, (_, { instance }) =>
        Promise.resolve(instance.State),
      )
      return { TaskId: taskId, Success: true, State: state, Code: null, Error: null }
    }
    results.push(await planAgain(request, act).catch((error) => toResult(error, taskId, request)))
  }
  return results
}

function toResult(error: unknown, TaskId: number, request: Request): Result {
  if (!(error instanceof Failure)) throw error
  const text = Object.values(error.fieldErrors ?? {})[0] ?? error.text
  const Error = renderMessage(text, languageOf(request))
  return { TaskId, Success: false, State: null, Code: error.code, Error }
}
