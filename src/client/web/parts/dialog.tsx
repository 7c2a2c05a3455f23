/** A dialog of the browser's own kind: modal, closed by Esc, the focus returns where it was. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface DialogProps {
  label: string
  children: ComponentChildren
  /** True where it needs the room of a page. */
  isLarge?: boolean
  onClose(): void
}

/** Draws a dialog that is open as long as it is drawn. */
export function Dialog({ label, children, isLarge = false, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      class={isLarge ? 'dialog large' : 'dialog'}
      ref={dialog}
      aria-label={label}
      onClose={({ target, currentTarget }) => target === currentTarget && onClose()}
      onKeyDownCapture={(event) => {
        // Esc closes a list that is open in it, and the dialog itself only then.
        const isListOpen = event.currentTarget.querySelector('[opened]') !== null
        if (event.key === 'Escape' && isListOpen) event.preventDefault()
      }}
      onCancel={(event) => {
        // The choice of a file that is cancelled is told in the same word.
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        onClose()
      }}
    >
      {children}
    </dialog>
  )
}
