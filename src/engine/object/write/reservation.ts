/**
 * Numbers of sequences before there is a record: previewed, or reserved for a user, whose next
 * submit may use them. What is not used in time goes out again, the lowest first.
 */
import { type FieldErrors, invalid, notFound, validation } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { SqlArg } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { Column, Sequence } from '../../../model/compiled/entity.ts'
import type { View } from '../../../model/compiled/view.ts'
import { checkField } from '../../../model/fields/check.ts'
import type { Model } from '../../../model/model.ts'
import { scopeOf } from '../../../access/callers/caller-validity.ts'
import type { Caller } from '../../../access/callers/caller.ts'
import { Grant } from '../../../access/rights/grant.ts'
import { mayGiveField } from '../form/option-depends.ts'
import type { Mutation } from '../mutation.ts'
import { readParameters } from '../parameters.ts'
import { loadDefault } from '../read/defaults.ts'
import { isServed, requireView } from '../read/find-view.ts'
import {
  findCompany,
  findTaken,
  formatCounted,
  isTaken,
  type NumberedRecord,
  planCounter,
  previewNext,
  startCounting,
  takeBehind,
  takeNext,
} from '../record/sequence.ts'
import type { SequenceNumberRequest } from '../schema.ts'
import { parseValue } from '../value.ts'

/** How long a number is its user's. */
export const RESERVED_MS = 24 * 60 * 60 * 1000
/** Numbers of one sequence that a user may have reserved at a time. */
export const RESERVATIONS_MAX = 100

/**
 * The next number of a sequence, formatted with what a new record would have of the request's
 * Parameters; with Reserve it is the caller's for 24 hours. A sequence answers those only who may
 * Create a record that takes its numbers from it: to others it is not there.
 * @throws notFound, invalid, validation.
 */
export async function loadNumber(
  mutation: Mutation,
  request: SequenceNumberRequest,
): Promise<string> {
  const { engine, model, caller, context } = mutation
  const { store } = engine
  const { now } = context
  const { companyId } = caller
  const numbered = requireSequence(model, caller, request)
  const { sequence } = numbered
  const values = await readValues(mutation, numbered, request)
  if (!request.Reserve) {
    const counting = await startCounting(store, sequence, { model, companyId, now })
    const write = (number: number) => formatCounted(sequence, counting.counter, number, values)
    const next = write(await previewNext(store, counting, now))
    if (!(await isTaken(store, counting, next))) return next
    return write((await findTaken(store, counting, values)) + 1)
  }
  const by = { model, companyId, now, values, userId: caller.userId }
  return store.write((tx) => reserve(tx, sequence, by), scopeOf(caller))
}

/** A sequence that new records of a view take numbers from, and their creator's grant. */
interface NumberedField {
  view: View
  grant: Grant
  field: string
  column: Column
  sequence: Sequence
}

/** The sequence that the request names and the caller's new records take numbers from. */
function requireSequence(
  model: Model,
  caller: Caller,
  { SequenceName, FormName, FieldName }: SequenceNumberRequest,
): NumberedField {
  if (SequenceName) {
    const key = SequenceName.toLowerCase()
    for (const view of model.views.values()) {
      for (const numbered of listNumbered(model, view, findCreator(model, caller, view)))
        if (numbered.column.sequence?.toLowerCase() === key) return numbered
    }
    throw missingSequence()
  }
  if (!FormName || !FieldName) throw invalid(say`Set SequenceName, or FormName and FieldName`)
  const view = requireView(model, FormName)
  const key = FieldName.toLowerCase()
  const numbered = listNumbered(model, view, findCreator(model, caller, view))
  const found = numbered.find(({ field }) => field.toLowerCase() === key)
  if (!found) throw missingSequence()
  return found
}

const missingSequence = () =>
  notFound(say`There is no such sequence`, { code: 'SEQUENCE_NOT_FOUND' })

const findCreator = (model: Model, caller: Caller, view: View): Grant | undefined =>
  Grant.find(caller, model, view.resource, 'Create')

/** Lists the fields that a new record of the view numbers by sequences and its creator may see. */
function listNumbered(model: Model, view: View, grant: Grant | undefined): NumberedField[] {
  if (!grant) return []
  return view.fields.flatMap((field) => {
    const { column, name } = field
    const sequence = model.sequences.get(column?.sequence ?? '')?.sequence
    return column && sequence && isServed(view, grant, field)
      ? [{ view, grant, field: name, column, sequence }]
      : []
  })
}

const FIELD_TOKEN = /\{Field:([A-Za-z][A-Za-z0-9_]*)\}/g

