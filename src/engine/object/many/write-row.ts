/** One record of a bulk edit: a submit of its own, with what its undo needs. */
import { conflict } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { Tx } from '../../../store/store.ts'
import { quote } from '../../../model/sql/quote.ts'
import type { GatheredChanges } from '../after-write/record-changes.ts'
import { noteLists } from '../import/import-list-log.ts'
import { composeImage } from '../import/import-log.ts'
import type { ManyPlan, ManyRow } from './many-plan.ts'
import type { ManyWork } from './many-work.ts'
import { hashImage } from './selection.ts'
import {
  keyCondition,
  openRecords,
  type RecordKey,
  requireStored,
  toRecordKey,
} from '../record/record.ts'
import { keyText } from '../record/written-row.ts'
import { STAMP } from '../rules/conflict.ts'
import type { ObjectActionResult } from '../schema.ts'
import { loadRows, type RehearsedRow } from '../write/rehearsal.ts'
import { toWireKey } from '../write/result.ts'
import { submit } from '../write/submit.ts'

/** A record that was written, or had all of it before. */
export interface ManyWritten {
  result: ObjectActionResult
  isChanged: boolean
  changes: GatheredChanges
}

/** Writes one record in a part of the transaction. @throws what a submit of it throws */
export async function writeRow(
  part: Tx,
  { mutation, plan }: ManyWork,
  { row, line }: { row: ManyRow; line: number },
): Promise<ManyWritten> {
  const { context, traceId, eventDepth } = mutation
  const { view, entity, values, links } = plan
  const changes: GatheredChanges = { changes: [], bulk: [] }
  part.facts.origin = { context, source: view.name, traceId, eventDepth }
  part.facts.gathered = changes
  const key = toRecordKey(plan, row.key)
  const image = await loadImage(part, plan, key)
  if (!entity.concurrency) await requireUnchanged(part, { mutation, plan }, { row, key, image })
  const isLogged = links.length > 0 && image !== undefined
  if (isLogged) await noteLists(part, links, { row: line, own: row.key[0] ?? null, isNew: false })
  const stamp = entity.concurrency && row.mark !== null ? { [STAMP]: row.mark } : {}
  const own = { ...mutation, within: part, recordResponse: undefined }
  const result = await submit(own, {
    FormName: view.name,
    Parameters: { ...values, ...toWireKey(key), ...stamp },
  })
  const isChanged = part.facts.changed !== undefined
  if (isChanged)
    await part.run(
      'INSERT INTO main.svc_import_rows (Row, RowKey, Before) VALUES (@line, @key, @image)',
      { line, key: keyText(row.key), image: image ?? null },
    )
  else if (isLogged) await part.run('DELETE FROM main.svc_import_lists WHERE Row = @line', { line })
  return { result, isChanged, changes }
}

/** The record as its undo puts it back; undefined where there is none. */
async function loadImage(
  part: Tx,
  { entity }: ManyPlan,
  key: RecordKey,
): Promise<string | undefined> {
  const { sql, args } = keyCondition(key)
  const image = composeImage(entity, { takeover: false })
  const found = await part.get(
    `SELECT ${image} AS image FROM main.${quote(entity.table)} t WHERE ${sql}`,
    args,
  )
  return found ? String(found.image) : undefined
}

/** Of a record without a stamp the dry run has kept what it was. @throws notFound, conflict */
async function requireUnchanged(
  part: Tx,
  { mutation, plan }: Pick<ManyWork, 'mutation' | 'plan'>,
  { row, key, image }: { row: ManyRow; key: RecordKey; image: string | undefined },
): Promise<void> {
  if (plan.rows || row.mark === null || hashImage(image ?? '') === row.mark) return
  // To one who may not see it any more, it is not there.
  await requireStored(openRecords(part, mutation, plan), key, 'update')
  throw conflict(say`The record was changed by someone else. Reload it and try again.`)
}

/** The record as the part would store it, for the checks of code beside the model. */
export function loadRehearsed(
  part: Tx,
  { view, grant, entity }: ManyPlan,
  { key }: ManyRow,
): Promise<RehearsedRow[]> {
  return loadRows(part, [{ view, grant, entity, key, isNew: false, name: '' }])
}

/**
 * Changes of parts, told together at the end of their transaction: clients learn of
 * them once, and of no part that was undone.
 */
export class Gathered {
  readonly #all: GatheredChanges = { changes: [], bulk: [] }

  add({ changes, bulk }: GatheredChanges): void {
    this.#all.changes.push(...changes)
    this.#all.bulk.push(...bulk)
  }

  /** To be called behind the last part. */
  tellIn({ facts }: Tx): void {
    facts.untold = this.#all
  }
}
