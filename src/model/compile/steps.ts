/** Long work in small steps: all at once, or in turns that let others in between. */
import { Yielder } from '../../kernel/yielder.ts'

/** Each step takes a millisecond or two at most; what is done is returned at the end. */
export type Steps<T> = Generator<undefined, T>

/** Takes all steps at once. */
export function takeAll<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Takes steps in turns of the event loop. */
export async function takeInTurns<T>(steps: Steps<T>): Promise<T> {
  const yielder = new Yielder()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await yielder.yieldWhenDue()
  }
}

/** Takes steps for so many milliseconds; undefined when some are left. */
export function takeFor<T>(steps: Steps<T>, milliseconds: number): { value: T } | undefined {
  const end = performance.now() + milliseconds
  do {
    const { done, value } = steps.next()
    if (done) return { value }
  } while (performance.now() < end)
  return undefined
}
