/**
 * Details of a submit: rows of child views, saved and deleted in the same transaction as their
 * parent.
 */
import { Failure, invalid, validation } from '../../../kernel/failure.ts'
import { FIELD_ERRORS_MAX } from '../../../kernel/limits.ts'
import { type Message, say } from '../../../kernel/messages.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Reader, Tx } from '../../../store/store.ts'
import type { Detail, View } from '../../../model/compiled/view.ts'
import { Grant } from '../../../access/rights/grant.ts'
import { missingRecord } from '../form/load-form.ts'
import type { Mutation } from '../mutation.ts'
import { readParameters } from '../parameters.ts'
import { namesRecord, requireView } from '../read/find-view.ts'
import { findStored, keyValues, openRecords, readKey, type RecordKey } from '../record/record.ts'
import { keyText } from '../record/written-row.ts'
import { joinName } from '../rules/broken-records.ts'
import { changedMeanwhile, isGiven, type LoadedValues } from '../rules/conflict.ts'
import type { DetailChanges } from '../schema.ts'
import type { RecordAccess } from '../view-access.ts'
import { deleteOne, namesOfKey } from './delete-row.ts'
import { DETAIL_RIGHTS } from './mutation-rights.ts'
import { listIgnored } from './result.ts'
import { requireViewRules, requireVisible, type Saved, saveRecord } from './save.ts'

const DETAIL_ROWS_MAX = 5000

/** A detail's part of a submit, with the grant for its view. */
export interface DetailPlan {
  detail: Detail
  view: View
  grant: Grant
  upsert: Map<string, unknown>[]
  remove: Map<string, unknown>[]
  /** Rows of both as the caller had loaded them. */
  loaded: Map<string, unknown>[]
  /** As it was sent. */
  sent: DetailChanges
  /** Numbers that faults name saved rows by, in place of their own: the lines of a file. */
  places: readonly number[] | undefined
}

/**
 * Looks up the details of a submit and passes their gates, before any data is touched.
 * @throws invalid for a detail that the view does not have, denied (401) without the verb.
 */
export function planDetails(
  mutation: Mutation,
  view: View,
  details: Readonly<Record<string, DetailChanges>>,
  places: ReadonlyMap<string, readonly number[]> = NO_PLACES,
): DetailPlan[] {
  return Object.entries(details).map(([name, changes]) => {
    const key = name.toLowerCase()
    const detail = view.details.find((candidate) => candidate.name.toLowerCase() === key)
    if (!detail) throw invalid(say`Unknown detail '${name.slice(0, 80)}'`)
    return { ...planDetail(mutation, detail, changes), places: places.get(name) }
  })
}

const NO_PLACES: ReadonlyMap<string, readonly number[]> = new Map()

function planDetail(
  mutation: Mutation,
  detail: Detail,
  changes: DetailChanges,
): Omit<DetailPlan, 'places'> {
  const view = requireView(mutation.model, detail.view)
  const upsert = (changes.Upsert ?? []).map(readParameters)
  const remove = (changes.Delete ?? []).map(readParameters)
  if (upsert.length + remove.length > DETAIL_ROWS_MAX) {
    throw invalid(
      say`Detail '${detail.name}': at most ${DETAIL_ROWS_MAX} rows can be saved at once`,
    )
  }
  const { caller, model, allCompanies } = mutation
  const grant = Grant.require(caller, model, view.resource, DETAIL_RIGHTS, { allCompanies })
  if (remove.length > 0) grant.requireVerb('Delete')
  const parents = new Map([...parentNames(detail)].map((name) => [name, true]))
  for (const row of upsert) {
    if (!namesRecord(view, new Map<string, unknown>([...row, ...parents])))
      grant.requireVerb('Create')
    else if (hasGivenKey(view)) grant.requireVerb('Update')
    else if (!grant.may('Create')) grant.requireVerb('Update')
  }
  const loaded = (changes.Loaded ?? []).map(readParameters)
  return { detail, view, grant, upsert, remove, loaded, sent: changes }
}

/** Tells whether the server gives the key: then a row with one is a stored one. */
function hasGivenKey(view: View): boolean {
  return view.keys.some((key) => key.column?.identity)
}

