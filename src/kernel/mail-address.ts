/** Mail addresses: the rule for one, used everywhere, and the mailboxes that a text names. */
import addressparser from 'nodemailer/lib/addressparser'

/** Characters of an address (RFC 5321, 4.5.3.1.3, without its brackets). */
const CHARACTERS_MAX = 254

/** Letters of either part; nothing that a mail server would read as more than one address. */
const ATOM = String.raw`[^\s@<>(),;:"\\\[\].\p{C}]+`
const PLAIN = String.raw`${ATOM}(?:\.${ATOM})*@${ATOM}(?:\.${ATOM})*`
const ADDRESS = new RegExp(`^${PLAIN}$`, 'u')

/** An address alone, or behind a name and in brackets: a setting's form of a sender. */
export const MAILBOX = new RegExp(String.raw`^(?:[^<>@",;\p{C}]+ <${PLAIN}>|${PLAIN})$`, 'u')

/** The address of a mailbox as a URI. */
export const MAILTO = new RegExp(`^mailto:${PLAIN}$`, 'u')

/** Checks that a text is one plain address and nothing else: `ana@example.com`. */
export const isMailAddress = (text: string): boolean =>
  text.length <= CHARACTERS_MAX && ADDRESS.test(text)

/** An address, with the name shown in its place. */
interface Mailbox {
  name?: string | undefined
  address: string
}

/**
 * Parses the mailboxes of a text, `a@example.com; "Bo, at home" <b@example.com>`, by commas,
 * semicolons or lines. Leaves out anything else: a group, a name that is another address, an
 * address beside others without brackets.
 */
export function parseMailboxes(text: string, countMax: number): Mailbox[] {
  return text
    .split(/[\r\n]+/, countMax)
    .flatMap((line) => addressparser(line).flatMap((parsed) => toMailbox(line, parsed) ?? []))
    .slice(0, countMax)
}

function toMailbox(
  line: string,
  { name, address }: { name?: string | undefined; address?: string | undefined },
): Mailbox | undefined {
  if (address === undefined || !isMailAddress(address)) return undefined
  const isOpened = line.includes(`<${address}`) && !line.includes(`<${address}>`)
  if (isOpened) return undefined
  if (name === undefined || name === '') return { address }
  const isMarked = line.includes(`<${address}>`) || line.includes(`(${name})`)
  const isOther = name.includes('@') && name.toLowerCase() !== address.toLowerCase()
  return isMarked && !isOther ? { name, address } : undefined
}
