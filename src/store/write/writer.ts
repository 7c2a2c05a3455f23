/** The one writer of a file: its queue, and what runs alone between two groups. */
import { chargesOf, findAccount } from '../../kernel/charged.ts'
import { unavailable } from '../../kernel/failure.ts'
import { FairQueue } from '../../kernel/fair-queue.ts'
import { say } from '../../kernel/messages.ts'
import { type Connection, keepMorePages } from '../connection/connection.ts'
import { toFailure } from '../faults.ts'
import type { StoreLimits } from '../limits.ts'
import {
  type AfterWrite,
  type StagedWrite,
  systemScope,
  type Tx,
  type WriteScope,
} from '../store.ts'
import { Group, GroupPace, type Member, only, type WriterParts } from './group.ts'
import { attachStage, detachStage } from './stage.ts'
import type { WriterConnection } from './writer-connection.ts'

/** Work that must have the connection to itself: a migration, a new watch. */
interface Alone {
  run: () => Promise<void>
}

/** Cost of work that has the writer to itself, in mutations. */
const ALONE_COST = 16

async function rewriteVersion(tx: Tx): Promise<void> {
  const found = await tx.get<{ user_version: number }>('PRAGMA user_version')
  await tx.run(`PRAGMA user_version=${Number(found?.user_version)}`)
}

/**
 * Queues mutations, fair to those on whose account they are, and runs them in groups, one commit
 * for all (`group.ts`).
 */
export class Writer {
  readonly #parts: WriterParts
  readonly #limits: StoreLimits
  readonly #queue = new FairQueue<Member | Alone>()
  readonly #pace = new GroupPace()
  #isPumping = false
  #isClosed = false
  #afterWrite: AfterWrite | undefined
  #sweep: ReturnType<typeof setTimeout> | undefined
  #idle: (() => void)[] = []

  constructor(parts: WriterParts) {
    this.#parts = parts
    this.#limits = parts.limits
  }

  /** Works that wait for their turn. */
  get queued(): number {
    return this.#queue.length
  }

  /** A write that changes nothing and yet goes to the disk. */
  probe(): Promise<void> {
    return this.write(rewriteVersion, systemScope('the disk is tested for writes'))
  }

  useAfterWrite(afterWrite: AfterWrite): void {
    this.#afterWrite = afterWrite
  }

