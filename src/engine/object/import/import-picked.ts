/** Whether the caller may pick what rows of a file point to, asked in its transaction. */
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import { planDraft } from '../after-write/changes.ts'
import { keyText } from '../after-write/written-row.ts'
import { findFaultyReference, picksAll } from '../write/references.ts'
import { CHUNK, loadStored } from '../write/stored-rows.ts'
import { loadStaged, readStaged, type EachScope } from './row-by-row.ts'
import type { OwnReference } from './import-plan.ts'
import { ReferenceValidation } from './import-references.ts'
import type { VisibilityScope } from './import-visibility.ts'
import { splitRange } from './import-stage.ts'
import { listNewKey, type BulkScope } from './import-statements.ts'

/**
 * Tells of references to stored records that the caller may not pick any more: they were judged
 * beside the writer, and records have changed since. Nothing is written yet. True where some are.
 */
export async function tellLost(
  scope: Pick<EachScope, 'tx' | 'plan' | 'stage' | 'tell'>,
): Promise<boolean> {
  const { tx, plan, stage, tell } = scope
  const judge = new ReferenceValidation(plan, tx)
  let isLost = false
  for (const range of splitRange({ first: 1, last: stage.count }, CHUNK)) {
    const rows = await loadStaged(tx, plan, stage.sql, range)
    const keyOf = (row: SqlRow) => stage.sql.keys.map((cell) => row[cell] ?? null)
    const known = rows.filter(({ isNew }) => isNew === 0).map(keyOf)
    const records = await loadStored(tx, plan.entity, known)
    for (const row of rows) {
      const stored = row.isNew === 0 ? records.get(keyText(keyOf(row))) : undefined
      const found = judge.check(readStaged(plan, stage.sql, row, 0), stored)
      const faults = found instanceof Promise ? await found : found
      if (!faults) continue
      tell(Number(row.line), faults)
      isLost = true
    }
  }
  return isLost
}

/**
 * Tells of references to rows of the file that a lookup leaves out, judged when all of them are
 * stored: by then the records are what their own rules have made of them.
 */
export async function reportUnpickable(
  scope: VisibilityScope,
  bulk: BulkScope,
  keys: ReadonlyMap<number, SqlValue>,
): Promise<void> {
  const { plan } = scope
  for (const own of plan.own) {
    if (picksAll(own.field, plan.grant)) continue
    for (let after = 0; after >= 0;) after = await reportPage(scope, bulk, { own, keys, after })
  }
}

interface Page {
  own: OwnReference
  /** As `EachScope` has them. */
  keys: ReadonlyMap<number, SqlValue>
  after: number
}

/** The number of the last row that was judged; -1 when there are no more. */
async function reportPage(
  { tx, plan, tell }: VisibilityScope,
  bulk: BulkScope,
  { own, keys: known, after }: Page,
): Promise<number> {
  const { view, entity, grant, context } = plan
  const stored = bulk.staged.keys.map((cell) => `s.${cell}`)
  const key = `CASE s.isNew WHEN 1 THEN ${listNewKey(bulk)[0]} ELSE ${stored[0]} END`
  const { rows: found } = await tx.authored(
    `SELECT s.n AS N, s.line AS Line, ${key} AS RowKey ` +
      `FROM staged.svc_import s WHERE s.n > @after AND s.${own.row} > 0 ` +
      `ORDER BY s.n LIMIT ${CHUNK}`,
    { after, _base: bulk.base ?? 0 },
  )
  const rows = found.map(({ N, Line, RowKey = null }) => ({
    line: Number(Line),
    key: known.get(Number(N)) ?? RowKey,
  }))
  const keys = rows.map((row) => [row.key])
  const records = await loadStored(tx, entity, keys)
  for (const row of rows) {
    const record = records.get(keyText([row.key]))
    if (!record) continue
    const value = record[own.field.column?.name ?? ''] ?? null
    const company: SqlValue = record[entity.company ?? ''] ?? grant.caller.companyId
    const draft = planDraft(entity, record, new Map())
    const check = { reader: tx, view, grant, context, draft, company }
    const fault = await findFaultyReference(check, own.field, value, true)
    if (fault !== undefined) tell(row.line, { [own.field.name]: fault })
  }
  return found.length < CHUNK ? -1 : Number(found.at(-1)?.N)
}
