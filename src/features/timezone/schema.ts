/** What `/api/v1/svc/timezone` takes and answers (src/server/README.md, Identity). */
import { Type } from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'

export const EffectiveTimeZone = Type.Object(
  {
    TimeZone: Type.String({ description: 'The zone that this request is answered in' }),
    Source: Type.Union([Type.Literal('Header'), Type.Literal('User'), Type.Literal('Company')], {
      description: 'Where it is from: X-TimeZone goes before the user’s, that before the company’s',
    }),
    User: Type.Union([Type.String(), Type.Null()], { description: 'The caller’s own' }),
    Company: Type.String({ description: 'That of the company the token is in' }),
    UtcOffsetMinutes: Type.Integer({ description: 'How far the zone is ahead of UTC now' }),
    Today: Type.String({ format: 'date', description: 'The day that it is there' }),
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
)
export type EffectiveTimeZone = Static<typeof EffectiveTimeZone>

export const TimeZoneRequest = Type.Object({
  TimeZone: Type.Union([Type.String({ maxLength: 64, description: 'IANA name' }), Type.Null()], {
    description: 'Null clears it: the company’s holds',
  }),
})

export const Zone = Type.Object({
  TimeZone: Type.String({ description: 'IANA name' }),
  UtcOffsetMinutes: Type.Integer({ description: 'How far it is ahead of UTC now' }),
})
export type Zone = Static<typeof Zone>
