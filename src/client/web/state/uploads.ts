/** Uploads that are not over yet: leaving the place asks first. */
import { say } from '../texts/texts.ts'
import { guardLeaving } from './address.ts'

const open = new Set<object>()

/** Asks in the browser's own words before the page itself is left. */
const askUnload = (event: BeforeUnloadEvent): void => event.preventDefault()

let endGuard: (() => void) | undefined

/** Holds the place until the upload is over: until what it returns is called. */
export function holdPlace(): () => void {
  const held = {}
  open.add(held)
  if (open.size === 1) {
    addEventListener('beforeunload', askUnload)
    endGuard = guardLeaving(() => confirm(say('uploadsLeave')))
  }
  return () => {
    open.delete(held)
    if (open.size > 0) return
    removeEventListener('beforeunload', askUnload)
    endGuard?.()
  }
}
