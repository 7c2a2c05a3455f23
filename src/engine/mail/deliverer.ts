/** Delivers the mails that effects handed on. */
import { Loop } from '../../kernel/background.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Failure, type FailureKind } from '../../kernel/failure.ts'
import { shorten } from '../../kernel/languages.ts'
import type { Log } from '../../kernel/log.ts'
import { isMailAddress, parseMailboxes } from '../../kernel/mail-address.ts'
import { planDelay } from '../../kernel/retry.ts'
import type { Settings } from '../../kernel/settings.ts'
import { allRows, insertRow, updateRows } from '../../store/rows.ts'
import { type Reader, type Store, systemScope } from '../../store/store.ts'
import { type MailPayload, outbox } from '../../store/tables/outbox.ts'
import { RIGHTS_CHANGED } from '../../access/callers/caller-validity.ts'
import { loadRecipients } from '../../access/users/recipients.ts'
import { findCompanyLanguage, LANGUAGE } from '../../access/users/spoken-language.ts'
import type { Hold } from '../jobs/hold.ts'
import { writeText } from './email-template.ts'
import { readMailOptions } from './mail-options.ts'
import {
  hideAddresses,
  type Mail,
  type MailAddress,
  type MailAttachment,
  MailFailure,
} from './mail.ts'
import type { Mailer } from './mailer.ts'

/** Milliseconds between two looks for mails to deliver. */
const LOOK_MS = 2000

/** Mails of one look. */
const ROWS_MAX = 50

const SWEPT_ROWS = 4

const REMOVE_SENT = `DELETE FROM svc_outbox WHERE Id IN (SELECT Id FROM svc_outbox
  WHERE State = 'sent' AND Kind = 'mail' AND At < @oldest ORDER BY Id LIMIT ${SWEPT_ROWS})`

const SCOPE = systemScope('mails of every company are sent')

/** Milliseconds that a stop waits for the mail that is being handed over. */
const STOP_MS = 5000

/** A report to be made for a mail, as which user, and of how many bytes at most. */
export interface MailedReportOrder {
  /** The name or slug of a report or print. */
  report: string
  arguments: MailPayload['With']
  userId: number
  companyId: number
  /** The API key by which they caused the mail: the report shows no more than it does. */
  apiKeyId?: number | undefined
  /** The recipient's language. */
  language: string
  bytesMax: number
}

/** Makes the file of a report under the present rights of its user. Rejects with a `Failure`. */
export type MakeReport = (order: MailedReportOrder) => Promise<MailAttachment>

interface DelivererOptions {
  store: Store
  mailer: Mailer
  clock: Clock
  log: Log
  hold: Hold
  attempts: number
  retryDelayMs: number
  retentionMs: number
  attachmentBytesMax: number
  /** The language of a user who has none, in a company that has none. */
  language: string
  /** Makes reports, for the deliverer of mails with one, which takes no others. */
  makeReport?: MakeReport
}

/**
 * Takes mails over from the outbox, in their order, at least once each: one that left while the
 * process ended leaves again, under the same Message-ID. A mail to several people becomes one for
 * each, so that none gets it twice for another's sake. One that fails is tried again with growing
 * waits; one that failed too often, that the server refuses for good or that has no recipient is a
 * dead letter (`State` `parked`), and the log says why. Mails with a `Report` have a deliverer of
 * their own, so that none waits for another's report. Such a mail goes with its report, or not at
 * all.
 */
class MailDeliverer {
  readonly #options: DelivererOptions
  /** The loop that delivers due mails once it is started. */
  readonly loop: Loop

  constructor(options: DelivererOptions) {
    this.#options = options
    this.loop = new Loop({
      name: nameOf(options),
      everyMs: LOOK_MS,
      log: options.log,
      steps: [() => this.run()],
      waitsFirst: true,
      stopMs: STOP_MS,
      failure: 'mails wait in the outbox',
    })
  }

