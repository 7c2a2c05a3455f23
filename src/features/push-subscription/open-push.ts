/** What web push is made of in a running server. */
import { findPushMessage } from '../../engine/notifications/push-channel.ts'
import { readOutboundPolicy } from '../../engine/outbound/outbound-policy.ts'
import type { PushJobParts } from '../../engine/web-push/push-jobs.ts'
import { PUSH } from '../../engine/web-push/push-options.ts'
import { VapidKeys } from '../../engine/web-push/vapid-keys.ts'
import type { AppContext } from '../../server/context.ts'

/** The keys of this installation, made where there are none. */
export const openVapid = ({ store, clock, keys, settings }: AppContext): Promise<VapidKeys> =>
  VapidKeys.open({ store, clock, sealKey: keys.sealKey, subject: settings.get(PUSH.subject) })

/** What jobs send by. @throws SettingError */
export function openPush(app: AppContext): PushJobParts {
  const { store, state, clock, settings, keys } = app
  const policy = readOutboundPolicy(settings)
  const limits = { timeoutMs: settings.get(PUSH.timeout), ttlMs: settings.get(PUSH.ttl) }
  let vapid: VapidKeys | undefined
  return {
    ...{ store, state, clock, sealKey: keys.sealKey, findNotification: findPushMessage },
    loadOptions: async () => {
      vapid ??= await openVapid(app)
      return { policy, vapid, ...limits }
    },
  }
}
