/** Work of the assistant for one user: one piece after another, by whatever route it comes. */
import { tooMany, unavailable } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import type { AssistantCall } from './assistant-call.ts'

/** Pieces of work of one user that wait; one more is refused. */
const WAITING_MAX = 20
const RETRY_SECONDS = 2

interface Queue {
  semaphore: Semaphore
  /** Works that run or wait. */
  works: number
}

const queuesOf = new WeakMap<AssistantCall['engine'], Map<number, Queue>>()

const newQueue = (): Queue => ({
  works: 0,
  semaphore: new Semaphore(1, {
    waitingMax: WAITING_MAX,
    refuse: () =>
      tooMany(say`You have too many unanswered questions. Please try again later.`, RETRY_SECONDS),
  }),
})

/**
 * Reads a question, or runs a tool, when the user's earlier work is done. Running work must not
 * begin other work this way: it would wait for itself.
 * @throws tooMany (429) when too many wait
 */
export async function inTurn<T>(
  { engine, caller, signal }: AssistantCall,
  work: () => Promise<T>,
): Promise<T> {
  let queues = queuesOf.get(engine)
  if (!queues) queuesOf.set(engine, (queues = new Map()))
  const queue = queues.getOrInsertComputed(caller.userId, newQueue)
  queue.works++
  try {
    return await queue.semaphore.run(async () => {
      if (signal.aborted) throw unavailable(say`The request was cancelled`)
      return work()
    })
  } finally {
    queue.works--
    if (queue.works === 0) queues.delete(caller.userId)
  }
}