  /** Delivers due mails, but none of a folder that holds them. One run at a time. */
  async run(): Promise<void> {
    if (await this.#options.hold.find()) return
    for (const row of await this.#load()) {
      if (this.loop.isStopping) return
      // A server that is down would have each of them wait for it.
      if (!(await this.#deliver(row))) return
    }
  }

  #load(): Promise<OutboxRow[]> {
    const now = this.#options.clock.now().toISOString()
    const report = this.#options.makeReport ? 'NOT NULL' : 'NULL'
    const due = `WHERE State = 'pending' AND Kind = 'mail' AND (DueAt IS NULL OR DueAt <= @now)
      AND json_extract(Payload, '$.Report') IS ${report} ORDER BY Id LIMIT ${ROWS_MAX}` as const
    return allRows(this.#options.store, outbox, due, { now })
  }

  /** Resolves to whether the next one may be tried at once. */
  async #deliver(row: OutboxRow): Promise<boolean> {
    const payload = readPayload(row)
    const { store, language } = this.#options
    const [first, ...others] = await loadAddresses(store, row, payload, language)
    if (!first) await this.#park(row, 'The mail has no recipients')
    else if (others.length > 0) await this.#split(row, [first, ...others])
    else return this.#send(row, toMail(row, payload, first), first.language)
    return true
  }

  async #send(row: OutboxRow, mail: Mail, language: string): Promise<boolean> {
    try {
      const attachments = await this.#attach(row, language)
      await this.#options.mailer.deliver({ ...mail, attachments })
    } catch (error) {
      const failure = error instanceof MailFailure ? error : new MailFailure(String(error), false)
      await this.#fail(row, failure)
      return failure.isFinal
    }
    await this.#finish(row)
    return true
  }

  /** The report of a mail, by the rights that the user who caused it has now. */
  async #attach(row: OutboxRow, language: string): Promise<MailAttachment[]> {
    const { makeReport, attachmentBytesMax: bytesMax } = this.#options
    const { Report: report, With } = readPayload(row)
    if (!makeReport || report === null) return []
    const { UserId: userId, CompanyId: companyId } = row
    if (userId === null || companyId === null)
      throw new MailFailure(
        'Its report needs the rights of a user, and no user caused this mail',
        true,
      )
    try {
      return [
        await makeReport({
          report,
          arguments: With,
          userId,
          companyId,
          apiKeyId: row.ApiKeyId ?? undefined,
          language,
          bytesMax,
        }),
      ]
    } catch (error) {
      throw toReportFailure(error)
    }
  }

  /** Writes one row for each recipient in place of the one for all; they are delivered next. */
  async #split(row: OutboxRow, to: Parameters<typeof narrowPayload>[1][]): Promise<void> {
    const { Id, ...rest } = row
    const payload = readPayload(row)
    await this.#options.store.write(async (tx) => {
      for (const one of to)
        await insertRow(tx, outbox, {
          ...rest,
          PartOf: row.PartOf ?? Id,
          Payload: JSON.stringify(narrowPayload(payload, one)),
        })
      await tx.run('DELETE FROM svc_outbox WHERE Id = @Id', { Id })
    }, SCOPE)
  }

  async #fail(row: OutboxRow, failure: MailFailure): Promise<void> {
    const { attempts, retryDelayMs, clock, log } = this.#options
    const Attempts = row.Attempts + 1
    if (failure.isFinal || Attempts >= attempts) return this.#park(row, failure.message, Attempts)
    const delay = planDelay(retryDelayMs, Attempts)
    const DueAt = new Date(clock.now().getTime() + delay).toISOString()
    await this.#update(row, { Attempts, DueAt })
    const facts = { outbox: row.Id, attempt: Attempts, why: failure.message }
    log.warn('a mail waits for another try', facts)
  }

  async #park(row: OutboxRow, why: string, Attempts = row.Attempts): Promise<void> {
    await this.#update(row, { Attempts, State: 'parked' })
    this.#options.log.error('a mail is a dead letter', undefined, { outbox: row.Id, why })
  }

  async #update(row: OutboxRow, set: Partial<OutboxRow>): Promise<void> {
    await this.#options.store.write(
      (tx) => updateRows(tx, outbox, 'WHERE Id = @id', { id: row.Id, set }),
      SCOPE,
    )
  }

  /** Marks a mail as sent; removes some of the mails sent long ago. */
  async #finish(row: OutboxRow): Promise<void> {
    const { clock, retentionMs, store } = this.#options
    const oldest = new Date(clock.now().getTime() - retentionMs).toISOString()
    const set = { State: 'sent', Attempts: row.Attempts + 1, DueAt: null }
    await store.write(async (tx) => {
      await updateRows(tx, outbox, 'WHERE Id = @id', { id: row.Id, set })
      await tx.run(REMOVE_SENT, { oldest })
    }, SCOPE)
  }
}

