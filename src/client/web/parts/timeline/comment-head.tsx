/** The head of a timeline with comments: the box for a new one, and whether the user follows. */
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { ServerError } from '../../api/server-error.ts'
import {
  addComment,
  type CommentedRecord,
  loadFollowing,
  saveFollowing,
} from '../../state/comments.ts'
import { Intent } from '../../state/intent.ts'
import { notify } from '../../state/notices.ts'
import { Button } from '../button.tsx'
import { CommentBox } from './comment-box.tsx'

interface CommentHeadProps {
  record: CommentedRecord
  /** The name under which what is typed is kept until it is sent. */
  draft: string
  onChange(): void
}

/** Draws the head of one record. */
export function CommentHead({ record, draft, onChange }: CommentHeadProps) {
  const intent = useMemo(() => new Intent(), [])
  const isFollowing = useSignal<boolean | undefined>(undefined)
  const load = (): void =>
    // Without an answer there is no button; the timeline tells why nothing comes.
    void loadFollowing(record).then(
      (is) => (isFollowing.value = is),
      () => undefined,
    )
  useEffect(load, [])
  const send: Parameters<typeof CommentBox>[0]['onSend'] = async (text, mentioned) => {
    const key = intent.keyOf([record, text, mentioned])
    try {
      await addComment(record, text, mentioned, key)
      intent.end()
    } catch (thrown) {
      intent.end(thrown)
      throw thrown
    }
    isFollowing.value = true
    onChange()
  }
  const follow = async (): Promise<void> => {
    const wanted = isFollowing.peek() !== true
    isFollowing.value = wanted
    try {
      await saveFollowing(record, wanted)
    } catch (thrown) {
      isFollowing.value = !wanted
      notify(thrown instanceof ServerError ? thrown.refusal.error : say('unexpected'), 'error')
    }
  }
  return (
    <div class="comment-head">
      {isFollowing.value !== undefined && (
        <div class="follow">
          <span class="quiet">{say(isFollowing.value ? 'followed' : 'notFollowed')}</span>
          <Button kind="quiet" onClick={() => void follow()}>
            {say(isFollowing.value ? 'unfollow' : 'follow')}
          </Button>
        </div>
      )}
      <CommentBox
        label={say('comment')}
        submitText={say('commentSend')}
        draft={draft}
        onSend={send}
      />
    </div>
  )
}
