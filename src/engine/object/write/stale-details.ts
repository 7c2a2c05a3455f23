/** The 409 of a submit with details: what others stored of the record and of its rows. */
import { Failure } from '../../../kernel/failure.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import type { Mutation } from '../mutation.ts'
import { findStored, readKey, requireEntity } from '../record/record.ts'
import { changedMeanwhile, describeRecord, isGiven, isStale, listMoved } from '../rules/conflict.ts'
import type { RecordAccess, ViewUse } from '../view-access.ts'
import { type DetailPlan, findKnown, isLinked, loadLinks, withLinks } from './details.ts'
import { toWireKey } from './result.ts'

/** Rows of one detail that a 409 tells of: the answer does not grow with the request. */
const ROWS_TOLD_MAX = 100

/** A submit that was refused. */
interface Refused {
  view: View
  grant: Grant
  /** By lower-case name. */
  parameters: ReadonlyMap<string, unknown>
  plans: readonly DetailPlan[]
}

/** A row as the 409 tells of it. */
interface StaleRow {
  Key: Record<string, unknown>
  Kind: 'changed' | 'deleted'
  Current: Record<string, unknown> | null
  ChangedFields: string[]
  ChangedBy: string | null
  ChangedAt: string | null
  RowVersion: string | null
}

/**
 * Describes a conflict of a submit with details as of the last commit, once its own transaction is
 * rolled back: the record and all rows of the request that moved. Any other error comes back as it
 * is.
 */
export async function explainConflict(
  mutation: Mutation,
  { view, grant, parameters, plans }: Refused,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof Failure) || error.kind !== 'conflict' || plans.length === 0) return error
  const access = openCommitted(mutation, { view, grant })
  const key = readKey(access, parameters)
  const row = key && (await findStored(access, key))
  if (!key || !row) return causeOf(error)
  const stamp = parameters.get('rowversion')
  const details = new Map<string, StaleRow[]>()
  for (const plan of plans) {
    const links = await loadLinks(plan.detail, { access, key })
    const stale = await listStale(openCommitted(mutation, plan), plan, links)
    if (stale.length > 0) details.set(plan.detail.name, stale)
  }
  if (details.size === 0 && !isStale(access.entity, row, stamp)) return causeOf(error)
  const told = await describeRecord(access, key, row, stamp)
  const conflict = details.size > 0 ? { ...told, Details: Object.fromEntries(details) } : told
  return changedMeanwhile({ members: { conflict } })
}

/** The refusal of a row that turned out not to have moved, as it is without the conflict. */
const causeOf = (error: Failure): Failure => (error.cause instanceof Failure ? error.cause : error)

const openCommitted = (
  { engine, context }: Mutation,
  { view, grant }: Pick<ViewUse, 'view' | 'grant'>,
): RecordAccess<Reader> => {
  const entity = requireEntity(view)
  return { reader: engine.store, view, grant, context, entity }
}

async function listStale(
  access: RecordAccess<Reader>,
  plan: DetailPlan,
  links: ReadonlyMap<string, SqlValue>,
): Promise<StaleRow[]> {
  const known = findKnown(access, plan, links)
  const stale: StaleRow[] = []
  for (const row of [...plan.remove, ...plan.upsert]) {
    if (stale.length === ROWS_TOLD_MAX) break
    const parameters = withLinks(row, links)
    const { isKnown, loaded } = known(parameters)
    const key = isKnown ? readKey(access, parameters) : undefined
    if (!key) continue
    const stored = await findStored(access, key)
    if (!stored || !isLinked(access.view, stored, links)) {
      stale.push({ ...GONE, Key: toWireKey(key) })
      continue
    }
    const stamp = parameters.get('rowversion')
    const moved = loaded ? await listMoved(access, key, stored, loaded) : []
    if (moved.length === 0 && !isStale(access.entity, stored, stamp)) continue
    const told = await describeRecord(access, key, stored, stamp)
    if (told.Current === null) stale.push({ ...GONE, Key: toWireKey(key) })
    else {
      const ChangedFields = isGiven(stamp) ? told.ChangedFields : moved
      stale.push({ ...told, Key: toWireKey(key), Kind: 'changed', ChangedFields })
    }
  }
  return stale
}

/** A row that is not stored, or that the caller does not see any more: both look the same. */
const GONE: Omit<StaleRow, 'Key'> = {
  Kind: 'deleted',
  Current: null,
  ChangedFields: [],
  ChangedBy: null,
  ChangedAt: null,
  RowVersion: null,
}
