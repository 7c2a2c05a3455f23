/** Settings of the audit log. */
import { DAY, duration } from '../../kernel/setting.ts'

export const AUDIT = {
  keep: duration(
    'Svc:Audit:Keep',
    'How long entries of the audit log stay in the database before they go into signed archives ' +
      'in the folder audit (730d); 0 keeps all',
    0,
    [0, 36_500 * DAY],
  ),
}
