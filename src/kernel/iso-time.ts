/** An instant as text, which many requests of one millisecond share. */
let milliseconds = Number.NaN
let text = ''

/** `toISOString` of an instant, computed once where calls in a row ask for the same one. */
export function toIsoTime(at: Date): string {
  const time = at.getTime()
  if (time !== milliseconds) {
    text = at.toISOString()
    milliseconds = time
  }
  return text
}
