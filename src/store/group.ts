/** Group commit: members in savepoints of one transaction, one sync to disk for all of them. */
import { unavailable } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { isBusy, isStorageFault, toFailure } from './faults.ts'
import type { StoreLimits } from './limits.ts'
import { ChangedRows } from './changed-rows.ts'
import type { AfterWrite, StoreCounters, TableChanges, Tx } from './store.ts'
import { WriterTx } from './transaction.ts'
import type { WriterConnection } from './writer-connection.ts'

/** A mutation in the queue. */
export interface Member {
  work: (tx: Tx) => Promise<unknown>
  /** Whose rows it may write; null for everybody's. */
  company: number | null
  /** See `WriteScope`. */
  revalidate: (() => Promise<void> | undefined) | undefined
  /** By the monotonic clock. */
  queuedAt: number
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** What work on the writer is done with. */
export interface WriterParts {
  writer: WriterConnection
  limits: StoreLimits
  counters: StoreCounters
}

/** What a group needs of its writer. */
export interface GroupHost extends WriterParts {
  afterWrite: AfterWrite | undefined
  /**
   * Its one member may take long: the deadline is each authored statement's, and it has no
   * savepoint, of which SQLite would keep every page in memory that was there before.
   */
  isLong: boolean
}

/** How a member's work ended. It is settled after the commit: its reasons may be undone. */
interface Outcome {
  member: Member
  tx: WriterTx
  value: unknown
  error: unknown
  isFailed: boolean
}

/** The first members' answers must not wait for long on the later ones' work. */
const GROUP_MS_MAX = 25
const BUSY_AGAIN_MS = 10

/** One group: begun, run, committed and settled; used once. */
export class Group {
  readonly #host: GroupHost

  constructor(host: GroupHost) {
    this.#host = host
  }

  /** Runs members in order and settles them; gives back those that did not come to their turn. */
  async run(members: Member[]): Promise<Member[]> {
    const start = performance.now()
    if (!(await this.#begin(members))) return []
    const outcomes: Outcome[] = []
    for (const member of members) {
      const outcome = await this.#runMember(member)
      outcomes.push(outcome)
      if (this.#isLost(outcome)) {
        await this.#runAgain(members, outcome)
        return []
      }
      if (outcome.tx.isLast || performance.now() - start > GROUP_MS_MAX) break
    }
    const fault = await this.#commit(outcomes)
    if (fault === undefined) this.#settle(outcomes)
    else await this.#afterLostCommit(outcomes, fault)
    return members.slice(outcomes.length)
  }

  /** False when the transaction could not begin; the members are refused then. */
  async #begin(members: Member[]): Promise<boolean> {
    const { writer, limits } = this.#host
    const giveUpAt = performance.now() + limits.writerMaxWaitMs
    for (;;) {
      try {
        await writer.prepareGroup()
        writer.run('BEGIN IMMEDIATE')
        writer.chain.begin()
        return true
      } catch (error) {
        if (isBusy(error) && performance.now() < giveUpAt) await Bun.sleep(BUSY_AGAIN_MS)
        else {
          writer.markBroken()
          const failure = isBusy(error) ? unavailable(say`The database is busy`) : toFailure(error)
          writer.disk.noteFailure(failure)
          for (const member of members) member.reject(failure)
          return false
        }
      }
    }
  }

  async #runMember(member: Member): Promise<Outcome> {
    const { writer, limits, isLong } = this.#host
    const { company } = member
    const tx = new WriterTx({ ...this.#host, company, writeTimeoutMs: limits.writeTimeoutMs })
    const outcome: Outcome = { member, tx, value: undefined, error: undefined, isFailed: false }
    const { mark } = writer.chain
    try {
      if (!isLong) writer.run('SAVEPOINT Member')
      const before = member.revalidate?.()
      if (before) await before
      outcome.value = await member.work(tx)
      await tx.finish()
      const after = member.revalidate?.()
      if (after) await after
      await tx.end()
      if (!isLong) writer.run('RELEASE Member')
    } catch (error) {
      outcome.isFailed = true
      outcome.error = tx.fault ?? toFailure(error)
      writer.disk.noteFailure(outcome.error)
      await tx.end()
      writer.chain.rewind(mark)
      this.#undo(tx)
    }
    return outcome
  }

  #undo(tx: WriterTx): void {
    const { writer, isLong } = this.#host
    writer.context.forget()
    if (tx.hasStorageFault) writer.markBroken()
    if (tx.hasStorageFault || isLong) writer.rollback()
    if (!writer.connection.inTransaction) return
    try {
      writer.run('ROLLBACK TO Member')
      writer.run('RELEASE Member')
    } catch {
      writer.markBroken()
      writer.rollback()
    }
  }

  #isLost(outcome: Outcome): boolean {
    return outcome.isFailed && !this.#host.writer.connection.inTransaction
  }

  /** The others run one by one; then, alone, the one whose interruption took them along. */
  async #runAgain(members: Member[], lost: Outcome): Promise<void> {
    this.#host.writer.context.forget()
    for (const member of members) if (member !== lost.member) await this.run([member])
    if (lost.tx.wasInterrupted && members.length > 1) await this.run([lost.member])
    else lost.member.reject(lost.error)
  }

  /**
   * Versions rise after the commit and before the answer, so that no one keeps an old answer as
   * new; they rise too when it failed, since nobody knows what of it was seen.
   */
  async #commit(outcomes: readonly Outcome[]): Promise<unknown> {
    const { writer } = this.#host
    const { chain, disk, versions } = writer
    versions.beginCommit(listChanges(outcomes))
    try {
      chain.save(writer.connection)
      await writer.runOffLoop('COMMIT')
      chain.commit()
      disk.requireSameFiles()
      disk.noteSuccess()
      return undefined
    } catch (error) {
      // A failed sync leaves pages that the system calls clean: a new connection writes them again.
      if (isStorageFault(error)) writer.markBroken()
      writer.rollback()
      const failure = toFailure(error)
      disk.noteFailure(failure)
      return failure
    } finally {
      versions.endCommit()
    }
  }

  async #afterLostCommit(outcomes: Outcome[], fault: unknown): Promise<void> {
    if (outcomes.length > 1) for (const { member } of outcomes) await this.run([member])
    else for (const { member, error, isFailed } of outcomes) member.reject(isFailed ? error : fault)
  }

  #settle(outcomes: Outcome[]): void {
    for (const outcome of outcomes) {
      if (outcome.isFailed) outcome.member.reject(outcome.error)
      else {
        runEffects(outcome.tx.effects)
        outcome.member.resolve(outcome.value)
      }
    }
  }
}

/** What the members which did not fail have changed. */
function listChanges(outcomes: readonly Outcome[]): TableChanges {
  const changes = new ChangedRows()
  for (const { tx, isFailed } of outcomes) if (!isFailed) changes.addAll(tx.changed)
  return changes.tables
}

/** An effect's own fault cannot undo the commit: it is reported as an unhandled rejection. */
export function runEffects(effects: readonly (() => void)[]): void {
  for (const effect of effects) {
    try {
      effect()
    } catch (error) {
      void Promise.reject(error)
    }
  }
}
