/**
 * Group commit: members of one transaction, one sync to disk for all of them. Each has a savepoint
 * where one of late had something to be undone; else all run again, with savepoints, where one has.
 */
import { type Account, isShared, noteStored, onAccount } from '../../kernel/charged.ts'
import { outcomeUnknown, unavailable } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { yieldToOthers } from '../../kernel/yielder.ts'
import { isBusy, MemoryFailure, toFailure } from '../faults.ts'
import type { WriterFigures } from '../figures.ts'
import type { StoreLimits } from '../limits.ts'
import type { AfterWrite, StoreCounters, Tx } from '../store.ts'
import { ChangedRows } from './changed-rows.ts'
import { commit, overwriteFailedCommit } from './commit.ts'
import { LeftForEnd } from './group-end.ts'
import { WriterTx } from './transaction.ts'
import type { WriterConnection } from './writer-connection.ts'

/** A mutation in the queue. */
export interface Member {
  work: (tx: Tx) => Promise<unknown>
  /** The company whose rows it may write; null for every company. */
  company: number | null
  /** See `WriteScope`. */
  revalidate: (() => Promise<void> | undefined) | undefined
  /** See `WriteScope`. */
  isAside: boolean
  /** True if it found no memory before, which others may have had. */
  isSecond?: boolean
  /** The account that its work is charged to. */
  account: Account | undefined
  /** Time by the monotonic clock; the earlier waits of its caller count, too. */
  queuedAt: number
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** The connection, limits and counters that writer work uses. */
export interface WriterParts {
  writer: WriterConnection
  limits: StoreLimits
  counters: StoreCounters
  figures: WriterFigures
}

/** The parts of its writer that a group needs. */
interface GroupHost extends WriterParts {
  afterWrite: AfterWrite | undefined
  pace: GroupPace
  /** See `StagedWrite`. */
  adds?: string | undefined
  /**
   * True if its one member may take long: each authored statement has its own deadline, and it has
   * no savepoint, of which SQLite would keep every page in memory that was there before.
   */
  isLong: boolean
  /** True to give each member a savepoint, whatever the pace says. */
  isGuarded?: boolean
}

/** The outcome of a member's work. Settled after the commit: its reasons may be undone. */
interface Outcome {
  member: Member
  tx: WriterTx
  value: unknown
  error: unknown
  isFailed: boolean
}

/** Members of one group at most. */
const GROUP_MAX = 256
const BUSY_AGAIN_MS = 10
/** Longest wait of reads for the thread, in milliseconds. */
const TURN_MS = 0.5

/** Time that a group may work, in milliseconds, and in syncs: a fifth of the time goes to these. */
const WORK_MS = { least: 3, most: 25 }
const WORK_SYNCS = 4
/** Share of the newest in the mean. */
const NEWEST = 1 / 8
/** Groups with savepoints after one that had to run again for want of them. */
const GUARDED_GROUPS = 64

/**
 * The time that groups of one writer work before they commit. The first members' answers must not
 * wait for long on the later ones' work; but the slower the disk, the more must share a sync.
 */
export class GroupPace {
  #syncMs = 0
  #isCrowded = false
  #guarded = 0

