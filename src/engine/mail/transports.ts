/** The ways that mails leave by: SMTP, and `.eml` files where no server is set. */
import { open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SendMailOptions } from 'nodemailer'
import type { Clock } from '../../kernel/clock.ts'
import { makeFolder, syncFolder } from '../../kernel/durable.ts'
import { newId } from '../../kernel/ids.ts'
import type { SmtpOptions } from './mail-options.ts'
import { hideAddresses, type Mail, type MailAddress, MailFailure, type Transport } from './mail.ts'

/** Sends by SMTP, with one connection for each mail; each step of it is bounded in time. */
export class SmtpTransport implements Transport {
  readonly #options: SmtpOptions
  readonly #from: MailAddress
  #sender: Promise<Sender> | undefined

  constructor(options: SmtpOptions, from: MailAddress) {
    this.#options = options
    this.#from = from
  }

  async deliver(mail: Mail): Promise<void> {
    this.#sender ??= openSender(this.#options)
    const sender = await this.#sender
    const { text, html } = mail
    try {
      const attachments = planAttachments(mail)
      await sender.sendMail({ ...planHeaders(mail, this.#from), text, html, attachments })
    } catch (error) {
      throw toFailure(error)
    }
  }

  close(): void {
    void this.#sender?.then((sender) => sender.close())
  }
}

interface Sender {
  sendMail(mail: SendMailOptions): Promise<unknown>
  close(): void
}

/** The library is loaded with the first mail: a start does not wait for it. */
async function openSender(options: SmtpOptions): Promise<Sender> {
  const { createTransport } = await import('nodemailer')
  const { host, port, security, ca, signIn, timeoutMs } = options
  return createTransport({
    host,
    port,
    secure: security === 'Tls',
    requireTLS: security === 'StartTls',
    ignoreTLS: security === 'None',
    ...(ca !== undefined && { tls: { ca } }),
    ...(signIn && { auth: { user: signIn.user, pass: signIn.password } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    ...NOTHING_READ,
  })
}

/** Steps at which a 5xx is about this mail, not about the server or how we sign in. */
const ABOUT_THE_MAIL = new Set(['EENVELOPE', 'EMESSAGE'])

function toFailure(error: unknown): MailFailure {
  const code = String(readMember(error, 'code') ?? '')
  const response = Number(readMember(error, 'responseCode') ?? 0)
  const reason = error instanceof Error ? error.message : String(error)
  return new MailFailure(
    hideAddresses(`${code} ${reason}`.trim()),
    ABOUT_THE_MAIL.has(code) && response >= 500,
  )
}

const readMember = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined

/** Options under which no text of a mail can have files or addresses read. */
const NOTHING_READ = { disableFileAccess: true, disableUrlAccess: true } as const

/** Sender, recipient and subject as values, never as a header's text that could hold another. */
const planHeaders = (mail: Mail, from: MailAddress) => ({
  from: toParsed(from),
  to: toParsed(mail.to),
  subject: mail.subject,
  ...(mail.id !== undefined && { messageId: `<${mail.id}@${domainOf(from)}>` }),
  // RFC 3834: out-of-office replies have no one to go to.
  headers: { 'Auto-Submitted': 'auto-generated' },
})

const planAttachments = ({ attachments = [] }: Mail) =>
  attachments.map(({ name, contentType, content }) => ({ filename: name, contentType, content }))

const toParsed = ({ name, address }: MailAddress) => ({ name: name ?? '', address })

const domainOf = ({ address }: MailAddress): string => address.slice(address.lastIndexOf('@') + 1)

/** Files that are kept, besides their age: the newest. */
export const OUTBOX_FILES_MAX = 1000

const UNFINISHED = '.tmp'

interface OutboxOptions {
  /** The folder, made when the first mail comes. */
  folder: string
  from: MailAddress
  clock: Clock
  retentionMs: number
}

/**
 * Writes each mail to a file for its owner alone, on the disk before `deliver` resolves; a name
 * that ends in `.eml` is that of a whole mail. Names sort by time. Files beyond `retentionMs` and
 * `OUTBOX_FILES_MAX` are removed when another comes.
 */
export class OutboxFolder implements Transport {
  readonly #options: OutboxOptions
  /** The last delivery: one runs after the other, so that clearing up meets no unfinished file. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  deliver(mail: Mail): Promise<void> {
    const written = this.#last.then(() => this.#write(mail))
    this.#last = written.catch(() => undefined)
    return written
  }

  close(): void {}

  async #write(mail: Mail): Promise<void> {
    const { folder, from, clock } = this.#options
    const bytes = await compose(mail, from, clock.now())
    const name = `${toStamp(clock.now())}-${newId()}.eml`
    try {
      makeFolder(folder)
      await this.#clear()
      await writeWhole(join(folder, name + UNFINISHED), bytes)
      await rename(join(folder, name + UNFINISHED), join(folder, name))
      await syncFolder(folder)
    } catch (error) {
      throw new MailFailure(`The outbox cannot be written: ${String(error)}`, false)
    }
  }

  async #clear(): Promise<void> {
    const { folder, clock, retentionMs } = this.#options
    const names = (await readdir(folder)).sort()
    const mails = names.filter((name) => name.endsWith('.eml'))
    const oldest = toStamp(new Date(clock.now().getTime() - retentionMs))
    const surplus = mails.slice(0, Math.max(0, mails.length - OUTBOX_FILES_MAX + 1))
    const expired = new Set([
      ...surplus,
      ...mails.filter((name) => name < oldest),
      ...names.filter((name) => name.endsWith(`.eml${UNFINISHED}`)),
    ])
    for (const name of expired) await rm(join(folder, name), { force: true })
  }
}

/** `20261121T221755123Z`. */
const toStamp = (at: Date): string => at.toISOString().replace(/[-:.]/g, '')

/** Composes parts in 8 bits, so that a person who opens the file can read and copy the text. */
async function compose(mail: Mail, from: MailAddress, date: Date): Promise<Buffer> {
  const { createTransport } = await import('nodemailer')
  const composer = createTransport({ streamTransport: true, buffer: true, ...NOTHING_READ })
  const { message } = await composer.sendMail({
    ...planHeaders(mail, from),
    date,
    alternatives: [
      { raw: planPart('text/plain', mail.text) },
      { raw: planPart('text/html', mail.html) },
    ],
    attachments: planAttachments(mail),
  })
  if (!Buffer.isBuffer(message)) throw new Error('The mail was not composed in memory')
  return message
}

const planPart = (type: string, text: string): string =>
  `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n` +
  text.replace(/\r?\n/g, '\r\n')

async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}
