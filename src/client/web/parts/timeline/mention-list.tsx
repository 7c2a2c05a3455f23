/** The list of people below a comment's box, and word of it to those who do not see it. */
import { useEffect, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Person } from '../../state/mention-text.ts'
import { optionId, type PeopleChoice } from './use-people.ts'

interface MentionListProps {
  people: PeopleChoice
  onChoose(person: Person): void
}

/** Draws the list while a typed name fits people. */
export function MentionList({ people, onChoose }: MentionListProps) {
  const list = useRef<HTMLUListElement>(null)
  const { listId, found, active, isOpen } = people
  const at = active.value
  useEffect(() => list.current?.children[at]?.scrollIntoView({ block: 'nearest' }), [at])
  return (
    <>
      <span class="sr-only" role="status">
        {isOpen.value ? say('mentionFound', { count: found.value.length }) : ''}
      </span>
      {isOpen.value && (
        <ul ref={list} id={listId} class="mention-list" role="listbox" aria-label={say('people')}>
          {found.value.map((person, n) => (
            <li
              key={person.Id}
              id={optionId(listId, person)}
              role="option"
              aria-selected={n === at}
              // The box keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onChoose(person)}
            >
              {person.DisplayName}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
