/** Names of users, companies and roles: the allowed ones, and when two are the same. */
import { domainToUnicode } from 'node:url'
import { isBlankText, trimBlanks } from '../../kernel/blanks.ts'
import { validation } from '../../kernel/failure.ts'
import { isMailAddress } from '../../kernel/mail-address.ts'
import { say } from '../../kernel/messages.ts'

const NAME_MAX = 128
const VALUE_MAX = 1000

/** Control, format, private and unassigned characters: two names could look alike and differ. */
const UNSEEN = /\p{C}/u
const CODE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/
const ATTRIBUTE = /^[A-Za-z][A-Za-z0-9_]{0,63}$/

/**
 * Returns the key that a user is looked up by: Unicode compatibility forms, case and blanks at the
 * ends make no difference.
 */
export const toUserNameKey = (name: string): string =>
  trimBlanks(name).normalize('NFKC').toLowerCase().normalize('NFKC')

/** Returns an address as stored: lower case, and the domain as people read it, not as `xn--…`. */
export function toEmailKey(email: string): string {
  const text = trimBlanks(email).normalize('NFKC').toLowerCase()
  const at = text.lastIndexOf('@')
  const domain = domainToUnicode(text.slice(at + 1))
  return domain === '' ? text : `${text.slice(0, at)}@${domain}`
}

/**
 * Returns the mailbox of a stored address, as an SQL expression: a `+…` suffix in the local part
 * leads to the same mailbox, and would claim another user's account.
 */
export const mailboxSql = (email: string): string =>
  `CASE WHEN instr(${email}, '+') BETWEEN 2 AND instr(${email}, '@') ` +
  `THEN substr(${email}, 1, instr(${email}, '+') - 1) || substr(${email}, instr(${email}, '@')) ` +
  `ELSE ${email} END`

const BAD_NAME = say`A user name must have 1 to ${NAME_MAX} visible characters`

/** Throws 400 for a name that is empty, too long or holds invisible characters. */
export function requireUserName(name: string): void {
  if (name === '' || name.length > NAME_MAX || UNSEEN.test(name))
    throw validation({ UserName: BAD_NAME })
}

/** Throws 400 for a display name that is empty, too long or holds invisible characters. */
export function requireDisplayName(name: string): void {
  if (isBlankText(name) || name.length > NAME_MAX || UNSEEN.test(name))
    throw validation({ DisplayName: say`A name must have 1 to ${NAME_MAX} visible characters` })
}

/** Throws 400 for a name of a company that is empty or holds invisible characters. */
export function requireCompanyName(name: string): void {
  if (isBlankText(name)) throw validation({ Name: say`A company needs a name` })
  if (UNSEEN.test(name)) throw validation({ Name: say`A name may only contain visible characters` })
}

/** Throws 400 for a text that is not a mail address. */
export function requireEmail(email: string): void {
  if (!isMailAddress(email)) throw validation({ Email: say`This is not an email address` })
}

/** Throws 400 for a company code that is not made of 1 to 32 letters, digits, `-` and `_`. */
export function requireCompanyCode(code: string): void {
  if (!CODE.test(code))
    throw validation({
      Code: say`A company code must be 1 to 32 letters, digits, hyphens or underscores`,
    })
}

/** Throws 400 for an attribute that SQL could not name as `@User_<Attribute>`, or a long value. */
export function requireAttributes(attributes: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (!ATTRIBUTE.test(name))
      throw validation({
        Attributes: say`An attribute name may only contain letters, digits and underscores`,
      })
    if (value.length > VALUE_MAX)
      throw validation({ Attributes: say`At most ${VALUE_MAX} characters are allowed` })
  }
}

/** A role of a user: in one company, or in all of theirs. */
export interface RoleToGive {
  role: string
  /** The company's code; undefined for all. */
  company: string | undefined
}

/** `Clerk` is held everywhere, `Clerk@NORTH` in the company NORTH. */
export function parseRoleGrant(text: string): RoleToGive {
  const at = text.lastIndexOf('@')
  return at < 0
    ? { role: text, company: undefined }
    : { role: text.slice(0, at), company: text.slice(at + 1) }
}