  /** See `Store.write`. */
  write<T>(work: (tx: Tx) => Promise<T>, scope: WriteScope): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#isClosed) return reject(unavailable(say`The server is stopping`))
      this.#enqueue(toMember(work, scope, { resolve, reject }))
      this.#sweep ??= this.#startSweep(this.#limits.writerMaxWaitMs)
    })
  }

  /** See `Store.writeAlone`. */
  writeAlone<T>(work: (tx: Tx) => Promise<T>, scope: WriteScope, from?: StagedWrite): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const member = toMember(work, scope, { resolve, reject })
      this.alone((writer) => this.#runAlone(writer, member, from)).catch((error: unknown) =>
        reject(toFailure(error)),
      )
    })
  }

  /** Runs `work` when the group before it is settled, with nothing beside it. */
  alone<T>(work: (connection: WriterConnection) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#isClosed) return reject(unavailable(say`The server is stopping`))
      const run = async (): Promise<void> => resolve(await work(this.#parts.writer))
      this.#enqueue({ run: () => run().catch(reject) })
    })
  }

  /** Takes no more; resolves when all that is queued is settled. */
  async finish(): Promise<void> {
    this.#isClosed = true
    if (this.#isPumping) await new Promise<void>((resolve) => this.#idle.push(resolve))
    clearTimeout(this.#sweep)
  }

  /** Moves the log into the file and closes, after `finish`. */
  close(): Promise<void> {
    return this.#parts.writer.close()
  }

  #enqueue(item: Member | Alone): void {
    const isAlone = 'run' in item
    this.#queue.add(item, chargesOf(findAccount(), isAlone ? ALONE_COST : 1))
    if (this.#isPumping) return
    this.#isPumping = true
    // Mutations written at the same moment join the group.
    queueMicrotask(() => void this.#pump())
  }

  async #pump(): Promise<void> {
    for (let first = this.#queue.first; first !== undefined; first = this.#queue.first) {
      if ('run' in first) {
        this.#queue.take()
        await first.run()
      } else await this.#runGroup()
    }
    this.#queue.forget()
    this.#isPumping = false
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  /** Takes the next mutation in the queue, so that one which comes while a group runs joins it. */
  readonly #takeMember = (): Member | undefined => {
    const { first } = this.#queue
    if (first === undefined || 'run' in first) return undefined
    this.#queue.take()
    this.#parts.figures.waits.observe((performance.now() - first.queuedAt) / 1000)
    return first
  }

  /** The attachment is the connection's that it was made on: that may be another one at the end. */
  async #runAlone(writer: WriterConnection, member: Member, from?: StagedWrite): Promise<void> {
    await writer.prepareGroup()
    if (from) await attachTo(writer, from)
    const { connection } = writer
    keepMorePages(connection)
    try {
      if (from?.adds !== undefined) setForeignKeys(connection, 'OFF')
      await this.#newGroup(true, from?.adds).run(only(member))
    } finally {
      const isSame = writer.connection === connection && !connection.inTransaction
      // A connection that is opened again has foreign keys on, and no stage.
      if (!isSame || !isFreed(connection, from)) writer.markBroken()
    }
  }

  #newGroup(isLong: boolean, adds?: string): Group {
    const { afterWrite, pace } = { afterWrite: this.#afterWrite, pace: this.#pace }
    return new Group({ ...this.#parts, afterWrite, pace, isLong, adds })
  }

  async #runGroup(): Promise<void> {
    await this.#newGroup(false).run(this.#takeMember)
  }

  #startSweep(milliseconds: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#refuseLate(), Math.max(1, milliseconds))
  }

  /** Refuses what has waited too long, at the time and not when its turn would have come. */
  #refuseLate(): void {
    this.#sweep = undefined
    const now = performance.now()
    let next: number | undefined
    const late = this.#queue.remove((item) => {
      if ('run' in item) return false
      const rest = this.#limits.writerMaxWaitMs - (now - item.queuedAt)
      if (rest > 0) next = Math.min(next ?? rest, rest)
      return rest <= 0
    })
    this.#parts.figures.refused += late.length
    for (const item of late) if (!('run' in item)) item.reject(tooLate())
    if (next !== undefined) this.#sweep = this.#startSweep(next)
  }
}

/** Attaches a stage. A connection that still holds an earlier stage is opened again. */
async function attachTo(writer: WriterConnection, { path }: StagedWrite): Promise<void> {
  try {
    attachStage(writer.connection, path, 'ro')
  } catch {
    writer.markBroken()
    await writer.prepareGroup()
    attachStage(writer.connection, path, 'ro')
  }
}

/** Checks that a connection is as it was before. A stage that is being read cannot be detached. */
function isFreed(connection: Connection, from?: StagedWrite): boolean {
  try {
    if (from?.adds !== undefined) setForeignKeys(connection, 'ON')
    if (from) detachStage(connection)
    return true
  } catch {
    return false
  }
}

/** Outside of any transaction: inside of one it does nothing. */
const setForeignKeys = ({ database }: Connection, to: 'ON' | 'OFF'): void =>
  database.exec(`PRAGMA foreign_keys=${to}`)

const tooLate = () =>
  unavailable(say`The change waited for its turn longer than Svc:Writer:MaxWait allows. Try again.`)

function toMember<T>(
  work: (tx: Tx) => Promise<T>,
  { company, revalidate, isAside = false }: WriteScope,
  { resolve, reject }: { resolve: (value: T) => void; reject: (error: unknown) => void },
): Member {
  const account = findAccount()
  return {
    work,
    company: company === 'all' ? null : company,
    revalidate,
    isAside,
    account,
    queuedAt: performance.now() - (account?.waitedMs ?? 0),
    resolve: resolve as (value: unknown) => void,
    reject,
  }
}
