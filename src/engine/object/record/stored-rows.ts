/** Records as they are stored, read by their keys, many at a time. */
import type { Entity } from '../../../model/compiled/entity.ts'
import { quote } from '../../../model/quote.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Reader, Tx } from '../../../store/store.ts'
import type { RowForm } from '../read/row-forms.ts'
import { keyText, toKey } from './written-row.ts'

/** Records read by one statement. */
export const CHUNK = 256

/** A condition that holds for the records of the keys that are bound as JSON under a name. */
export function composeKeys(names: readonly string[], parameter: string): string {
  const [only] = names
  if (names.length === 1 && only !== undefined) {
    return `${quote(only)} IN (SELECT value FROM json_each(@${parameter}))`
  }
  const cells = names.map((_, at) => `json_extract(value, '$[${at}]')`)
  const list = names.map(quote).join(', ')
  return `(${list}) IN (SELECT ${cells.join(', ')} FROM json_each(@${parameter}))`
}

/**
 * The rows of a source that have one of the keys bound as JSON under a name:
 * each key is looked up, however few rows another index promises.
 */
export function composeLookup(
  { from, where }: Pick<RowForm, 'from' | 'where'>,
  names: readonly string[],
  parameter: string,
): string {
  const cells = names.map((_, at) =>
    names.length === 1 ? 'value AS _key0' : `json_extract(value, '$[${at}]') AS _key${at}`,
  )
  const same = names.map((name, at) => `${quote(name)} = _key${at}`)
  const keys = `SELECT ${cells.join(', ')} FROM json_each(@${parameter})`
  return `(${keys}) CROSS JOIN ${from} ${where([], same)}`
}

/** Keys as `composeKeys` takes them. */
export function toKeyList(keys: readonly (readonly SqlValue[])[]): string {
  return JSON.stringify(
    keys.map((key) => (key.length === 1 ? toKey(key[0] ?? null) : key.map(toKey))),
  )
}

/** The stored rows of at most `CHUNK` keys, by `keyText`. */
export async function loadStored(
  tx: Reader,
  entity: Entity,
  keys: readonly (readonly SqlValue[])[],
): Promise<Map<string, SqlRow>> {
  const columns = entity.columns.map((column) => quote(column.name)).join(', ')
  const from = `SELECT ${columns} FROM main.${quote(entity.table)} WHERE`
  const names = entity.keys.map((column) => column.name)
  const [first] = keys
  if (keys.length === 1 && first) {
    const { sql, args } = composeKey(entity, first)
    const row = await tx.get(`${from} ${sql}`, args)
    return new Map(row ? [[keyText(first), row]] : [])
  }
  const rows = await tx.all(`${from} ${composeKeys(names, 'keys')}`, { keys: toKeyList(keys) })
  return new Map(rows.map((row) => [keyText(names.map((name) => row[name] ?? null)), row]))
}

/** `"Id" = @k0 AND …` with its arguments. */
export function composeKey(
  entity: Entity,
  key: readonly SqlValue[],
): { sql: string; args: Record<string, SqlValue> } {
  const args: Record<string, SqlValue> = {}
  const parts = entity.keys.map((column, at) => {
    args[`k${at}`] = key[at] ?? null
    return `${quote(column.name)} = @k${at}`
  })
  return { sql: parts.join(' AND '), args }
}

/** `INSERT INTO …` of one record by its cells, with its arguments. */
export function composeInsert(
  entity: Entity,
  cells: ReadonlyMap<string, SqlValue>,
): { sql: string; args: Record<string, SqlValue> } {
  const args: Record<string, SqlValue> = {}
  const names = [...cells].map(([name, value], at) => {
    args[`v${at}`] = value
    return quote(name)
  })
  const list = Object.keys(args).map((name) => `@${name}`)
  const values =
    names.length > 0 ? `(${names.join(', ')}) VALUES (${list.join(', ')})` : 'DEFAULT VALUES'
  return { sql: `INSERT INTO main.${quote(entity.table)} ${values}`, args }
}

/** Changes cells of one record. */
export async function updateStored(
  tx: Tx,
  entity: Entity,
  key: readonly SqlValue[],
  cells: ReadonlyMap<string, SqlValue>,
): Promise<void> {
  const { sql, args } = composeKey(entity, key)
  const sets = [...cells.keys()].map((name, at) => `${quote(name)} = @c${at}`)
  ;[...cells.values()].forEach((value, at) => (args[`c${at}`] = value))
  await tx.run(`UPDATE main.${quote(entity.table)} SET ${sets.join(', ')} WHERE ${sql}`, args)
}

/** A list in parts of at most `CHUNK`. */
export function* inChunks<T>(list: readonly T[]): Iterable<T[]> {
  for (let at = 0; at < list.length; at += CHUNK) yield list.slice(at, at + CHUNK)
}
