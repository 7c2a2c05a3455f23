/** The people to choose from while a name is typed behind an `@`, and the keys that choose. */
import { computed, type ReadonlySignal, type Signal, useSignal } from '@preact/signals'
import { useEffect, useId, useMemo, useRef } from 'preact/hooks'
import { findPeople } from '../../state/comments.ts'
import { findMentionQuery, type MentionQuery, type Person } from '../../state/mention-text.ts'

/** A pause after which people are asked for, in milliseconds. */
const PAUSE_MS = 120

/** The list, and what opens, moves and closes it. */
export interface PeopleChoice {
  listId: string
  query: Signal<MentionQuery | undefined>
  found: Signal<readonly Person[]>
  active: Signal<number>
  isOpen: ReadonlySignal<boolean>
  /** The id of the person who would be chosen. */
  activeId: ReadonlySignal<string | undefined>
  /** Looks for a name before the caret. */
  look(text: string, caret: number): void
  close(): void
  /** Takes a key that is for the list; true where it was one. */
  takeKey(event: KeyboardEvent, choose: (person: Person) => void): boolean
}

/** The id of an option of the list. */
export const optionId = (listId: string, { Id }: Person): string => `${listId}-${Id}`

/** Makes the choice of one box. */
export function usePeople(): PeopleChoice {
  const listId = useId()
  const query = useSignal<MentionQuery | undefined>(undefined)
  const found = useSignal<readonly Person[]>([])
  const active = useSignal(0)
  const timer = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useMemo(() => {
    const isOpen = computed(() => query.value !== undefined && found.value.length > 0)
    const close = (): void => {
      clearTimeout(timer.current)
      query.value = undefined
      found.value = []
    }
    const look = (text: string, caret: number): void => {
      const next = findMentionQuery(text, caret)
      if (!next) return close()
      if (next.at === query.peek()?.at && next.search === query.peek()?.search) return
      query.value = next
      clearTimeout(timer.current)
      timer.current = window.setTimeout(() => {
        findPeople(next.search).then(
          (people) => {
            if (query.peek() !== next) return
            found.value = people
            active.value = 0
          },
          // Without the list a name is typed by hand, as any other text.
          () => close(),
        )
      }, PAUSE_MS)
    }
    const takeKey: PeopleChoice['takeKey'] = (event, choose) => {
      if (!isOpen.peek() || event.ctrlKey || event.metaKey || event.isComposing) return false
      const count = found.peek().length
      const step = { ArrowDown: 1, ArrowUp: count - 1 }[event.key]
      const person = found.peek()[active.peek()]
      if (step !== undefined) active.value = (active.peek() + step) % count
      else if (event.key === 'Escape') close()
      else if ((event.key === 'Enter' || event.key === 'Tab') && person) choose(person)
      else return false
      event.preventDefault()
      event.stopPropagation()
      return true
    }
    const activeId = computed(() => {
      const person = isOpen.value ? found.value[active.value] : undefined
      return person && optionId(listId, person)
    })
    return { listId, query, found, active, isOpen, activeId, look, close, takeKey }
  }, [])
}
