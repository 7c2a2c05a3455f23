/** Work behind the next frame: a click or a key is seen at once, and what it leads to follows. */

/** Frames are not drawn for ever where a window is covered: then work waits this long. */
const LATEST_MS = 100

/** Does the work behind the next frame; at once where none is drawn. */
export function afterFrame(work: () => void): void {
  if (document.visibilityState === 'hidden') return work()
  let isDone = false
  const finish = (): void => {
    if (!isDone) work()
    isDone = true
  }
  // The callback of a frame runs before it is drawn; a task that it starts runs behind that.
  requestAnimationFrame(() => setTimeout(finish))
  setTimeout(finish, LATEST_MS)
}
