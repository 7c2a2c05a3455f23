/** The sections of a long form as a list that jumps to them. */
import { say } from '../../texts/texts.ts'
import { setQuery } from '../../state/address.ts'
import { setFolded } from '../../state/folded.ts'
import { openTabOf } from '../tab-list.tsx'

/** A section to jump to; `detail` is the tab that is opened for it, empty for the open one. */
export interface JumpTarget {
  label: string
  detail?: string
}

/** Sections up to which one sees them all without a list. */
const SHORT_MAX = 3

/** The element of a section, on whichever tab it stands. */
const findSection = (form: Element | null, name: string): HTMLElement | undefined =>
  [...(form?.querySelectorAll<HTMLElement>('[data-section]') ?? [])].find(
    ({ dataset }) => dataset.section === name,
  )

/** Shows a section, whatever is folded or on another tab, and puts the focus at its head. */
function jump(form: Element | null, object: string, { label, detail }: JumpTarget): void {
  const name = detail === undefined ? label : 'tabs'
  const section = findSection(form, name)
  if (section) openTabOf(section)
  if (detail === undefined) setFolded(object, label, false)
  else if (detail !== '') setQuery({ detail }, { replace: true })
  requestAnimationFrame(() => {
    const shown = findSection(form, name)
    shown?.scrollIntoView({ block: 'start' })
    const head =
      shown?.querySelector<HTMLElement>('.fold-button, [aria-selected=true]') ??
      shown?.closest('.form-tabs')?.querySelector<HTMLElement>('[aria-selected=true]')
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
