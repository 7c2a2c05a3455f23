/** The box that a comment is written or changed in; what is typed is kept until it is sent. */
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { ServerError } from '../../api/server-error.ts'
import type { CommentText } from '../../state/comments.ts'
import { listMentioned, type Person } from '../../state/mention-text.ts'
import { Button } from '../button.tsx'
import { Fault } from '../fault.tsx'
import { CommentField } from './comment-field.tsx'
import { NO_TEXT, useKeptText } from './kept-text.ts'

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

/** Draws the box. */
export function CommentBox(props: CommentBoxProps) {
  const { label, submitText, draft, initial = NO_TEXT, onSend, onCancel } = props
  const id = useId()
  const isSending = useSignal(false)
  const fault = useSignal<unknown>(undefined)
  const { typed, type, forget } = useKeptText(draft, initial)
  const isEmpty = typed.value.text.trim() === ''
  const send = async (): Promise<void> => {
    const { text, people } = typed.peek()
    if (isSending.peek() || text.trim() === '') return
    isSending.value = true
    fault.value = undefined
    try {
      await onSend(text, listMentioned(text, people))
      forget()
    } catch (thrown) {
      fault.value = thrown
    }
    isSending.value = false
    // The button that was pressed has lost the focus.
    document.getElementById(id)?.focus()
  }
  const cancel = onCancel && (() => (forget(), onCancel()))
  return (
    <form
      class="comment-box"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <label for={id}>{label}</label>
      <CommentField
        id={id}
        typed={typed}
        isReadOnly={isSending.value}
        takesFocus={onCancel !== undefined}
        onType={type}
        onSend={() => void send()}
        onCancel={cancel}
      />
      <CommentFault of={fault.value} />
      <div class="comment-foot">
        <small id={`${id}-hint`} class="quiet">
          {say('commentHint')}
        </small>
        <div class="buttons">
          {cancel && (
            <Button kind="quiet" onClick={cancel}>
              {say('cancel')}
            </Button>
          )}
          <Button isSubmit kind="primary" disabled={isSending.value || isEmpty}>
            {isSending.value ? say('working') : submitText}
          </Button>
        </div>
      </div>
    </form>
  )
}

/** A refusal; people who cannot be mentioned are named by the sentences of their fields. */
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
