/** Moves what was shown from its journal into the audit log (src/engine/audit). */
import { Loop } from '../../kernel/background.ts'
import { SECOND } from '../../kernel/setting.ts'
import type { AppContext } from '../../server/context.ts'

/** Answers of this time with records of one view, to one user, are one entry. */
const EVERY_MS = 10 * SECOND

/** Its first run takes what an earlier process has left. */
export const openReadLogging = ({ reads, log }: AppContext): Loop =>
  new Loop({
    name: 'log of reads',
    everyMs: EVERY_MS,
    log,
    steps: [() => reads.flush()],
    failure: 'reads could not be put into the audit log',
  })
