/** One record of a submit, created or updated inside the mutation's transaction. */
import { type FieldErrors, invalid, validation } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import { dayIn } from '../../../kernel/zones.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import type { Mutation } from '../mutation.ts'
import type { ReadRow } from '../record/known-change.ts'
import { findPermit } from '../record/reached-rows.ts'
import {
  keyValues,
  loadRow,
  loadSaved,
  notPermittedNow,
  openRecords,
  readKey,
  type RecordKey,
  requireStored,
} from '../record/record.ts'
import { updateStored } from '../record/stored-rows.ts'
import { rowId } from '../record/written-row.ts'
import {
  type Changes,
  type Check,
  checkChanges,
  dropBarred,
  needsOutput,
  planDraft,
  readChanges,
} from '../rules/changes.ts'
import { type LoadedValues, requireAsLoaded, requireStamp } from '../rules/conflict.ts'
import { findBrokenViewRules } from '../rules/entity-rules.ts'
import { masking } from '../rules/masked-faults.ts'
import { completeNew } from '../rules/new-record.ts'
import { checkReferences } from '../rules/references.ts'
import { findGuarded, isGuarded } from '../rules/row-rules.ts'
import type { Draft } from '../value.ts'
import type { RecordAccess } from '../view-access.ts'
import { takeFiles } from './file-values.ts'
import { type LinkChange, type LinkPlan, namesLinks, planLinks, saveLinks } from './link-changes.ts'
import { addDefaults, type HiddenValues, insertRecord, updateRecord } from './statement.ts'

/** A request that one record is saved from. */
interface SaveRequest {
  view: View
  grant: Grant
  /** By lower-case name. */
  parameters: Map<string, unknown>
  /** Lower-case names of the fields that hold a detail to its parent. */
  parents: ReadonlySet<string>
  isNew: boolean
  merge: boolean
  /** The record as it was loaded, where the request says so. */
  loaded?: LoadedValues | undefined
}

/** A record as it was saved. */
export interface Saved {
  action: 'created' | 'updated'
  key: RecordKey
  access: RecordAccess
  /** Lower-case names of the parameters that something was taken from. */
  taken: ReadonlySet<string>
}

/** Saves one record; the after-write pass has not run yet. */
export async function saveRecord(tx: Tx, mutation: Mutation, request: SaveRequest): Promise<Saved> {
  const access = openRecords(tx, mutation, request)
  const key = readKey(access, request.parameters)
  const stored = request.isNew ? undefined : key
  return masking(access, stored, () =>
    stored ? saveStored(access, mutation, request, stored) : saveNew(access, request, key),
  )
}

async function saveStored(
  access: RecordAccess,
  mutation: Mutation,
  request: SaveRequest,
  key: RecordKey,
): Promise<Saved> {
  const { view, grant, parameters } = request
  grant.requireVerb('Update')
  const permit = findPermit(view, 'Update')
  const { touches } = access.reader
  const { row, isPermitted } = await requireStored(access, key, 'update', permit)
  const barred = await findGuarded(access, key, { verb: 'Update', names: parameters })
  const read = readChanges({ ...request, barred, stored: row }, false)
  await takeFiles(access, read, row)
  const { changes, faults, unchanged } = read
  const stamp = parameters.get('rowversion')
  await requireStamp(access, key, row, {
    given: stamp,
    isRequired: mutation.engine.requireRowVersion,
    merge: request.merge && !namesLinks(view, parameters) ? changes : undefined,
  })
  await requireAsLoaded(access, key, row, { loaded: request.loaded, changes })
  if (!isPermitted) throw notPermittedNow()
  const stored = needsOutput(view) ? { ...(await loadRow(access, key)), ...row } : row
  const check = planCheck(access, stored, changes)
  dropBarred(check)
  const chosen = chosenFields(request, changes)
  const links = await requireValid(access, check, { faults, chosen, parameters, key })
  await writeStored(access, key, { changes, stored: { row, touches }, links: links.changes })
  const taken = namesTaken(request, changes, links.taken, unchanged)
  return { action: 'updated', key, access, taken }
}

