/** A mail as the mail library takes it. */
import type { Mail, MailAddress } from './mail.ts'

/** Nothing that a mail says may have files or addresses read. */
export const NOTHING_READ = { disableFileAccess: true, disableUrlAccess: true } as const

/** Sender, recipient and subject as values, never as a header's text that could hold another. */
export const planHeaders = (mail: Mail, from: MailAddress) => ({
  from: toParsed(from),
  to: toParsed(mail.to),
  subject: mail.subject,
  ...(mail.id !== undefined && { messageId: `<${mail.id}@${domainOf(from)}>` }),
  // RFC 3834: out-of-office replies have no one to go to.
  headers: { 'Auto-Submitted': 'auto-generated' },
})

const toParsed = ({ name, address }: MailAddress) => ({ name: name ?? '', address })

const domainOf = ({ address }: MailAddress): string => address.slice(address.lastIndexOf('@') + 1)