const nameOf = ({ makeReport }: DelivererOptions): string =>
  makeReport ? 'mails with reports' : 'mails of the outbox'

/** Failures that may pass by themselves; any other refusal is final. */
const PASSING: ReadonlySet<FailureKind> = new Set(['unavailable', 'internal', 'tooMany'])

function toReportFailure(error: unknown): MailFailure {
  const isFinal =
    error instanceof Failure && !PASSING.has(error.kind) && error.code !== RIGHTS_CHANGED
  const why = error instanceof Error ? error.message : String(error)
  return new MailFailure(hideAddresses(`Its report is not made: ${why}`), isFinal)
}

type OutboxRow = typeof outbox.$inferSelect

/** The payload of a mail, as its row keeps it. */
const readPayload = (row: OutboxRow): MailPayload => JSON.parse(row.Payload) as MailPayload

/** An address with the language of who reads there. */
type Reached = MailAddress & { language: string }

/** Addresses that the `To` of a mail may name. */
const ADDRESSES_MAX = 100

/**
 * The recipients of a mail, each address once: those of its `To`, and the users that its role, user
 * and ids name within the company. Texts that are not addresses are left out.
 */
async function loadAddresses(
  reader: Reader,
  row: OutboxRow,
  payload: MailPayload,
  fallback: string,
): Promise<Reached[]> {
  const { To, Role, User, Users } = payload
  const users = await loadRecipients(reader, { role: Role, user: User, ids: Users }, row.CompanyId)
  const shared = (await findCompanyLanguage(reader, row.CompanyId)) ?? fallback
  const named = payload.Language ?? shared
  const found = [
    ...parseMailboxes(To ?? '', ADDRESSES_MAX).map((box) => ({ ...box, language: named })),
    ...users.map(({ DisplayName, Email, Language }) => ({
      name: DisplayName,
      address: Email ?? '',
      language: Language ?? shared,
    })),
  ].filter(({ address }) => isMailAddress(address))
  return [...new Map(found.map((each) => [each.address.toLowerCase(), each])).values()]
}

/** The payload of the mail to one of its recipients. */
const narrowPayload = (
  payload: MailPayload,
  { name, address, language }: Reached,
): MailPayload => ({
  ...payload,
  To: name === undefined ? address : `${name.replace(/[<>",;\p{C}]/gu, ' ')} <${address}>`,
  Role: null,
  User: null,
  Users: null,
  Language: language,
})

/** The mail of a row, with an id that every try of it has. */
function toMail(row: OutboxRow, payload: MailPayload, { language, ...to }: Reached): Mail {
  const { Texts: texts = {} } = payload
  const tag = shorten(language.toLowerCase()).find((each) => Object.hasOwn(texts, each))
  const { Subject, Body } = (tag === undefined ? undefined : texts[tag]) ?? payload
  return { to, ...writeText(Subject, Body ?? ''), id: `${row.Id}.${Date.parse(row.At)}` }
}

/** The parts that a deliverer works with. */
interface DelivererParts {
  settings: Settings
  store: Store
  mailer: Mailer
  clock: Clock
  log: Log
  hold: Hold
}

/**
 * The deliverer of mails that effects enqueue: those without a report, or those with one where
 * `makeReport` is given. It begins when it is started.
 */
export function openDeliverer(app: DelivererParts, makeReport?: MakeReport): MailDeliverer {
  const { store, mailer, clock, log, hold } = app
  const { attempts, retryDelayMs, retentionMs, attachmentBytesMax } = readMailOptions(app.settings)
  const bounds = { attempts, retryDelayMs, retentionMs, attachmentBytesMax }
  return new MailDeliverer({
    store,
    mailer,
    clock,
    log,
    hold,
    ...bounds,
    language: app.settings.get(LANGUAGE),
    ...(makeReport && { makeReport }),
  })
}
