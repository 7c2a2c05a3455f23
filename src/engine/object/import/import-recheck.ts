/**
 * Checks of rows that only the transaction of an import can make: before they are written, whether
 * stored records and references still are as they were validated beside the writer; afterwards,
 * what holds for records that are stored.
 */
import { say } from '../../../kernel/messages.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import { quote } from '../../../model/sql/quote.ts'
import { listNewKey } from './bulk-statements.ts'
import { composeBasis, composeOutput, listBasis } from './import-match.ts'
import type { ImportPlan, OwnReference } from './import-plan.ts'
import { planReferences } from './import-references.ts'
import {
  CHUNK_ROWS,
  composeStaged,
  rangeArgs,
  splitRange,
  type StagedRange,
} from './import-stage.ts'
import type { ImportWrite, WrittenRecord } from './import-work.ts'
import { loadStaged, overtaken, readStaged } from './row-by-row.ts'
import {
  composeHolds,
  findPermit,
  loadReached,
  queryReached,
  reachesAll,
} from '../record/reached-rows.ts'
import { CHUNK, inChunks, loadStored } from '../record/stored-rows.ts'
import { keyText } from '../record/written-row.ts'
import { needsOutput, planDraft } from '../rules/changes.ts'
import { findBrokenViewRules } from '../rules/entity-rules.ts'
import { findFaultyReference, picksAll } from '../rules/references.ts'

/** @throws conflict when a record of the rows has changed since its row was validated. */
export async function requireStillValid(work: ImportWrite): Promise<void> {
  const rows = { first: 1, last: work.stage.count }
  const counts = [planSame(work), planReached(work)].flatMap((count) => count ?? [])
  if (counts.length === 0) return
  for (const range of splitRange(rows, CHUNK_ROWS)) {
    const all = `SELECT count(*) AS Rows FROM ${composeStaged(0)}`
    const [whole] = await work.tx.all(all, rangeArgs(range))
    for (const count of counts) if ((await count(range)) !== whole?.Rows) throw overtaken()
  }
}

/** Counts the rows of a range whose records are as they were. */
type Count = (range: StagedRange) => Promise<unknown>

/** A stamp is held against the record by the statement that writes, unless that is authored. */
function planSame({ tx, plan, stage }: ImportWrite): Count | undefined {
  const { entity, view, columns } = plan
  const basis = listBasis({ view, entity, keys: columns.keys.map(({ field }) => field) })
  if (basis.length === 0 || (entity.concurrency && !view.update)) return undefined
  const same = entity.keys.map(({ name }, at) => `t.${quote(name)} = s.${stage.sql.keys[at]}`)
  const sql =
    `SELECT count(*) AS Rows FROM ${composeStaged(0)} CROSS JOIN main.${quote(entity.table)} t ` +
    `WHERE ${same.join(' AND ')} AND ${composeBasis(basis)} IS s.basis`
  return async (range) => (await tx.authored(sql, rangeArgs(range))).rows[0]?.Rows
}

function planReached({ tx, plan, stage }: ImportWrite): Count | undefined {
  const { view } = plan
  const permit = findPermit(view, 'Update')
  if (reachesAll(plan, 'import') && !permit && !needsOutput(view)) return undefined
  const conditions = [`${composeOutput(view)} IS _output`]
  if (permit) conditions.push(composeHolds(permit))
  const own = stage.sql.keys.map((cell, at) => `s.${cell} AS _key${at}`)
  const staged = `SELECT ${own.join(', ')}, s.output AS _output FROM ${composeStaged(0)}`
  return async (range) => {
    const requested = { purpose: 'import', conditions, args: rangeArgs(range) } as const
    const [found] = await queryReached(
      tx,
      plan,
      requested,
      (join) => `SELECT count(*) AS Rows FROM (${staged}) ${join}`,
    )
    return found?.Rows
  }
}

/**
 * Reports references to stored records that the caller may not pick any more: they were validated
 * beside the writer, and records have changed since. Nothing is written yet. True where some are.
 */
