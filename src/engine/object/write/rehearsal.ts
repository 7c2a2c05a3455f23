/**
 * Checks of records by code beside the model. What would be stored is learned by writing it in a
 * transaction that is then rolled back, so the code sees what every rule let through, and no
 * transaction waits for it.
 */
import { type FieldErrors, invalid, validation } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Reader, Tx } from '../../../store/store.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import type { View } from '../../../model/compiled/view.ts'
import { type CheckedRecord, type CheckRecords, type Mutation, writeMutation } from '../mutation.ts'
import { inChunks, loadStored } from '../record/stored-rows.ts'
import { keyText } from '../record/written-row.ts'
import { joinName } from '../rules/broken-records.ts'
import { maskErrors, shownFieldsOf } from '../rules/masked-faults.ts'
import { toWire } from '../value.ts'
import type { ViewUse } from '../view-access.ts'

/** Takes a transaction back that was not meant to stay. */
export class RolledBack extends Error {
  override readonly name = 'RolledBack'
}

/** Records that one write may have checked. */
const CHECKED_RECORDS_MAX = 5000

/** A record that was written for the check, and what its faults are keyed by. */
export interface RehearsedRecord {
  view: View
  grant: ViewUse['grant']
  entity: Entity
  key: readonly SqlValue[]
  isNew: boolean
  name: string
}

/** A record with its row as it would be stored. */
export interface RehearsedRow extends RehearsedRecord {
  row: SqlRow | undefined
}

/**
 * Has the records checked that `write` would leave, where a view of them has a check.
 * @throws validation with the faults that the checks find, and any error that `write` throws
 */
export async function requireChecked(
  mutation: Mutation,
  views: readonly View[],
  source: string,
  write: (tx: Tx) => Promise<readonly RehearsedRecord[]>,
): Promise<void> {
  const checks = await findChecks(mutation, views)
  if (checks.size === 0) return
  const rows = await rehearse(mutation, source, async (tx) => {
    const records = (await write(tx)).filter(({ view }) => checks.has(view))
    requireCheckable(records.length)
    return loadRows(tx, records)
  })
  const all: FieldErrors = {}
  for (const [view, check] of checks) {
    const own = rows.filter((each) => each.view === view)
    const faults = await checkRows(mutation, check, own)
    for (const [at, each] of faults.entries()) {
      const { name = '' } = own[at] ?? {}
      for (const [field, message] of Object.entries(each ?? {}))
        all[name === '' ? field : joinName(name, field)] = message
    }
  }
  if (Object.keys(all).length > 0) throw validation(all)
}

/** The checks of the views that have one. */
async function findChecks(
  { engine }: Mutation,
  views: readonly View[],
): Promise<Map<View, CheckRecords>> {
  const checks = new Map<View, CheckRecords>()
  for (const view of new Set(views)) {
    const check = await engine.findRecordCheck?.(view)
    if (check) checks.set(view, check)
  }
  return checks
}

/** @throws invalid for more records than one check takes */
export function requireCheckable(count: number): void {
  if (count > CHECKED_RECORDS_MAX)
    throw invalid(
      say`An extension checks these records: save at most ${CHECKED_RECORDS_MAX} at once`,
    )
}

async function rehearse<T>(
  mutation: Mutation,
  source: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const outcome: { value?: T } = {}
  const trial = { ...mutation, recordResponse: undefined }
  await writeMutation(trial, source, async (tx) => {
    outcome.value = await work(tx)
    throw new RolledBack()
  }).catch((error: unknown) => {
    if (!(error instanceof RolledBack)) throw error
  })
  return outcome.value as T
}

/** The rows of records as a transaction sees them, or as they are stored. */
export async function loadRows(
  reader: Reader,
  records: readonly RehearsedRecord[],
): Promise<RehearsedRow[]> {
  const rows: RehearsedRow[] = []
  for (const [entity, own] of Map.groupBy(records, (each) => each.entity))
    for (const chunk of inChunks(own)) {
      const keys = chunk.map(({ key }) => key)
      const found = await loadStored(reader, entity, keys)
      rows.push(...chunk.map((each) => ({ ...each, row: found.get(keyText(each.key)) })))
    }
  return rows
}

/** Checks each of the rows of one view. */
export async function checkRows(
  mutation: Mutation,
  check: CheckRecords,
  rows: readonly RehearsedRow[],
): Promise<readonly (FieldErrors | undefined)[]> {
  const [first] = rows
  if (!first) return []
  const { view, grant } = first
  const stored = await loadRows(
    mutation.engine.store,
    rows.filter(({ isNew }) => !isNew),
  )
  const old = new Map(stored.map(({ key, row }) => [keyText(key), row]))
  const records = rows.map(({ isNew, key, row }): CheckedRecord => ({
    isNew,
    values: toValues(view, row ?? {}, isNew),
    old: isNew ? null : toValues(view, old.get(keyText(key)) ?? {}, false),
  }))
  const faults = await check(mutation, records)
  return faults.map((each, at) => {
    if (!each) return undefined
    // Which rows hide a field is not known of stored records here.
    const masked = rows[at]?.isNew ? [] : grant.access.masked.keys()
    const shows = shownFieldsOf({ view, grant, context: mutation.context }, new Set(masked))
    return maskErrors(each, shows)
  })
}

/** Returns the values of a row; a record not stored yet has no value for a key of the server. */
function toValues(view: View, row: SqlRow, isNew: boolean): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const field of view.fields) {
    const { column } = field
    if (column?.kind !== 'declared') continue
    const isGiven = isNew && column.key && column.identity
    values[field.name] = isGiven ? null : toWire(field, row[column.name] ?? null)
  }
  return values
}
