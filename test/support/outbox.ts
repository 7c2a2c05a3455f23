/** Mails in the `outbox/` of a data folder. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDeliverer } from '../../src/engine/mail/deliverer.ts'
import type { OpenContext } from '../../src/server/open-context.ts'

/** Texts of the mails in a data folder, the oldest first. */
export function readOutbox(folder: string): string[] {
  const outbox = join(folder, 'outbox')
  if (!existsSync(outbox)) return []
  const names = readdirSync(outbox).sort()
  return names
    .filter((name) => name.endsWith('.eml'))
    .map((name) => readFileSync(join(outbox, name), 'utf8'))
}

/** The same, once all mails of a running server have left. */
export async function waitForOutbox(context: OpenContext): Promise<string[]> {
  await context.mailer.idle()
  await openDeliverer(context).run()
  return readOutbox(context.folder)
}

/** The token of the link in a mail. Fails the test when there is none. */
export function tokenIn(mail: string | undefined): string {
  const [, token] = /[?&]token=([\w-]+)/.exec(mail ?? '') ?? []
  if (token === undefined) throw new Error('The mail holds no link with a token')
  return token
}
