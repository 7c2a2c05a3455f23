/** The global search: `/api/v1/svc/search`. */
import { validation } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import { ElasticFeed } from '../../engine/global-search/elastic-feed.ts'
import { Elastic, SEARCH_PROVIDER } from '../../engine/global-search/elastic.ts'
import { rebuildJob } from '../../engine/global-search/rebuild-job.ts'
import { findRebuild } from '../../engine/global-search/rebuild.ts'
import { type SearchGroup, searchRecords } from '../../engine/global-search/search-records.ts'
import type { RequestCall } from '../../server/call.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { AUTHENTICATED } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { GERMAN } from './german.ts'
import { REBUILD_ROUTES } from './rebuild-routes.ts'
import { LIMIT_DEFAULT, LIMIT_MAX, SearchQuery, SearchResult, TEXT_MAX } from './schema.ts'

const AREA = {
  name: 'Search',
  description: 'Records of all objects at once, as far as the caller may see them.',
}

const SEARCH = {
  query: SearchQuery,
  response: Envelope(SearchResult),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'search',
    summary: 'Records that have the words, of every object that the caller may see',
    description:
      'Looks into the fields that the `Search` of a view names, as far as the caller sees them. ' +
      'A word finds what begins with it, without regard to case and accents; nothing in the text ' +
      'is an operator. Where no record has the words, those that have words near them are found, ' +
      'which Corrected names. Objects that do not exist, or that the caller may not see, have no ' +
      'group.',
  },
}

/** Gate: anyone; each object, row and field is checked as in its grid. */
function searchRoutes(app: AppContext): RouteGroup {
  const elastic = Elastic.open(app.settings)
  return {
    prefix: '/api/v1/svc/search',
    area: AREA.name,
    routes: [route('GET', '', SEARCH, async (call) => ok(await search(call, elastic, call.query)))],
  }
}

async function search(
  { app, caller, model }: RequestCall,
  elastic: Elastic | undefined,
  query: SearchQuery,
): Promise<SearchResult> {
  const text = requireText(query.q)
  const found = await searchRecords(
    { store: app.store, clock: app.clock, elastic },
    {
      caller,
      model,
      text,
      objects: readObjects(query.objects),
      limit: requireLimit(query.limit),
    },
  )
  return {
    Provider: found.provider,
    Query: text,
    Groups: found.groups.map((group) => toWire(group, caller.language)),
    Ignored: [...found.ignored],
    Corrected: found.corrected ?? null,
    Rebuilding: found.isRebuilding,
  }
}

const toWire = (
  { view, keys, total, isExact, hits }: SearchGroup,
  language: string | undefined,
): SearchResult['Groups'][number] => ({
  Object: view.name,
  Label: renderMessage(view.label, language),
  Total: total,
  TotalIsExact: isExact,
  Hits: hits.map(({ key, title, snippet, ranges, score }) => ({
    Keys: Object.fromEntries(keys.map((name, at) => [name, key[at]])),
    Title: title,
    Snippet: snippet,
    Ranges: ranges.map(([start, length]): [number, number] => [start, length]),
    Score: score,
  })),
})

function requireText(text = ''): string {
  const trimmed = text.trim()
  if (trimmed.length > TEXT_MAX)
    throw validation({ q: say`A search can have at most ${TEXT_MAX} characters` })
  return trimmed
}

function requireLimit(text: string | undefined): number {
  if (text === undefined || text === '') return LIMIT_DEFAULT
  const limit = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > LIMIT_MAX)
    throw validation({ limit: say`must be between 1 and ${LIMIT_MAX}` })
  return limit
}

function readObjects(text: string | undefined): Set<string> | undefined {
  const names = (text ?? '').split(',').map((name) => name.trim().toLowerCase())
  const known = names.filter((name) => name !== '')
  return known.length > 0 ? new Set(known) : undefined
}

/** See `Feature`. */
export const searchFeature: Feature = {
  areas: [AREA],
  routes: [searchRoutes, REBUILD_ROUTES],
  translations: { de: GERMAN },
  settings: [SEARCH_PROVIDER],
  jobs: [rebuildJob],
  background: [
    (app) => findRebuild(app).loop,
    (app) => new ElasticFeed(app, Elastic.open(app.settings)).loop,
  ],
}
