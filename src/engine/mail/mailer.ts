/** Mails that leave from memory, off the path of the request that causes them. */
import { join } from 'node:path'
import { type Clock, sleep } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import { planDelay } from '../../kernel/retry.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import type { MailOptions } from './mail-options.ts'
import { type Mail, MailFailure, type Transport } from './mail.ts'
import { OutboxFolder, SmtpTransport } from './transports.ts'

/** Mails that may be on their way; one more is dropped, and the log says so. */
const OPEN_MAX = 1000

/** Mails that are written and handed to the transport at the same time. */
const AT_ONCE = 2

/** Milliseconds that a stop waits for mails that are being handed over. */
const STOP_MS = 5000

interface MailerOptions {
  transport: Transport
  log: Log
  attempts: number
  retryDelayMs: number
}

/** A mail to send: its topic in the log, its text, and how long it is of use. */
interface Sending {
  topic: string
  /** Runs after the request was answered; undefined: there is nothing to send. */
  write: () => Promise<Mail | undefined>
  /** Milliseconds after which it is not tried again. */
  withinMs?: number
}

/**
 * Sends mails with content that no file may hold (a link that sets a password). A mail that has not
 * left when the process ends is lost. No request ever waits for it.
 */
export class Mailer {
  readonly #options: MailerOptions
  readonly #open = new Set<Promise<void>>()
  readonly #semaphore = new Semaphore(AT_ONCE, { waitingMax: OPEN_MAX })
  readonly #stopping = new AbortController()

  constructor(options: MailerOptions) {
    this.#options = options
  }

  /** Hands one mail over, now and once. Rejects with a `MailFailure`. */
  deliver(mail: Mail): Promise<void> {
    return this.#options.transport.deliver(mail)
  }

  /** Sends a mail in the background; never throws and never waits. */
  send(sending: Sending): void {
    const { log } = this.#options
    if (this.#stopping.signal.aborted || this.#open.size >= OPEN_MAX)
      return log.warn('a mail was dropped', { topic: sending.topic })
    const sent = this.#send(sending)
      .catch((error: unknown) => log.error('a mail could not be sent', error, facts(sending)))
      .finally(() => this.#open.delete(sent))
    this.#open.add(sent)
  }

  /** Resolves when all that was given to `send` has left or was given up. */
  async idle(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open)
  }

  /** Takes no more mails, gives up retries, and ends the mails that are being handed over. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.race([this.idle(), sleep(STOP_MS)])
    this.#options.transport.close()
  }

  async #send(sending: Sending): Promise<void> {
    // The answer goes first: it takes the same time whatever there is to write.
    await new Promise<void>((resolve) => setImmediate(resolve))
    const until = performance.now() + (sending.withinMs ?? Number.POSITIVE_INFINITY)
    const mail = await this.#semaphore.run(sending.write)
    if (!mail) return
    const { log, attempts, retryDelayMs } = this.#options
    for (let attempt = 1; ; attempt += 1) {
      const failure = await this.#semaphore.run(() => this.#try(mail))
      if (failure === undefined) return
      const delay = planDelay(retryDelayMs, attempt)
      const isOver = attempt >= attempts || performance.now() + delay > until
      if (isOver || failure.isFinal) throw failure
      log.warn('a mail waits for another try', { ...facts(sending), attempt, why: failure.message })
      await sleep(delay, this.#stopping.signal)
      if (this.#stopping.signal.aborted) throw failure
    }
  }

  async #try(mail: Mail): Promise<MailFailure | undefined> {
    try {
      await this.deliver(mail)
      return undefined
    } catch (error) {
      if (error instanceof MailFailure) return error
      throw error
    }
  }
}

const facts = ({ topic }: Sending) => ({ topic })

/** The folder of a data folder where mails are put when no SMTP server is set. */
const OUTBOX_FOLDER = 'outbox'

/** Opens nothing yet: neither a connection nor a folder. */
export function openMailer(
  { from, smtp, attempts, retryDelayMs, retentionMs }: MailOptions,
  { folder, clock, log }: { folder: string; clock: Clock; log: Log },
): Mailer {
  const outbox = { folder: join(folder, OUTBOX_FOLDER), from, clock, retentionMs }
  const transport = smtp ? new SmtpTransport(smtp, from) : new OutboxFolder(outbox)
  return new Mailer({ transport, log, attempts, retryDelayMs })
}
