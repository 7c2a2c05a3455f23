/** People of the caller's company: `/api/v1/svc/people` (src/server/README.md, People). */
import { Type } from '@sinclair/typebox'
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { digits } from '../../kernel/schema.ts'
import { isMatchable, TEXT_CHARACTERS_MAX } from '../../engine/object/read/text-match.ts'
import { findPeople } from '../../engine/people/people.ts'
import { Person } from '../../engine/people/person.ts'
import type { Feature } from '../../server/feature.ts'
import { AUTHENTICATED } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'

/** People of one answer, unless it is told. */
const LIMIT = 20

const PeopleQuery = Type.Object({
  search: Type.Optional(
    Type.String({
      maxLength: TEXT_CHARACTERS_MAX,
      description: 'A part of the name, without regard to case and accents',
    }),
  ),
  limit: Type.Optional(
    digits('People of the answer', {
      pattern: '^([1-9][0-9]?|100)$',
      minimum: 1,
      maximum: 100,
      default: LIMIT,
    }),
  ),
})

const People = Type.Array(Person)

const AREA = {
  name: 'People',
  description: 'Whom one may mention, delegate to or filter by.',
}

const FIND = {
  query: PeopleQuery,
  response: Envelope(People),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'findPeople',
    summary: 'The people of the caller’s company, by name',
    description:
      'Its users who are not locked; those of other companies are not there. The first ones by ' +
      'name: type more of a name to find the others. Gate: authentication.',
  },
}

/** Gate: any caller, for the company that they are in. */
const ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/people',
  area: AREA.name,
  routes: [
    route('GET', '', FIND, async ({ app, caller, query }) => {
      const search = query.search?.trim() ?? ''
      if (!isMatchable(search)) throw invalid(say`This is no text that can be searched for`)
      const limit = Number(query.limit ?? LIMIT)
      return ok(await findPeople(app.store, { company: caller.companyId, search, limit }))
    }),
  ],
}

/** See `Feature`. */
export const peopleFeature: Feature = { areas: [AREA], routes: [ROUTES] }
