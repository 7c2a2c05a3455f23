/** How many rows of a view a user can list, as the planner has it. */
import type { Caller } from '../../access/caller.ts'
import type { CallerFacts } from '../../access/caller-facts.ts'
import { SYSTEM_ROLE } from '../../access/caller.ts'
import { Grant } from '../../access/grant.ts'
import { Failure } from '../../kernel/failure.ts'
import type { Model, View } from '../../model/model.ts'
import type { Reader } from '../../store/store.ts'
import { BOUNDED_COUNT_MAX } from '../object/schema.ts'
import { planTable } from '../object/read/table.ts'
import { isFreeOfParameters } from '../object/read/view-parameters.ts'

/** A number of rows; not exact where there are more than were counted. */
export interface RowCount {
  rows: number
  isExact: boolean
}

/** Statements of one request at most: the others stay uncounted. */
const READS_MAX = 400

/** Counts rows, each statement once, within a bound of reads and each within the read deadline. */
export class RowCounter {
  readonly #reader: Reader
  readonly #now: Date
  readonly #counted = new Map<string, Promise<RowCount | undefined>>()

  constructor(reader: Reader, now: Date) {
    this.#reader = reader
    this.#now = now
  }

  /**
   * The rows that a user with these roles can list in a view of the model; none without List or
   * View on it. Undefined where that was not counted: too many reads, or one that took too long.
   */
  async count(
    user: CallerFacts,
    roles: readonly string[],
    model: Model,
    view: View,
  ): Promise<RowCount | undefined> {
    const caller = toCaller(user, roles)
    const grant =
      Grant.find(caller, model, view.resource, 'List') ??
      Grant.find(caller, model, view.resource, 'View')
    if (!grant) return { rows: 0, isExact: true }
    if (!isFreeOfParameters(view)) return undefined
    const context = { caller, now: this.#now, model }
    const { count } = planTable(view, { CountMode: 'bounded' }, grant, context)
    if (!count) return undefined
    const key = JSON.stringify([count.sql, count.args])
    const known = this.#counted.get(key)
    if (known) return known
    if (this.#counted.size >= READS_MAX) return undefined
    const counted = this.#reader.text(count).then(toCount, ignoreRefusal)
    this.#counted.set(key, counted)
    return counted
  }
}

function toCount(text: string): RowCount {
  const rows = Number(text)
  const isExact = rows <= BOUNDED_COUNT_MAX
  return { rows: isExact ? rows : BOUNDED_COUNT_MAX, isExact }
}

/** A count that takes too long is no reason to refuse the change. */
function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error
}

/** The user as they would ask, with other roles than they have. */
const toCaller = (user: CallerFacts, roles: readonly string[]): Caller => ({
  ...user,
  sessionId: '',
  roles: [...roles].sort(),
  isSystem: roles.includes(SYSTEM_ROLE),
  impersonatorId: undefined,
})
