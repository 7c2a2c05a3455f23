/** The text of a box for comments: kept in pauses and as the box leaves, and found again. */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type CommentText, findCommentText, keepCommentText } from '../../state/comments.ts'
import { dropDraft } from '../../state/drafts.ts'

/** A pause after which what was typed is kept, in milliseconds. */
const PAUSE_MS = 400

/** The text of a box that says nothing. */
export const NO_TEXT: CommentText = { text: '', people: [] }

/** A text with what types it and forgets it. */
interface KeptText {
  typed: Signal<CommentText>
  type(next: CommentText): void
  forget(): void
}

/** Holds the text under the name of its draft. */
export function useKeptText(draft: string, initial: CommentText): KeptText {
  const typed = useSignal(initial)
  const state = useRef({ isTouched: false, timer: 0 })
  const keep = (): void => {
    clearTimeout(state.current.timer)
    if (state.current.isTouched) void keepCommentText(draft, typed.peek())
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
  return {
    typed,
    type: (next) => {
      typed.value = next
      clearTimeout(state.current.timer)
      state.current.isTouched = true
      state.current.timer = window.setTimeout(keep, PAUSE_MS)
    },
    forget: () => {
      clearTimeout(state.current.timer)
      state.current.isTouched = false
      typed.value = NO_TEXT
      void dropDraft(draft)
    },
  }
}
