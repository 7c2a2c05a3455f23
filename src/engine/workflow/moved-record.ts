/** The record that a workflow moves, by a caller or by the engine itself. */
import type { SqlArg, SqlRow, SqlValue } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import type { AuthoredCondition } from '../../model/compiled/authored-sql.ts'
import { type Effect, EFFECT_KINDS } from '../../model/compiled/effect.ts'
import type { Entity } from '../../model/compiled/entity.ts'
import type { View } from '../../model/compiled/view.ts'
import type { Workflow } from '../../model/compiled/workflow.ts'
import { type EffectRun, runEffects } from '../object/after-write/effects.ts'
import { type EventSource, loadEventRows } from '../object/after-write/event-rows.ts'
import type { Context } from '../object/context.ts'
import { keyText } from '../object/record/written-row.ts'
import { toArg } from '../object/value.ts'

/** The record with its workflow and reader; `row` holds the output columns of the view. */
export interface MovedRecord {
  tx: Tx
  context: Context
  workflow: Workflow
  view: View
  entity: Entity
  key: readonly SqlValue[]
  /** Company of the instance, its tasks and its effects. */
  company: number
  row: SqlRow
  /** Effects have changed something since `row` was read. */
  isStale?: boolean
  reload: () => Promise<SqlRow | undefined>
  /** Fields that the receivers of envelopes may see; undefined where none are sent. */
  shown?: Pick<EffectRun, 'sees' | 'mayLabel'>
  shadowScope: EffectRun['shadowScope']
}

/** Values by lower-case name: the columns of the record, then the given ones. */
export function bindRecord(
  { view, row }: Pick<MovedRecord, 'view' | 'row'>,
  given: Iterable<readonly [string, SqlArg]> = [],
): Map<string, SqlArg> {
  const values = new Map<string, SqlArg>()
  for (const [name, value] of Object.entries(row)) {
    const key = name.toLowerCase()
    values.set(key, toArg(view.fieldByName.get(key), value))
  }
  for (const [name, value] of given) values.set(name, value)
  return values
}

/** Reads `row` again where effects may have changed it. */
export async function loadFresh(record: MovedRecord): Promise<void> {
  if (!record.isStale) return
  record.row = (await record.reload()) ?? record.row
  record.isStale = false
}

/** Runs effects on the record; afterwards `row` may be stale: see `loadFresh`. */
export async function runRecordEffects(
  record: MovedRecord,
  effects: readonly Effect[],
  values: Map<string, SqlArg>,
  of: string,
): Promise<void> {
  if (effects.length === 0) return
  const { tx, context, view, entity, key, company, row, reload, shown, shadowScope } = record
  const run: EffectRun = {
    tx,
    context,
    effects,
    of,
    company,
    shadowScope,
    values,
    row,
    reload,
    owner: view,
    former: { isNew: false, row },
    subject: { entity: entity.name, key, company },
    sees: shown?.sees ?? (() => false),
    mayLabel: shown?.mayLabel ?? (() => true),
  }
  await runEffects(run)
  record.isStale ||= effects.some(({ kind }) => EFFECT_KINDS[kind].writesRecord)
}

/** The view as a source of rows without a caller's filters, with a condition on them. */
const sourceOf = (
  view: View,
  entity: Entity,
  when: AuthoredCondition | undefined,
): EventSource => ({
  owner: { name: view.name, entity, fields: view.fields },
  view,
  query: view.query,
  keys: entity.keys.map(
    (column) => view.keys.find((field) => field.column === column)?.name ?? column.name,
  ),
  find: (name) => view.fieldByName.get(name.toLowerCase()),
  events: [{ event: 'updated', when, effects: [], place: view.place }],
  looksBack: false,
})

/** A record as the engine itself finds it, without anyone's row filters. */
interface OwnRecord extends Pick<
  MovedRecord,
  'tx' | 'context' | 'view' | 'entity' | 'key' | 'company'
> {
  workflow: Workflow
}

/**
 * A record as the engine itself moves it; undefined where the view no longer shows it. `holds`
 * tells whether the condition does.
 */
export async function loadOwnRecord(
  own: OwnRecord,
  when?: AuthoredCondition,
): Promise<{ record: MovedRecord; holds: boolean } | undefined> {
  const { tx, context, view, entity, key, company } = own
  const load = async (condition: AuthoredCondition | undefined) => {
    const query = { source: sourceOf(view, entity, condition), company, removed: undefined }
    return (await loadEventRows({ tx, context }, query, [key])).get(keyText(key))
  }
  const found = await load(when)
  if (!found) return undefined
  const reload = async () => (await load(undefined))?.row
  const record: MovedRecord = { ...own, row: found.row, reload, shadowScope: 'company' }
  return { record, holds: found.holds[0] ?? true }
}
