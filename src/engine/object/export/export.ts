/** Exports: all rows of a grid, of one state of the data, into a file that can be fetched. */
import { invalid, unavailable } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { Semaphore } from '../../../kernel/semaphore.ts'
import { planAuditRecord } from '../../../store/audit/record.ts'
import type { Spool } from '../../../store/read/spool.ts'
import type { SqlRead } from '../../../store/sql.ts'
import type { Store } from '../../../store/store.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { quote } from '../../../model/sql/quote.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import type { MadeFileRow, MadeFiles, RequireLeft } from '../../files/generated-files.ts'
import { EXPORTS } from '../../floor.ts'
import { requireShown } from '../read/find-view.ts'
import {
  composeOptionLabel,
  findOptionLabel,
  findOptionsOf,
  findRequestedOption,
} from '../read/option-labels.ts'
import { tellsOptions } from '../read/option-texts.ts'
import { composeJsonArray, isCarried, projectField, visibleFields } from '../read/projection.ts'
import { composeOver, type RowForm } from '../read/row-forms.ts'
import { requireSearchText } from '../read/search-text.ts'
import { planSearch } from '../read/search.ts'
import { planSheetColumns } from '../read/sheet-columns.ts'
import { composeOrder, planSort } from '../read/sort.ts'
import { planConditions } from '../read/table.ts'
import type { ExportTableRequest, ObjectActionResult } from '../schema.ts'
import { describeFile, planMadeFor, planSheet, writeSheet } from '../sheet-file.ts'
import type { ViewUse } from '../view-access.ts'
import type { Progress } from '../../progress.ts'
import type { ExportFormat, RowSink, SheetColumn } from '../../sheets/format.ts'
import type { Formats } from '../../sheets/formats.ts'
import { RowPage } from '../../sheets/row-page.ts'

/** The read of an export, and its columns. */
interface ExportPlan {
  columns: SheetColumn[]
  /** One column: a row's cells as a JSON array. */
  rows: SqlRead
}

/**
 * All rows that the grid has for these filters, and that the caller may export.
 * @throws invalid for what does not fit the view; nothing has been read then.
 */
export function planExport(
  { view, grant, context }: ViewUse,
  request: ExportTableRequest,
  format?: Pick<ExportFormat, 'isForPeople'>,
): ExportPlan {
  const fields = planExportFields({ view, grant }, request.Fields, format?.isForPeople === true)
  const { bindings, source, scope, where } = planConditions(view, request, grant, context, 'export')
  const search = planSearch(scope, requireSearchText(request.SearchText))
  const order = composeOrder(planSort(view, grant, request.Sort))
  const all = search.where === '' ? where : [...where, search.where]
  const row = composeJsonArray(fields.map((field) => projectCell(field, view, grant)))
  // The limit has SQLite compute a column once however often it is named. What is sorted outside of
  // it are finished cells, which takes two thirds of the time that sorting whole rows takes.
  const compose = (form: RowForm): string => {
    const from = `${search.join}${form.from} ${form.where(all)}`
    const rows = `SELECT * FROM ${from} LIMIT -1 OFFSET 0`
    return `${form.with}SELECT ${row} FROM (${rows})${order && ` ORDER BY ${order}`}`
  }
  return {
    columns: planSheetColumns({ view, grant }, fields),
    rows: {
      ...composeOver(source, compose),
      args: bindings.args(),
      runs: 'lane',
      of: source.of,
    },
  }
}

/**
 * The fields that an export has: those of the grid that are meant to be shown, each followed by its
 * label; of requested ones, exactly these, in their order. People get options by their labels.
 * @throws invalid for a field that the caller does not get, or that no export has.
 */
function planExportFields(
  { view, grant }: Pick<ViewUse, 'view' | 'grant'>,
  requested: readonly string[] | null | undefined,
  isForPeople: boolean,
): Field[] {
  if (requested?.length) {
    return [...new Set(requested.map((name) => requireExported(view, grant, name)))]
  }
  const shown = visibleFields(view, grant, 'Export').filter(
    (field) => !field.hidden && field.in.has('Export'),
  )
  if (shown.length === 0) throw invalid(say`This object has no fields to export`)
  return isForPeople ? shown.flatMap((field) => labelOptions({ view, grant }, field)) : shown
}

/** The label of a field's option, beside the value where labels do not tell the values. */
function labelOptions({ view, grant }: Pick<ViewUse, 'view' | 'grant'>, field: Field): Field[] {
  const label = findOptionLabel(view, field)
  if (!label) return [field]
  return tellsOptions(grant, field, true) ? [label] : [field, label]
}

function requireExported(view: View, grant: Grant, name: string): Field {
  const field = findRequestedOption(view, grant, name) ?? requireShown(view, grant, name)
  if (field.in.has('Export') || isCarried(view, field)) return field
  throw invalid(say`The field '${field.name}' cannot be exported`, { code: 'FIELD_NOT_EXPORTED' })
}

/**
 * The field as the wire has it, but JSON as text, files by their names, and whole numbers that no
 * double holds too.
 */
function projectCell(field: Field, view: View, grant: Grant): string {
  if (FIELD_KINDS[field.type].structure === 'files' && field.labelOf === undefined)
    return composeFileNames(field)
  const options = findOptionsOf(view, field)
  if (options) return composeOptionLabel(options, grant, projectField(options, view, grant))
  const sql = projectField(field, view, grant)
  if (
    field.link ||
    (field.labelOf === undefined && FIELD_KINDS[field.type].structure === 'document')
  )
    return `(${sql} || '')`
  if (FIELD_KINDS[field.type].number !== 'whole' || field.column || field.labelOf !== undefined)
    return sql
  const whole = FIELD_KINDS.Integer.toJsonSql(quote(field.name), field)
  const isExact = `${whole} BETWEEN -${Number.MAX_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}`
  return `CASE WHEN ${isExact} THEN ${whole} ELSE CAST(${whole} AS TEXT) END`
}

