/** Mails by SMTP. */
import type { SendMailOptions } from 'nodemailer'
import { NOTHING_READ, planHeaders } from './composed.ts'
import { hideAddresses, MailFailure } from './mail.ts'
import type { Mail, MailAddress, Transport } from './mail.ts'
import type { SmtpOptions } from './mail-options.ts'

/** One connection a mail; each step of it is bounded in time. */
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
      await sender.sendMail({ ...planHeaders(mail, this.#from), text, html })
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
