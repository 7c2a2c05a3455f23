/** The command as its users run it, in a folder of its own. */
import { join } from 'node:path'
import Database from 'libsql'
import { builtExecutable, temporaryFolder } from '../support/executable.ts'

/** A folder in which commands are run; `using` removes it. */
export class CommandHome implements Disposable {
  readonly #folder = temporaryFolder()

  path(...names: string[]): string {
    return join(this.#folder.path, ...names)
  }

  /** Starts a command, to be ended or waited for. */
  async start(...args: string[]) {
    return Bun.spawn([await builtExecutable(), ...args], {
      cwd: this.#folder.path,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  /** Runs a command to its end. */
  async run(...args: string[]) {
    const child = await this.start(...args)
    const [exitCode, out, err] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    return { exitCode, out, err: err.trimEnd(), lines: out.trimEnd().split('\n') }
  }

  /** Rows of the database of a data folder. */
  read(data: string, sql: string): unknown[] {
    const database = new Database(this.path(data, 'engine.db'), { readonly: true })
    try {
      return database.prepare(sql).all()
    } finally {
      database.close()
    }
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]()
  }
}
