/** The mark before what can be opened: it points down where it is open. */
import { Icon } from '../icon.tsx'

/** Draws the mark. */
export function BranchMark({ isOpen }: { isOpen: boolean }) {
  return (
    <span class="branch-mark" data-open={isOpen || undefined}>
      <Icon name="chevron-right" />
    </span>
  )
}
