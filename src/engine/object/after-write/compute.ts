/**
 * Computed columns: computed again for every record that was written and for every record that a
 * written one leads to (src/model/README.md, Compute), in the order that the deploy planned, so
 * that one pass updates a chain from a line to its order to its customer.
 */
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import { isComputedFrom } from '../../../model/compile/compute.ts'
import type { ComputedColumn, ComputeLink, Entity } from '../../../model/compiled/entity.ts'
import { toComputed } from '../../../model/computed-value.ts'
import { FieldFault } from '../../../model/fields/field-kind.ts'
import type { Model } from '../../../model/model.ts'
import { askMany } from '../../../model/sql/ask-many.ts'
import { quote } from '../../../model/sql/quote.ts'
import { correct, planCorrections, type Round, TRACKING } from './corrections.ts'
import { formerOf, recordValue } from '../record/record-values.ts'
import { inChunks, loadStored, toKeyList } from '../record/stored-rows.ts'
import { listChanged, rowId, toKey, type WrittenRow } from '../record/written-row.ts'
import { breakRecords } from '../rules/broken-records.ts'

/** Computes the columns that depend on the round's records; records that change join the round. */
export async function runComputes(round: Round): Promise<void> {
  for (const group of findGroups(round.context.model)) {
    const { entity } = group[0]
    const affected = new Map<string, Key>()
    for (const node of group) {
      for (const [id, key] of await findAffected(round, node)) affected.set(id, key)
    }
    for (const chunk of inChunks([...affected.values()])) {
      await computeChunk(round, group, await loadRecords(round, entity, chunk))
      await round.yielder.yieldWhenDue()
    }
  }
}

type Key = readonly SqlValue[]

/** Columns of one entity, none of which is computed from another: stored in one statement. */
type Group = [ComputedColumn, ...ComputedColumn[]]

const groups = new WeakMap<readonly ComputedColumn[], Group[]>()

/** The computed columns in their order, neighbours together where they may be. */
function findGroups({ computes }: Pick<Model, 'computes'>): Group[] {
  const known = groups.get(computes)
  if (known) return known
  const planned: Group[] = []
  for (const node of computes) {
    const last = planned.at(-1)
    const startsGroup = last?.some(
      (other) => other.entity !== node.entity || isComputedFrom(node, other),
    )
    if (last && !startsGroup && !namesTracked(node)) last.push(node)
    else planned.push([node])
  }
  groups.set(computes, planned)
  return planned
}

/** Stamp and tracking move with whatever is stored, so they must be stored before they are read. */
function namesTracked({ entity, compute: { sql } }: ComputedColumn): boolean {
  const tracked = entity.columns.filter(({ kind }) => kind !== 'declared')
  const named = new Set(
    [...sql.parameters, ...sql.cells].map((name) => (name.split('.').at(-1) ?? '').toLowerCase()),
  )
  return tracked.some(({ name }) => named.has(name.toLowerCase()))
}

/** Keys of the records to ask for, by their text. */
async function findAffected(round: Round, node: ComputedColumn): Promise<Map<string, Key>> {
  const affected = new Map<string, Key>()
  const add = (key: Key) => affected.set(rowId(node.entity, key), key)
  for (const row of round.rows.values()) {
    if (row.entity === node.entity && row.after && mattersToOwn(round, node, row))
      add(row.touched.key)
  }
  for (const link of node.compute.links) {
    const sources = [...round.rows.values()].filter((row) => matters(node, link, row))
    if (sources.length > 0) for (const key of await findLinked(round, node, link, sources)) add(key)
  }
  return affected
}

/** The same of the record's own cells, where all else that the query reads leads to it. */
function mattersToOwn({ context }: Round, node: ComputedColumn, row: WrittenRow): boolean {
  if (row.touched.what !== 'update') return true
  const inputs = findInputs(context.model, node)
  return inputs === undefined || row.changed.some((name) => inputs.has(name))
}

const inputs = new WeakMap<ComputedColumn, ReadonlySet<string> | undefined>()

/**
 * The cells of a record without which the column stays as it is: its own, and those that the query
 * binds. Undefined where it may give something else at any time: it binds a value that is not a
 * cell, reads a table that does not cause it to be computed again, or reads the record's own table,
 * where any cell may count.
 */
function findInputs(
  { entities }: Pick<Model, 'entities'>,
  node: ComputedColumn,
): ReadonlySet<string> | undefined {
  if (inputs.has(node)) return inputs.get(node)
  const { entity, column, compute } = node
  const cells = compute.sql.parameters.map((name) => entity.columnByName.get(name.toLowerCase()))
  const names = cells.flatMap((cell) => (cell?.kind === 'declared' ? [cell.name] : []))
  const others = compute.from.filter((name) => name !== entity.name)
  const tables = new Set(others.map((name) => entities.get(name)?.table.toLowerCase()))
  const isClosed =
    names.length === cells.length &&
    compute.sql.reads.every((table) => tables.has(table.toLowerCase()))
  const found = isClosed ? new Set([column.name, ...names]) : undefined
  inputs.set(node, found)
  return found
}

/** An update that moved none of the cells that the query takes changes nothing that it gives. */
function matters({ compute }: ComputedColumn, link: ComputeLink, row: WrittenRow): boolean {
  if (row.entity.name !== link.entity) return false
  if (row.touched.what !== 'update') return true
  const cells = new Set(compute.sql.cells.map((cell) => cell.toLowerCase()))
  return row.changed.some((name) => {
    const isLink = link.kind === 'child' && name === link.column
    return isLink || cells.has(`${row.entity.table}.${name}`.toLowerCase())
  })
}

