/** The paths along references (`CustomerId.Region`) that a query names. Pure. */
import type { QueryRequest } from './schema.ts'
import { FILTER_DEPTH_MAX } from '../object/filter-schema.ts'

/** References that one path may follow. */
export const PATH_STEPS_MAX = 3
/** Paths of one query. */
export const PATHS_MAX = 40
/** References that all paths of one query may follow; SQLite joins 64 tables. */
export const JOINS_MAX = 20

/**
 * The paths of a request in lower case, each once, in an order that depends on nothing else.
 * Members that are not names are passed over: planning refuses them.
 */
export function listPaths({ Fields, GroupBy, Aggregates, Filters, Sort }: QueryRequest): string[] {
  const names = [
    ...(Fields ?? []),
    ...(GroupBy ?? []).map(withoutPart),
    ...(Aggregates ?? []).flatMap(({ Field }) => Field ?? []),
    ...(Aggregates ?? []).flatMap((each) => listFiltered(each.Filters, 0)),
    ...(Aggregates ?? []).flatMap(({ Per }) => (Per ? withoutPart(Per) : [])),
    ...(Sort ?? []).map(({ Field }) => withoutPart(Field)),
    ...listFiltered(Filters, 0),
  ]
  const paths = names.filter((name) => name.includes('.')).map((name) => name.toLowerCase())
  return [...new Set(paths)].sort()
}

/** The name without its part: `CustomerId.Since:month` needs the path `CustomerId.Since`. */
function withoutPart(name: string): string {
  const at = name.lastIndexOf(':')
  return at > 0 ? name.slice(0, at) : name
}

function listFiltered(node: unknown, depth: number): string[] {
  if (typeof node !== 'object' || node === null || depth > 2 * FILTER_DEPTH_MAX) return []
  if (Array.isArray(node)) return node.flatMap((each) => listFiltered(each, depth + 1))
  return Object.entries(node).flatMap(([name, value]: [string, unknown]) => {
    const key = name.toLowerCase()
    if (key === 'field' || key === 'valuefield')
      return typeof value === 'string' ? [withoutPart(value)] : []
    return key === 'filters' ? listFiltered(value, depth + 1) : []
  })
}
