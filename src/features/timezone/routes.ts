/** The time zone that a user's days are meant in (src/server/README.md, Identity). */
import { type Static, Type } from '@sinclair/typebox'
import { formatted, named } from '../../kernel/schema.ts'
import {
  dayIn,
  firstZone,
  isZone,
  listZones,
  spellZone,
  utcOffsetMinutes,
} from '../../kernel/zones.ts'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import { saveDetails } from '../../access/users/user-edit.ts'
import { findUserRecord } from '../../access/users/user-records.ts'
import { findUserById } from '../../access/users/users.ts'
import type { RequestCall } from '../../server/call.ts'
import { authorOf, ownRequestOf } from '../../server/client-info.ts'
import type { Feature } from '../../server/feature.ts'
import { AUTHENTICATED } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'

const EffectiveTimeZone = named(
  'EffectiveTimeZone',
  Type.Object(
    {
      TimeZone: Type.String({ description: 'The zone that this request is answered in' }),
      Source: Type.Union([Type.Literal('Header'), Type.Literal('User'), Type.Literal('Company')], {
        description:
          'Where it is from: X-TimeZone goes before the user’s, that before the company’s',
      }),
      User: Type.Union([Type.String(), Type.Null()], { description: 'The caller’s own' }),
      Company: Type.String({ description: 'That of the company the token is in' }),
      UtcOffsetMinutes: Type.Integer({ description: 'How far the zone is ahead of UTC now' }),
      Today: formatted('date', { description: 'The day that it is there' }),
    },
    {
      examples: [
        {
          TimeZone: 'America/New_York',
          Source: 'User',
          User: 'America/New_York',
          Company: 'Europe/Berlin',
          UtcOffsetMinutes: -300,
          Today: '2026-11-21',
        },
      ],
    },
  ),
)
type EffectiveTimeZone = Static<typeof EffectiveTimeZone>

const TimeZoneRequest = named(
  'TimeZoneRequest',
  Type.Object({
    TimeZone: Type.Union([Type.String({ maxLength: 64, description: 'IANA name' }), Type.Null()], {
      description: 'Null clears it: the company’s holds',
    }),
  }),
)

const Zone = named(
  'TimeZone',
  Type.Object({
    TimeZone: Type.String({ description: 'IANA name' }),
    UtcOffsetMinutes: Type.Integer({ description: 'How far it is ahead of UTC now' }),
  }),
)
type Zone = Static<typeof Zone>

/** The zone of a request as the tables say it now, which may be a moment after its caller was. */
async function loadTimeZone(call: RequestCall): Promise<EffectiveTimeZone> {
  const { store, clock } = call.app
  const { userId, companyId } = call.caller
  const record = await findUserRecord(store, userId)
  const user = record?.user.TimeZone ?? null
  const company = record?.companies.find(({ id }) => id === companyId)?.timeZone ?? 'UTC'
  const header = call.request.headers.get('x-timezone')
  const own = user !== null && isZone(user) ? user : undefined
  const zone = spellZone(header ?? firstZone(own, company))
  const now = clock.now()
  return {
    TimeZone: zone,
    Source: header !== null ? 'Header' : own !== undefined ? 'User' : 'Company',
    User: user,
    Company: company,
    UtcOffsetMinutes: utcOffsetMinutes(now, zone),
    Today: dayIn(now, zone),
  }
}

const AREA = {
  name: 'Time zone',
  description: 'The zone that the caller’s days and date words are meant in.',
}

const GET_TIME_ZONE = {
  response: Envelope(EffectiveTimeZone),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'getTimeZone',
    summary: 'The zone that days and date words of this caller are meant in',
    description: 'Their own setting, else that of the company; a request may name another.',
  },
}

const SET_TIME_ZONE = {
  body: TimeZoneRequest,
  response: Envelope(EffectiveTimeZone),
  detail: {
    'x-gate': AUTHENTICATED,
    'x-example': { TimeZone: 'America/New_York' },
    operationId: 'setTimeZone',
    summary: 'Set or clear the caller’s own time zone',
    description: 'It holds from the next request on, in every session of the user.',
  },
}

const LIST_ZONES = {
  response: Envelope(Type.Array(Zone)),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'listTimeZones',
    summary: 'The IANA zones by name, with how far each is ahead of UTC now',
    description: 'Those that a user or a company may be given.',
  },
}

const ZONES: RouteGroup = {
  prefix: '/api/v1/svc/timezone',
  area: AREA.name,
  routes: [
    route('GET', '', GET_TIME_ZONE, async (call) => ok(await loadTimeZone(call))),
    route('PUT', '', SET_TIME_ZONE, async (call) => {
      const { app, caller, body } = call
      const actor = authorOf(app, ownRequestOf(call), 'timezone')
      await app.store.write(
        async (tx) => {
          const user = await findUserById(tx, caller.userId)
          if (user) await saveDetails(tx, user, { timeZone: body.TimeZone }, actor)
        },
        scopeOf(caller, 'users belong to no one company'),
      )
      app.callers.forgetUser(caller.userId)
      return ok(await loadTimeZone(call))
    }),
    route('GET', '/zones', LIST_ZONES, ({ app }) => ok(planZones(app.clock.now()))),
  ],
}

const planZones = (now: Date): Zone[] =>
  listZones().map((name) => ({ TimeZone: name, UtcOffsetMinutes: utcOffsetMinutes(now, name) }))

/** See `Feature`. */
export const timeZoneFeature: Feature = { areas: [AREA], routes: [ZONES] }
