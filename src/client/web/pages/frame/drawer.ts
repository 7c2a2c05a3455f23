/** The drawer of the frame: beside the place where there is room, over it where there is none. */
import { computed, effect, signal } from '@preact/signals'
import { path } from '../../state/address.ts'

const STORED = 'drawer'

const roominess = matchMedia('(min-width: 800px)')

const hasRoom = signal(roominess.matches)
roominess.addEventListener('change', ({ matches }) => {
  hasRoom.value = matches
  isOver.value = false
})

/** True where the user wants it beside the place. */
const isBeside = signal(localStorage.getItem(STORED) !== 'closed')

/** True while it is open over the place. */
const isOver = signal(false)

/** True while the drawer is seen. */
export const isDrawerOpen = computed(() => (hasRoom.value ? isBeside.value : isOver.value))

/** True while the drawer covers the place. */
export const isDrawerOver = computed(() => !hasRoom.value && isOver.value)

/** Opens the drawer, or closes it. */
export function turnDrawer(): void {
  if (!hasRoom.peek()) {
    isOver.value = !isOver.peek()
    return
  }
  isBeside.value = !isBeside.peek()
  localStorage.setItem(STORED, isBeside.peek() ? 'open' : 'closed')
}

/** Closes a drawer that covers the place. */
export function closeDrawer(): void {
  isOver.value = false
}

// Another place was chosen.
effect(() => {
  void path.value
  isOver.value = false
})
