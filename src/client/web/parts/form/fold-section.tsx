/** A section of a form whose heading folds it; what a user has folded stays so. */
import type { ComponentChildren } from 'preact'
import { isFolded, setFolded } from '../../state/folded.ts'
import { Icon } from '../icon.tsx'

interface FoldProps {
  object: string
  /** Its heading; a section without one cannot be folded. */
  label: string
  /** True where a fault stands in it: then it is shown in any case. */
  isShown?: boolean
  children: ComponentChildren
}

/** Draws the section. */
export function FoldSection({ object, label, isShown = false, children }: FoldProps) {
  if (label === '') return <section class="form-section">{children}</section>
  const isOpen = isShown || !isFolded(object, label)
  return (
    <section class="form-section" data-section={label}>
      <h2>
        <button
          class="fold-button"
          type="button"
          aria-expanded={isOpen}
          onClick={() => setFolded(object, label, isOpen)}
        >
          <Icon name="chevron-right" isTurned />
          {label}
        </button>
      </h2>
      {isOpen && children}
    </section>
  )
}
