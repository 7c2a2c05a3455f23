/** Rows of a stage written one by one, by the statements that a submit has. */
import { conflict, Failure, type FieldErrors, validation } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import type { Field } from '../../../model/compiled/field.ts'
import { isServerKey } from './bulk-statements.ts'
import { listLinks, noteLists } from './import-list-log.ts'
import { composeImage } from './import-log.ts'
import type { ImportPlan, StagedLine } from './import-plan.ts'
import { planLists } from './import-references.ts'
import { listDetailCells, rangeArgs, STAGED_ROWS, type StagedRange } from './import-stage.ts'
import type { StagedSql } from './import-unique.ts'
import type { ImportWrite, WrittenRecord } from './import-work.ts'
import {
  findStored,
  keyCondition,
  keyValues,
  loadRow,
  type RecordKey,
  toRecordKey,
} from '../record/record.ts'
import { keyText } from '../record/written-row.ts'
import { type Changes, needsOutput } from '../rules/changes.ts'
import { STAMP } from '../rules/conflict.ts'
import type { DetailChanges } from '../schema.ts'
import type { RecordAccess } from '../view-access.ts'
import { type PlacedRecord, planDetails, saveDetails } from '../write/details.ts'
import { type LinkChange, saveLinks } from '../write/link-changes.ts'
import { type Saved, writeStored } from '../write/save.ts'
import { insertRecord } from '../write/statement.ts'

/** Writes the rows from `first` to `last`; the records that they became. */
export async function writeEach(scope: ImportWrite, range: StagedRange): Promise<WrittenRecord[]> {
  const { tx, plan, stage, report } = scope
  const { view, entity, grant, context } = plan
  const rows = await loadStaged(tx, plan, stage.sql, range)
  const record: RecordAccess = { reader: tx, view, entity, grant, context }
  const written: WrittenRecord[] = []
  for (const row of rows) {
    const line = Number(row.line)
    try {
      const isNew = row.isNew === 1
      written.push(
        isNew
          ? { line, isNew, ...(await insertRow(scope, record, row)) }
          : { line, isNew, key: await updateRow(scope, record, row) },
      )
    } catch (error) {
      report(line, toRowFaults(error))
    }
  }
  return written
}

/** The rows of the stage from `first` to `last`, in their order. */
export function loadStaged(
  tx: Reader,
  plan: ImportPlan,
  { keys, cells, lists }: StagedSql,
  range: StagedRange,
): Promise<SqlRow[]> {
  // By name: a prepared statement with a star would answer with the columns of an earlier stage.
  const own = plan.own.map(({ row }) => row)
  const names = ['n', 'line', 'isNew', 'stamp', ...keys, ...cells.values(), ...lists, ...own]
  names.push(...listDetailCells(plan))
  const listed = names.map((name) => `s.${name}`).join(', ')
  return tx.all(`SELECT ${listed} FROM ${STAGED_ROWS} ORDER BY s.n`, rangeArgs(range))
}

/** Faults of a row by its refused statement. @throws any error that is not a refusal */
export function toRowFaults(error: unknown): FieldErrors {
  if (!(error instanceof Failure)) throw error
  if (error.kind !== 'validation' && error.kind !== 'invalid') throw error
  return error.fieldErrors ?? { '': error.text }
}

/** The code of `overtaken`. */
export const OVERTAKEN = 'IMPORT_OVERTAKEN'

/** A record was changed or removed by someone else since it was read. */
export const overtaken = () =>
  conflict(say`Records changed during the import. Nothing was imported. Please try again.`, {
    code: OVERTAKEN,
  })

/** No number of a file is one that was reserved. */
const NO_PARAMETERS: ReadonlyMap<string, unknown> = new Map()

/** Values that a staged row writes, without references to other rows; keys count from `base`. */
export function readStaged(
  plan: ImportPlan,
  { cells }: StagedSql,
  row: SqlRow,
  base: number,
): Changes {
  const isNew = row.isNew === 1
  const changes: Changes = new Map(isNew ? plan.preset : [])
  for (const { field, isInserted, isUpdated } of plan.staged) {
    if (!(isNew ? isInserted : isUpdated)) continue
    const cell = cells.get((field.column?.name ?? field.name).toLowerCase()) ?? ''
    const value = row[cell] ?? null
    // Where no number is kept one is drawn; in history a blank is one.
    if (value === null && field.column?.sequence && !plan.request.takeover) continue
    // Numbers go on behind the greatest key of the file, also where rows before it have none.
    const isNumbered = value === null && field.column?.identity
    changes.set(field, isNumbered ? base + Number(row.n) : value)
  }
  return changes
}

function readRow(scope: ImportWrite, row: SqlRow): Changes {
  const { plan, stage, base = 0 } = scope
  const changes = readStaged(plan, stage.sql, row, base)
  for (const { field, row: target, cell } of plan.own) {
    if (row[cell] === null && row[target] !== null && changes.has(field)) {
      changes.set(field, requireKey(scope, field, Number(row[target])))
    }
  }
  return changes
}

