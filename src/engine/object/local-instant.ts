/** Dates and times without an offset, as clocks of a zone show them, as instants. */
import { startOfDay } from '../../kernel/zones.ts'

const LOCAL = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))?$/

/** A function from local texts to instants in UTC; undefined for every other text. */
export function toInstant(zone: string): (text: string) => string | undefined {
  return (text) => {
    const match = LOCAL.exec(text)
    if (match?.[1] === undefined) return undefined
    try {
      if (match[2] === undefined) return startOfDay(match[1], zone).toISOString()
      const local = Temporal.PlainDateTime.from(`${match[1]}T${match[2]}`)
      return new Date(local.toZonedDateTime(zone).epochMilliseconds).toISOString()
    } catch {
      return undefined
    }
  }
}
