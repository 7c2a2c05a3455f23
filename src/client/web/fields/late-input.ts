/** A combo box that draws its list behind the frame that answers a letter or a click. */
import { afterFrame } from '../state/after-frame.ts'

/** A list that is not open yet opens when no letter came for so long: nobody waits for it. */
const PAUSE_MS = 150

/** Keys that change the text, of which an input follows. */
const EDITING = new Set(['Backspace', 'Delete'])

/** An event that waits, with its first target. */
interface LateEvent {
  type: string
  origin: EventTarget
  /** The text of the field, for an input. */
  text: string | undefined
}

const textOf = (target: EventTarget, type: string): string | undefined =>
  type === 'input' && target instanceof HTMLInputElement ? target.value : undefined

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
    const { type, currentTarget } = event
    const isOpen = currentTarget !== null && Reflect.get(currentTarget, 'opened') === true
    const late = { type, origin, text: textOf(origin, type) }
    const isSame = this.#late.at(-1)?.type === type && type === 'input'
    this.#late = [...(isSame ? this.#late.slice(0, -1) : this.#late), late]
    clearTimeout(this.#pause)
    if (type === 'input' && !isOpen) this.#pause = setTimeout(this.pass, PAUSE_MS)
    else afterFrame(this.pass)
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
      for (const { type, origin, text } of late)
        // Another text is that of a choice by now.
        if (text === textOf(origin, type))
          origin.dispatchEvent(new Event(type, { bubbles: true, cancelable: true, composed: true }))
    } finally {
      this.#isOwn = false
    }
  }
}
