/** Compiled entities made by hand, for tests of what stands below the compiler. */
import type { Column, Entity, Index } from '../../src/model/compiled/entity.ts'
import type { Model } from '../../src/model/model.ts'

const place = { file: 'test.xml', line: 1, column: 1 }

export function columnOf(name: string, features: Partial<Column> = {}): Column {
  return {
    name,
    label: name,
    type: 'Text',
    required: false,
    maxLength: undefined,
    scale: undefined,
    min: undefined,
    max: undefined,
    pattern: undefined,
    options: [],
    format: undefined,
    unit: undefined,
    help: undefined,
    default: undefined,
    lookup: undefined,
    dataSet: undefined,
    maxCount: undefined,
    maxBytes: undefined,
    accept: [],
    place,
    kind: 'declared',
    key: false,
    identity: false,
    unique: false,
    references: undefined,
    onDelete: 'Restrict',
    sequence: undefined,
    compute: undefined,
    was: undefined,
    fill: undefined,
    ...features,
  }
}

export const identity = (): Column =>
  columnOf('Id', { type: 'Integer', key: true, identity: true, required: true })

/** A Fill of a column. */
export const fillBy = (sql: string): Partial<Column> => ({
  fill: { kind: 'expression', sql, place },
})

export const literal = (value: string): Partial<Column> => ({ default: { kind: 'literal', value } })

export const indexOn = (columns: string, unique = false, where?: string): Index => ({
  columns: columns.split(' '),
  unique,
  where,
  place,
})

export function entityOf(
  name: string,
  table: string,
  columns: readonly Column[],
  features: Partial<Entity> = {},
): Entity {
  return {
    name,
    table,
    label: name,
    display: [],
    concurrency: false,
    company: undefined,
    audit: false,
    logsReads: false,
    tracking: false,
    comments: false,
    parent: undefined,
    columns,
    columnByName: new Map(columns.map((column) => [column.name.toLowerCase(), column])),
    keys: columns.filter((column) => column.key),
    indexes: [],
    sequences: [],
    validates: [],
    events: [],
    was: undefined,
    builtIn: false,
    place,
    ...features,
  }
}

export const entitiesOf = (...entities: readonly Entity[]): Pick<Model, 'entities'> => ({
  entities: new Map(entities.map((entity) => [entity.name, entity])),
})
