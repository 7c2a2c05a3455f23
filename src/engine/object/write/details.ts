/**
 * Details of a submit: rows of child views, saved and deleted in the same transaction as their
 * parent.
 */
import { Failure, invalid, validation } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { Detail, View } from '../../../model/compiled/view.ts'
import { Grant } from '../../../access/rights/grant.ts'
import { missingRecord } from '../form/load-form.ts'
import type { Mutation } from '../mutation.ts'
import { readParameters } from '../parameters.ts'
import { namesRecord, requireView } from '../read/find-view.ts'
import { findStored, openRecords, readKey } from '../record/record.ts'
import { joinName } from '../rules/broken-records.ts'
import type { DetailChanges } from '../schema.ts'
import type { RecordAccess } from '../view-access.ts'
import { deleteOne, namesOfKey } from './delete-row.ts'
import { DETAIL_RIGHTS } from './mutation-rights.ts'
import { listIgnored } from './result.ts'
import { requireViewRules, requireVisible, type Saved, saveRecord } from './save.ts'

const DETAIL_ROWS_MAX = 5000

/** A detail's part of a submit, with the grant for its view. */
interface DetailPlan {
  detail: Detail
  view: View
  grant: Grant
  upsert: Map<string, unknown>[]
  remove: Map<string, unknown>[]
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
  return { detail, view, grant, upsert, remove, sent: changes }
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

/** Saves the details of a record that has just been saved. Faults are keyed `Lines[0].Quantity`. */
export async function saveDetails(
  tx: Tx,
  mutation: Mutation,
  plans: readonly DetailPlan[],
  parent: Saved,
): Promise<PlacedRecord[]> {
  const details: PlacedRecord[] = []
  for (const plan of plans) {
    const { view, grant, detail } = plan
    if (plan.remove.length + plan.upsert.length === 0) continue
    const access = openRecords(tx, mutation, plan)
    const links = await loadLinks(detail, parent)
    const parents = parentNames(detail)
    for (const row of plan.remove) {
      const parameters = withLinks(row, links)
      if (!(await isOwn(access, links, parameters))) throw missingRecord()
      const stamp = row.get('rowversion')
      await deleteOne(tx, mutation, { view, grant, parameters, stamp })
    }
    for (const [at, given] of plan.upsert.entries()) {
      const parameters = withLinks(given, links)
      const name = `${detail.name}[${plan.places?.[at] ?? at}]`
      await underKey(name, async () => {
        const isStored = await isOwn(access, links, parameters)
        const isNew = !isStored && namesRecord(view, parameters)
        if (isNew && hasGivenKey(view)) throw missingRecord()
        const request = { view, grant, parameters, parents, isNew, merge: false }
        details.push({ name, saved: await saveRecord(tx, mutation, request) })
      })
    }
  }
  return details
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
async function loadLinks(detail: Detail, parent: Saved): Promise<Map<string, SqlValue>> {
  const { access, key } = parent
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
  const { view } = access
  const key = readKey(access, row)
  const stored = key && (await findStored(access, key))
  if (!stored) return false
  for (const [child, value] of links) {
    const column = view.fieldByName.get(child.toLowerCase())?.column
    if (column && stored[column.name] !== value) throw missingRecord()
  }
  return true
}

/** A row of a request with the fields that hold it to its parent. */
const withLinks = (
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
