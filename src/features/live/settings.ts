/** Settings of notifications. */
import { DAY, duration, integer } from '../../kernel/setting.ts'

export const NOTIFICATIONS = {
  retention: duration('Svc:Notifications:Retention', 'How long notifications are kept', 90 * DAY, [
    DAY,
    3650 * DAY,
  ]),
  changeWait: duration(
    'Svc:Notifications:ChangeWait',
    'The longest that a write waits until it is known who of those who look on saw its records ' +
      'before; a client that comes back later must reload',
    25,
    [1, 10_000],
  ),
  perUser: integer(
    'Svc:Notifications:PerUser',
    'How many notifications a user keeps in a company: of more, the oldest go',
    10_000,
    [100, 1_000_000],
  ),
}
