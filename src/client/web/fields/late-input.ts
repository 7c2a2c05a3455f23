/** A combo box that searches once one stops typing, and opens behind the frame of a click. */
import { afterFrame } from '../state/after-frame.ts'

/** One who types is asked to wait for no list: it is searched when no letter came for so long. */
const PAUSE_MS = 150

/** Keys that change the text, of which an input follows. */
const EDITING = new Set(['Backspace', 'Delete'])

/** An event that waits, with its first target. */
interface LateEvent {
  type: string
  origin: EventTarget
}

/**
 * Listeners of a combo box, which draws its list while it handles an input or a click: a slow
 * machine would show the typed letter a third of a second later. The event is kept from it until
 * the typing pauses or the frame is drawn, or until a key or a change of the focus needs it to
 * know.
 */
export class LateInput {
  #late: LateEvent[] = []
  #pause: ReturnType<typeof setTimeout> | undefined
  #isOwn = false

  /** Takes an input or a click before the box does. */
  readonly take = (event: Event): void => {
    const [origin] = event.composedPath()
    const isLink = origin instanceof Element && origin.closest('a') !== null
    if (this.#isOwn || !origin || isLink) return
    event.stopPropagation()
    const { type } = event
    const last = this.#late.at(-1)
    const isTyping = type === 'input'
    if (!isTyping || last?.type !== type) this.#late.push({ type, origin })
    if (!isTyping) return afterFrame(this.pass)
    clearTimeout(this.#pause)
    this.#pause = setTimeout(this.pass, PAUSE_MS)
  }

  /** Passes on what waits before a key that goes by the list, as Enter and the arrows do. */
  readonly passBefore = ({ key }: KeyboardEvent): void => {
    if (key.length > 1 && !EDITING.has(key)) this.pass()
  }

  /** Passes on at once what waits. */
  readonly pass = (): void => {
    clearTimeout(this.#pause)
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
