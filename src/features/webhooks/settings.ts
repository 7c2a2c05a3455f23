/** Settings of webhooks. */
import { DAY, duration } from '../../kernel/setting.ts'

export const WEBHOOKS = {
  retention: duration(
    'Svc:Webhooks:Retention',
    'How long deliveries of webhooks can be looked at and sent again',
    30 * DAY,
    [DAY, 3650 * DAY],
  ),
}
