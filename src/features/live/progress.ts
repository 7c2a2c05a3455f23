/** The hub's part that sends users the progress of their long work. */
import { Type } from '@sinclair/typebox'
import type { Progress } from '../../engine/progress.ts'
import type { HubChannel, HubPart } from '../../server/hub/hub.ts'

const ProgressEvent = Type.Object({
  OperationId: Type.String({ description: 'As the request gave it' }),
  Kind: Type.String({ description: 'export, import' }),
  Done: Type.Integer(),
  Total: Type.Union([Type.Integer(), Type.Null()], { description: 'Null while it is not known' }),
  State: Type.String({ description: 'running, done or failed' }),
  Message: Type.Union([Type.String(), Type.Null()]),
})

/** Every report goes to all clients of the user in the company that the work was begun in. */
export function progressPart(progress: Progress, channel: HubChannel): HubPart {
  progress.subscribe((owner, report) => channel.toUser(owner, 'progress', report))
  return {
    events: {
      progress: {
        description: 'How far long work of the caller has come that was begun with an OperationId',
        arguments: { progress: ProgressEvent },
      },
    },
  }
}
