/**
 * The box that a comment is written in: Ctrl-Enter sends, what is typed is kept, and `@` opens a
 * list of people, which arrows walk through and Enter chooses from.
 */
import { useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { ServerError } from '../../api/server-error.ts'
import { type CommentText, findCommentText, keepCommentText } from '../../state/comments.ts'
import { dropDraft } from '../../state/drafts.ts'
import { insertMention, listMentioned, type Person } from '../../state/mention-text.ts'
import { Button } from '../button.tsx'
import { Fault } from '../fault.tsx'
import { MentionList } from './mention-list.tsx'
import { usePeople } from './use-people.ts'

interface CommentBoxProps {
  label: string
  submitText: string
  /** The name under which what is typed is kept. */
  draft: string
  /** The text and the people of a comment that is changed. */
  initial?: CommentText
  /** Sends the text. @throws ServerError */
  onSend(text: string, mentioned: readonly Person[]): Promise<void>
  /** Gives up a change. */
  onCancel?: () => void
}

/** A pause after which what was typed is kept, in milliseconds. */
const PAUSE_MS = 400

const CHARACTERS_MAX = 4000

const NOTHING: CommentText = { text: '', people: [] }

/** The text of a box, kept in pauses and as the box leaves, and found again. */
function useKept(draft: string, initial: CommentText) {
  const typed = useSignal(initial)
  const state = useRef({ isTouched: false, timer: 0 })
  const keep = (): void => {
    clearTimeout(state.current.timer)
    if (state.current.isTouched) void keepCommentText(draft, typed.peek())
  }
  const type = (next: CommentText): void => {
    typed.value = next
    clearTimeout(state.current.timer)
    state.current.isTouched = true
    state.current.timer = window.setTimeout(keep, PAUSE_MS)
  }
  const forget = (): void => {
    clearTimeout(state.current.timer)
    state.current.isTouched = false
    typed.value = NOTHING
    void dropDraft(draft)
  }
  useEffect(() => {
    void findCommentText(draft).then((found) => {
      if (found && !state.current.isTouched) typed.value = found
    })
    addEventListener('pagehide', keep)
    return () => {
      removeEventListener('pagehide', keep)
      keep()
    }
  }, [draft])
  return { typed, type, forget }
}

/** Draws the box. */
export function CommentBox(props: CommentBoxProps) {
  const { label, submitText, draft, initial = NOTHING, onSend, onCancel } = props
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const isSending = useSignal(false)
  const fault = useSignal<unknown>(undefined)
  const { typed, type, forget } = useKept(draft, initial)
  const people = usePeople()
  const { text } = typed.value
  useEffect(() => {
    if (onCancel) area.current?.focus()
  }, [])
  const choose = (person: Person): void => {
    const query = people.query.peek()
    if (!query) return
    const next = insertMention(typed.peek().text, query, person)
    type({ text: next.text, people: [...typed.peek().people, person] })
    people.close()
    if (!area.current) return
    // At once, since the next key may come before the box is drawn again.
    area.current.value = next.text
    area.current.setSelectionRange(next.caret, next.caret)
  }
  const send = async (): Promise<void> => {
    const sent = typed.peek()
    if (isSending.peek() || sent.text.trim() === '') return
    isSending.value = true
    fault.value = undefined
    try {
      await onSend(sent.text, listMentioned(sent.text, sent.people))
      forget()
    } catch (thrown) {
      fault.value = thrown
    } finally {
      isSending.value = false
    }
    area.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (people.takeKey(event, choose)) return
    if (event.key === 'Escape' && onCancel) {
      event.preventDefault()
      cancel()
    }
    // Of the form behind the panel: it is not saved by what sends the comment.
    const isCommand = event.ctrlKey || event.metaKey
    if (!isCommand || event.key !== 'Enter') return
    event.preventDefault()
    event.stopPropagation()
    void send()
  }
  const cancel = (): void => {
    forget()
    onCancel?.()
  }
  return (
    <form
      class="comment-box"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <label for={id}>{label}</label>
      <div class="comment-field">
        <textarea
          ref={area}
          id={id}
          dir="auto"
          rows={3}
          maxLength={CHARACTERS_MAX}
          value={text}
          readOnly={isSending.value}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={people.isOpen.value ? people.listId : undefined}
          aria-activedescendant={people.activeId.value}
          aria-describedby={`${id}-hint`}
          onInput={({ currentTarget: { value, selectionStart } }) => {
            type({ text: value, people: typed.peek().people })
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
      <CommentFault of={fault.value} />
      <div class="comment-foot">
        <small id={`${id}-hint`} class="quiet">
          {say('commentHint')}
        </small>
        <div class="buttons">
          {onCancel && (
            <Button kind="quiet" onClick={cancel}>
              {say('cancel')}
            </Button>
          )}
          <Button isSubmit kind="primary" disabled={isSending.value || text.trim() === ''}>
            {isSending.value ? say('working') : submitText}
          </Button>
        </div>
      </div>
    </form>
  )
}

/** A refusal; those who cannot be mentioned are named by the sentences of their fields. */
function CommentFault({ of }: { of: unknown }) {
  const fields = of instanceof ServerError ? of.refusal.fieldErrors : undefined
  if (!fields) return <Fault of={of} />
  return (
    <div class="fault" role="alert">
      {Object.entries(fields).map(([name, sentences]) => (
        <div key={name}>{[sentences].flat().join(' ')}</div>
      ))}
    </div>
  )
}
