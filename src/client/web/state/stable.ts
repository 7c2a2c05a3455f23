/** Computed values that stay the same object while they say the same. */
import { computed, type ReadonlySignal } from '@preact/signals'

/**
 * A computed value that is another only where it says another thing: the row in sight moves in the
 * address with each scroll, and what reads its filters is not drawn again for that.
 */
export function stable<T>(read: () => T): ReadonlySignal<T> {
  let known: { text: string; value: T } | undefined
  return computed(() => {
    const value = read()
    const text = JSON.stringify(value)
    if (known?.text !== text) known = { text, value }
    return known.value
  })
}
