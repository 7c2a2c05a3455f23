/** A button of the browser's own kind, with its ways by keyboard and in a form. */
import type { ComponentChildren } from 'preact'

interface ButtonProps {
  children: ComponentChildren
  /** `primary` for what the place is about, `quiet` without a frame, `danger` for what destroys. */
  kind?: 'primary' | 'quiet' | 'danger'
  isSubmit?: boolean
  disabled?: boolean
  /** Why it is disabled, or what its picture means. */
  title?: string
  onClick?: (event: MouseEvent) => void
}

/** Draws the button; `title` names it where its content is a picture. */
export function Button({
  children,
  kind,
  isSubmit = false,
  disabled = false,
  title,
  onClick,
}: ButtonProps) {
  return (
    <button
      class={kind === undefined ? 'button' : `button ${kind}`}
      type={isSubmit ? 'submit' : 'button'}
      disabled={disabled}
      title={title}
      aria-label={title}
      onClick={onClick}
    >
      {children}
    </button>
  )
}
