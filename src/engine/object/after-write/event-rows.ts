/**
 * The rows that events are about: an entity's columns or a view's output, and which conditions
 * hold. A deleted record is shown as it was, by common table expressions that still hold it.
 */
import type { SqlArg, SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import { checkFormer, FORMER_PREFIX } from '../../../model/compile/former-names.ts'
import { generateQuery } from '../../../model/compile/view-query.ts'
import type { AuthoredSql } from '../../../model/compiled/authored-sql.ts'
import type { Event } from '../../../model/compiled/effect.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import type { FieldFeatures } from '../../../model/compiled/field-features.ts'
import type { View } from '../../../model/compiled/view.ts'
import { storageOf } from '../../../model/migrate/column-schema.ts'
import type { Model } from '../../../model/model.ts'
import { quote } from '../../../model/sql/quote.ts'
import {
  composeShadowed,
  planShadows,
  type Shadowed,
  withShadows,
} from '../../../model/sql/shadow.ts'
import { listViewsOf } from '../../../model/view-index.ts'
import { type Context, contextValue, isContextName } from '../context.ts'
import { mayRunInline } from '../read/source.ts'
import { type Former, formerValue } from '../record/record-values.ts'
import { composeKeys, toKeyList } from '../record/stored-rows.ts'
import { keyText, toKey } from '../record/written-row.ts'
import type { ConstraintOwner } from '../rules/constraint.ts'
import { isTrue } from '../rules/entity-rules.ts'

/** An entity or a view that has events of an entity's records. */
export interface EventSource {
  owner: ConstraintOwner & { name: string; entity: Entity }
  /** Undefined for the entity itself. */
  view: View | undefined
  query: AuthoredSql
  /** Output columns that hold the key, in the entity's order. */
  keys: readonly string[]
  find: (name: string) => Pick<FieldFeatures, 'type'> | undefined
  events: readonly Event[]
  /** A condition looks at what a record was, so that each record is asked for by itself. */
  looksBack: boolean
}

const known = new WeakMap<Model, Map<Entity, EventSource[]>>()

/** The sources of events of an entity's records: itself, then its views in the model's order. */
export function findSources(model: Model, entity: Entity): EventSource[] {
  let sources = known.get(model)
  if (!sources) known.set(model, (sources = new Map()))
  let found = sources.get(entity)
  if (!found) sources.set(entity, (found = planSources(model, entity)))
  return found
}

function planSources(model: Model, entity: Entity): EventSource[] {
  const fields = entity.columns.map((column) => ({ ...column, column }))
  const own: EventSource = {
    owner: { name: entity.name, entity, fields },
    view: undefined,
    query: generateQuery(entity),
    keys: entity.keys.map((key) => key.name),
    find: (name) => entity.columnByName.get(name.toLowerCase()),
    events: entity.events,
    looksBack: entity.events.some(looksBack),
  }
  const views = listViewsOf(model, entity.name)
    .filter((view) => view.events.length > 0)
    .map((view): EventSource => ({
      owner: { name: view.name, entity, fields: view.fields },
      view,
      query: view.query,
      keys: entity.keys.map(
        (key) => view.keys.find(({ column }) => column === key)?.name ?? key.name,
      ),
      find: (name) => view.fieldByName.get(name.toLowerCase()),
      events: view.events,
      looksBack: view.events.some(looksBack),
    }))
  return [own, ...views].filter(({ events }) => events.length > 0)
}

const looksBack = ({ when }: Event): boolean =>
  when?.parameters.some((name) => checkFormer(name, []) !== null) ?? false

/** Columns of whose former values the condition of an event speaks. */
export function listFormer({ owner }: EventSource, { when }: Event): string[] {
  const names = new Set(when?.parameters.map((name) => name.toLowerCase()))
  return owner.entity.columns.flatMap(({ name }) =>
    names.has(`${FORMER_PREFIX}${name}`.toLowerCase()) ? name : [],
  )
}

/** A row that an event is about, and whether each condition of an event holds. */
export interface EventRow {
  row: SqlRow
  holds: boolean[]
}

/** The rows of a source that events are about, of one company. */
export interface EventQuery {
  source: EventSource
  company: SqlValue
  /** Rows as they were, by entity, of removed records; for events of those. */
  removed: ReadonlyMap<Entity, readonly SqlRow[]> | undefined
  /** The record as it was, where only one is asked for: a condition may look at it. */
  former?: Former | undefined
}

/** The rows of some keys, by `keyText`; rows that the source does not show are left out. */
export async function loadEventRows(
  { tx, context }: { tx: Tx; context: Context },
  query: EventQuery,
  keys: readonly (readonly SqlValue[])[],
): Promise<Map<string, EventRow>> {
  const { source } = query
  const { sql, own, args } = planEventRows(context, query, keys)
  const runs = partsOf(source).every((part) => mayRunInline(part, context.model))
    ? 'measured'
    : 'lane'
  const rows = await tx.all({ sql, own, args, runs, of: source.owner.name })
  const found = new Map<string, EventRow>()
  for (const row of rows) {
    const id = keyText(source.keys.map((name) => row[name] ?? null))
    const holds = source.events.map((_, at) => isTrue(row[`_w${at}`] ?? null))
    source.events.forEach((_, at) => delete row[`_w${at}`])
    if (!found.has(id)) found.set(id, { row, holds })
  }
  return found
}

const composed = new WeakMap<EventSource, Shadowed>()

/** Names with an underscore at their head are the engine's: no column and no parameter has one. */
function planEventRows(
  context: Context,
  query: EventQuery,
  keys: readonly (readonly SqlValue[])[],
): Shadowed & { args: Record<string, SqlArg> } {
  const { source, company, removed } = query
  const args: Record<string, SqlArg> = { _keys: toKeyList(keys) }
  const compose = () => composeEventRows(context.model, query, args)
  const text = removed ? compose() : composed.getOrInsertComputed(source, compose)
  for (const name of ['CurrentCompanyId', ...partsOf(source).flatMap((part) => part.parameters)]) {
    args[name] = name === 'CurrentCompanyId' ? company : valueOf(name, query, context)
  }
  return { ...text, args }
}

const asked = new WeakMap<EventSource, Map<string, Shadowed>>()

/**
 * Tells whether one of some events of a source is to be raised for a record that exists. Most
 * changes raise none that has a condition, and the row itself is read only for changes that do.
 */
export async function holdsAny(
  { tx, context }: { tx: Tx; context: Context },
  query: EventQuery,
  key: readonly SqlValue[],
  events: readonly Event[],
): Promise<boolean> {
  const { source, company } = query
  if (events.some(({ when }) => !when)) return true
  const parts = partsOf({ query: source.query, events })
  const { sql, own } = asked
    .getOrInsertComputed(source, () => new Map<string, Shadowed>())
    .getOrInsertComputed(events.map((event) => source.events.indexOf(event)).join(), () =>
      composeHeld(context.model, source, events),
    )
  const args: Record<string, SqlArg> = {}
  for (const { parameters } of parts)
    for (const name of parameters) args[name] = valueOf(name, query, context)
  args.CurrentCompanyId = company
  for (const [at, value] of key.entries()) args[`_key${at}`] = value
  const runs = parts.every((part) => mayRunInline(part, context.model)) ? 'measured' : 'lane'
  const row = await tx.get({ sql, own, args, runs, of: source.owner.name })
  return isTrue(row?.Held ?? null)
}

function composeHeld(model: Model, source: EventSource, events: readonly Event[]): Shadowed {
  const parts = partsOf({ query: source.query, events })
  const held = events.flatMap(({ when }) => (when ? [`(\n${when.text}\n)`] : []))
  const same = source.keys.map((name, at) => `${quote(name)} = @_key${at}`)
  return composeShadowed(model, new Set(parts.flatMap(({ reads }) => reads)), 'company', (head) =>
    [
      `${head}SELECT ${held.join(' OR ')} AS Held`,
      `FROM (\n${source.query.text}\n) WHERE ${same.join(' AND ')}`,
    ].join(' '),
  )
}

/** The query of a source and the conditions of its events. */
const partsOf = ({ query, events }: Pick<EventSource, 'query' | 'events'>) => [
  query,
  ...events.flatMap(({ when }) => when ?? []),
]

/** The text depends on the source alone where no removed row is asked for; `args` gets those. */
function composeEventRows(model: Model, query: EventQuery, args: Record<string, SqlArg>): Shadowed {
  const { source } = query
  const tables = new Set(partsOf(source).flatMap((part) => part.reads))
  const forms = planTableForms(model, query, tables, { args, form: 'inlined' })
  const cells = [
    ...source.query.columns.map(({ name }) => quote(name)),
    ...source.events.map(({ when }, at) => `${when ? `(\n${when.text}\n)` : '1'} AS _w${at}`),
  ]
  const where = composeKeys(source.keys, '_keys')
  const compose = (list: readonly string[]): string =>
    `${withShadows(list)}SELECT ${cells.join(', ')} ` +
    `FROM (\n${source.query.text}\n) WHERE ${where}`
  const own = (): string =>
    compose(planTableForms(model, query, tables, { args, form: 'materialized' }))
  return { sql: compose(forms), own: forms.length > 0 ? own : undefined }
}

function valueOf(name: string, { source, former }: EventQuery, context: Context): SqlArg {
  if (isContextName(name, context.model)) return contextValue(name, context)
  return (former && formerValue(name, source.owner.entity, former)) ?? null
}

/** Holds the tables to the company, and adds removed rows where they are asked for. */
function planTableForms(
  model: Model,
  { removed, company }: EventQuery,
  tables: ReadonlySet<string>,
  { args, form }: { args: Record<string, SqlArg>; form: 'inlined' | 'materialized' },
): string[] {
  const lost = [...tables].flatMap((table) => {
    const entity = model.entityByTable.get(table.toLowerCase())
    const rows = entity && removed?.get(entity)?.filter((row) => isOf(entity, row, company))
    return entity && rows && rows.length > 0 ? [{ entity, table, rows }] : []
  })
  const others = [...tables].filter((table) => !lost.some((each) => each.table === table))
  const forms = planShadows(model, others, 'company', form)
  for (const [at, { entity, rows }] of lost.entries()) {
    args[`_removed${at}`] = toRowList(entity, rows)
    forms.push(
      composeLost(entity, `_removed${at}`, form === 'materialized' ? 'AS MATERIALIZED' : 'AS'),
    )
  }
  return forms
}

const isOf = (entity: Entity, row: SqlRow, company: SqlValue): boolean =>
  entity.company === undefined || row[entity.company] === company

function composeLost(entity: Entity, parameter: string, as: string): string {
  const names = entity.columns.map(({ name }) => quote(name)).join(', ')
  const where = entity.company ? ` WHERE ${quote(entity.company)} = @CurrentCompanyId` : ''
  const cells = entity.columns.map(
    ({ name, type }, at) =>
      `CAST(json_extract(value, '$[${at}]') AS ${storageOf(type)}) AS ${quote(name)}`,
  )
  return (
    `${quote(entity.table)} ${as} (SELECT ${names} FROM main.${quote(entity.table)}${where} ` +
    `UNION ALL SELECT ${cells.join(', ')} FROM json_each(@${parameter}))`
  )
}

/** Rows as JSON, a list of cells each. */
const toRowList = (entity: Entity, rows: readonly SqlRow[]): string =>
  JSON.stringify(rows.map((row) => entity.columns.map(({ name }) => toKey(row[name] ?? null))))