export async function reportLost({ tx, plan, stage, report }: ImportWrite): Promise<boolean> {
  const checkReferences = planReferences(plan, tx)
  let isLost = false
  for (const range of splitRange({ first: 1, last: stage.count }, CHUNK)) {
    const rows = await loadStaged(tx, plan, stage.sql, range)
    const keyOf = (row: SqlRow) => stage.sql.keys.map((cell) => row[cell] ?? null)
    const known = rows.filter(({ isNew }) => isNew === 0).map(keyOf)
    const records = await loadStored(tx, plan.entity, known)
    for (const row of rows) {
      const stored = row.isNew === 0 ? records.get(keyText(keyOf(row))) : undefined
      const found = checkReferences(readStaged(plan, stage.sql, row, 0), stored)
      const faults = found instanceof Promise ? await found : found
      if (!faults) continue
      report(Number(row.line), faults)
      isLost = true
    }
  }
  return isLost
}

/**
 * Reports references to rows of the file that a lookup leaves out, validated when all of them are
 * stored: by then the records are what their own rules have made of them.
 */
export async function reportUnpickable(work: ImportWrite): Promise<void> {
  const { plan } = work
  for (const own of plan.request.takeover ? [] : plan.own) {
    if (picksAll(own.field, plan.grant)) continue
    for (let after = 0; after >= 0;) after = await reportPage(work, own, after)
  }
}

/** The number of the last row that was validated; -1 when there are no more. */
async function reportPage(work: ImportWrite, own: OwnReference, after: number): Promise<number> {
  const { tx, plan, stage, base, keys: known, report } = work
  const { view, entity, grant, context } = plan
  const stored = stage.sql.keys.map((cell) => `s.${cell}`)
  const key = `CASE s.isNew WHEN 1 THEN ${listNewKey(work)[0]} ELSE ${stored[0]} END`
  const { rows: found } = await tx.authored(
    `SELECT s.n AS N, s.line AS Line, ${key} AS RowKey ` +
      `FROM staged.svc_import s WHERE s.n > @after AND s.${own.row} > 0 ` +
      `ORDER BY s.n LIMIT ${CHUNK}`,
    { after, _base: base ?? 0 },
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
    const draft = () => planDraft(entity, record, new Map())
    const check = { reader: tx, view, grant, context, draft, company }
    const fault = await findFaultyReference(check, own.field, value, true)
    if (fault !== undefined) report(row.line, { [own.field.name]: fault })
  }
  return found.length < CHUNK ? -1 : Number(found.at(-1)?.N)
}

/** True when the caller's rows need not be looked for: every record of the company is one. */
export function seesAll({ view, grant }: ImportPlan): boolean {
  return reachesAll({ view, grant }, 'imported') && reachesAll({ view, grant }, 'updated')
}

/** Reports records that would leave the rows that the caller may see or import. */
export async function reportOutside(
  { tx, plan, report }: ImportWrite,
  records: readonly WrittenRecord[],
): Promise<void> {
  const access = { ...plan, reader: tx }
  for (const purpose of ['imported', 'updated'] as const) {
    const own = records.filter(({ isNew }) => isNew === (purpose === 'imported'))
    for (const chunk of inChunks(own)) {
      const keys = chunk.map(({ key }) => key)
      const rows = await loadReached(access, keys, { purpose, cells: [] })
      for (const { line, key } of chunk) if (!rows.has(keyText(key))) report(line, { '': LEAVES })
    }
  }
}

/** The fault of a record that would not be one of the caller's rows. */
export const LEAVES = say`Not saved: you would lose access to this record`

/** Reports the view's own rules in SQL that do not hold. */
export async function reportBrokenRules(
  { tx, plan, report }: ImportWrite,
  records: readonly WrittenRecord[],
): Promise<void> {
  for (const { record, field, message } of await findBrokenViewRules(
    { ...plan, reader: tx },
    records,
  )) {
    report(record.record.line, { [field]: message })
  }
}
