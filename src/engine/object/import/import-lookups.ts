/** From what people call a record or an option to its value. */
import { BLANKS } from '../../../kernel/blanks.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Field } from '../../../model/compiled/field.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { listLookups } from '../form/lookup.ts'
import { type OptionRows, toText } from '../form/option-query.ts'
import { planLookupRows, planUsers } from '../form/option-rows.ts'
import type { ImportColumn } from './import-plan.ts'
import { MANY } from '../read/option-texts.ts'
import { composeOver } from '../read/row-forms.ts'
import type { ViewAccess } from '../view-access.ts'

/** Texts that are known of a column; a file that has more of them looks them up again. */
const KNOWN_MAX = 20_000

/** The meaning of a text: a value, several, or none that is known. */
type Found = SqlValue | typeof MANY | undefined

/** True when a field's values are records that have names of their own. */
export const isNamed = (field: Field): boolean =>
  field.references !== undefined || field.lookup !== undefined

const asStored = (cell: string): string => cell
const trimmed = (cell: string): string => `trim(${cell}, @_blanks)`

/** The values of one column's texts; each text is looked up once. */
export class ColumnLookup {
  readonly #scope: ViewAccess
  readonly #column: ImportColumn
  readonly #sources: readonly OptionRows[]
  readonly #known = new Map<string, Found>()

  constructor(scope: ViewAccess, column: ImportColumn) {
    this.#scope = scope
    this.#column = column
    this.#sources = planSources(scope, column.field)
  }

  /** Asks for the texts that are not known yet, together. */
  async load(texts: Iterable<string>): Promise<void> {
    const wanted = [...new Set(texts)].filter((text) => !this.#known.has(text))
    if (wanted.length === 0) return
    if (this.#known.size + wanted.length > KNOWN_MAX) this.#known.clear()
    let missing = wanted
    // Cells of a file have no blanks at their ends; what is stored may have some.
    for (const compose of [asStored, trimmed]) {
      for (const level of this.#levels) {
        for (const source of this.#sources) {
          if (missing.length === 0) return
          missing = await this.#query(source, listCells(source)[level].map(compose), missing)
        }
      }
    }
    for (const text of missing) this.#known.set(text, undefined)
  }

  find(text: string): Found {
    return this.#known.get(text)
  }

  /** A text in a column of labels is a label first, in one of keys a key. */
  get #levels(): readonly Level[] {
    return this.#column.isLabel ? ['label', 'known', 'key'] : ['key', 'known', 'label']
  }

  /** The texts that no row has in these cells. */
  async #query(
    source: OptionRows,
    cells: readonly string[],
    texts: readonly string[],
  ): Promise<string[]> {
    if (cells.length === 0) return [...texts]
    const { bindings, conditions, value } = source
    bindings.set('_texts', JSON.stringify(texts))
    bindings.set('_blanks', BLANKS)
    const { sql, own } = composeOver(source, (form) => {
      const rows = cells.map((cell) => {
        const where = [...conditions, `${cell} IN (SELECT value FROM json_each(@_texts))`]
        const from = `${form.from} ${form.where(where)}`
        return `SELECT ${cell} AS Text, ${value.sql} AS RowKey FROM ${from}`
      })
      return form.with + rows.join(' UNION ')
    })
    const read = { sql, own, args: bindings.args(), runs: 'lane' as const, of: source.of }
    const found = await this.#scope.reader.all(read)
    const matches = new Set<string>()
    for (const row of found) {
      const text = String(row.Text)
      this.#known.set(text, matches.has(text) ? MANY : (row.RowKey ?? undefined))
      matches.add(text)
    }
    return texts.filter((text) => !matches.has(text))
  }
}

/** The ways a text may name a record: its key, a unique value, its label. */
type Level = 'key' | 'known' | 'label'

const listCells = ({ cells, exact, value }: OptionRows): Record<Level, string[]> => ({
  key: FIELD_KINDS[value.type].number === 'whole' ? [] : [toText(value.sql)],
  known: exact.map(({ sql }) => toText(sql)),
  label: [cells[1]?.sql ?? "''"],
})

/** A lookup's Where may name the record's values: it is held against the value that was found. */
function planSources(scope: ViewAccess, field: Field): OptionRows[] {
  const { view, grant, context } = scope
  const requested = { view, field, grant, context, parameters: new Map<string, unknown>() }
  const open = field.lookup && { ...field.lookup, where: undefined }
  const sources = listLookups({ references: field.references, lookup: open }, grant).map((found) =>
    planLookupRows(requested, found),
  )
  return sources.length === 0 && field.references === 'User' ? [planUsers(requested)] : sources
}
