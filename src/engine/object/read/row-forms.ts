/**
 * Statements over the rows of a source in two forms: inlined, as SQLite plans them best, and
 * materialized, over the rows that the caller reaches alone (`Own` of the store).
 */
import type { Shadowed } from '../../../model/sql/shadow.ts'

/** The source of rows, with the conditions that hide some of them. */
export interface FormRowSource {
  /** `WITH …` for the shadows, or ''. */
  with: string
  /** `with` with its rows collected first. */
  materialized: () => string
  /** The source that rows are selected from. */
  from: string
  /** `from` in the second form, if it has parts of its own there. */
  fromOwn?: () => string
  /** The row filter, or ''. */
  filter: string
}

/** The parts of a statement in one of its forms. */
export interface RowForm {
  with: string
  from: string
  /**
   * `WHERE …` of the row filter and the conditions, or ''. `keys` are comparisons of columns as
   * they are stored, which cannot fail: they come first in both forms.
   */
  where: (conditions: readonly string[], keys?: readonly string[]) => string
}

/** Both forms of a statement; the second one only where something is hidden. */
export function composeOver(source: FormRowSource, compose: (form: RowForm) => string): Shadowed {
  const { with: head, from, fromOwn, filter } = source
  const inlined: RowForm = {
    with: head,
    from,
    where: (conditions, keys = []) =>
      composeWhere([...keys, ...(filter === '' ? [] : [filter]), ...conditions]),
  }
  const isWhole = head === '' && filter === '' && !fromOwn
  return {
    sql: compose(inlined),
    own: isWhole ? undefined : () => compose(setMaterialized(source)),
  }
}

/** Only CASE says for certain that the conditions meet no row that the filter leaves out. */
const setMaterialized = ({ materialized, from, fromOwn, filter }: FormRowSource): RowForm => ({
  with: materialized(),
  from: fromOwn?.() ?? from,
  where: (conditions, keys = []) => {
    if (filter === '' || conditions.length === 0)
      return composeWhere([...keys, ...(filter === '' ? [] : [filter]), ...conditions])
    const held = `CASE WHEN (${filter}) THEN (${conditions.join(') AND (')}) ELSE 0 END`
    return composeWhere([...keys, held])
  },
})

const composeWhere = (parts: readonly string[]): string =>
  parts.length > 0 ? `WHERE (${parts.join(') AND (')})` : ''
