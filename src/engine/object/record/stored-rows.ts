/** Records as they are stored, read by their keys, many at a time. */
import { Lru } from '../../../kernel/lru.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Reader, Tx } from '../../../store/store.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import { quote } from '../../../model/sql/quote.ts'
import type { RowForm } from '../read/row-forms.ts'
import { knownUpdate } from './known-change.ts'
import { keyText, toKey } from './written-row.ts'

/**
 * Statements of an entity by the name that sets them apart: a text made again for each record takes
 * longer to make, and to find its prepared statement by, than the statement takes to run.
 */
const texts = new WeakMap<Entity, Lru<string, string>>()
const TEXTS_MAX = 200

/** A statement of an entity, composed at its first use. */
export function composeFor(entity: Entity, name: string, compose: () => string): string {
  const own = texts.getOrInsertComputed(entity, () => new Lru<string, string>(TEXTS_MAX))
  return own.find(name) ?? own.keep(name, compose())
}

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
  const [first] = keys
  if (keys.length === 1 && first) {
    const row = await findRow(tx, entity, first)
    return new Map(row ? [[keyText(first), row]] : [])
  }
  const names = entity.keys.map((column) => column.name)
  const sql = composeFor(
    entity,
    'rows',
    () => `${composeSelect(entity)} ${composeKeys(names, 'keys')}`,
  )
  const rows = await tx.all(sql, { keys: toKeyList(keys) })
  return new Map(rows.map((row) => [keyText(names.map((name) => row[name] ?? null)), row]))
}

const composeSelect = (entity: Entity): string =>
  `SELECT ${entity.columns.map(({ name }) => quote(name)).join(', ')} ` +
  `FROM main.${quote(entity.table)} WHERE`

/** The stored row of a key, by column; undefined where there is none. */
export function findRow(
  reader: Pick<Reader, 'get'>,
  entity: Entity,
  key: readonly SqlValue[],
): Promise<SqlRow | undefined> {
  const { sql, args } = composeKey(entity, key)
  const whole = composeFor(entity, 'row', () => `${composeSelect(entity)} ${sql}`)
  return reader.get(whole, args)
}

/** `"Id" = @k0 AND …` with its arguments. */
export function composeKey(
  entity: Entity,
  key: readonly SqlValue[],
): { sql: string; args: Record<string, SqlValue> } {
  const sql = composeFor(entity, 'key', () =>
    entity.keys.map(({ name }, at) => `${quote(name)} = @k${at}`).join(' AND '),
  )
  const args: Record<string, SqlValue> = {}
  for (let at = 0; at < entity.keys.length; at++) args[`k${at}`] = key[at] ?? null
  return { sql, args }
}

/** `INSERT INTO …` of one record by its cells, with its arguments. */
export function composeInsert(
  entity: Entity,
  cells: ReadonlyMap<string, SqlValue>,
): { sql: string; args: Record<string, SqlValue> } {
  const args: Record<string, SqlValue> = {}
  let at = 0
  for (const value of cells.values()) args[`v${at++}`] = value
  const names = [...cells.keys()]
  const sql = composeFor(entity, `insert ${names.join()}`, () => {
    const list = names.map((_, place) => `@v${place}`)
    const values =
      names.length > 0
        ? `(${names.map(quote).join(', ')}) VALUES (${list.join(', ')})`
        : 'DEFAULT VALUES'
    return `INSERT INTO main.${quote(entity.table)} ${values}`
  })
  return { sql, args }
}

/** `UPDATE …` of the record of a key, with its arguments; `further` is set by itself. */
export function composeUpdate(
  entity: Entity,
  key: readonly SqlValue[],
  cells: ReadonlyMap<string, SqlValue>,
  further = '',
): { sql: string; args: Record<string, SqlValue> } {
  const { sql: where, args } = composeKey(entity, key)
  let at = 0
  for (const value of cells.values()) args[`c${at++}`] = value
  const names = [...cells.keys()]
  const sql = composeFor(entity, `update ${further} ${names.join()}`, () => {
    const sets = names.map((name, place) => `${quote(name)} = @c${place}`)
    if (further !== '') sets.push(further)
    return `UPDATE main.${quote(entity.table)} SET ${sets.join(', ')} WHERE ${where}`
  })
  return { sql, args }
}

/** Changes cells of one record. */
export async function updateStored(
  tx: Tx,
  entity: Entity,
  key: readonly SqlValue[],
  cells: ReadonlyMap<string, SqlValue>,
): Promise<void> {
  const { sql, args } = composeUpdate(entity, key, cells)
  await tx.run(sql, args, knownUpdate(entity, key, cells))
}

/** A list in parts of at most `CHUNK`. */
export function* inChunks<T>(list: readonly T[]): Iterable<T[]> {
  for (let at = 0; at < list.length; at += CHUNK) yield list.slice(at, at + CHUNK)
}
