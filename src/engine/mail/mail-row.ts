/** A mail that an effect handed on, as the outbox has it. */
import type { Reader } from '../../store/store.ts'
import { outbox } from '../../store/tables/outbox.ts'
import type { MailPayload } from '../../store/tables/outbox.ts'
import { loadRecipients } from '../../access/recipients.ts'
import { writeText } from './email-template.ts'
import type { Mail, MailAddress } from './mail.ts'

export type OutboxRow = typeof outbox.$inferSelect

/** What was handed on, as its row keeps it. */
export const readPayload = (row: OutboxRow): MailPayload => JSON.parse(row.Payload) as MailPayload

/** Addresses that the `To` of a mail may name. */
const ADDRESSES_MAX = 100

const NAMED_ADDRESS = /^(.*)<([^<>]*)>$/s

/** One plain address, and nothing that a mail server would read as more. */
const ADDRESS = /^[^\s@<>(),;:"\\[\]]+@[^\s@<>(),;:"\\[\]]+$/

const ADDRESS_CHARACTERS_MAX = 254

/**
 * Whom a mail goes to, each address once: those of its `To`, and the users that its role, user and
 * ids stand for within the company. What is no address is left out.
 */
export async function loadAddresses(
  reader: Reader,
  row: OutboxRow,
  payload: MailPayload,
): Promise<MailAddress[]> {
  const { To, Role, User, Users } = payload
  const users = await loadRecipients(reader, { role: Role, user: User, ids: Users }, row.CompanyId)
  const found = [
    ...parseAddresses(To ?? ''),
    ...users.map(({ DisplayName, Email }) => ({ name: DisplayName, address: Email ?? '' })),
  ]
  return [...new Map(found.map((each) => [each.address.toLowerCase(), each])).values()]
}

/** `a@example.com; Bo <b@example.com>`, by commas, semicolons or lines. */
function parseAddresses(text: string): MailAddress[] {
  return text
    .split(/[,;\n]/, ADDRESSES_MAX)
    .map((part): MailAddress => {
      const [, name, address] = NAMED_ADDRESS.exec(part) ?? []
      return address === undefined
        ? { address: part.trim() }
        : { name: name?.replaceAll('"', '').trim(), address: address.trim() }
    })
    .filter(({ address }) => address.length <= ADDRESS_CHARACTERS_MAX && ADDRESS.test(address))
}

/** The payload of the mail to one of its recipients. */
export const narrowPayload = (
  payload: MailPayload,
  { name, address }: MailAddress,
): MailPayload => ({
  ...payload,
  To: name === undefined ? address : `${name.replace(/[<>",;\p{C}]/gu, ' ')} <${address}>`,
  Role: null,
  User: null,
  Users: null,
})

/** The mail of a row, with an id that every try of it has. */
export const toMail = (row: OutboxRow, payload: MailPayload, to: MailAddress): Mail => ({
  to,
  ...writeText(payload.Subject, payload.Body ?? ''),
  id: `${row.Id}.${Date.parse(row.At)}`,
})
