/** Deliveries that are over are forgotten after a while. */
import { Loop } from '../../kernel/background.ts'
import { MINUTE } from '../../kernel/setting.ts'
import { systemScope } from '../../store/store.ts'
import type { AppContext } from '../../server/context.ts'
import { WEBHOOKS } from './settings.ts'

const SCOPE = systemScope('deliveries of every company are forgotten')

const LOOK_MS = 30 * MINUTE

const OLD = `SELECT Id FROM svc_webhook_deliveries
  WHERE At < @before AND State <> 'pending' ORDER BY At LIMIT 500`

/** Forgets what `Svc:Webhooks:Retention` does not keep. */
export function openForgetting({ store, clock, settings, log }: AppContext): Loop {
  const loop: Loop = new Loop({
    name: 'old webhook deliveries',
    everyMs: LOOK_MS,
    log,
    steps: [
      async () => {
        const retention = settings.get(WEBHOOKS.retention)
        const args = { before: new Date(clock.now().getTime() - retention).toISOString() }
        const isAny = () => store.get({ sql: OLD, args, runs: 'inline' })
        const forget = `DELETE FROM svc_webhook_deliveries WHERE Id IN (${OLD})`
        while (!loop.isStopping && (await isAny()))
          await store.write((tx) => tx.run(forget, args), SCOPE)
      },
    ],
    failure: 'old webhook deliveries could not be forgotten',
  })
  return loop
}
