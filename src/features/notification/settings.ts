/** What operators decide of notifications. */
import { DAY, duration, integer } from '../../kernel/setting.ts'

export const NOTIFICATIONS = {
  retention: duration('Svc:Notifications:Retention', 'How long notifications are kept', 90 * DAY, [
    DAY,
    3650 * DAY,
  ]),
  perUser: integer(
    'Svc:Notifications:PerUser',
    'How many notifications a user keeps in a company: of more, the oldest go',
    10_000,
    [100, 1_000_000],
  ),
}
