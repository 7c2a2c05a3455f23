/** Filters as the server judges them: which it refuses, and what it says. */
import { ServerError } from '../api/server-error.ts'
import { take, wire } from '../api/wire.ts'
import { type FilterNode, toSentFilters, writeFilters } from './filter-tree.ts'

/** Filters that the server took; they are asked about once. */
const taken = new Set<string>()

/**
 * The refusal of filters over an object; undefined where it takes them, or cannot be asked: then
 * the rows tell so.
 */
export async function checkFilters(
  object: string,
  filters: readonly FilterNode[],
): Promise<ServerError | undefined> {
  const text = writeFilters(filters)
  const key = `${object}?${text}`
  if (text === undefined || taken.has(key)) return undefined
  const body = { Filters: toSentFilters(filters), PageSize: 1, CountMode: 'none' as const }
  const params = { path: { name: object } }
  try {
    await take(wire.POST('/api/v1/svc/object/{name}/table', { params, body }))
    taken.add(key)
    return undefined
  } catch (thrown) {
    return thrown instanceof ServerError && thrown.status === REFUSED ? thrown : undefined
  }
}

const REFUSED = 400
