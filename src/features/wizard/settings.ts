/** Settings of wizards. */
import { bytes, DAY, duration, HOUR, integer, MINUTE } from '../../kernel/setting.ts'

const KB = 1024

export const WIZARDS = {
  lifetime: duration(
    'Svc:Wizards:Lifetime',
    'How long a run of a wizard can be continued after its latest step',
    7 * DAY,
    [HOUR, 365 * DAY],
  ),
  warnBefore: duration(
    'Svc:Wizards:WarnBefore',
    'How long before a run of a wizard expires its owner is notified; not for short lifetimes',
    DAY,
    [MINUTE, 365 * DAY],
  ),
  maxRuns: integer(
    'Svc:Wizards:MaxRuns',
    'Runs of wizards that one user may have open',
    50,
    [1, 10_000],
  ),
  maxBytes: bytes('Svc:Wizards:MaxBytes', 'What may be given in one run of a wizard', 256 * KB, [
    KB,
    8 * KB * KB,
  ]),
}