  /** Milliseconds that a group may work. */
  get workMs(): number {
    if (!isShared()) return WORK_MS.most
    return Math.min(WORK_MS.most, Math.max(WORK_MS.least, WORK_SYNCS * this.#syncMs))
  }

  /**
   * True if several callers write at once: then it is worth a turn of the event loop to look for
   * more members before the commit. A caller who writes alone does not wait for others.
   */
  get isCrowded(): boolean {
    return this.#isCrowded
  }

  /**
   * Decides whether the members of the next group have savepoints. One costs 10 µs, and copies of
   * all pages that the member changes; most members that fail have changed nothing yet.
   */
  takeGuarded(): boolean {
    if (this.#guarded === 0) return false
    this.#guarded--
    return true
  }

  /** Notes that a member without a savepoint failed when it had changed something. */
  noteGroupLost(): void {
    this.#guarded = GUARDED_GROUPS
  }

  /** Notes how long a commit took, and how many members it had. */
  note(syncMs: number, members: number): void {
    this.#syncMs += (syncMs - this.#syncMs) * NEWEST
    this.#isCrowded = members > 1
  }
}

/** Returns the member to run next in a group; undefined if none is waiting. */
type NextMember = () => Member | undefined

/** Returns one member and no more. */
export function only(member: Member): NextMember {
  let next: Member | undefined = member
  return () => {
    const taken = next
    next = undefined
    return taken
  }
}

/** One group: begun, run, committed and settled; used once. */
export class Group {
  readonly #host: GroupHost
  /** True if members have savepoints. */
  readonly #isGuarded: boolean
  #isCommitting = false

  constructor(host: GroupHost) {
    this.#host = host
    this.#isGuarded = !host.isLong && (host.isGuarded === true || host.pace.takeGuarded())
  }

  /** Runs members in their turn for as long as its pace allows, and settles them. */
  async run(next: NextMember): Promise<void> {
    if (!(await this.#begin(next))) return
    const taken: Member[] = []
    const take = (): Member | undefined => {
      const member = taken.length < GROUP_MAX ? next() : undefined
      if (member) taken.push(member)
      return member
    }
    try {
      await this.#runMembers(take)
    } catch (error) {
      this.#host.writer.markBroken()
      this.#host.writer.rollback()
      const fault = this.#isCommitting ? outcomeUnknown(error) : toFailure(error)
      for (const member of taken) member.reject(fault)
    }
  }

  async #runMembers(next: NextMember): Promise<void> {
    const start = performance.now()
    let turn = start
    const outcomes: Outcome[] = []
    for (;;) {
      const member = next() ?? (await this.#gather(outcomes, next))
      if (member === undefined) break
      const outcome = await this.#runMember(member)
      outcomes.push(outcome)
      if (this.#hasLostOthers(outcome, outcomes)) return this.#runGuarded(outcomes, next)
      if (this.#isLost(outcome)) return this.#runAgain(outcomes, outcome)
      const now = performance.now()
      if (outcome.tx.isLast || now - start > this.#host.pace.workMs) break
      if (now - turn < TURN_MS || !isShared()) continue
      // Others read between two members, and what they write joins in.
      await yieldToOthers()
      turn = performance.now()
    }
    const { changed, fault } = await this.#end(outcomes)
    if (fault === undefined) await this.#commit(changed, outcomes)
    else await this.#afterLostCommit(outcomes, fault)
  }

  /**
   * Takes a member that comes within one turn more: callers whom the last commit has answered ask
   * again while this group runs, and would else share a small group of their own, again and again.
   */
  async #gather(outcomes: readonly Outcome[], next: NextMember): Promise<Member | undefined> {
    const { pace, isLong } = this.#host
    if (isLong || (outcomes.length < 2 && !pace.isCrowded)) return undefined
    await yieldToOthers()
    return next()
  }

  /** Begins the transaction; false if it could not begin, and waiting members are refused then. */
  async #begin(next: NextMember): Promise<boolean> {
    const { writer, limits } = this.#host
    const giveUpAt = performance.now() + limits.writerMaxWaitMs
    for (;;) {
      try {
        writer.disk.requireTaking()
        await writer.prepareGroup()
        writer.run('BEGIN IMMEDIATE')
        writer.chain.begin()
        writer.log.begin()
        return true
      } catch (error) {
        if (isBusy(error) && performance.now() < giveUpAt) await Bun.sleep(BUSY_AGAIN_MS)
        else {
          writer.markBroken()
          const failure = isBusy(error) ? unavailable(say`The database is busy`) : toFailure(error)
          writer.disk.noteFailure(failure)
          for (let member = next(); member !== undefined; member = next()) member.reject(failure)
          return false
        }
      }
    }
  }

  async #runMember(member: Member): Promise<Outcome> {
    const { writer, limits } = this.#host
    const { company } = member
    const tx = new WriterTx({ ...this.#host, company, writeTimeoutMs: limits.writeTimeoutMs })
    const outcome: Outcome = { member, tx, value: undefined, error: undefined, isFailed: false }
    const { mark } = writer.chain
    const logged = writer.log.mark
    try {
      if (this.#isGuarded) writer.run('SAVEPOINT Member')
      const before = member.revalidate?.()
      if (before) await before
      outcome.value = await onAccount(member.account, () => member.work(tx))
      await tx.finish()
      const after = member.revalidate?.()
      if (after) await after
      await tx.end()
      if (this.#isGuarded) writer.run('RELEASE Member')
    } catch (error) {
      outcome.isFailed = true
      outcome.error = tx.fault ?? toFailure(error)
      writer.disk.noteFailure(outcome.error)
      await tx.end()
      writer.chain.rewind(mark)
      writer.log.rewind(logged)
      this.#undo(tx)
    }
    return outcome
  }

  #undo(tx: WriterTx): void {
    const { writer, isLong } = this.#host
    writer.context.forget()
    if (tx.hasStorageFault) writer.markBroken()
    const isWhole = tx.hasStorageFault || isLong || (!this.#isGuarded && tx.hasWritten)
    if (isWhole) writer.rollback()
    if (!this.#isGuarded || !writer.connection.inTransaction) return
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

  /**
   * Checks that a failed member without a savepoint also undid other members. An interrupted member
   * is not run in a group again.
   */
  #hasLostOthers(last: Outcome, outcomes: readonly Outcome[]): boolean {
    const { hasStorageFault, wasInterrupted } = last.tx
    if (this.#isGuarded || !this.#isLost(last) || hasStorageFault || wasInterrupted) return false
    return outcomes.length > 1
  }

  /** Runs all again, also the one that failed: it may have failed at what the others did. */
  async #runGuarded(outcomes: readonly Outcome[], next: NextMember): Promise<void> {
    this.#host.pace.noteGroupLost()
    const rest = outcomes.map(({ member }) => member)
    // A group may end before it has taken all of them.
    while (rest.length > 0)
      await new Group({ ...this.#host, isGuarded: true }).run(() => rest.shift() ?? next())
  }

  /** The others run one by one; then, alone, the one whose interruption took them along. */
  async #runAgain(outcomes: readonly Outcome[], lost: Outcome): Promise<void> {
    this.#host.writer.context.forget()
    for (const { member } of outcomes) if (member !== lost.member) await this.run(only(member))
    if (this.#mayRunAlone(lost, outcomes)) await this.run(only(lost.member))
    else lost.member.reject(lost.error)
  }

  #mayRunAlone({ tx, member, error }: Outcome, outcomes: readonly Outcome[]): boolean {
    const mayBeOthers = error instanceof MemoryFailure && error.mayBeOthers
    const isSecond = mayBeOthers && !this.#host.isLong && member.isSecond !== true
    if (isSecond) member.isSecond = true
    return isSecond || (tx.wasInterrupted && outcomes.length > 1)
  }

  /** Does the work that members have left for the end; returns all that it changed. */
  async #end(outcomes: readonly Outcome[]): Promise<{ changed: ChangedRows; fault?: unknown }> {
    const changed = new ChangedRows()
    const left = new LeftForEnd()
    for (const { tx, isFailed } of outcomes) {
      if (isFailed) continue
      changed.addAll(tx.changed)
      left.addAll(tx.left)
    }
    if (left.isEmpty) return { changed }
    const { writer, limits } = this.#host
    const { writeTimeoutMs } = limits
    const tx = new WriterTx({ ...this.#host, afterWrite: undefined, company: null, writeTimeoutMs })
    try {
      await left.run(tx)
      await tx.finish()
      changed.addAll(tx.changed)
      return { changed }
    } catch (error) {
      await tx.end()
      const fault = tx.fault ?? toFailure(error)
      writer.disk.noteFailure(fault)
      if (tx.hasStorageFault) writer.markBroken()
      writer.rollback()
      return { changed, fault }
    }
  }

  /**
   * Commits. Versions rise after the commit and before the answer, so that no one keeps an old
   * answer as new; they rise too when it failed, since a reader may have seen any part of it.
   */
  async #commit({ tables }: ChangedRows, outcomes: Outcome[]): Promise<void> {
    const { writer, pace, figures } = this.#host
    writer.versions.beginCommit(tables)
    this.#isCommitting = true
    const end = await commit(writer, (syncMs) => {
      pace.note(syncMs, outcomes.length)
      figures.commits.observe(syncMs / 1000)
      figures.members.observe(outcomes.length)
    })
    writer.versions.endCommit()
    if (end.outcome === 'stored') this.#settle(outcomes)
    else if (end.outcome === 'astray') this.#settle(outcomes, end.fault)
    else if (end.outcome === 'refused' || (await overwriteFailedCommit(writer)))
      await this.#afterLostCommit(outcomes, end.fault)
    else this.#reject(outcomes, outcomeUnknown(end.fault))
  }

  /** Nothing is stored: each member has another try, where the fault may be another's. */
  async #afterLostCommit(outcomes: Outcome[], fault: unknown): Promise<void> {
    if (outcomes.length === 1) this.#reject(outcomes, fault)
    else for (const { member } of outcomes) await this.run(only(member))
  }

  #reject(outcomes: Outcome[], fault: unknown): void {
    for (const { member, error, isFailed } of outcomes) member.reject(isFailed ? error : fault)
  }

  /** Settles the members after COMMIT and runs their effects; a fault is then the answer. */
  #settle(outcomes: Outcome[], fault?: unknown): void {
    for (const { member, tx, value, error, isFailed } of outcomes) {
      if (isFailed) {
        member.reject(error)
        continue
      }
      if (tx.hasWritten && !member.isAside) noteStored(member.account)
      runEffects(tx.effects)
      if (fault === undefined) member.resolve(value)
      else member.reject(fault)
    }
  }
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
