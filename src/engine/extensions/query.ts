/** SQL of an extension, read as the caller: through the gate, held to the company. */
import { invalid } from '../../kernel/failure.ts'
import { Lru } from '../../kernel/lru.ts'
import { say } from '../../kernel/messages.ts'
import { composeRead } from '../../store/gate/compose.ts'
import { openGate, type SqlGate } from '../../store/gate/gate.ts'
import type { SqlArg, SqlRead, SqlRow, SqlValue } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import { planTables } from '../../model/compile/check.ts'
import { columnScales } from '../../model/compile/column-types.ts'
import { findOutputScales } from '../../model/compile/output-scales.ts'
import { composeShownSql } from '../../model/fields/decimal.ts'
import type { Model } from '../../model/model.ts'
import { quote } from '../../model/sql/quote.ts'
import { composeShadowed, planShadows, type Shadowed, withShadows } from '../../model/sql/shadow.ts'
import { QUERY_ROWS_MAX } from './limits.ts'
import { requireAnswerBytes } from '../object/capped-rows.ts'
import { type Context, contextValue, isContextName } from '../object/context.ts'
import { readParameters, simpleValue } from '../object/parameters.ts'

/** A text that passed the gate. */
interface Passed extends Shadowed {
  parameters: readonly string[]
}

/** The column after the query's own; only a name in quotes could have a colon. */
const BYTES_SO_FAR = 'svc:bytes'

const TEXT_CHARACTERS_MAX = 100_000
/** Texts that are remembered: scripts ask the same again and again. */
const TEXTS_MAX = 200

/** Passes and reads the SQL of extensions; it holds one gate, over the model that serves. */
export class ExtensionQueries {
  readonly #reader: Reader
  readonly #bytesMax: number
  #model: Model | undefined
  #gate: Promise<SqlGate> | undefined
  #passed = new Lru<string, Passed>(TEXTS_MAX)

  /** `bytesMax`: about the most bytes that the rows of one query may hold as JSON. */
  constructor(reader: Reader, bytesMax: number) {
    this.#reader = reader
    this.#bytesMax = bytesMax
  }

  /**
   * The rows of a SELECT, as JSON has them. Parameters match `@` names without regard to case; a
   * missing one is NULL. `model` is the deployed one, `of` the script's name; `signal` ends the
   * read.
   * @throws SqlFault for SQL that the gate refuses; invalid
   */
  async read(
    query: { text: string; parameters: Record<string, unknown> },
    {
      context,
      model,
      of,
      signal,
    }: Pick<SqlRead, 'of' | 'signal'> & {
      context: Context
      model: Model
    },
  ): Promise<Record<string, string | number | null>[]> {
    const { sql, own, parameters } = await this.#pass(query.text, model)
    const given = readParameters(query.parameters)
    const args: Record<string, SqlArg> = { CurrentCompanyId: context.caller?.companyId ?? null }
    for (const parameter of parameters) args[parameter] = findArg(parameter, given, context)
    const rows = await this.#reader.all({ sql, own, args, runs: 'lane', of, signal })
    if (rows.length > QUERY_ROWS_MAX)
      throw invalid(say`The query returns more than ${QUERY_ROWS_MAX} rows. Please narrow it down.`)
    requireAnswerBytes(Number(rows.at(-1)?.[BYTES_SO_FAR] ?? 0), this.#bytesMax)
    return rows.map(toJsonRow)
  }

  async close(): Promise<void> {
    const gate = this.#gate
    this.#gate = undefined
    this.#model = undefined
    ;(await gate)?.close()
  }

  async #pass(text: string, model: Model): Promise<Passed> {
    if (text.length > TEXT_CHARACTERS_MAX)
      throw invalid(say`SQL can have at most ${TEXT_CHARACTERS_MAX} characters`)
    if (this.#model !== model) await this.#renew(model)
    const known = this.#passed.find(text)
    if (known) return known
    const gate = await this.#gate
    if (!gate) throw new Error('The gate is closed')
    const { reads, parameters, columns } = gate.read(text, (tables) =>
      withShadows(planShadows(model, tables, 'company')),
    )
    const scales = findOutputScales(text, columnScales(model, reads))
    const shown = columns.map(({ name, table }) => ({
      name,
      scale: table === undefined ? scales.get(name.toLowerCase()) : undefined,
    }))
    const compose = (head: string): string => head + composeBounded(text, shown, this.#bytesMax)
    const shadowed = composeShadowed(model, reads, 'company', compose)
    return this.#passed.keep(text, { ...shadowed, parameters })
  }

  async #renew(model: Model): Promise<void> {
    const before = this.#gate
    this.#model = model
    this.#passed = new Lru(TEXTS_MAX)
    this.#gate = openGate(planTables(model))
    ;(await before)?.close()
  }
}

function findArg(name: string, given: ReadonlyMap<string, unknown>, context: Context): SqlArg {
  if (isContextName(name, context.model)) return contextValue(name, context)
  const value = given.get(name.toLowerCase())
  return value === undefined || value === null ? null : simpleValue(name, value)
}

/**
 * The rows of a query within the bound, and the first one beyond it without its values, so that
 * SQLite never holds more than the bound and one row. Columns are distinguished by their place: the
 * name of an expression is not a name in SQL.
 */
function composeBounded(
  text: string,
  columns: readonly { name: string; scale: number | undefined }[],
  bytesMax: number,
): string {
  const names = columns.map(({ name }) => name)
  const cells = names.map((_, at) => `_${at}`)
  const own = Buffer.byteLength(JSON.stringify(names)) + names.length
  const size = addUp(cells.map((cell) => `coalesce(octet_length(${cell}), 0)`))
  const shown = cells.map(
    (cell, at) =>
      `CASE WHEN _b <= ${bytesMax} THEN ${composeShownSql(cell, columns[at]?.scale)} END ` +
      `AS ${quote(names[at] ?? '')}`,
  )
  const rows = `${composeRead('', text)} LIMIT ${QUERY_ROWS_MAX + 1}`
  return (
    `SELECT ${shown.join(', ')}, _b AS ${quote(BYTES_SO_FAR)} FROM ` +
    `(WITH svc_rows (${cells.join(', ')}) AS (${rows}) ` +
    `SELECT *, sum(_s) OVER (ROWS UNBOUNDED PRECEDING) AS _b FROM ` +
    `(SELECT *, ${own} + ${size} AS _s FROM svc_rows)) WHERE _b - _s <= ${bytesMax}`
  )
}

/** Adds up in halves: SQLite takes a thousand levels, and a query may have more columns. */
function addUp(parts: readonly string[]): string {
  const half = parts.length >> 1
  if (half === 0) return parts.join('')
  return `(${addUp(parts.slice(0, half))} + ${addUp(parts.slice(half))})`
}

const toJsonRow = ({ [BYTES_SO_FAR]: _, ...row }: SqlRow): Record<string, string | number | null> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toJson(value)]))

function toJson(value: SqlValue): string | number | null {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return typeof value === 'bigint' ? Number(value) : value
}
