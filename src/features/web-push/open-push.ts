/** Parts of web push in a running server. */
import type { Caller } from '../../access/callers/caller.ts'
import { findPushed } from '../../engine/notifications/push-channel.ts'
import { findSubjects } from '../../engine/object/record/notified-records.ts'
import { readOutboundPolicy } from '../../engine/outbound/outbound-policy.ts'
import type { PushJobParts } from '../../engine/web-push/push-jobs.ts'
import type { PushMessage } from '../../engine/web-push/push-message.ts'
import { PUSH } from '../../engine/web-push/push-options.ts'
import { VapidKeys } from '../../engine/web-push/vapid-keys.ts'
import type { AppContext } from '../../server/context.ts'

/** Opens the keys of this installation; makes them if they are missing. */
export const openVapid = ({ store, clock, keys, settings }: AppContext): Promise<VapidKeys> =>
  VapidKeys.open({ store, clock, sealKey: keys.sealKey, subject: settings.get(PUSH.subject) })

/** Opens the parts by which jobs send. @throws SettingError */
export function openPush(app: AppContext): PushJobParts {
  const { store, state, clock, settings, keys } = app
  const policy = readOutboundPolicy(settings)
  const limits = { timeoutMs: settings.get(PUSH.timeout), ttlMs: settings.get(PUSH.ttl) }
  let vapid: VapidKeys | undefined
  return {
    store,
    state,
    clock,
    sealKey: keys.sealKey,
    findNotification: (caller, id) => findNotification(app, caller, id),
    loadOptions: async () => {
      vapid ??= await openVapid(app)
      return { policy, vapid, ...limits }
    },
  }
}

/** Finds a notification as its user may have it now: its record and link only if they see it. */
async function findNotification(
  { store, clock, models }: AppContext,
  caller: Caller,
  id: number,
): Promise<PushMessage | undefined> {
  const row = await findPushed(store, caller, id)
  if (!row) return undefined
  const { Id, Title, Body, Level, Kind } = row
  const subjects = await findSubjects({ store, clock }, { caller, model: models.get() }, [row])
  const { Object: object = null, Keys = null, Url = null } = subjects.get(Id) ?? {}
  return { Id, Seq: Id, Title, Body, Level, Object: object, Keys, Url, Kind }
}
