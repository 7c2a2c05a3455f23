/** The records before and behind the open one, in the order of the grid it was opened from. */
import { type Schemas, take, wire } from '../api/wire.ts'
import { queryBody, readGridQuery } from './grid-query.ts'

type Metadata = Schemas['MetadataResult']

/** A record by its key, as addresses have it, and its place in the order. */
export interface Neighbour {
  key: readonly string[]
  at: number
}

/** The neighbours of a record; undefined at either end. */
export interface Neighbours {
  previous: Neighbour | undefined
  next: Neighbour | undefined
}

const PAGE = 100

/** Pages are asked for again after this time: others change rows, too. */
const KEPT_MS = 30_000

interface KeptPages {
  query: string
  until: number
  pages: Map<number, Promise<string[][]>>
}

let kept: KeptPages | undefined

/** The keys of a page of the grid, kept for the next step. */
function loadPage({ Slug, Keys }: Metadata, query: string, page: number): Promise<string[][]> {
  const name = `${Slug}?${query}`
  if (kept?.query !== name || kept.until < Date.now())
    kept = { query: name, until: Date.now() + KEPT_MS, pages: new Map() }
  const { pages } = kept
  const known = pages.get(page)
  if (known) return known
  const params = { path: { name: Slug } }
  const body: Schemas['TableRequest'] = {
    ...queryBody(readGridQuery(new URLSearchParams(query))),
    Fields: Keys,
    Page: page + 1,
    PageSize: PAGE,
    CountMode: 'none',
  }
  const asked = take(wire.POST('/api/v1/svc/object/{name}/table', { params, body })).then(
    ({ Rows }) => Rows.map((row) => Keys.map((each) => String(row[each]))),
  )
  pages.set(page, asked)
  // A refused page is asked for again by the next step.
  asked.catch(() => pages.delete(page))
  return asked
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/**
 * Finds the neighbours of a record that was row `at` of a grid. Rows that came or went meanwhile
 * move it by some; where it has left the grid, its old place counts. @throws ServerError
 */
export async function findNeighbours(
  metadata: Metadata,
  key: readonly string[],
  { query, at }: { query: string; at: number },
): Promise<Neighbours> {
  const load = (page: number): Promise<string[][]> => loadPage(metadata, query, page)
  const keyAt = async (wanted: number): Promise<Neighbour | undefined> => {
    if (wanted < 0) return undefined
    const found = (await load(Math.floor(wanted / PAGE)))[wanted % PAGE]
    return found && { key: found, at: wanted }
  }
  const page = Math.floor(at / PAGE)
  for (const each of [page, page - 1, page + 1]) {
    if (each < 0) continue
    const place = (await load(each)).findIndex((other) => isSame(other, key))
    if (place < 0) continue
    const now = each * PAGE + place
    return { previous: await keyAt(now - 1), next: await keyAt(now + 1) }
  }
  return { previous: await keyAt(at - 1), next: await keyAt(at) }
}
