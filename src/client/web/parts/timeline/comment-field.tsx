/**
 * The field that a comment is typed in: `@` opens a list of people, which arrows walk through and
 * Enter chooses from; Ctrl-Enter sends.
 */
import type { Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { CommentText } from '../../state/comments.ts'
import { insertMention, type Person } from '../../state/mention-text.ts'
import { MentionList } from './mention-list.tsx'
import { usePeople } from './use-people.ts'

interface CommentFieldProps {
  id: string
  typed: Signal<CommentText>
  isReadOnly: boolean
  /** True where it was opened by the user, who goes on in it. */
  takesFocus: boolean
  onType(next: CommentText): void
  onSend(): void
  onCancel: (() => void) | undefined
}

const CHARACTERS_MAX = 4000

/** Draws the field and its list. */
export function CommentField(props: CommentFieldProps) {
  const { id, typed, isReadOnly, takesFocus, onType, onSend, onCancel } = props
  const area = useRef<HTMLTextAreaElement>(null)
  const people = usePeople()
  useEffect(() => {
    if (takesFocus) area.current?.focus()
  }, [])
  const choose = (person: Person): void => {
    const query = people.query.peek()
    if (!query || !area.current) return
    const next = insertMention(typed.peek().text, query, person)
    onType({ text: next.text, people: [...typed.peek().people, person] })
    people.close()
    // At once, since the next key may come before the field is drawn again.
    area.current.value = next.text
    area.current.setSelectionRange(next.caret, next.caret)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (people.takeKey(event, choose)) return
    const isSend = (event.ctrlKey || event.metaKey) && event.key === 'Enter'
    if (!isSend && (event.key !== 'Escape' || !onCancel)) return
    event.preventDefault()
    // The form behind the panel is not saved by the key that sends the comment.
    event.stopPropagation()
    if (isSend) onSend()
    else onCancel?.()
  }
  return (
    <div class="comment-field">
      <textarea
        ref={area}
        id={id}
        dir="auto"
        rows={3}
        maxLength={CHARACTERS_MAX}
        value={typed.value.text}
        readOnly={isReadOnly}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={people.isOpen.value ? people.listId : undefined}
        aria-activedescendant={people.activeId.value}
        aria-describedby={`${id}-hint`}
        onInput={({ currentTarget: { value, selectionStart } }) => {
          onType({ text: value, people: typed.peek().people })
          people.look(value, selectionStart)
        }}
        onClick={({ currentTarget: { value, selectionStart } }) =>
          people.look(value, selectionStart)
        }
        onKeyDown={onKeyDown}
        onBlur={() => people.close()}
      />
      <MentionList people={people} onChoose={choose} />
    </div>
  )
}
