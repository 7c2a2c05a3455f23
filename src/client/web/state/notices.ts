/** Short notices of what was done or went wrong, shown over the place. */
import { signal } from '@preact/signals'

/** The tone of a notice. */
type NoticeLevel = 'info' | 'success' | 'warning' | 'error'

/** A notice that is shown. */
interface Notice {
  id: number
  level: NoticeLevel
  text: string
}

/** How long a notice stays that asks for nothing, in milliseconds. */
const SHOWN_MS = 8000

let lastId = 0

/** The notices that are shown, the newest last. */
export const notices = signal<readonly Notice[]>([])

/** Shows a notice; warnings and errors stay until they are closed. */
export function notify(text: string, level: NoticeLevel = 'success'): void {
  const id = ++lastId
  notices.value = [...notices.value, { id, level, text }]
  if (level === 'info' || level === 'success') setTimeout(() => closeNotice(id), SHOWN_MS)
}

/** Closes a notice. */
export function closeNotice(id: number): void {
  notices.value = notices.value.filter((each) => each.id !== id)
}