/** Writes what a stored record gains and loses; one of which only lists change moves its stamp. */
export async function writeStored(
  access: RecordAccess,
  key: RecordKey,
  { changes, stored, links }: { changes: Changes; stored: ReadRow; links: readonly LinkChange[] },
): Promise<void> {
  const isMoved = changes.size > 0 || (links.length > 0 && access.entity.concurrency)
  if (isMoved || access.view.update) await updateRecord(access, key, changes, stored)
  await saveLinks(access, key, links)
}

async function saveNew(
  access: RecordAccess,
  request: SaveRequest,
  key: RecordKey | undefined,
): Promise<Saved> {
  const { grant, parameters } = request
  grant.requireVerb('Create')
  if (key?.values.some(({ column }) => column.identity)) {
    throw invalid(say`The server assigns the key of a new record. Leave it out.`)
  }
  const isRuled = isGuarded(access, parameters)
  // Values that an authored Insert has written cannot be undone field by field.
  const barred = isRuled && request.view.insert ? listGuarded(grant) : undefined
  const read = readChanges({ ...request, ...(barred && { barred }) }, true)
  await takeFiles(access, read, undefined)
  const { faults } = read
  const made = await planNew(access, request, read)
  const { hidden } = made
  const chosen = chosenFields(request, read.changes)
  const readings = { faults, chosen, hidden, parameters }
  const links = await requireValid(access, made.check, readings)
  const created = await insertRecord(access, made.changes, hidden, parameters)
  if (isRuled && !barred) {
    const again = await dropGuarded(access, request, read, { made, key: created.key })
    if (again) await requireValid(access, again.check, { ...readings, hidden: again.hidden })
  }
  await saveLinks(access, created.key, links.changes)
  const taken = namesTaken(request, read.changes, links.taken, created.reserved)
  return { action: 'created', key: created.key, access, taken }
}

/** Fields that a create may not set on every row, by lower-case name. */
const listGuarded = ({ access }: Grant): ReadonlySet<string> =>
  new Set([...access.masked.keys(), ...access.guarded.Create.keys()])

/**
 * Drops values that the caller may not write on such a row, as if never sent: which rows a new
 * record is among is known only once it is stored. Undefined where nothing had to go.
 */
async function dropGuarded(
  access: RecordAccess,
  request: SaveRequest,
  read: { changes: Changes; faults: FieldErrors },
  { made, key }: { made: NewRecord; key: RecordKey },
): Promise<NewRecord | undefined> {
  const names = new Map([...read.changes.keys()].map((field) => [field.name.toLowerCase(), true]))
  const barred = await findGuarded(access, key, { verb: 'Create', names })
  const dropped = [...read.changes.keys()].filter(
    ({ name }) => barred.has(name.toLowerCase()) && !request.parents.has(name.toLowerCase()),
  )
  if (dropped.length === 0) return undefined
  for (const field of dropped) read.changes.delete(field)
  const again = await planNew(access, request, read)
  const cells = new Map<string, SqlValue>()
  for (const field of new Set([...made.changes.keys(), ...again.changes.keys()])) {
    const value = again.changes.get(field) ?? null
    const { column } = field
    if (!column || column.key || made.changes.get(field) === value) continue
    cells.set(column.name, value)
  }
  const values = keyValues(access.entity, key)
  if (cells.size > 0) await updateStored(access.reader, access.entity, values, cells)
  return again
}

/** The engine's own names, in lower case: a request may bring them with every record. */
const OWN_NAMES: readonly string[] = ['rowversion', 'formloadtime']

/**
 * Names of the parameters that were taken: the key, parents and changes that the request gave, the
 * company that a System caller may name.
 */
function namesTaken(
  { view, grant, parents }: SaveRequest,
  changes: Changes,
  ...more: readonly ReadonlySet<string>[]
): ReadonlySet<string> {
  const fields = [...view.keys, ...changes.keys()].map(({ name }) => name.toLowerCase())
  const company = view.fields.find(({ column }) => column && column.name === view.entity?.company)
  const named = company && grant.allCompanies ? [company.name.toLowerCase()] : []
  return new Set([...OWN_NAMES, ...fields, ...parents, ...named, ...more.flatMap((s) => [...s])])
}

