/**
 * Conflicts of the rows of a detail: as they were loaded, as they are typed, as they are stored
 * now. Rows that one side alone touched merge by themselves.
 */
import type { Schemas } from '../api/wire.ts'
import {
  type ConflictField,
  type ConflictValues,
  listConflicts,
  listTheirs,
  type Side,
} from './conflict.ts'

type Field = Schemas['MetadataField']
type Values = Schemas['FieldValues']

/** Choices between both sides, by the names that `nameChoice` gives. */
export type Choices = Readonly<Record<string, Side>>

/** A row as it is typed here. */
interface TypedRow {
  id: number
  stored: Values
  isNew: boolean
  isRemoved: boolean
  typed: Values
}

/** A row that both touched: `deleted` by others, or `removed` here and changed by others. */
export interface RowConflict {
  id: number
  /** Its number in the table, from 1. */
  at: number
  kind: 'changed' | 'deleted' | 'removed'
  fields: readonly ConflictField[]
  values: ConflictValues
}

/** All of a detail: rows of both, and counts of those that others alone touched. */
export interface RowsConflict {
  rows: readonly RowConflict[]
  others: { changed: number; added: number; deleted: number }
}

/** The three states of a table. */
interface Tables {
  keys: readonly string[]
  fields: readonly Field[]
  mine: readonly TypedRow[]
  theirs: readonly Values[]
}

/** The key of a row as a text. */
export const textOfKey = (keys: readonly string[], row: Values): string =>
  JSON.stringify(keys.map((name) => row[name] ?? null))

/** Compares the rows; what both sides did alike is no conflict. */
export function compareRows({ keys, fields, mine, theirs }: Tables): RowsConflict {
  const now = new Map(theirs.map((row) => [textOfKey(keys, row), row]))
  const others = { changed: 0, added: 0, deleted: 0 }
  const rows: RowConflict[] = []
  const writable = fields.filter(({ ReadOnly }) => !ReadOnly)
  for (const [at, row] of mine.entries()) {
    if (row.isNew) continue
    const name = textOfKey(keys, row.stored)
    const own = compareRow(row, now.get(name), writable)
    now.delete(name)
    if (typeof own === 'string') others[own] += 1
    else if (own) rows.push({ ...own, id: row.id, at: at + 1 })
  }
  others.added = now.size
  return { rows, others }
}

/** Tells what happened to one row: nothing, something by others alone, or by both. */
function compareRow(
  { stored, typed, isRemoved }: TypedRow,
  now: Values | undefined,
  fields: readonly Field[],
): Omit<RowConflict, 'id' | 'at'> | 'changed' | 'deleted' | undefined {
  const values = { before: stored, mine: typed, theirs: now ?? {} }
  const own = listConflicts(fields, { ...values, theirs: stored })
  if (!now) {
    if (isRemoved) return undefined
    return own.length === 0 ? 'deleted' : { kind: 'deleted', fields: own, values }
  }
  if (isRemoved) {
    const moved = listConflicts(fields, { before: stored, mine: stored, theirs: now })
    return moved.length === 0 ? undefined : { kind: 'removed', fields: moved, values }
  }
  const moved = listConflicts(fields, values).filter(({ by }) => by !== 'mine')
  if (moved.length === 0) return undefined
  return own.length === 0 ? 'changed' : { kind: 'changed', fields: moved, values }
}

/** The name of a choice: of a field in a row, or of a whole row. */
export const nameChoice = (row: number, field?: string): string =>
  field === undefined ? `row ${row}` : `row ${row} ${field}`

/** The names of all that is to be chosen of a detail. */
export const listRowChoices = ({ rows }: RowsConflict): string[] =>
  rows.flatMap(({ id, kind, fields }) =>
    kind === 'changed'
      ? fields.filter(({ by }) => by === 'both').map(({ field: { Name } }) => nameChoice(id, Name))
      : [nameChoice(id)],
  )

/** Names of the fields of a row that are taken as others stored them, with their labels. */
export function listTheirsOfRow({ id, fields }: RowConflict, choices: Choices): Set<string> {
  const chosen = fields.flatMap(({ field: { Name } }) => {
    const side = choices[nameChoice(id, Name)]
    return side ? [[Name, side] as const] : []
  })
  return listTheirs(fields, Object.fromEntries(chosen))
}
