/** Exports: all rows of a grid, of one state of the data, into a file that can be fetched. */
import { unavailable } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { Semaphore } from '../../../kernel/semaphore.ts'
import { planAuditRecord } from '../../../store/audit/record.ts'
import type { Spool } from '../../../store/read/spool.ts'
import type { SqlRead } from '../../../store/sql.ts'
import type { Store } from '../../../store/store.ts'
import type { Field } from '../../../model/compiled/field.ts'
import { quote } from '../../../model/sql/quote.ts'
import type { Shadowed } from '../../../model/sql/shadow.ts'
import type { MadeFileRow, MadeFiles, RequireLeft } from '../../files/generated-files.ts'
import { EXPORTS } from '../../floor.ts'
import { planShownFields, projectCell } from './export-fields.ts'
import { type ExportField, planColumns, planLineJoin, planNamedFields } from './export-lines.ts'
import { composeJsonArray } from '../read/projection.ts'
import { composeOver, type RowForm } from '../read/row-forms.ts'
import { requireSearchText } from '../read/search-text.ts'
import { planSearch } from '../read/search.ts'
import { findRecords, tellsOwn } from '../read/shown-records.ts'
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
  const { fields, lines } = request.Fields?.length
    ? planNamedFields({ view, grant }, request.Fields)
    : { fields: planShownFields({ view, grant }, format?.isForPeople === true).map(toOwn) }
  const { bindings, source, scope, where } = planConditions(view, request, grant, context, 'export')
  const search = planSearch(scope, requireSearchText(request.SearchText))
  const order = composeOrder(planSort(view, grant, request.Sort))
  const all = search.where === '' ? where : [...where, search.where]
  const joined = lines && planLineJoin({ view, grant, context }, fields, { lines, bindings })
  const cells =
    joined?.cells ??
    fields.flatMap((each) => ('own' in each ? projectCell(each.own, view, grant) : []))
  const row = composeJsonArray(cells)
  const orders = [order, joined?.order ?? ''].filter((each) => each !== '').join(', ')
  // The limit has SQLite compute a column once however often it is named. What is sorted outside of
  // it are finished cells, which takes two thirds of the time that sorting whole rows takes.
  const composeWith =
    (join: string) =>
    (form: RowForm): string => {
      const from = `${search.join}${form.from} ${form.where(all)}`
      const rows = `(SELECT * FROM ${from} LIMIT -1 OFFSET 0)${join}`
      return `${form.with}SELECT ${row}${key} FROM ${rows}${orders && ` ORDER BY ${orders}`}`
    }
  const records = findRecords(view)
  const keyOf = ({ name }: Field): string => `${joined ? 'svc_base.' : ''}${quote(name)}`
  const key = records ? `, ${composeJsonArray(view.keys.map(keyOf))}` : ''
  const compose = (join: string) => composeOver(source, composeWith(join && ` AS svc_base ${join}`))
  const { sql, own } = compose(joined?.join.sql ?? '')
  const ofLines = joined?.join.own
  return {
    columns: planColumns({ view, grant }, fields, lines),
    rows: {
      sql,
      own: ofLines ? () => toOwnForm(compose(ofLines())) : own,
      args: bindings.args(),
      runs: 'lane',
      of: source.of ?? lines?.view.name,
      records,
      isTold: records !== undefined && !lines && tellsOwn(view, grant.model),
    },
  }
}

const toOwn = (own: Field): ExportField => ({ own })

/** The second form of a statement, or its only one. */
const toOwnForm = ({ sql, own }: Shadowed): string => own?.() ?? sql

/** The parts that exports are made with. */
export interface ExportParts {
  store: Store
  formats: Formats
  files: MadeFiles
  /** So many exports run at a time (`Svc:Exports:Concurrency`). */
  semaphore: Semaphore
  progress: Pick<Progress, 'report'>
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