function findLinked(
  round: Round,
  node: ComputedColumn,
  link: ComputeLink,
  sources: readonly WrittenRow[],
): Promise<Key[]> | Key[] {
  if (link.kind === 'all') return findAll(round, node, sources)
  if (link.kind === 'parent') return findReferring(round, node.entity, link.column, sources)
  const owners = sources.flatMap(({ touched, after }) => [
    touched.before?.[link.column] ?? null,
    after?.[link.column] ?? null,
  ])
  return [...new Set(owners)].filter((owner) => owner !== null).map((owner) => [owner])
}

const keysOf = (entity: Entity) => entity.keys.map(({ name }) => quote(name)).join(', ')

/** Keys of the owner's records that refer to the written ones. */
async function findReferring(
  { tx }: Round,
  entity: Entity,
  column: string,
  sources: readonly WrittenRow[],
): Promise<Key[]> {
  const found: Key[] = []
  for (const chunk of inChunks(sources)) {
    const { rows } = await tx.authored(
      `SELECT ${keysOf(entity)} FROM main.${quote(entity.table)}
       WHERE ${quote(column)} IN (SELECT value FROM json_each(@keys))`,
      { keys: toKeyList(chunk.map((row) => row.touched.key)) },
    )
    found.push(...rows.map((row) => keyIn(entity, row)))
  }
  return found
}

/** Keys of every record of the written ones' companies; of all, where they have no company. */
async function findAll(
  { tx }: Round,
  { entity }: ComputedColumn,
  sources: readonly WrittenRow[],
): Promise<Key[]> {
  const companies = new Set<SqlValue>()
  for (const { entity: source, touched, after } of sources) {
    companies.add(source.company ? ((after ?? touched.before)?.[source.company] ?? null) : null)
  }
  const isForAll = entity.company === undefined || companies.has(null)
  const where = isForAll
    ? ''
    : ` WHERE ${quote(entity.company ?? '')} IN (SELECT value FROM json_each(@companies))`
  const { rows } = await tx.authored(
    `SELECT ${keysOf(entity)} FROM main.${quote(entity.table)}${where}`,
    { companies: JSON.stringify([...companies]) },
  )
  return rows.map((row) => keyIn(entity, row))
}

const keyIn = (entity: Entity, row: SqlRow): Key => entity.keys.map(({ name }) => row[name] ?? null)

/** The records of some keys as they are now, from the round or from the table. */
async function loadRecords(
  round: Round,
  entity: Entity,
  keys: readonly Key[],
): Promise<Computed[]> {
  const others = keys.filter((key) => !round.rows.has(rowId(entity, key)))
  const stored = others.length > 0 ? await loadStored(round.tx, entity, others) : new Map()
  return [
    ...keys.flatMap((key) => {
      const known = round.rows.get(rowId(entity, key))
      return known?.after ? [{ key, row: known.after, known }] : []
    }),
    ...[...stored.values()].map((row) => ({ key: keyIn(entity, row), row, known: undefined })),
  ]
}

/** A record whose column is computed. */
interface Computed {
  key: Key
  row: SqlRow
  /** The row that is in the round already. */
  known: WrittenRow | undefined
}

async function computeChunk(
  round: Round,
  group: Group,
  records: readonly Computed[],
): Promise<void> {
  const changes = new Map<Computed, Map<string, SqlValue>>()
  for (const node of group) {
    for (const [record, value] of await computeColumn(round, node, records)) {
      const cells = changes.get(record) ?? new Map<string, SqlValue>()
      changes.set(record, cells.set(node.column.name, value))
    }
  }
  for (const [record, cells] of changes) {
    await storeComputed(round, group[0].entity, record, cells)
  }
}

/** Computes a column again: the values of the records where it has changed. */
async function computeColumn(
  round: Round,
  { entity, column, compute }: ComputedColumn,
  records: readonly Computed[],
): Promise<Map<Computed, SqlValue>> {
  const { tx, context } = round
  const values = await askMany(compute.sql, records.length, {
    tx,
    of: `${entity.name}.${column.name}`,
    model: context.model,
    valueOf: (name, at) => {
      const record = records[at]
      if (!record) return null
      const { key, row, known } = record
      const touched = round.net.get(rowId(entity, key))?.touched ?? known?.touched
      return recordValue(name, { entity, row, former: formerOf(touched, row) }, context)
    },
  })
  const changed = new Map<Computed, SqlValue>()
  for (const [at, record] of records.entries()) {
    const value = toComputed(column, values[at] ?? null)
    if (value instanceof FieldFault) {
      const { key } = record
      const broken = { entity, key, field: column.name, message: value.message }
      throw breakRecords([broken], round.view)
    }
    if (value !== (record.row[column.name] ?? null)) changed.set(record, value)
  }
  return changed
}

/**
 * Computed values are changes like others: they move the stamp and belong to the same after-write
 * pass.
 */
async function storeComputed(
  round: Round,
  entity: Entity,
  { key, row, known }: Computed,
  values: ReadonlyMap<string, SqlValue>,
): Promise<void> {
  const id = rowId(entity, key)
  const touched = known?.touched ?? {
    entity: entity.name,
    key: key.map(toKey),
    what: 'update' as const,
    before: { ...row },
  }
  const first = round.net.get(id)?.touched ?? touched
  const keeps = round.origin.history && TRACKING
  const cells = planCorrections(entity, first, row, { context: round.context, keeps })
  for (const [name, value] of values) cells.set(name, value)
  const { tx } = round
  const store = () => correct(round, entity, key, cells)
  // A record may lead to one of another company.
  const isOwn = entity.company !== undefined && row[entity.company] === tx.company
  await (isOwn ? store() : tx.within('all', store))
  const after = row
  for (const [name, cell] of cells) after[name] = cell
  const changed = listChanged(entity, touched.before, after)
  round.rows.set(id, { entity, touched, after, changed })
}
