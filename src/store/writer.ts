/** The one writer of a file: its queue, and what runs alone between two groups. */
import { unavailable } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { Group } from './group.ts'
import type { Member, WriterParts } from './group.ts'
import { systemScope } from './store.ts'
import type { AfterWrite, Tx, WriteScope } from './store.ts'
import type { StoreLimits } from './limits.ts'
import { attachStage, detachStage } from './stage.ts'
import type { WriterConnection } from './writer-connection.ts'

/** Work that must have the connection to itself: a migration, a new watch. */
interface Alone {
  run: () => Promise<void>
}

/** Members taken into one group at most. */
const GROUP_MAX = 256

/** A write that changes nothing and yet goes to the disk. */
async function rewriteVersion(tx: Tx): Promise<void> {
  const found = await tx.get<{ user_version: number }>('PRAGMA user_version')
  await tx.run(`PRAGMA user_version=${Number(found?.user_version)}`)
}

/** Queues mutations and runs them in groups, one commit for all (`group.ts`). */
export class Writer {
  readonly #parts: WriterParts
  readonly #limits: StoreLimits
  #queue: (Member | Alone)[] = []
  #isPumping = false
  #isClosed = false
  #afterWrite: AfterWrite | undefined
  #sweep: ReturnType<typeof setTimeout> | undefined
  #idle: (() => void)[] = []
  /** The write that finds out whether writes go through again. */
  #probing: Promise<void> | undefined

  constructor(parts: WriterParts) {
    this.#parts = parts
    this.#limits = parts.limits
  }

  /** See `Store.requireWritable`. */
  async requireWritable(): Promise<void> {
    const { disk } = this.#parts.writer
    disk.requireSameFiles()
    if (disk.fault === undefined) return
    disk.requireRoom()
    this.#probing ??= this.write(
      rewriteVersion,
      systemScope('it is tried whether the disk takes writes again'),
    ).finally(() => {
      this.#probing = undefined
    })
    await this.#probing
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
  writeAlone<T>(work: (tx: Tx) => Promise<T>, scope: WriteScope, path?: string): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const member = toMember(work, scope, { resolve, reject })
      this.alone((writer) => this.#runAlone(writer, member, path)).catch(reject)
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
    this.#queue.push(item)
    if (this.#isPumping) return
    this.#isPumping = true
    // What is written in the same breath joins the group.
    queueMicrotask(() => void this.#pump())
  }

  async #pump(): Promise<void> {
    while (this.#queue.length > 0) {
      const first = this.#queue[0]
      if (first !== undefined && 'run' in first) {
        this.#queue.shift()
        await first.run()
      } else await this.#runGroup(this.#takeMembers())
    }
    this.#isPumping = false
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  #takeMembers(): Member[] {
    const members: Member[] = []
    for (const item of this.#queue) {
      if ('run' in item || members.length === GROUP_MAX) break
      members.push(item)
    }
    this.#queue.splice(0, members.length)
    return members
  }

  /** The attachment is the connection's that it was made on: that may be another one at the end. */
  async #runAlone(writer: WriterConnection, member: Member, path?: string): Promise<void> {
    await writer.prepareGroup()
    const { connection } = writer
    if (path !== undefined) attachStage(connection, path, 'ro')
    try {
      await this.#newGroup(true).run([member])
    } finally {
      const isSame = writer.connection === connection && !connection.inTransaction
      if (path !== undefined && isSame) detachStage(connection)
    }
  }

  #newGroup(isLong: boolean): Group {
    return new Group({ ...this.#parts, afterWrite: this.#afterWrite, isLong })
  }

  async #runGroup(members: Member[]): Promise<void> {
    const group = this.#newGroup(false)
    try {
      // First the members: while they run, the sweep may put another queue in its place.
      const rest = await group.run(members)
      this.#queue.unshift(...rest)
    } catch (error) {
      for (const member of members) member.reject(error)
    }
  }

  #startSweep(milliseconds: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#refuseLate(), Math.max(1, milliseconds))
  }

  /** Refuses what has waited too long, at the time and not when its turn would have come. */
  #refuseLate(): void {
    this.#sweep = undefined
    const limit = this.#limits.writerMaxWaitMs
    const now = performance.now()
    let next: number | undefined
    this.#queue = this.#queue.filter((item) => {
      if ('run' in item) return true
      const rest = limit - (now - item.queuedAt)
      if (rest <= 0)
        item.reject(unavailable(say`The writer was busy longer than Svc:Writer:MaxWait`))
      else next = Math.min(next ?? rest, rest)
      return rest > 0
    })
    if (next !== undefined) this.#sweep = this.#startSweep(next)
  }
}

function toMember<T>(
  work: (tx: Tx) => Promise<T>,
  { company, revalidate }: WriteScope,
  { resolve, reject }: { resolve: (value: T) => void; reject: (error: unknown) => void },
): Member {
  return {
    work,
    company: company === 'all' ? null : company,
    revalidate,
    queuedAt: performance.now(),
    resolve: resolve as (value: unknown) => void,
    reject,
  }
}
