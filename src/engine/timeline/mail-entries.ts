/** Mails about a record: of each what its reader may know of its subject, and to whom it went. */
import { shorten } from '../../kernel/languages.ts'
import { parseMailboxes } from '../../kernel/mail-address.ts'
import { renderMessage } from '../../kernel/messages.ts'
import type { MailFacts } from '../object/after-write/mail-trace.ts'
import { loadSaved, toRecordKey } from '../object/record/record.ts'
import type { FoundEntry } from './logged-entries.ts'
import { loadMailStates } from './mail-states.ts'
import { findNamedField } from './named-field.ts'
import type { OpenRecord } from './open-record.ts'
import { loadReferenceLabels } from './reference-labels.ts'
import type { TimelineMail } from './schema.ts'
import type { ShownChange } from './shown-fields.ts'
import { loadUserNames } from '../workflow/user-labels.ts'

/** A mail as its reader sees it; without a subject that tells what they do not see. */
export interface ShownMail extends TimelineMail {
  subject: string | null
}

/** Addresses that a mail may name. */
const ADDRESSES_MAX = 100

/** Loads the mails among entries, by the entry. */
export async function loadMails(
  record: OpenRecord,
  found: readonly FoundEntry[],
): Promise<ReadonlyMap<FoundEntry, ShownMail>> {
  const mails = found.flatMap((of) =>
    of.mail ? [{ of, facts: of.mail, told: listTold(record, of.mail) }] : [],
  )
  if (mails.length === 0) return new Map()
  const { by, use } = record
  const reader = by.engine.store
  const list = mails.map(({ facts }) => facts)
  const ids = list.flatMap(({ Users = [] }) => Users)
  const [nameOf, labelOf, stateOf, isShown] = [
    await loadUserNames(reader, by.caller.companyId, ids, by.caller),
    await loadReferenceLabels(
      { ...use, reader },
      mails.flatMap(({ told }) => told ?? []),
    ),
    await loadMailStates(
      reader,
      list.flatMap(({ Mail = [] }) => Mail),
    ),
    await loadAddresses(record, list),
  ]
  return new Map(
    mails.map(({ of, facts, told }) => {
      const isOpen = told?.every(({ field, to }) => labelOf(field, to) !== null) ?? false
      const subject = isOpen ? chooseSubject(facts, record.language) : null
      const to = listRecipients(record, facts, { nameOf, isShown })
      const known = to.filter((each) => each !== null)
      return [
        of,
        {
          subject,
          To: known,
          HasOthers: known.length < to.length,
          HasReport: facts.Report !== undefined,
          State: facts.Mail === undefined ? null : stateOf(facts.Mail),
        },
      ]
    }),
  )
}

/**
 * The references whose labels the subject of a mail tells; undefined where it tells a field that
 * the reader does not see on this record, or no field of it.
 */
function listTold(record: OpenRecord, facts: MailFacts): ShownChange[] | undefined {
  const told: ShownChange[] = []
  for (const [name, key] of Object.entries(facts.Named)) {
    const field = findNamedField(record, facts.Object, name)
    if (!field) return undefined
    if (key !== null) told.push({ field, from: null, to: key })
  }
  return told
}

function chooseSubject({ Subject, Subjects = {} }: MailFacts, language: string): string {
  const tag = shorten(language.toLowerCase()).find((each) => Object.hasOwn(Subjects, each))
  return tag === undefined ? Subject : (Subjects[tag] ?? Subject)
}

/** The recipients of a mail, null for each whom the reader may not know. */
function listRecipients(
  { by, language }: OpenRecord,
  { Role, Users = [], To = '' }: MailFacts,
  known: { nameOf: (id: number) => string | null; isShown: (address: string) => boolean },
): (string | null)[] {
  const role = Role === undefined ? undefined : (by.model.roles.get(Role)?.label ?? Role)
  return [
    ...(role === undefined ? [] : [renderMessage(role, language)]),
    ...Users.map(known.nameOf),
    ...parseMailboxes(To, ADDRESSES_MAX).map(({ address }) =>
      known.isShown(address) ? address : null,
    ),
  ]
}

/** Loads the addresses that the record itself shows its reader. */
async function loadAddresses(
  { by, use, keyed, values }: OpenRecord,
  mails: readonly MailFacts[],
): Promise<(address: string) => boolean> {
  if (mails.every(({ To }) => To === undefined)) return () => false
  const access = { ...use, entity: keyed.entity, reader: by.engine.store }
  const row = await loadSaved(access, toRecordKey(access, values), 'read')
  const shown = Object.values(row ?? {}).flatMap((value: unknown) =>
    typeof value === 'string' ? parseMailboxes(value, ADDRESSES_MAX) : [],
  )
  const addresses = new Set(shown.map(({ address }) => address.toLowerCase()))
  return (address) => addresses.has(address.toLowerCase())
}