/** A new record with its defaults, and the values that the engine alone fills. */
interface NewRecord {
  changes: Changes
  hidden: HiddenValues
  check: Check
}

/** Adds defaults to the values of the request. `read` keeps those that no condition bars. */
async function planNew(
  access: RecordAccess,
  { parameters }: SaveRequest,
  read: { changes: Changes; faults: FieldErrors },
): Promise<NewRecord> {
  const { made, ...completed } = await completeNew(
    read.changes,
    (changes) => planCheck(access, undefined, changes),
    (changes) => addDefaults(access, changes, read.faults, parameters),
  )
  return { ...completed, hidden: made }
}

/** Fields whose values come from the request: not those that hold a detail to its parent. */
function chosenFields({ parents }: SaveRequest, changes: Changes): ReadonlySet<Field> {
  return new Set([...changes.keys()].filter((field) => !parents.has(field.name.toLowerCase())))
}

function planCheck(
  { view, entity, context, grant }: RecordAccess,
  stored: SqlRow | undefined,
  changes: Changes,
): Check {
  const zone = grant.caller.timeZone
  return { view, entity, stored, changes, zone, today: dayIn(context.now, zone) }
}

/** Faults and values that were read from a request. */
interface Readings {
  faults: FieldErrors
  /** Fields whose values the request chose. */
  chosen: ReadonlySet<Field>
  hidden?: HiddenValues
  /** The request's, for lists of keys, and the key of a stored record. */
  parameters: ReadonlyMap<string, unknown>
  key?: RecordKey
}

/**
 * Plans what lists of keys gain and lose. @throws validation with every fault that is known before
 * the statement runs.
 */
async function requireValid(
  access: RecordAccess,
  check: Check,
  { faults, chosen, hidden, parameters, key }: Readings,
): Promise<Omit<LinkPlan, 'faults'>> {
  const { entity, grant } = access
  const column = entity.columns.find(({ name }) => name === entity.company)
  const given = column && (hidden?.get(column) ?? check.stored?.[column.name])
  const company = given ?? grant.caller.companyId
  const { changes, stored } = check
  let made: Draft | undefined
  const draft = () => (made ??= planDraft(entity, stored, changes))
  const pointing = { ...access, changes, draft, stored, chosen, company }
  const references = await checkReferences(pointing)
  const links = await planLinks(pointing, { parameters, key, evaluation: check })
  // A record without changes stays as it is, whatever rules came after it.
  const isMoved = !stored || changes.size > 0 || links.changes.length > 0
  const rules = isMoved ? checkChanges(check) : undefined
  const all = { ...references, ...links.faults, ...rules, ...faults }
  if (Object.keys(all).length > 0) throw validation(all)
  return links
}

/**
 * The view's rules in SQL, on the record as it is stored after the after-write pass, unless nothing
 * was changed at all; those that compare were evaluated before the statement. @throws validation.
 */
export async function requireViewRules({ action, key, access }: Saved): Promise<void> {
  const { entity, reader } = access
  if (action === 'updated' && reader.facts.changed === undefined) return
  const values = keyValues(entity, key)
  const row = reader.facts.changed?.get(rowId(entity, values))?.after
  const records = [{ key: values, row }]
  const faults: FieldErrors = {}
  for (const { field, message } of await findBrokenViewRules(access, records)) {
    faults[field] ??= message
  }
  if (Object.keys(faults).length === 0) return
  await masking(access, key, () => Promise.reject(validation(faults)))
}

/**
 * The record after the after-write pass; nothing of it for a caller who sees no rows at all.
 * @throws invalid when it has left the caller's rows, or was created outside of Create's.
 */
export async function requireVisible(saved: Saved): Promise<Record<string, unknown>> {
  const { grant } = saved.access
  const values = await loadSaved(saved.access, saved.key, saved.action)
  if (values) return grant.reads ? values : {}
  throw invalid(say`Not saved: you would lose access to this record`, { code: 'OUTSIDE_OWN_ROWS' })
}
