/** Settings of users’ own: `/api/v1/svc/settings/me` (src/server/README.md, Own settings). */
import { Type } from '@sinclair/typebox'
import { JsonValue, named } from '../../kernel/schema.ts'
import type { Tx } from '../../store/store.ts'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import {
  ALL_KB_MAX,
  clearSetting,
  KEYS_MAX,
  loadSettingsOf,
  saveSetting,
  VALUE_KB_MAX,
} from '../../engine/own-settings/settings.ts'
import type { RequestCall } from '../../server/call.ts'
import type { Feature } from '../../server/feature.ts'
import { planOwn } from '../../server/gate.ts'
import { ok, okTextTo } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'

const OwnSettings = named(
  'OwnSettings',
  Type.Record(Type.String(), JsonValue, {
    description: 'Values by key, as they were given',
    examples: [{ density: 'compact', 'filters:Orders': [{ Field: 'Status', Value: 'Open' }] }],
  }),
)

const SettingKey = Type.Object({
  key: Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$',
    description: 'Up to 100 letters, digits and . _ : - behind a letter or digit; case counts',
    examples: ['density'],
  }),
})

const SettingRequest = named(
  'OwnSettingRequest',
  Type.Object({ Value: JsonValue }, { examples: [{ Value: 'compact' }] }),
)

const AREA = {
  name: 'Own settings',
  description: 'What clients remember for a user: how pages look, favourites, last filters.',
}

const LIST = {
  response: Envelope(OwnSettings),
  detail: planOwn(
    'getOwnSettings',
    'All settings of the caller',
    'They follow the user into each company; the engine reads none of them.',
  ),
}

const PUT = {
  params: SettingKey,
  body: SettingRequest,
  response: Envelope(Type.Null()),
  detail: planOwn(
    'putOwnSetting',
    'Saves one setting of the caller',
    `Any JSON of at most ${VALUE_KB_MAX} KB, ${KEYS_MAX} keys and ${ALL_KB_MAX} KB in all (else ` +
      '413); null clears it. The last write counts. Other clients of the user get ' +
      '`settingsChanged`. Nobody saves for a user they act as (401).',
  ),
}

const CLEAR = {
  params: SettingKey,
  response: Envelope(Type.Null()),
  detail: planOwn(
    'clearOwnSetting',
    'Clears one setting of the caller',
    'Also where there is none.',
  ),
}

/** Gate: any caller, for their own. */
const ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/settings/me',
  area: AREA.name,
  routes: [
    route('GET', '', LIST, async (call) =>
      okTextTo(call, await loadSettingsOf(call.app.store, call.caller.userId)),
    ),
    route(
      'PUT',
      '/:key',
      PUT,
      async (call) => {
        const { params, body } = call
        const given = { key: params.key, value: body.Value }
        await change(call, given.key, (tx, userId) =>
          given.value === null
            ? clearSetting(tx, userId, given.key)
            : saveSetting(tx, userId, given),
        )
        return ok(null)
      },
      { before: refuseImpersonated },
    ),
    route(
      'DELETE',
      '/:key',
      CLEAR,
      async (call) => {
        const { key } = call.params
        await change(call, key, (tx, userId) => clearSetting(tx, userId, key))
        return ok(null)
      },
      { before: refuseImpersonated },
    ),
  ],
}

/** Clients that act as a user remember nothing for that user. */
function refuseImpersonated({ caller }: RequestCall): void {
  requireNotImpersonated(caller)
}

/** Runs a change of the caller's own, and tells their other clients. */
async function change(
  { app, caller }: Pick<RequestCall, 'app' | 'caller'>,
  key: string,
  work: (tx: Tx, userId: number) => Promise<void>,
): Promise<void> {
  const { userId } = caller
  await app.store.write(
    async (tx) => {
      await work(tx, userId)
      tx.afterCommit(() => app.ownChanges.tell({ kind: 'setting', userId, key }))
    },
    scopeOf(caller, 'settings follow users into all of their companies'),
  )
}

/** See `Feature`. */
export const ownSettingsFeature: Feature = { areas: [AREA], routes: [ROUTES] }
