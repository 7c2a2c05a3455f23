/** Removes subscriptions that ended without a word: with their session, or as the browser said. */
import { Loop } from '../../kernel/background.ts'
import { HOUR } from '../../kernel/setting.ts'
import { systemScope } from '../../store/store.ts'
import { findLiveSession } from '../../access/sessions/sessions.ts'
import { removeSubscription } from '../../engine/web-push/subscriptions.ts'
import type { AppContext } from '../../server/context.ts'
import { openVapid } from './open-push.ts'

const SCOPE = systemScope('push subscriptions belong to users')

const PAGE = 200

const LIST = `SELECT Id, SessionId, ExpiresAt FROM svc_push_subscriptions WHERE Id > @after
  ORDER BY Id LIMIT ${PAGE}`

interface Listed {
  [column: string]: string | number | null
  Id: number
  SessionId: string | null
  ExpiresAt: string | null
}

/** Looks at all of them each hour; makes the keys for push services at the first start. */
export function openSweep(app: AppContext): Loop {
  const { log } = app
  const loop: Loop = new Loop({
    name: 'push subscriptions',
    everyMs: HOUR,
    log,
    prepare: async () => void (await openVapid(app)),
    steps: [
      async () => {
        for (let after: number | undefined = 0; after !== undefined && !loop.isStopping;)
          after = await sweepPage(app, after)
      },
    ],
    failure: 'push subscriptions that ended could not be removed',
  })
  return loop
}

/** Resolves to where the next page begins; undefined behind the last one. */
async function sweepPage(app: AppContext, after: number): Promise<number | undefined> {
  const { store, state, clock } = app
  const now = clock.now()
  const page = await store.all<Listed>(LIST, { after })
  const ended: Listed[] = []
  for (const row of page) {
    const isOver = row.ExpiresAt !== null && row.ExpiresAt <= now.toISOString()
    const hasSession =
      row.SessionId === null || (await findLiveSession(state, row.SessionId, now)) !== undefined
    if (isOver || !hasSession) ended.push(row)
  }
  if (ended.length > 0)
    await store.write(async (tx) => {
      for (const { Id, SessionId } of ended)
        await removeSubscription(tx, { id: Id, sessionId: SessionId })
    }, SCOPE)
  return page.length < PAGE ? undefined : page.at(-1)?.Id
}
