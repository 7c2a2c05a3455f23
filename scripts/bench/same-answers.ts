/** True when the bare server answers as the engine does: else a comparison would mean nothing. */
import { isDeepStrictEqual } from 'node:util'
import type { RecordedRequest } from './record.ts'
import type { Work } from './work.ts'

/** How many requests of a work are asked of both. */
export const CHECKED = 24

/** Answers a request with the text of its body. */
export type Ask = (request: RecordedRequest) => Promise<string>

export interface Sides {
  engine: Ask
  byHand: Ask
}

/** Moments and stamps of this hour, which no two servers have in common. */
const isOfNow = (value: unknown): boolean =>
  typeof value === 'string' &&
  (/^\d{13}$/.test(value) || (/^\d{4}-\d\d-\d\dT/.test(value) && isRecent(Date.parse(value))))

const HOUR_MS = 3_600_000
const isRecent = (at: number): boolean => Math.abs(Date.now() - at) < HOUR_MS

/** The part that both must agree on: all but moments of now and the text of a cursor. */
const toComparable = (text: string): unknown =>
  JSON.parse(text, (key, value: unknown) => {
    if (key === 'NextCursor') return value === null ? null : 'a cursor'
    return isOfNow(value) ? 'now' : value
  })

/**
 * Asks both for the first answers of works, writes in either way of their commits by turns: both
 * must stand on equal data.
 * @throws with both answers where they differ
 */
export async function requireSameAnswers(works: readonly Work[], sides: Sides): Promise<void> {
  for (const work of works) {
    for (const [index, request] of work.requests.slice(0, CHECKED).entries()) {
      const byHand = requestByHand(work, index % 2 ? 'grouped' : 'alone', index)
      // One after the other: numbers and keys go by the order of the requests.
      const [own, other] = await Promise.all([sides.engine(request), sides.byHand(byHand)])
      if (!isDeepStrictEqual(toComparable(own), toComparable(other)))
        throw new Error(
          `${work.name}: the servers differ for ${request.body} and ${byHand.body}` +
            `\n${own}\n${other}`,
        )
    }
  }
}

/** The way in which a bare server commits. */
export type CommitName = 'alone' | 'grouped'

/** A request of the bare server. */
export function requestByHand(work: Work, commit: CommitName, index: number): RecordedRequest {
  const { path, body } = work.byHand[index] ?? { path: '', body: '' }
  return { path: work.isWrite ? `/${commit}${path}` : path, body }
}
