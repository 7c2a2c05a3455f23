/** How a bare server commits: each request alone, or those that wait together. */
import type { Database } from 'libsql'

/** Runs the statements of one request and gives what it answers with, once that is on the disk. */
export type Commit = (work: () => string) => Promise<string>

/** A transaction for each request, as a server has it that thinks of nothing. */
export function commitAlone(database: Database): Commit {
  const [begin, commit, rollback] = ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK'].map((sql) =>
    database.prepare(sql),
  )
  return (work) => {
    begin?.run()
    try {
      const answer = work()
      commit?.run()
      return Promise.resolve(answer)
    } catch (error) {
      rollback?.run()
      throw error
    }
  }
}

interface Waiting {
  work: () => string
  done: PromiseWithResolvers<string>
}

/**
 * One transaction for all requests that have come when it begins; each in a savepoint, so that one
 * that fails takes no other along.
 */
export function commitGrouped(database: Database): Commit {
  const [begin, commit, save, release, undo] = [
    ...['BEGIN IMMEDIATE', 'COMMIT', 'SAVEPOINT one', 'RELEASE one', 'ROLLBACK TO one'],
  ].map((sql) => database.prepare(sql))
  let waiting: Waiting[] = []
  const runOne = ({ work, done }: Waiting): (() => void) => {
    save?.run()
    try {
      const answer = work()
      return () => done.resolve(answer)
    } catch (error) {
      undo?.run()
      return () => done.reject(error)
    } finally {
      release?.run()
    }
  }
  const runGroup = (): void => {
    const group = waiting
    waiting = []
    begin?.run()
    const settle = group.map(runOne)
    commit?.run()
    for (const one of settle) one()
  }
  return (work) => {
    const done = Promise.withResolvers<string>()
    // Behind what has come in this turn of the loop.
    if (waiting.length === 0) setImmediate(runGroup)
    waiting.push({ work, done })
    return done.promise
  }
}
