/** Mails, and the transports that take them away. */

export interface MailAddress {
  name?: string | undefined
  address: string
}

/** A file that goes with a mail. */
export interface MailAttachment {
  /** The file name, with its extension, under which the recipient saves it. */
  name: string
  contentType: string
  content: Buffer
}

/** A mail to one person, in plain text and simple HTML. */
export interface Mail {
  to: MailAddress
  subject: string
  text: string
  html: string
  /** The id, the same for each try, so that a mail program knows a repeat. */
  id?: string | undefined
  attachments?: readonly MailAttachment[]
}

/** A way that mails leave by. */
export interface Transport {
  /** Resolves once another server has taken the mail over. Rejects with a `MailFailure`. */
  deliver(mail: Mail): Promise<void>
  close(): void
}

/** A mail did not leave. Its message names no address and nothing of the mail, for the log. */
export class MailFailure extends Error {
  override readonly name = 'MailFailure'
  /** True when trying again is of no use: the server refused this very mail for good. */
  readonly isFinal: boolean

  constructor(reason: string, isFinal: boolean) {
    super(reason)
    this.isFinal = isFinal
  }
}

const REASON_CHARACTERS_MAX = 300

/** The reason that a server or the system gave, without the addresses in it. */
export const hideAddresses = (reason: string): string =>
  reason
    .replace(/[^\s<>@,;:"']+@[^\s<>@,;:"']+/g, '…@…')
    .replace(/\s+/g, ' ')
    .slice(0, REASON_CHARACTERS_MAX)