/** A file holds no files: it says what they are called. */
function composeFileNames({ name }: Field): string {
  const list = `CASE WHEN json_valid(${quote(name)}) THEN ${quote(name)} END`
  return `(SELECT group_concat(f.value ->> '$.FileName', '; ') FROM json_each(${list}) AS f)`
}

/** The parts that exports are made with. */
export interface ExportParts {
  store: Store
  formats: Formats
  files: MadeFiles
  /** So many exports run at a time (`Svc:Exports:Concurrency`). */
  semaphore: Semaphore
  progress: Progress
  /** Milliseconds that reading the rows may take (`Svc:Exports:Timeout`). */
  timeoutMs: number
}

/** The caller and view of an export. */
interface ExportAccess extends ViewUse {
  traceId: string
  /** Aborted when the caller no longer waits for the file. */
  signal: AbortSignal
  /** Throws, or rejects with, the 401 of a caller who may no longer export this. */
  revalidate: () => Promise<void> | undefined
}

const DEFAULT_FORMAT = 'csv'

/** After so many rows it is looked whether the file may grow on. */
const ROWS_BETWEEN_LOOKS = 50_000

/**
 * Writes the file, notes down in the audit log who took what, and answers where it is. Nothing is
 * cut short: a file is whole or is not there.
 */
export async function exportTable(
  parts: ExportParts,
  requested: ExportAccess,
  request: ExportTableRequest,
): Promise<ObjectActionResult> {
  const format = parts.formats.requireExport(request.Format ?? DEFAULT_FORMAT)
  const plan = planExport(requested, request, format)
  const job = new ExportJob(parts, requested, { request, plan, format })
  const file = await parts.semaphore.run(() => job.run(), String(requested.grant.caller.userId))
  return {
    Action: 'export',
    Keys: null,
    Ignored: [],
    Dispatch: [],
    File: describeFile(parts.files, file, job.rows),
  }
}

interface ExportWork {
  request: ExportTableRequest
  plan: ExportPlan
  format: ExportFormat
}

class ExportJob {
  rows = 0
  readonly #parts: ExportParts
  readonly #requested: ExportAccess
  readonly #work: ExportWork

  constructor(parts: ExportParts, requested: ExportAccess, work: ExportWork) {
    this.#parts = parts
    this.#requested = requested
    this.#work = work
  }

  async run(): Promise<MadeFileRow> {
    this.#requireWanted()
    // It may have waited for its turn.
    await this.#requested.revalidate()
    try {
      const file = await this.#parts.files.make(
        planMadeFor(this.#requested, this.#work.format),
        (path, left) => this.#write(path, left),
      )
      this.#report('done', this.rows)
      return file
    } catch (error) {
      this.#report('failed', 0)
      throw error
    }
  }

  async #write(path: string, left: RequireLeft): Promise<{ size: number; sha256: string }> {
    const { store, timeoutMs } = this.#parts
    const { plan } = this.#work
    this.#report('running', 0)
    const options = { setting: EXPORTS.timeout.name, timeoutMs, signal: this.#requested.signal }
    const spool = await store.spool(plan.rows, options)
    this.rows = spool.rows
    try {
      const written = await this.#writeRows(path, spool, left)
      await this.#audit(written.sha256)
      return written
    } finally {
      await spool.close()
    }
  }

  async #writeRows(
    path: string,
    spool: Spool,
    left: RequireLeft,
  ): Promise<{ size: number; sha256: string }> {
    const { format, plan, request } = this.#work
    const isRaw = request.Raw === true
    const sheet = { ...planSheet(this.#requested, plan.columns), isRaw }
    return writeSheet(format, sheet, path, (sink) => this.#copy(spool, sink, left))
  }

  async #copy(spool: Spool, sink: RowSink, left: RequireLeft): Promise<void> {
    let done = 0
    let looked = 0
    for await (const page of spool.pages()) {
      this.#requireWanted()
      await sink.write(new RowPage(page.text))
      done += page.rows
      if (done - looked >= ROWS_BETWEEN_LOOKS) {
        looked = done
        await left()
      }
      this.#report('running', done)
    }
    if (done !== spool.rows) throw new Error('An export lost rows')
  }

  #requireWanted(): void {
    if (this.#requested.signal.aborted) throw unavailable(say`The request was cancelled`)
  }

  #report(State: 'running' | 'done' | 'failed', Done: number): void {
    const { caller } = this.#requested.grant
    const Total = State === 'running' && Done === 0 ? null : this.rows
    const report = { Kind: 'export', Done, Total, State, Message: null }
    this.#parts.progress.report(this.#work.request.OperationId, caller, report)
  }

  async #audit(sha256: string): Promise<void> {
    const { view, grant, context, traceId, revalidate } = this.#requested
    const { plan, format } = this.#work
    const { userId, impersonatorId, companyId } = grant.caller
    const by = { userId, impersonatorId, companyId, source: view.name, traceId }
    const changes = {
      Rows: [null, this.rows],
      Fields: [null, plan.columns.map(({ name }) => name)],
      Format: [null, format.name],
      Sha256: [null, sha256],
    }
    const entity = view.entity?.name ?? view.name
    const change = { entity, key: [], action: 'export', changes }
    await this.#parts.store.write((tx) => tx.audit(planAuditRecord(context.now, by, change)), {
      company: companyId,
      revalidate,
      isAside: true,
    })
  }
}
