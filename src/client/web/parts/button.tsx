/** A button of the browser's own kind, with its ways by keyboard and in a form. */
import type { ComponentChildren } from 'preact'

interface ButtonProps {
  children: ComponentChildren
  /** `primary` for what the place is about, `quiet` without a frame, `danger` for what destroys. */
  kind?: 'primary' | 'quiet' | 'danger' | undefined
  isSubmit?: boolean
  /** Keeps its room without being there: it is not known yet whether the caller may. */
  isHeld?: boolean
  disabled?: boolean
  /** The meaning of its picture, which names it. */
  title?: string
  /** Why it is disabled. */
  hint?: string | undefined
  onClick?: (event: MouseEvent) => void
}

/** Draws the button; `title` names it where its content is a picture. */
export function Button({
  children,
  kind,
  isSubmit = false,
  isHeld = false,
  disabled = false,
  title,
  hint,
  onClick,
}: ButtonProps) {
  return (
    <button
      class={kind === undefined ? 'button' : `button ${kind}`}
      type={isSubmit ? 'submit' : 'button'}
      disabled={disabled}
      data-held={isHeld || undefined}
      title={title ?? hint}
      aria-label={title}
      aria-description={hint}
      onClick={onClick}
    >
      {children}
    </button>
  )
}
