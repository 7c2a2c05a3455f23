/** Removes expired data of the assistant: old conversations, proposals that expired. */
import { Loop } from '../../kernel/background.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import { DAY, MINUTE } from '../../kernel/setting.ts'
import { type Store, systemScope } from '../../store/store.ts'

const SCOPE = systemScope('what the assistant keeps is forgotten for every company')
const LOOK_MS = 30 * MINUTE
/** Rows of one transaction: others write in between. */
const AT_ONCE = 200
/** Milliseconds for which a proposal that was carried out answers a repeat. */
const DONE_MS = DAY

const OLD = [
  `DELETE FROM svc_assistant_conversations WHERE Id IN (
    SELECT Id FROM svc_assistant_conversations WHERE UpdatedAt < @kept LIMIT ${AT_ONCE})`,
  `DELETE FROM svc_assistant_proposals WHERE Id IN (
    SELECT Id FROM svc_assistant_proposals WHERE ExpiresAt < @done LIMIT ${AT_ONCE})`,
]

/** The data to remove, and its age. */
interface ForgetParts {
  store: Store
  clock: Clock
  /** Milliseconds. */
  retention: number
}

/** Removes expired data; gives up between two statements once `isStopping`. */
export async function forgetOld(
  { store, clock, retention }: ForgetParts,
  isStopping: () => boolean = () => false,
): Promise<void> {
  const now = clock.now().getTime()
  const before = (ms: number): string => new Date(now - ms).toISOString()
  const args = { kept: before(retention), done: before(DONE_MS) }
  for (const sql of OLD)
    while (!isStopping()) if ((await store.write((tx) => tx.run(sql, args), SCOPE)) < AT_ONCE) break
}

/** The loop that does so. */
export function openForgetting(parts: ForgetParts & { log: Log }): Loop {
  const loop: Loop = new Loop({
    name: 'old conversations',
    everyMs: LOOK_MS,
    log: parts.log,
    steps: [() => forgetOld(parts, () => loop.isStopping)],
    failure: 'old conversations could not be forgotten',
  })
  return loop
}
