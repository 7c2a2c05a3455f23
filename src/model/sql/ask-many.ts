/**
 * Queries for many records in few statements: one authored text, unchanged but for the names of its
 * parameters. A statement holds a copy for each record, with parameters of its own, so that every
 * copy means the same as the query alone, whatever its shape.
 */
import { tokenize } from '../../store/gate/tokenize.ts'
import type { SqlArg, SqlArgs, SqlValue } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import type { AuthoredSql } from '../compiled/authored-sql.ts'
import { composeShadowed, type ScopedTables, type Shadowed, type ShadowScope } from './shadow.ts'

/** Copies in a statement: the most that are left at each step are asked for together. */
const SIZES = [64, 8, 1] as const
/** A longer statement costs more to compile than it saves. */
const CHARS_MAX = 65_536

interface ManyQuery extends Shadowed {
  /** Names that the query binds for each record. */
  names: readonly string[]
}

const composed = new WeakMap<AuthoredSql, Map<number, ManyQuery>>()

/** Options of a query for many records. */
interface ManyOptions {
  tx: Reader
  model: ScopedTables
  /** Scope of the rows it reads, the same at each call with one query; default: the company's. */
  scope?: ShadowScope
  /** The value of a parameter for the record at an index, context parameters included. */
  valueOf: (name: string, at: number) => SqlArg
  /** The definition that the query belongs to. */
  of: string
}

/**
 * The first cell of the query for each of `count` records, in their order; null without a row. Held
 * to the company that `@CurrentCompanyId` is for each.
 */
export async function askMany(
  sql: AuthoredSql,
  count: number,
  { tx, model, scope = 'company', valueOf, of }: ManyOptions,
): Promise<SqlValue[]> {
  const values: SqlValue[] = []
  const runs = sql.mayRunInline ? 'measured' : 'lane'
  while (values.length < count) {
    const from = values.length
    const size = SIZES.find((each) => each <= count - from && fits(sql, each)) ?? 1
    const query = findComposed(sql, size, { model, scope })
    const args: Record<string, SqlArg> = {}
    for (let at = 0; at < size; at++)
      for (const name of query.names) args[parameterOf(name, at, size)] = valueOf(name, from + at)
    const { sql: text, own } = query
    const row = await tx.get({ sql: text, own, args: args satisfies SqlArgs, runs, of })
    for (let at = 0; at < size; at++) values.push(row?.[`v${at}`] ?? null)
  }
  return values
}

type Composing = Required<Pick<ManyOptions, 'model' | 'scope'>>

const fits = (sql: AuthoredSql, size: number): boolean => sql.text.length * size <= CHARS_MAX

/** No authored parameter begins with an underscore. */
const parameterOf = (name: string, at: number, size: number): string =>
  size === 1 ? name : `_${at}_${name}`

function findComposed(sql: AuthoredSql, size: number, scope: Composing): ManyQuery {
  return composed
    .getOrInsertComputed(sql, () => new Map<number, ManyQuery>())
    .getOrInsertComputed(size, () => compose(sql, size, scope))
}

function compose(sql: AuthoredSql, size: number, { model, scope }: Composing): ManyQuery {
  const names = new Set(sql.parameters)
  const whole = composeShadowed(model, sql.reads, scope, (head) =>
    composeCopies(head === '' ? sql.text : `${head}SELECT (\n${sql.text}\n)`, size),
  )
  if (whole.own !== undefined && scope === 'company') names.add('CurrentCompanyId')
  return { ...whole, names: [...names] }
}

function composeCopies(one: string, size: number): string {
  if (size === 1) return `SELECT (\n${one}\n) AS v0`
  const rename = planRename(one, size)
  const copies = Array.from({ length: size }, (_, at) => `(\n${rename(at)}\n) AS v${at}`)
  return `SELECT ${copies.join(',\n')}`
}

/** Plans the text with other names of its parameters, unchanged otherwise. */
function planRename(text: string, size: number): (at: number) => string {
  const parameters = tokenize(text).filter(({ kind }) => kind === 'parameter')
  return (at) => {
    let done = 0
    const parts = parameters.flatMap(({ value, start, end }) => {
      const before = text.slice(done, start)
      done = end
      return [before, `@${parameterOf(value, at, size)}`]
    })
    return parts.join('') + text.slice(done)
  }
}
