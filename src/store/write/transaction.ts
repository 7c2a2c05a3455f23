/** One member of the writer's group: what `store.write` hands to its work. */
import { AUDIT_TABLE } from '../audit/chain.ts'
import type { AuditRecord } from '../audit/record.ts'
import { appendSelected, type SelectedAudit } from '../audit/select.ts'
import { isConnectionFault, isInterrupt, isValueFailure, retryOwn, toFailure } from '../faults.ts'
import { ALL, type AnswerForm, FIRST } from '../read/answer-form.ts'
import { askPlan } from '../read/query-stats.ts'
import type { Own, SqlArg, SqlArgs, SqlRead, SqlRow } from '../sql.ts'
import type {
  AddedRows,
  EndWork,
  KnownChange,
  LoggedChange,
  Tx,
  TxFacts,
  Written,
} from '../store.ts'
import { toFirstText } from '../values.ts'
import { addRows } from './added-rows.ts'
import { ChangedRows } from './changed-rows.ts'
import { WriteDeadline } from './deadline.ts'
import { LeftForEnd } from './group-end.ts'
import { runPart } from './part.ts'
import { Touched } from './touched.ts'
import type { TxHost } from './tx-host.ts'

const CHANGES = 'SELECT changes() AS Changes'

/** A statement with its values, and what its authored text belongs to. */
type BoundStatement = Omit<SqlRead, 'runs'>

/** A transaction. Its statements run one after another, also when its work does not await each. */
export class WriterTx implements Tx {
  readonly facts: TxFacts = {}
  readonly effects: (() => void)[] = []
  /** Rows that it changed. */
  readonly changed = new ChangedRows()
  /** Work for the end of its group. */
  readonly left = new LeftForEnd()
  /** An authored statement of it was ended at the deadline. */
  wasInterrupted = false
  /** True if the disk failed it, or memory did: the connection must be opened again. */
  hasStorageFault = false
  /** True once it ran a statement that may have changed rows; a failed one has undone itself. */
  hasWritten = false
  /** The group ends with it. */
  isLast = false
  /** The error that took the transaction away from under its work, which may have caught it. */
  fault: unknown
  readonly #host: TxHost
  readonly #touched: Touched
  #busy: Promise<void> | undefined
  readonly #deadline: WriteDeadline
  #company: number | null
  #isOver = false

  constructor(host: TxHost) {
    this.#host = host
    this.#company = host.company
    this.#deadline = new WriteDeadline(host.writeTimeoutMs, host.isLong)
    this.#touched = new Touched(host.writer, this.changed)
  }

  get touches(): number {
    return this.#touched.count
  }

  get company(): number | null {
    return this.#company
  }

  async text(read: SqlRead): Promise<string> {
    return toFirstText(await this.get(read))
  }

  get<R extends SqlRow = SqlRow>(
    read: SqlRead | string,
    args: SqlArgs = {},
  ): Promise<R | undefined> {
    return this.#read(read, args, FIRST as AnswerForm<R | undefined>)
  }

  all<R extends SqlRow = SqlRow>(read: SqlRead | string, args: SqlArgs = {}): Promise<R[]> {
    return this.#read(read, args, ALL as AnswerForm<R[]>)
  }

