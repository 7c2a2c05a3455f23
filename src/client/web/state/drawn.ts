/** The moment at which the place of the first address has its rows: what can wait waits for it. */

/** A place without rows is drawn by then. */
const LATEST_MS = 1500

let resolve = (): void => undefined

/** Resolves once the first place is drawn: on a slow machine each request before it costs time. */
export const whenDrawn = new Promise<void>((resolved) => (resolve = resolved))

setTimeout(() => resolve(), LATEST_MS)

/** Tells that rows are there; they are drawn with the next frame. */
export const noteRows = (): void => void setTimeout(() => requestAnimationFrame(() => resolve()))