/** A detail as it was saved, and what its faults are keyed by (`Lines[0]`). */
export interface PlacedRecord {
  name: string
  saved: Saved
}

/**
 * Saves the details of a record that has just been saved. Faults are keyed `Lines[0].Quantity`.
 * @param merge Lets changes of rows through that touch none of the fields that moved.
 */
export async function saveDetails(
  tx: Tx,
  mutation: Mutation,
  plans: readonly DetailPlan[],
  { parent, merge }: { parent: Saved; merge: boolean },
): Promise<PlacedRecord[]> {
  const details: PlacedRecord[] = []
  const faults = new Map<string, Message>()
  for (const plan of plans) {
    if (plan.remove.length + plan.upsert.length === 0) continue
    const access = openRecords(tx, mutation, plan)
    const links = await loadLinks(plan.detail, parent)
    const rows = { access, plan, links, merge, known: findKnown(access, plan, links) }
    for (const row of plan.remove) await removeRow(mutation, rows, row)
    for (const [at, row] of plan.upsert.entries()) {
      const name = `${plan.detail.name}[${plan.places?.[at] ?? at}]`
      await collectFaults(faults, () =>
        underKey(name, async () => {
          details.push({ name, saved: await saveRow(mutation, rows, row) })
        }),
      )
    }
  }
  if (faults.size > 0) throw validation(Object.fromEntries(faults))
  return details
}

/** Collects the faults of a row, so that all rows are told at once: as many as an answer has. */
async function collectFaults(
  faults: Map<string, Message>,
  save: () => Promise<void>,
): Promise<void> {
  try {
    await save()
  } catch (error) {
    if (!(error instanceof Failure) || !error.fieldErrors) throw error
    for (const [name, fault] of Object.entries(error.fieldErrors)) faults.set(name, fault)
    if (faults.size >= FIELD_ERRORS_MAX) throw validation(Object.fromEntries(faults))
  }
}

/** The rows of a submit's detail, with what the caller knew of them. */
interface DetailRequest {
  access: RecordAccess
  plan: DetailPlan
  links: ReadonlyMap<string, SqlValue>
  merge: boolean
  known(parameters: ReadonlyMap<string, unknown>): KnownRow
}

async function removeRow(
  mutation: Mutation,
  { access, plan, links, merge, known }: DetailRequest,
  row: ReadonlyMap<string, unknown>,
): Promise<void> {
  const { view, grant } = plan
  const parameters = withLinks(row, links)
  const { isKnown, loaded } = known(parameters)
  await asConflict(isKnown, async () => {
    if (!(await isOwn(access, links, parameters))) {
      if (isKnown && merge) return
      throw missingRecord()
    }
    const stamp = row.get('rowversion')
    await deleteOne(access.reader, mutation, { view, grant, parameters, stamp, loaded })
  })
}

async function saveRow(
  mutation: Mutation,
  { access, plan, links, merge, known }: DetailRequest,
  row: ReadonlyMap<string, unknown>,
): Promise<Saved> {
  const { view, grant, detail } = plan
  const parameters = withLinks(row, links)
  const { isKnown, loaded } = known(parameters)
  return asConflict(isKnown, async () => {
    const isStored = await isOwn(access, links, parameters)
    const isNew = !isStored && namesRecord(view, parameters)
    if (isNew && (isKnown || hasGivenKey(view))) throw missingRecord()
    const parents = parentNames(detail)
    const request = { view, grant, parameters, parents, isNew, merge, loaded }
    return saveRecord(access.reader, mutation, request)
  })
}

/** A row as the caller says that they had loaded it. */
interface KnownRow {
  /** True where they had loaded it: one that is gone is a conflict then. */
  isKnown: boolean
  loaded: LoadedValues | undefined
}

/** Finds what the caller knew of a row, by the row's stamp and by the values of `Loaded`. */
export function findKnown(
  access: Pick<RecordAccess, 'view' | 'entity'>,
  plan: DetailPlan,
  links: ReadonlyMap<string, SqlValue>,
): (parameters: ReadonlyMap<string, unknown>) => KnownRow {
  const { entity } = access
  const nameOf = (row: ReadonlyMap<string, unknown>): string | undefined => {
    const key = readKey(access, row)
    return key && keyText(keyValues(entity, key))
  }
  const all = new Map(plan.loaded.map((row) => [nameOf(withLinks(row, links)), row] as const))
  return (parameters) => {
    const loaded = all.size === 0 ? undefined : all.get(nameOf(parameters))
    const isStamped = entity.concurrency && isGiven(parameters.get('rowversion'))
    return { isKnown: isStamped || loaded !== undefined, loaded }
  }
}