  run(sql: string, args: SqlArgs = {}, known?: KnownChange): Promise<number> {
    if (this.#busy) return this.#later(() => this.run(sql, args, known))
    if (this.#host.writeTimeoutMs === undefined)
      return this.authored(sql, args).then((result) => result.changes)
    this.#host.counters.writes++
    try {
      const changed = this.#statement(sql, known !== undefined).run(args)
      this.hasWritten = true
      if (known && changed === 1) this.#touched.note(known)
      return Promise.resolve(changed ?? this.#changes())
    } catch (error) {
      return Promise.reject(this.#failed(error))
    }
  }

  leave<T>(work: EndWork<T>, item: T): void {
    this.#requireOpen()
    this.left.add(work, item)
  }

  insert(
    sql: string,
    values: readonly SqlArg[],
    plan?: (id: number) => KnownChange,
  ): Promise<number> {
    if (this.#busy) return this.#later(() => this.insert(sql, values, plan))
    this.#host.counters.writes++
    try {
      const id = this.#statement(sql, plan !== undefined).insert(values)
      this.hasWritten = true
      if (plan) this.#touched.note(plan(id))
      return Promise.resolve(id)
    } catch (error) {
      return Promise.reject(this.#failed(error))
    }
  }

  authored(sql: string, args: SqlArgs = {}, of?: string, own?: Own): Promise<Written> {
    if (this.#busy) return this.#later(() => this.authored(sql, args, of, own))
    this.#host.counters.writes++
    const authored = { sql, args, of, own }
    const written = this.#isQuick(sql) ? this.#writeAtOnce(authored) : undefined
    return written ?? this.#occupy(() => retryOwn(authored, (each) => this.#runOffLoop(each)))
  }

  addRows(rows: AddedRows): Promise<number> {
    if (this.#busy) return this.#later(() => this.addRows(rows))
    this.#host.counters.writes++
    const { writer, adds } = this.#host
    const run = (sql: string, args: SqlArgs) => this.#runOffLoop({ sql, args })
    return this.#occupyWhole(async () => {
      const added = await addRows(writer, { ...rows, adds, company: this.#company }, run)
      this.changed.add(added.table, undefined)
      return added.changes
    })
  }

  audit(...records: AuditRecord[]): Promise<void> {
    if (this.#busy) return this.#later(() => this.audit(...records))
    this.#host.counters.writes++
    try {
      this.#requireOpen()
      this.hasWritten = true
      const { chain, connection } = this.#host.writer
      chain.append(connection, records)
      this.changed.add(AUDIT_TABLE, undefined)
      return Promise.resolve()
    } catch (error) {
      const failure = this.#failed(error)
      this.fault ??= failure
      return Promise.reject(failure)
    }
  }

  auditSelected(selected: SelectedAudit): Promise<void> {
    if (this.#busy) return this.#later(() => this.auditSelected(selected))
    const run = (sql: string, args: SqlArgs) => this.#runOffLoop({ sql, args })
    const bytes = (sql: string, args: SqlArgs) => {
      const { connection } = this.#host.writer
      return this.#withinDeadline(undefined, () => connection.text(sql).bytesOffLoop(args))
    }
    return this.#occupyWhole(() => appendSelected(this.#host.writer, selected, { run, bytes }))
  }

  async takeChangeLog(): Promise<LoggedChange[]> {
    if (this.#busy) return this.#later(() => this.takeChangeLog())
    this.#requireOpen()
    return this.#touched.take((log) => this.#occupy(() => log.take(this.changed)))
  }

  async insertedBy<T>(
    entity: string,
    work: () => Promise<T>,
  ): Promise<{ value: T; key: LoggedChange['key'] | undefined }> {
    while (this.#busy !== undefined) await this.#busy
    this.#requireOpen()
    const { log } = this.#host.writer
    const end = log.end()
    const value = await work()
    while (this.#busy !== undefined) await this.#busy
    this.#requireOpen()
    return { value, key: log.findInserted(entity, end) }
  }

  async silently<T>(work: () => Promise<T>): Promise<T> {
    while (this.#busy !== undefined) await this.#busy
    this.#touched.mute()
    try {
      return await work()
    } finally {
      while (this.#busy !== undefined) await this.#busy
      this.#touched.unmute()
    }
  }

  async within<T>(company: number | 'all', work: () => Promise<T>): Promise<T> {
    while (this.#busy !== undefined) await this.#busy
    const before = this.#company
    this.#company = company === 'all' ? null : company
    try {
      return await work()
    } finally {
      while (this.#busy !== undefined) await this.#busy
      this.#company = before
    }
  }

  async runAfterWrite(): Promise<void> {
    await this.#host.afterWrite?.(this)
  }

  async attempt<T>(work: (part: Tx) => Promise<T>): Promise<T> {
    // The part finds the change log empty.
    await this.runAfterWrite()
    this.#requireOpen()
    const part = new WriterTx({ ...this.#host, company: this.#company })
    return this.#occupy(() => runPart(this.#host.writer, { whole: this, part }, work))
  }

  endGroup(): void {
    this.isLast = true
  }

  afterCommit(effect: () => void): void {
    this.effects.push(effect)
  }

  /** Ends the work: runs the after-write pass; fails when the transaction is no longer whole. */
  async finish(): Promise<void> {
    while (this.#busy !== undefined) await this.#busy
    this.#requireOpen()
    await this.runAfterWrite()
    while (this.#busy !== undefined) await this.#busy
    this.#requireOpen()
    // At once: nothing may come between what the log says and the end.
    this.#isOver = true
    this.#touched.finish()
  }

  /** Ends the transaction for statements: one that was not awaited must not run in another. */
  async end(): Promise<void> {
    this.#isOver = true
    while (this.#busy !== undefined) await this.#busy
  }

  /** Reads a row or rows. Authored reads run inline where their query statistics allow it. */
  #read<T>(read: SqlRead | string, args: SqlArgs, form: AnswerForm<T>): Promise<T> {
    if (this.#busy) return this.#later(() => this.#read(read, args, form))
    if (typeof read === 'string') return this.#atOnce({ sql: read, args }, form)
    return retryOwn(read, (each) => this.#readOnce(each, form))
  }

  #readOnce<T>(read: SqlRead, form: AnswerForm<T>): Promise<T> {
    if (this.#busy) return this.#later(() => this.#readOnce(read, form))
    if (read.runs === 'inline') return this.#atOnce(read, form)
    const { writer, counters } = this.#host
    const { stats, connection } = writer
    const isQuick = (): boolean => stats.isInlineAllowed(read.sql, connection)
    if (read.runs === 'measured' && askPlan(isQuick, (error) => this.#failed(error, read.of))) {
      const begin = stats.beginInlineRun(read.sql)
      const answer = this.#atOnce(read, form)
      stats.endInlineRun(read.sql, begin)
      return answer
    }
    counters.reads++
    const begin = stats.beginLaneRun()
    return this.#occupy(async () => {
      const { rows } = await this.#runOffLoop(read)
      stats.endLaneRun(read.sql, begin)
      return form.pick(rows)
    })
  }

  #atOnce<T>({ sql, args, of }: BoundStatement, form: AnswerForm<T>): Promise<T> {
    this.#host.counters.reads++
    try {
      const statement = this.#statement(sql)
      const answer = form.atOnce(statement, args)
      this.hasWritten ||= !statement.isSelect
      return Promise.resolve(answer)
    } catch (error) {
      return Promise.reject(this.#failed(error, of))
    }
  }

  /** Checks that an authored statement has shown that it needs no deadline. */
  #isQuick(sql: string): boolean {
    const { stats, connection } = this.#host.writer
    const isQuick = (): boolean => stats.isInlineWriteAllowed(sql, connection)
    return this.#deadline.mayBeSpared && askPlan(isQuick, (error) => this.#failed(error))
  }

  /** Writes at once; undefined if it failed on values, so that it must run in its own form. */
  #writeAtOnce({ sql, args, of, own }: BoundStatement): Promise<Written> | undefined {
    const { stats } = this.#host.writer
    const begin = stats.beginInlineRun(sql)
    try {
      const statement = this.#statement(sql)
      this.hasWritten = true
      const rows = statement.all(args)
      return Promise.resolve({ rows, changes: this.#changes() })
    } catch (error) {
      if (own && isValueFailure(toFailure(error, of))) return undefined
      return Promise.reject(this.#failed(error, of))
    } finally {
      stats.endInlineRun(sql, begin)
    }
  }

  /** Runs work whose failure takes the transaction with it. */
  #occupyWhole<T>(work: () => Promise<T>): Promise<T> {
    this.hasWritten = true
    return this.#occupy(() =>
      work().catch((error: unknown) => {
        this.fault ??= error
        throw this.fault
      }),
    )
  }

  #later<T>(next: () => Promise<T>): Promise<T> {
    return (this.#busy ?? Promise.resolve()).then(next)
  }

  #occupy<T>(work: () => Promise<T>): Promise<T> {
    const running = work().finally(() => (this.#busy = undefined))
    this.#busy = running.then(ignore, ignore)
    return running
  }

  #runOffLoop({ sql, args, of }: BoundStatement): Promise<Written> {
    const { connection, stats } = this.#host.writer
    return this.#withinDeadline(of, async () => {
      const statement = this.#statement(sql)
      this.hasWritten ||= !statement.isSelect
      const isMeasured = this.#deadline.mayBeSpared && connection.isBoundedWrite(sql)
      const begin = isMeasured ? stats.beginLaneRun() : undefined
      const rows = await statement.allOffLoop(args)
      if (begin) stats.endLaneRun(sql, begin)
      return { rows, changes: statement.isSelect ? 0 : this.#changes() }
    })
  }

  #withinDeadline<T>(of: BoundStatement['of'], work: () => Promise<T>): Promise<T> {
    return this.#deadline.run(this.#host.writer.connection, async (deadline) => {
      try {
        return await work()
      } catch (error) {
        if (!isInterrupt(error)) throw this.#failed(error, of)
        this.wasInterrupted = true
        this.fault = this.#deadline.explain(deadline)
        throw this.fault
      }
    })
  }

  /** A failed statement leaves the transaction whole, unless SQLite rolled back all of it. */
  #failed(error: unknown, of?: string): unknown {
    const failure = toFailure(error, of)
    if (isConnectionFault(error)) this.hasStorageFault = true
    if (this.#isOver) return failure
    if (this.hasStorageFault || !this.#host.writer.connection.inTransaction) this.fault ??= failure
    return failure
  }

  #statement(sql: string, isKnown = false) {
    this.#requireOpen()
    const { connection, context } = this.#host.writer
    const statement = connection.statement(sql)
    if (statement.target !== undefined) this.changed.add(statement.target, undefined)
    if (context.mayFire(statement)) context.apply(this.#company, this.#touched.begin(isKnown))
    return statement
  }

  #requireOpen(): void {
    if (this.#isOver) throw new Error('A statement was run after the end of its transaction')
    if (this.fault !== undefined) throw this.fault
  }

  #changes(): number {
    return Number(this.#host.writer.connection.statement(CHANGES).get({})?.Changes)
  }
}

const ignore = (): void => undefined
