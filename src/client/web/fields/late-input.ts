/** A combo box that opens and searches behind the frame that answers a key or a click. */
import { afterFrame } from '../state/after-frame.ts'

/** An event that waits, with its first target. */
interface LateEvent {
  type: string
  origin: EventTarget
}

/**
 * Listeners of a combo box, which draws its list while it handles an input or a click: a slow
 * machine would show the typed letter a third of a second later. The event is kept from it until
 * the frame is drawn, or until a key or a change of the focus needs it to know.
 */
export class LateInput {
  #late: LateEvent[] = []
  #isOwn = false

  /** Takes an input or a click before the box does. */
  readonly take = (event: Event): void => {
    const [origin] = event.composedPath()
    const isLink = origin instanceof Element && origin.closest('a') !== null
    if (this.#isOwn || !origin || isLink) return
    event.stopPropagation()
    const { type } = event
    const last = this.#late.at(-1)
    if (last?.type === type && last.origin === origin && type === 'input') return
    if (this.#late.push({ type, origin }) === 1) afterFrame(this.pass)
  }

  /** Passes on at once what waits. */
  readonly pass = (): void => {
    const late = this.#late
    this.#late = []
    this.#isOwn = true
    try {
      for (const { type, origin } of late)
        origin.dispatchEvent(new Event(type, { bubbles: true, cancelable: true, composed: true }))
    } finally {
      this.#isOwn = false
    }
  }
}
