/** A part of a transaction: a transaction of its own within it, which is undone alone. */
import { toFailure } from '../faults.ts'
import type { Tx } from '../store.ts'
import type { ChangedRows } from './changed-rows.ts'
import type { LeftForEnd } from './group-end.ts'
import type { WriterConnection } from './writer-connection.ts'

/** The side of a transaction that a part, and the one around it, show each other. */
interface PartTx extends Tx {
  readonly effects: (() => void)[]
  readonly changed: ChangedRows
  readonly left: LeftForEnd
  wasInterrupted: boolean
  hasStorageFault: boolean
  hasWritten: boolean
  isLast: boolean
  fault: unknown
  finish(): Promise<void>
  end(): Promise<void>
}

/**
 * Runs `work` on `part`, behind a savepoint, and adds what it came to to `whole`. Where it fails,
 * the part alone is undone; a failure that took the transaction along is that of `whole`, too.
 */
export async function runPart<T>(
  writer: WriterConnection,
  { whole, part }: { whole: PartTx; part: PartTx },
  work: (part: Tx) => Promise<T>,
): Promise<T> {
  const { mark } = writer.chain
  const logged = writer.log.mark
  writer.run('SAVEPOINT Part')
  try {
    const value = await work(part)
    await part.finish()
    await part.end()
    writer.run('RELEASE Part')
    take(whole, part)
    return value
  } catch (error) {
    await part.end()
    writer.chain.rewind(mark)
    writer.log.rewind(logged)
    writer.context.forget()
    if (part.fault === undefined && writer.connection.inTransaction && !part.hasStorageFault) {
      writer.run('ROLLBACK TO Part')
      writer.run('RELEASE Part')
      throw toFailure(error)
    }
    whole.hasStorageFault ||= part.hasStorageFault
    whole.wasInterrupted ||= part.wasInterrupted
    whole.fault ??= part.fault ?? toFailure(error)
    throw whole.fault
  }
}

function take(whole: PartTx, part: PartTx): void {
  whole.changed.addAll(part.changed)
  whole.left.addAll(part.left)
  whole.effects.push(...part.effects)
  whole.hasWritten ||= part.hasWritten
  whole.isLast ||= part.isLast
}
