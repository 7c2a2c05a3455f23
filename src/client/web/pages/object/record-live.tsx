/** An open record and the others: it follows their changes, and names those who have it open. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { followPresence, followRows } from '../../state/live-rows.ts'
import { notify } from '../../state/notices.ts'
import type { RecordForm } from '../../state/record-form.ts'
import { user } from '../../state/session.ts'

interface LiveProps {
  form: RecordForm
  keys: Schemas['FieldValues']
}

/**
 * Follows a stored record: untouched, it is loaded again as others change it; with something typed
 * it stays, and the user is told. Draws the names of those who have it open, too.
 */
export function RecordLive({ form, keys }: LiveProps) {
  const others = useSignal<readonly string[]>([])
  const { Name } = form.metadata
  useEffect(() => {
    const self = user.peek()
    const hear = (): void => {
      if (form.isSaving.peek()) return
      form.refresh().then(
        (isMoved) => isMoved && notify(say('recordChanged'), 'info'),
        (thrown: unknown) => (form.trouble.value = thrown),
      )
    }
    const ends = [
      followRows(Name, hear, keys),
      followPresence(
        Name,
        keys,
        (names) => (others.value = names),
        typeof self === 'object' ? self.Id : 0,
      ),
    ]
    return () => ends.forEach((end) => end())
  }, [form])
  if (others.value.length === 0) return null
  return (
    <span class="chip" role="status">
      {say('alsoHere', { names: others.value.join(', ') })}
    </span>
  )
}