/** The key of a row that comes first. @throws validation in a circle, where none does */
function requireKey(scope: ImportWrite, field: Field, target: number): SqlValue {
  const key = scope.keys.get(target) ?? numberKey(scope, target)
  if (key !== undefined) return key
  throw validation({ [field.name]: say`${field.label}: the rows refer to each other in a circle` })
}

/** The key that a new record gets, where the engine inserts it and rows point to rows. */
function numberKey({ plan, base }: ImportWrite, n: number): number | undefined {
  const { view, entity, own } = plan
  const isNumbered = own.length > 0 && isServerKey(entity) && !view.insert
  return isNumbered && base !== undefined ? base + n : undefined
}

async function insertRow(
  scope: ImportWrite,
  record: RecordAccess,
  row: SqlRow,
): Promise<Pick<WrittenRecord, 'key' | 'details'>> {
  const { tx, plan, from } = scope
  const changes = readRow(scope, row)
  const given = new Set([...changes.keys()].map(({ column }) => column))
  const hidden = new Map([...plan.constants].filter(([column]) => !given.has(column)))
  const [own] = record.entity.keys
  const number = numberKey(scope, Number(row.n))
  if (own && number !== undefined && !given.has(own)) hidden.set(own, number)
  const links = await requireLists(scope, record, row, { changes })
  const { key: created } = await insertRecord(record, changes, hidden, NO_PARAMETERS)
  const key = keyValues(record.entity, created)
  if (plan.own.length > 0) scope.keys.set(Number(row.n), key[0] ?? null)
  const at = from + Number(row.line)
  await tx.run('INSERT INTO main.svc_import_rows (Row, RowKey) VALUES (@row, @key)', {
    row: at,
    key: keyText(key),
  })
  await noteLists(tx, listLinks(plan), { row: at, own: key[0] ?? null, isNew: true })
  await saveLinks(record, created, links)
  return { key, details: await saveLines(scope, record, created, row) }
}

/** Saves the lines of a new record, as those of a submit. */
function saveLines(
  { tx, mutation, plan }: ImportWrite,
  record: RecordAccess,
  created: RecordKey,
  { d: staged = null }: SqlRow,
): Promise<PlacedRecord[]> | undefined {
  if (staged === null) return undefined
  const lines = JSON.parse(String(staged)) as StagedLine[]
  const byDetail = Map.groupBy(lines, ({ detail }) => detail)
  const details = [...byDetail].map(([name, rows]) => [
    name,
    { Upsert: rows.map(({ values }) => values) },
  ])
  const places = new Map([...byDetail].map(([name, rows]) => [name, rows.map(({ line }) => line)]))
  const changes = Object.fromEntries(details) as Record<string, DetailChanges>
  const plans = planDetails(mutation, plan.view, changes, places)
  const parent: Saved = { action: 'created', key: created, access: record, taken: new Set() }
  return saveDetails(tx, mutation, plans, { parent, merge: false })
}

async function updateRow(
  scope: ImportWrite,
  record: RecordAccess,
  row: SqlRow,
): Promise<readonly SqlValue[]> {
  const { tx, plan, from, stage } = scope
  const { entity } = record
  const image = composeImage(entity, plan.request)
  const values = stage.sql.keys.map((cell) => row[cell] ?? null)
  const key = toRecordKey(record, values)
  const { touches } = tx
  const stored = await findStored(record, key)
  if (!stored || hasMoved(record, stored, row)) throw overtaken()
  const at = from + Number(row.line)
  const { sql, args } = keyCondition(key)
  await tx.run(
    `INSERT INTO main.svc_import_rows (Row, RowKey, Before)
     SELECT @row, @key, ${image} FROM main."${entity.table}" t WHERE ${sql}`,
    { ...args, row: at, key: keyText(values) },
  )
  await noteLists(tx, listLinks(plan), { row: at, own: values[0] ?? null, isNew: false })
  const changes = readRow(scope, row)
  const links = await requireLists(scope, record, row, { changes, stored, key })
  await writeStored(record, key, { changes, stored: { row: stored, touches }, links })
  return values
}

/** Unlike the engine's own, an authored Update may have touched the records of later rows. */
const hasMoved = ({ entity, view }: RecordAccess, stored: SqlRow, { stamp }: SqlRow): boolean =>
  entity.concurrency && !view.update && stored[STAMP] !== stamp

/** Entries that the lists of a row gain and lose. @throws validation, as for a submit. */
async function requireLists(
  { tx, plan, stage }: ImportWrite,
  record: RecordAccess,
  row: SqlRow,
  given: { changes: Changes; stored?: SqlRow; key?: RecordKey },
): Promise<LinkChange[]> {
  if (stage.sql.lists.length === 0) return []
  const { key } = given
  const output = key && needsOutput(plan.view) ? await loadRow(record, key) : undefined
  const stored = output ? { ...output, ...given.stored } : given.stored
  const lists = stage.sql.lists.map((cell) => row[cell] ?? null)
  const { changes, faults } = await planLists(plan, tx, {
    lists,
    changes: given.changes,
    stored,
    key,
  })
  if (Object.keys(faults).length > 0) throw validation(faults)
  return changes
}
