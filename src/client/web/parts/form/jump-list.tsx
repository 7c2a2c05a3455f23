/** The sections of a long form as a list that jumps to them. */
import { say } from '../../texts/texts.ts'
import { setQuery } from '../../state/address.ts'
import { setFolded } from '../../state/folded.ts'

/** A section to jump to; `detail` is the tab that is opened for it, empty for the open one. */
export interface JumpTarget {
  label: string
  detail?: string
}

/** Sections up to which one sees them all without a list. */
const SHORT_MAX = 3

/** Shows a section, whatever is folded, and puts the focus at its head. */
function jump(form: Element | null, object: string, { label, detail }: JumpTarget): void {
  if (detail === undefined) setFolded(object, label, false)
  else if (detail !== '') setQuery({ detail }, { replace: true })
  requestAnimationFrame(() => {
    const section = [...(form?.querySelectorAll<HTMLElement>('[data-section]') ?? [])].find(
      ({ dataset }) => dataset.section === (detail === undefined ? label : 'tabs'),
    )
    section?.scrollIntoView({ block: 'start' })
    const head = section?.querySelector<HTMLElement>('.fold-button, [aria-selected=true]')
    head?.focus({ preventScroll: true })
  })
}

interface JumpListProps {
  object: string
  targets: readonly JumpTarget[]
}

/** Draws the list; nothing for a short form. */
export function JumpList({ object, targets }: JumpListProps) {
  if (targets.length <= SHORT_MAX) return null
  return (
    <nav class="jump-list" aria-label={say('sections')}>
      {targets.map((target) => (
        <button
          key={`${target.label} ${target.detail ?? ''}`}
          type="button"
          class="button quiet"
          onClick={({ currentTarget }) => jump(currentTarget.closest('.form'), object, target)}
        >
          {target.label}
        </button>
      ))}
    </nav>
  )
}