/**
 * Values that the format names, as a create would have them: what the caller may write as the
 * request says, else the default; nothing of a field that they do not see. @throws validation.
 */
async function readValues(
  { engine, context }: Mutation,
  { view, grant, sequence: { format } }: NumberedField,
  { Parameters }: SequenceNumberRequest,
): Promise<Map<string, SqlArg>> {
  const parameters = readParameters(Parameters)
  const values = new Map<string, SqlArg>()
  const faults: FieldErrors = {}
  for (const [, token = ''] of format.matchAll(FIELD_TOKEN)) {
    const key = token.toLowerCase()
    const field = view.fields.find(({ column }) => column?.name.toLowerCase() === key)
    if (!field || !isServed(view, grant, field)) continue
    const name = field.name.toLowerCase()
    const given = mayGiveField(view, grant, name, true) ? parameters.get(name) : undefined
    if (given === undefined) {
      const access = { view, grant, context, reader: engine.store, parameters: NO_PARAMETERS }
      values.set(key, await loadDefault(field, access))
      continue
    }
    const parsed = parseValue(field, given)
    const fault = parsed.fault ?? checkField(parsed.value, { ...field, required: false })
    if (fault !== undefined) faults[field.name] = fault
    else if (parsed.fault === undefined) values.set(key, parsed.value)
  }
  if (Object.keys(faults).length > 0) throw validation(faults)
  return values
}

/** A default that depends on other fields is the form's to ask for. */
const NO_PARAMETERS: ReadonlyMap<string, unknown> = new Map()

const HELD = `SELECT count(*) AS Held FROM svc_reservations
  WHERE UserId = @user AND Name = @name AND ExpiresAt > @now`

/** Forgets reservations of an earlier period: they can no longer fill a gap. */
const FORGET = `DELETE FROM svc_reservations WHERE Name = @name AND CompanyId = @company
  AND Period <> @period AND ExpiresAt <= @now`

const RESERVE = `INSERT INTO svc_reservations
  (Name, CompanyId, Period, Number, Text, Day, UserId, ExpiresAt)
  VALUES (@name, @company, @period, @number, @text, @day, @user, @expires)`

/** Takes the next number and puts it by for a user. @throws invalid for one who has too many. */
export async function reserve(
  tx: Tx,
  sequence: Sequence,
  record: NumberedRecord & { userId: number },
): Promise<string> {
  const { now, values, userId } = record
  const counting = await startCounting(tx, sequence, record)
  const { name, company, period, day } = counting.counter
  const at = now.toISOString()
  const held = await tx.get<{ Held: number }>(HELD, { user: userId, name, now: at })
  if ((held?.Held ?? 0) >= RESERVATIONS_MAX)
    throw invalid(
      say`You have already reserved ${RESERVATIONS_MAX} numbers of this sequence. Use them first.`,
      { code: 'TOO_MANY_RESERVATIONS' },
    )
  await tx.run(FORGET, { name, company, period, now: at })
  const drawn = await takeNext(tx, counting, now)
  const write = (each: number) => formatCounted(sequence, counting.counter, each, values)
  const isFree = !(await isTaken(tx, counting, write(drawn)))
  const number = isFree ? drawn : await takeBehind(tx, counting, values)
  const text = write(number)
  const expires = new Date(now.getTime() + RESERVED_MS).toISOString()
  await tx.run(RESERVE, { name, company, period, number, text, day, user: userId, expires })
  return text
}

const USE = `DELETE FROM svc_reservations WHERE rowid = (SELECT rowid FROM svc_reservations
  WHERE UserId = @user AND Name = @name AND Text = @text AND CompanyId = @company
  AND ExpiresAt > @now LIMIT 1) RETURNING Number, Day`

/**
 * Uses a number that the user has reserved, by its text; undefined for any other text. Its fields
 * are those of the record, which may have changed since.
 */
export async function useReserved(
  tx: Pick<Tx, 'get'>,
  sequence: Sequence,
  { companyId, now, values, userId }: NumberedRecord & { userId: number },
  text: string,
): Promise<string | undefined> {
  const company = await findCompany(tx, companyId)
  const { name, company: counted } = planCounter(sequence, company, { now })
  const used = await tx.get<{ Number: number; Day: string }>(USE, {
    user: userId,
    name,
    text,
    company: counted,
    now: now.toISOString(),
  })
  if (!used) return undefined
  const { Number: number, Day: day } = used
  return formatCounted(sequence, { day, companyCode: company.code }, number, values)
}
