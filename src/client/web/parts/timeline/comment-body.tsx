/** A comment in the timeline: its text with those whom it mentions, and what its reader may do. */
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { changeComment, deleteComment } from '../../state/comments.ts'
import { type Person, splitMentions } from '../../state/mention-text.ts'
import { notify } from '../../state/notices.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { Fault } from '../fault.tsx'
import { CommentBox } from './comment-box.tsx'

interface CommentBodyProps {
  comment: Schemas['CommentState']
  text: string
  /** The name under which a change of it is kept until it is sent. */
  draft: string
  onChange(): void
}

/** Draws the text, or the box that it is changed in. */
export function CommentBody({ comment, text, draft, onChange }: CommentBodyProps) {
  /** The comment as it was when its change began: a save over a later one is refused. */
  const edited = useSignal<Schemas['CommentState'] | undefined>(undefined)
  const isAsking = useSignal(false)
  const row = useRef<HTMLDivElement>(null)
  const { CanChange, CanDelete, ChangedAt, Mentions } = comment
  const leave = (): void => {
    edited.value = undefined
    // The focus goes back to where the box was opened, once that is drawn.
    requestAnimationFrame(() => row.current?.querySelector('button')?.focus())
  }
  const before = edited.value
  if (before)
    return (
      <CommentBox
        label={say('commentEdit')}
        submitText={say('save')}
        draft={draft}
        initial={{ text, people: Mentions }}
        onSend={async (typed, mentioned) => {
          await changeComment(before, typed, mentioned)
          leave()
          onChange()
        }}
        onCancel={leave}
      />
    )
  return (
    <>
      <CommentWords text={text} mentions={Mentions} />
      {ChangedAt !== null && <p class="quiet">{say('commentChanged')}</p>}
      {(CanChange || CanDelete) && (
        <div ref={row} class="comment-actions">
          {CanChange && (
            <button type="button" class="link-button" onClick={() => (edited.value = comment)}>
              {say('edit')}
            </button>
          )}
          {CanDelete && (
            <button type="button" class="link-button" onClick={() => (isAsking.value = true)}>
              {say('delete')}
            </button>
          )}
        </div>
      )}
      {isAsking.value && (
        <DeleteQuestion
          id={comment.Id}
          onClose={(isDone) => {
            isAsking.value = false
            if (isDone) onChange()
          }}
        />
      )}
    </>
  )
}

/** The text, with the names of those whom it mentions set off. */
function CommentWords({ text, mentions }: { text: string; mentions: readonly Person[] }) {
  return (
    <p class="timeline-text comment-text" dir="auto">
      {splitMentions(text, mentions).map(({ text: piece, person }, at) =>
        person ? (
          <strong key={at} class="mention">
            {piece}
          </strong>
        ) : (
          piece
        ),
      )}
    </p>
  )
}

/** The question before a comment is deleted. */
function DeleteQuestion({ id, onClose }: { id: number; onClose(isDone: boolean): void }) {
  const isRunning = useSignal(false)
  const fault = useSignal<unknown>(undefined)
  const run = async (): Promise<void> => {
    isRunning.value = true
    try {
      await deleteComment(id)
      notify(say('commentDeleted'))
      onClose(true)
    } catch (thrown) {
      fault.value = thrown
      isRunning.value = false
    }
  }
  return (
    <Dialog label={say('delete')} onClose={() => onClose(false)}>
      <div class="dialog-form">
        <h2>{say('delete')}</h2>
        <p>{say('commentDeleteAsk')}</p>
        <Fault of={fault.value} />
        <div class="buttons">
          <Button kind="danger" disabled={isRunning.value} onClick={() => void run()}>
            {isRunning.value ? say('working') : say('delete')}
          </Button>
          <Button onClick={() => onClose(false)}>{say('cancel')}</Button>
        </div>
      </div>
    </Dialog>
  )
}
