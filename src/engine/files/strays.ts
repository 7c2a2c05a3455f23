/** Files that nothing in engine.db names: they wait a day before they go. */
import type { Clock } from '../../kernel/clock.ts'
import { DAY } from '../../kernel/setting.ts'
import { type Store, systemScope } from '../../store/store.ts'

/** Time in which an older engine.db may be restored in place of the one that knows the files. */
const WAIT_MS = DAY

const SCOPE = systemScope('files that nothing names belong to no company')

const NOTE = `INSERT INTO svc_strays (Path, Since)
  SELECT @folder || value, @now FROM json_each(@names) WHERE true ON CONFLICT (Path) DO NOTHING`

const FORGET = `DELETE FROM svc_strays
  WHERE Path IN (SELECT @folder || value FROM json_each(@names))`

const DUE = `SELECT value AS Name FROM json_each(@names)
  WHERE EXISTS (SELECT 1 FROM svc_strays WHERE Path = @folder || value AND Since <= @before)`

const KNOWN = `SELECT value AS Name FROM json_each(@names)
  WHERE EXISTS (SELECT 1 FROM svc_strays WHERE Path = @folder || value)`

/** Files of one folder that no row names, and since when. */
export class Strays {
  readonly #state: Store
  readonly #clock: Clock
  /** The folder with a trailing slash. */
  readonly #folder: string

  constructor({ state, clock }: { state: Store; clock: Clock }, folder: string) {
    this.#state = state
    this.#clock = clock
    this.#folder = `${folder}/`
  }

  /**
   * Files of `unnamed` that have waited long enough; the others wait from now on. Files that are
   * `named` again no longer wait.
   */
  async takeDue(unnamed: readonly string[], named: readonly string[]): Promise<string[]> {
    const now = this.#clock.now().getTime()
    const before = new Date(now - WAIT_MS).toISOString()
    const due = await this.#list(DUE, unnamed, { before })
    const known = new Set(await this.#list(KNOWN, [...unnamed, ...named]))
    const fresh = unnamed.filter((name) => !known.has(name))
    const over = [...due, ...named.filter((name) => known.has(name))]
    if (fresh.length > 0) await this.#write(NOTE, fresh, { now: new Date(now).toISOString() })
    if (over.length > 0) await this.#write(FORGET, over)
    return due
  }

  async #list(
    sql: string,
    names: readonly string[],
    more: Record<string, string> = {},
  ): Promise<string[]> {
    if (names.length === 0) return []
    const args = { folder: this.#folder, names: JSON.stringify(names), ...more }
    const rows = await this.#state.all<{ Name: string }>({ sql, args, runs: 'inline' })
    return rows.map(({ Name }) => Name)
  }

  async #write(sql: string, names: readonly string[], more: Record<string, string> = {}) {
    const args = { folder: this.#folder, names: JSON.stringify(names), ...more }
    await this.#state.write((tx) => tx.run(sql, args), SCOPE)
  }
}
