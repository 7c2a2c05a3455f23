/** A page of two streams, the newest first: entries of the audit log, and comments. */
import { takesComments } from '../../model/view-index.ts'
import { type CommentRow, loadComments } from '../comments/comment-records.ts'
import { keyText } from '../object/record/written-row.ts'
import {
  findLogged,
  findPlaceBehind,
  type FoundEntries,
  type FoundEntry,
} from './logged-entries.ts'
import type { OpenRecord } from './open-record.ts'

/** Items of a page, and the cursor of the next one. */
interface MergedPage {
  items: readonly (FoundEntry | CommentRow)[]
  next: string | null
  isOpenEnd: boolean
}

/** Tells an item that is a comment from an entry of the log. */
export const isComment = (item: FoundEntry | CommentRow): item is CommentRow => 'RecordKey' in item

/**
 * Finds a page behind a cursor. Each stream is in the order of its ids, and the two are merged by
 * their times: of the newest of both the newer one comes first, the comment where they are equal.
 * So two pages have no item twice, and skip none.
 */
export async function findPage(
  record: OpenRecord,
  cursor: string | undefined,
  limit: number,
): Promise<MergedPage> {
  const [place, comment] = cursor?.split('.').map(Number) ?? []
  const logged = await findLogged(record, place, limit)
  const said = await findComments(record, comment, limit)
  const { items, entries, comments } = merge(logged, said, limit)
  const isEnd = entries === logged.entries.length && logged.end === null && comments === said.length
  const behind = said[comments - 1]?.Id ?? comment ?? (said[0]?.Id ?? 0) + 1
  return {
    items,
    next: isEnd ? null : `${await findPlaceBehind(record, logged, entries)}.${behind}`,
    isOpenEnd: logged.isOpenEnd,
  }
}

/** One comment more than the page takes says whether there are older ones. */
async function findComments(
  { by, keyed, values, use }: OpenRecord,
  before = Number.MAX_SAFE_INTEGER,
  limit: number,
): Promise<CommentRow[]> {
  if (!takesComments(use.view)) return []
  const place = {
    CompanyId: by.caller.companyId,
    Entity: keyed.entity.name,
    RecordKey: keyText(values),
  }
  return loadComments(by.engine.store, place, { before, limit: limit + 1 })
}

/** Takes items of both streams; a comment waits while entries that may be newer are not read. */
function merge({ entries, end }: FoundEntries, said: readonly CommentRow[], limit: number) {
  const items: (FoundEntry | CommentRow)[] = []
  const taken = { entries: 0, comments: 0 }
  while (items.length < limit) {
    const entry = entries[taken.entries]
    const comment = said[taken.comments]
    const from = entry?.entry.At ?? end?.at ?? ''
    if (comment && comment.CreatedAt >= from) {
      items.push(comment)
      taken.comments++
    } else if (entry) {
      items.push(entry)
      taken.entries++
    } else break
  }
  return { items, ...taken }
}
