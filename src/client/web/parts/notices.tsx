/** The notices over the place; a screen reader hears them as they come. */
import { say } from '../texts/texts.ts'
import { closeNotice, notices } from '../state/notices.ts'

/** Draws the notices. */
export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, level, text }) => (
        <div class="toast" data-level={level} key={id}>
          <span>{text}</span>
          <button
            class="icon-button"
            type="button"
            aria-label={say('close')}
            onClick={() => closeNotice(id)}
          >
            ×
          </button>
        </div>
      ))}
    </div>
  )
}
