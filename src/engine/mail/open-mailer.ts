/** The post of a data folder, by its settings. */
import { join } from 'node:path'
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import type { Settings } from '../../kernel/settings.ts'
import type { Store } from '../../store/store.ts'
import { MailDeliverer } from './deliverer.ts'
import { readMailOptions } from './mail-options.ts'
import type { MailOptions } from './mail-options.ts'
import { OutboxFolder } from './transports.ts'
import { Mailer } from './mailer.ts'
import { SmtpTransport } from './transports.ts'

/** Where mails are put in a data folder when no SMTP server is set. */
export const OUTBOX_FOLDER = 'outbox'

/** Opens nothing yet: neither a connection nor a folder. */
export function openMailer(
  { from, smtp, attempts, retryDelayMs, retentionMs }: MailOptions,
  { folder, clock, log }: { folder: string; clock: Clock; log: Log },
): Mailer {
  const outbox = { folder: join(folder, OUTBOX_FOLDER), from, clock, retentionMs }
  const transport = smtp ? new SmtpTransport(smtp, from) : new OutboxFolder(outbox)
  return new Mailer({ transport, log, attempts, retryDelayMs })
}

/** The deliverer of what effects hand on; it begins when it is started. */
export function openDeliverer(app: {
  settings: Settings
  store: Store
  mailer: Mailer
  clock: Clock
  log: Log
}): MailDeliverer {
  const { store, mailer, clock, log } = app
  const { attempts, retryDelayMs, retentionMs } = readMailOptions(app.settings)
  return new MailDeliverer({ store, mailer, clock, log, attempts, retryDelayMs, retentionMs })
}
