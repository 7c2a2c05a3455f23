/** Rows of a stage written one by one, by the statements that a submit has. */
import type { FieldErrors } from '../../../kernel/failure.ts'
import { Failure } from '../../../kernel/failure.ts'
import type { Column } from '../../../model/model.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { Changes } from '../settle/changes.ts'
import type { ImportPlan } from './import-plan.ts'
import type { WrittenRecord } from './import-seen.ts'
import { rangeArgs, STAGED_ROWS, type ImportStage, type StagedRange } from './import-stage.ts'
import { composeImage, isServerKey } from './import-statements.ts'
import { findStored, keyCondition, type RecordKey, type RecordScope } from '../write/record.ts'
import { keyText } from '../settle/settled-row.ts'
import { insertRecord, updateRecord } from '../write/statement.ts'

/** Whether rows need statements of their own: authored ones, numbers of sequences. */
export function isOneByOne({ view, entity, mode, constants, staged }: ImportPlan): boolean {
  if (mode !== 'insert' && view.update) return true
  if (mode === 'update') return false
  if (view.insert || entity.columns.some(({ sequence }) => sequence !== undefined)) return true
  const isGiven = (key: Column) =>
    staged.some(({ field, isInserted }) => isInserted && field.column === key)
  return !isServerKey(entity) && !entity.keys.every((key) => isGiven(key) && !constants.has(key))
}

export interface EachScope {
  tx: Tx
  plan: ImportPlan
  traceId: string
  stage: ImportStage
  from: number
  tell: (line: number, faults: FieldErrors) => void
}

/** Writes the rows from `first` to `last`; the records that they became. */
export async function writeEach(scope: EachScope, range: StagedRange): Promise<WrittenRecord[]> {
  const { tx, plan, stage, tell } = scope
  const { view, entity, grant, context } = plan
  // By name: a kept statement with a star would answer with the columns of an earlier stage.
  const cells = ['line', 'isNew', ...stage.sql.keys, ...stage.sql.cells.values()]
  const listed = cells.map((name) => `s.${name}`).join(', ')
  const rows = await tx.all(`SELECT ${listed} FROM ${STAGED_ROWS} ORDER BY s.n`, rangeArgs(range))
  const record: RecordScope = { tx, view, entity, grant, context }
  const written: WrittenRecord[] = []
  for (const row of rows) {
    const line = Number(row.line)
    try {
      const isNew = row.isNew === 1
      const key = isNew ? await insertRow(scope, record, row) : await updateRow(scope, record, row)
      written.push({ line, key, isNew })
    } catch (error) {
      tell(line, toRowFaults(error))
    }
  }
  return written
}

/** What a refused statement says of its row. @throws what is no refusal */
export function toRowFaults(error: unknown): FieldErrors {
  if (!(error instanceof Failure)) throw error
  if (error.kind !== 'validation' && error.kind !== 'invalid') throw error
  return error.fieldErrors ?? { '': error.text }
}

/** No number of a file is one that was put by. */
const NO_PARAMETERS: ReadonlyMap<string, unknown> = new Map()

function readChanges({ plan, stage }: EachScope, row: SqlRow, isNew: boolean): Changes {
  const changes: Changes = new Map(isNew ? plan.preset : [])
  for (const { field, isInserted, isUpdated } of plan.staged) {
    if (!(isNew ? isInserted : isUpdated)) continue
    const cell = stage.sql.cells.get((field.column?.name ?? field.name).toLowerCase()) ?? ''
    changes.set(field, row[cell] ?? null)
  }
  return changes
}

async function insertRow(
  scope: EachScope,
  record: RecordScope,
  row: SqlRow,
): Promise<readonly SqlValue[]> {
  const changes = readChanges(scope, row, true)
  const given = new Set([...changes.keys()].map(({ column }) => column))
  const hidden = new Map([...scope.plan.constants].filter(([column]) => !given.has(column)))
  const key = toValues(record, await insertRecord(record, changes, hidden, NO_PARAMETERS))
  await scope.tx.run('INSERT INTO main.svc_import_rows (Row, RowKey) VALUES (@row, @key)', {
    row: scope.from + Number(row.line),
    key: keyText(key),
  })
  return key
}

async function updateRow(
  scope: EachScope,
  record: RecordScope,
  row: SqlRow,
): Promise<readonly SqlValue[]> {
  const { entity, view } = record
  const key: RecordKey = {
    values: view.keys.flatMap((field) => {
      const at = entity.keys.findIndex((each) => each === field.column)
      const column = entity.keys[at]
      return column ? [{ field, column, value: row[`k${at}`] ?? null }] : []
    }),
  }
  const { sql, args } = keyCondition(key)
  await scope.tx.run(
    `INSERT INTO main.svc_import_rows (Row, RowKey, Before)
     SELECT @row, @key, ${composeImage(entity)} FROM main."${entity.table}" t WHERE ${sql}`,
    { ...args, row: scope.from + Number(row.line), key: keyText(toValues(record, key)) },
  )
  const stored = (await findStored(record, key)) ?? {}
  await updateRecord(record, key, readChanges(scope, row, false), stored)
  return toValues(record, key)
}

/** In the order of the entity's keys. */
const toValues = ({ entity }: RecordScope, key: RecordKey): SqlValue[] =>
  entity.keys.map((column) => key.values.find((part) => part.column === column)?.value ?? null)
