/**
 * Statements of one connection run on this thread or off the event loop. Both faces of the package
 * (`libsql`, `libsql/promise`) wrap the same handles, but a connection has the methods of one face:
 * the method of the other one is borrowed.
 * Goes when a connection of the package offers both.
 */
import PromiseDatabase from 'libsql/promise'
// The threads are counted when the first database is opened.
import './libsql-threads.ts'
import './libsql-memory.ts'

type Iterate = (this: object, args: unknown) => Promise<Iterable<unknown>>

/** Kept for the life of the process: an unreferenced database is closed by the collector. */
const borrowed = await borrowIterate()

async function borrowIterate(): Promise<{ database: unknown; iterate: Iterate }> {
  const database = new PromiseDatabase(':memory:', {})
  const statement: { iterate: Iterate } = await database.prepare('SELECT 1')
  return { database, iterate: statement.iterate }
}

/**
 * Runs the first step of a statement of the `libsql` face off the event loop; what follows it is
 * read on this thread. Rejects with the package's errors.
 */
export const iterateOffLoop = <A, R>(
  statement: { iterate(args: A): Iterable<R> },
  args: A,
): Promise<Iterable<R>> => borrowed.iterate.call(statement, args) as Promise<Iterable<R>>
