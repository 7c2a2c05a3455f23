/**
 * COMMIT, and how it ended: stored, refused before it, or not known. No error that comes behind a
 * COMMIT may say that nothing was changed.
 */
import { outcomeUnknown } from '../../kernel/failure.ts'
import { isBrokenRule, isBusy, isConnectionFault, isFull, toFailure } from '../faults.ts'
import type { WriterConnection } from './writer-connection.ts'

/** The outcome of a transaction. */
type CommitEnd =
  | { outcome: 'stored' }
  /** Nothing of it is stored, and it was rolled back. */
  | { outcome: 'refused'; fault: unknown }
  /**
   * The file has it, but while COMMIT ran the path stopped naming that file: whether it is there
   * afterwards hangs on which file comes back.
   */
  | { outcome: 'astray'; fault: unknown }
  /** COMMIT failed. The log may hold all of it, which a restart would take for committed. */
  | { outcome: 'unknown'; fault: unknown }

/** Commits the open transaction; calls `ended` with the duration of a COMMIT that went through. */
export async function commit(
  writer: WriterConnection,
  ended: (syncMs: number) => void = () => undefined,
): Promise<CommitEnd> {
  const { chain, disk } = writer
  let isBegun = false
  try {
    writer.log.clear()
    chain.save(writer.connection)
    disk.requireSameFiles()
    const start = performance.now()
    disk.beginCommit()
    isBegun = true
    await writer.runOffLoop('COMMIT')
    chain.commit()
    ended(performance.now() - start)
  } catch (error) {
    // A failed sync leaves pages that the system calls clean: a new connection writes them again.
    if (isConnectionFault(error)) writer.markBroken()
    writer.rollback()
    const failure = toFailure(error)
    disk.noteFailure(failure)
    const isKnown = !isBegun || isRefusedByCommit(error)
    return { outcome: isKnown ? 'refused' : 'unknown', fault: failure }
  } finally {
    disk.endCommit()
  }
  return findStray(writer)
}

function findStray({ disk }: WriterConnection): CommitEnd {
  try {
    disk.requireSameDatabase()
    disk.noteSuccess()
    return { outcome: 'stored' }
  } catch (error) {
    disk.noteFailure(error)
    return { outcome: 'astray', fault: outcomeUnknown(error) }
  }
}

/**
 * COMMIT failed before the frame that makes a commit was whole: constraints are checked first, and
 * a full disk cuts the frames short, of which the last one counts.
 */
const isRefusedByCommit = (error: unknown): boolean =>
  isBusy(error) || isFull(error) || isBrokenRule(error)

/**
 * Makes sure that a COMMIT that failed is not there, by one that goes to the same place of the log:
 * its frames go over the first ones of the other, whose rest fits no longer. False where that fails
 * too, so that it stays unknown.
 */
export async function overwriteFailedCommit(writer: WriterConnection): Promise<boolean> {
  try {
    await writer.reopen()
    writer.run('BEGIN IMMEDIATE')
    const version = writer.connection.statement('PRAGMA user_version').get({})?.user_version
    writer.run(`PRAGMA user_version=${Number(version)}`)
    await writer.runOffLoop('COMMIT')
    return true
  } catch (error) {
    writer.markBroken()
    writer.rollback()
    writer.disk.noteFailure(toFailure(error))
    return false
  }
}