/**
 * A row that the caller had loaded and that is another by now, or is gone, is a conflict of the
 * whole submit, which `explainConflict` describes: by itself a row says nothing.
 */
async function asConflict<T>(isKnown: boolean, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const isMoved = error.kind === 'conflict' || (isKnown && error.kind === 'notFound')
    throw isMoved ? changedMeanwhile({ cause: error }) : error
  }
}

/** Lists the names that were dropped from the rows of details, saved rows first. */
export function listIgnoredDetails(
  plans: readonly DetailPlan[],
  saved: readonly PlacedRecord[],
): string[] {
  const taken = new Map(saved.map((each) => [each.name, each.saved.taken]))
  return plans.flatMap(({ detail, view, sent }) => {
    const { name } = detail
    const parents = parentNames(detail)
    const upserted = (sent.Upsert ?? []).flatMap((row, at) =>
      listIgnored(row, taken.get(`${name}[${at}]`) ?? parents, `${name}[${at}].`),
    )
    const known = new Set([...namesOfKey(view), ...parents])
    const removed = (sent.Delete ?? []).flatMap((row, at) =>
      listIgnored(row, known, `${name}.Delete[${at}].`),
    )
    return [...upserted, ...removed]
  })
}

/**
 * Validates details after the after-write pass: the rules in SQL of their views hold, and they are
 * among the caller's rows. @throws validation, invalid.
 */
export async function requireDetailRules(details: readonly PlacedRecord[]): Promise<void> {
  for (const { name, saved } of details) {
    await underKey(name, async () => {
      await requireViewRules(saved)
      await requireVisible(saved)
    })
  }
}

/** Lower-case names of the child's fields that say whose detail it is. */
function parentNames(detail: Detail): ReadonlySet<string> {
  return new Set(detail.parent.map(({ child }) => child.toLowerCase()))
}

/** The child's fields that say whose detail it is, with the parent's values. */
export async function loadLinks(
  detail: Detail,
  { access, key }: { access: RecordAccess<Reader>; key: RecordKey },
): Promise<Map<string, SqlValue>> {
  const stored = await findStored(access, key)
  const links = new Map<string, SqlValue>()
  for (const { child, parent: name } of detail.parent) {
    const field = access.view.fieldByName.get(name.toLowerCase())
    const own = key.values.find((item) => item.field === field)
    links.set(child, own ? own.value : (stored?.[field?.column?.name ?? name] ?? null))
  }
  return links
}

/**
 * Tells whether a row names a stored record of this parent. A row of an own key that is not stored
 * yet is to be created. @throws notFound for a record of another parent.
 */
async function isOwn(
  access: RecordAccess,
  links: ReadonlyMap<string, SqlValue>,
  row: ReadonlyMap<string, unknown>,
): Promise<boolean> {
  const key = readKey(access, row)
  const stored = key && (await findStored(access, key))
  if (!stored) return false
  if (!isLinked(access.view, stored, links)) throw missingRecord()
  return true
}

/** Tells whether a stored row is one of the parent that the links are of. */
export const isLinked = (
  view: View,
  stored: SqlRow,
  links: ReadonlyMap<string, SqlValue>,
): boolean =>
  [...links].every(([child, value]) => {
    const column = view.fieldByName.get(child.toLowerCase())?.column
    return !column || stored[column.name] === value
  })

/** A row of a request with the fields that hold it to its parent. */
export const withLinks = (
  row: ReadonlyMap<string, unknown>,
  links: ReadonlyMap<string, SqlValue>,
): Map<string, unknown> =>
  new Map([...row, ...[...links].map(([field, value]) => [field.toLowerCase(), value] as const)])

async function underKey(prefix: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Failure) || !error.fieldErrors) throw error
    const entries = Object.entries(error.fieldErrors)
    throw validation(
      Object.fromEntries(entries.map(([name, text]) => [joinName(prefix, name), text])),
      error.text,
    )
  }
}
