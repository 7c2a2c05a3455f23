/**
 * Values of one statement: equal requests of other values give the same text, so it is planned
 * once.
 */
import type { SqlArg, SqlArgs } from '../../store/sql.ts'

/** Collects the values of a statement and names its parameters. */
export class Bindings {
  readonly #values: Record<string, SqlArg> = {}
  #count = 0

  /** Binds a value under a name of the engine's own; returns the parameter as SQL text. */
  add(value: SqlArg): string {
    const name = `_${++this.#count}`
    this.#values[name] = value
    return `@${name}`
  }

  /** Binds an authored parameter by its name. */
  set(name: string, value: SqlArg): void {
    this.#values[name] = value
  }

  args(): SqlArgs {
    return this.#values
  }
}
