/** What is asked of imported records once they are stored, through the view that they came by. */
import type { FieldErrors } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import { quote } from '../../../model/quote.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import { Bindings } from '../bindings.ts'
import { findFormer } from '../after-write/former.ts'
import { findBroken } from '../after-write/entity-rules.ts'
import type { ImportPlan } from './import-plan.ts'
import { askReached, listKeyNames, reachesAll } from './import-reach.ts'
import { composeStaged, rangeArgs, type StagedRange } from './import-stage.ts'
import { listNewKey, type BulkScope } from './import-statements.ts'
import { keyText } from '../after-write/written-row.ts'
import { composeOver } from '../read/row-forms.ts'
import { bindNames, findSource, type Purpose } from '../read/source.ts'
import { composeLookup, inChunks, loadStored, toKeyList } from '../write/stored-rows.ts'

/** A record that a row of the file became. */
export interface WrittenRecord {
  line: number
  key: readonly SqlValue[]
  isNew: boolean
}

export interface VisibilityScope {
  tx: Tx
  plan: ImportPlan
  traceId: string
  tell: (line: number, faults: FieldErrors) => void
}

/** Whether the caller's rows need not be asked for: every record of the company is one. */
export function seesAll({ view, grant }: ImportPlan): boolean {
  return reachesAll({ view, grant }, 'imported') && reachesAll({ view, grant }, 'updated')
}

/** Tells of records that would leave the rows that the caller may see or import. */
export async function reportOutside(
  scope: VisibilityScope,
  records: readonly WrittenRecord[],
): Promise<void> {
  for (const purpose of ['imported', 'updated'] as const) {
    const own = records.filter(({ isNew }) => isNew === (purpose === 'imported'))
    for (const chunk of inChunks(own)) {
      const rows = await loadVisible(scope, chunk, purpose)
      for (const { line, key } of chunk) {
        if (rows.has(keyText(key))) continue
        scope.tell(line, { '': LEAVES })
      }
    }
  }
}

/** The same of the staged rows of a range, of which none is loaded but those that would leave. */
export async function reportStagedOutside(
  { tx, plan, tell }: VisibilityScope,
  scope: BulkScope,
  range: StagedRange,
): Promise<void> {
  for (const isNew of plan.request.mode === 'insert' ? ([1] as const) : ([1, 0] as const)) {
    const cells = isNew === 1 ? listNewKey(scope) : scope.staged.keys.map((cell) => `s.${cell}`)
    const keys = cells.map((cell, at) => `${cell} AS _key${at}`)
    const staged = composeStaged(isNew)
    const requested = {
      purpose: isNew === 1 ? ('imported' as const) : ('updated' as const),
      conditions: [],
      args: { ...rangeArgs(range), _base: scope.base ?? 0 },
    }
    const rows = await askReached(tx, plan, requested, (join) => {
      const seen =
        `SELECT _line FROM (SELECT s.line AS _line, ${keys.join(', ')} FROM ${staged}) ` + join
      return `SELECT s.line AS Line FROM ${staged} WHERE s.line NOT IN (${seen})`
    })
    for (const { Line } of rows) tell(Number(Line), { '': LEAVES })
  }
}

const LEAVES = say`The record would leave the rows that you may see`

/** Tells of the view's own rules in SQL that do not hold. */
export async function reportBrokenRules(
  scope: VisibilityScope,
  records: readonly WrittenRecord[],
): Promise<void> {
  const { tx, plan } = scope
  const { view, entity, context } = plan
  const rules = view.validates.filter(({ kind }) => kind === 'sql')
  for (const chunk of inChunks(records)) {
    const seen = await loadVisible(scope, chunk, 'all')
    const keys = chunk.map(({ key }) => key)
    const stored = await loadStored(tx, entity, keys)
    const judged = chunk.map(({ line, key, isNew }) => {
      const id = keyText(key)
      const row = { ...seen.get(id), ...stored.get(id) }
      const former = isNew ? { isNew, row: undefined } : findFormer(tx, { entity, key, row })
      return { line, row, former }
    })
    for (const { record, field, message } of await findBroken(tx, rules, {
      entity,
      context,
      records: judged,
    })) {
      scope.tell(record.line, { [field]: message })
    }
  }
}

/** The view's rows of some records, by the text of their keys. */
async function loadVisible(
  { tx, plan }: VisibilityScope,
  records: readonly WrittenRecord[],
  purpose: Purpose,
): Promise<Map<string, SqlRow>> {
  const { view, grant, context } = plan
  const source = findSource(view, grant, purpose)
  const names = listKeyNames(plan)
  const bindings = new Bindings()
  bindNames(source.names, bindings, context, { view, parameters: new Map() })
  bindings.set('_keys', toKeyList(records.map(({ key }) => key)))
  const outputs = view.query.columns.map(({ name }) => quote(name))
  const cells = purpose === 'all' ? outputs : names.map(quote)
  const { sql, own } = composeOver(
    source,
    (form) => `${form.with}SELECT ${cells.join(', ')} FROM ${composeLookup(form, names, '_keys')}`,
  )
  const read = { sql, own, args: bindings.args(), quick: 'never' as const, of: source.of }
  const rows = await tx.all(read)
  return new Map(rows.map((row) => [keyText(names.map((name) => row[name] ?? null)), row]))
}
