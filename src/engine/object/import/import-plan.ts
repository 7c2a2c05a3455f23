/** What an import of a view writes into which columns, and where each value comes from. */
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import { isGeneratedKey } from '../../../model/generated-key.ts'
import type { Column, Entity, Field } from '../../../model/model.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import { isWritable } from '../read/permissions.ts'
import { loadDefault } from '../read/defaults.ts'
import type { ImportColumn, ImportColumns } from './import-columns.ts'
import { keepsKey } from './column-headers.ts'
import type { ImportRequest } from './import-request.ts'
import { findReferred } from '../rules/references.ts'
import type { EntityUse } from '../view-access.ts'

export interface ImportScope extends EntityUse {
  request: Pick<ImportRequest, 'mode' | 'keepKeys'>
  columns: ImportColumns
}

/**
 * A field whose values are staged: what the file gives, then defaults that rows decide and keys
 * that are drawn.
 */
export interface StagedField {
  field: Field
  /** Place in `ImportRow.values`; undefined for a default and for a key that is drawn. */
  from: number | undefined
  isInserted: boolean
  isUpdated: boolean
}

/** A reference of the file to records of the same entity: also to those that the file brings. */
export interface OwnReference {
  field: Field
  /** Place in `ImportRow.values` and in `ImportPlan.staged`. */
  from: number
  /** What a record is called comes before what its key is. */
  isLabel: boolean
  /** Columns of the stage: its value, the text that is still to be found, the row that it names. */
  cell: string
  text: string
  row: string
}

export interface ImportPlan extends ImportScope {
  staged: readonly StagedField[]
  own: readonly OwnReference[]
  /** What every new record has alike: defaults that no row decides, the company. */
  constants: ReadonlyMap<Column, SqlValue>
  /** The same as changes, for rules to look at. */
  preset: ReadonlyMap<Field, SqlValue>
}

/** Plans the values of new and stored records; asks for the defaults that all rows share. */
export async function planImport(scope: ImportScope, reader: Reader): Promise<ImportPlan> {
  const { view, entity, columns, grant, context } = scope
  const { mode } = scope.request
  requireKeepable(scope)
  const given = columns.values.map((column, from) => planGiven(scope, column, from))
  const own = planOwn(scope)
  const plan = { ...scope, staged: given, own, constants: new Map(), preset: new Map() }
  if (mode === 'update') return plan
  const staged = [...given]
  const constants = new Map<Column, SqlValue>()
  const preset = new Map<Field, SqlValue>()
  const taken = new Set(given.filter((each) => each.isInserted).map(({ field }) => field.column))
  const defaults = { view, grant, context, reader, parameters: new Map<string, unknown>() }
  for (const field of view.fields) {
    const { column } = field
    if (!column || taken.has(column) || !isDefaulted(entity, column)) continue
    if (!field.default && !isGeneratedKey(column)) continue
    taken.add(column)
    if (field.default && isSharedDefault(field)) {
      const value = await loadDefault(field, defaults)
      constants.set(column, value)
      preset.set(field, value)
    } else staged.push({ field, from: undefined, isInserted: true, isUpdated: false })
  }
  for (const column of entity.columns) {
    if (column.name === entity.company) constants.set(column, grant.caller.companyId)
    else if (!taken.has(column) && column.default && isDefaulted(entity, column)) {
      constants.set(column, await loadDefault(column, defaults))
    }
  }
  requireKeys(scope, taken, constants)
  return { ...scope, staged, own, constants, preset }
}

function planOwn({ entity, columns, context }: ImportScope): OwnReference[] {
  if (entity.keys.length !== 1) return []
  const own = columns.values.flatMap(({ field, isLabel }, from) =>
    findReferred(field, context.model) === entity && field.column ? [{ field, isLabel, from }] : [],
  )
  return own.map((each, at) => ({ ...each, cell: `c${each.from}`, text: `p${at}`, row: `q${at}` }))
}

/** An authored Insert that does not name the key cannot keep it. */
function requireKeepable({ view, entity, columns, request }: ImportScope): void {
  const [key] = entity.keys
  if (!request.keepKeys || !view.insert || !key?.identity) return
  if (!columns.values.some(({ field }) => field.column === key)) return
  const isNamed = view.insert.parameters.some(
    (name) => name.toLowerCase() === key.name.toLowerCase(),
  )
  if (!isNamed) {
    throw invalid(say`keepKeys: '${view.label}' gives new records keys of its own`, {
      code: 'KEYS_NOT_KEPT',
    })
  }
}

function planGiven(scope: ImportScope, { field }: ImportColumn, from: number): StagedField {
  const { view, grant, request } = scope
  const { mode } = request
  return {
    field,
    from,
    isInserted:
      mode !== 'update' && (isWritable(view, field, grant, true) || keepsKey(field, scope)),
    isUpdated: mode !== 'insert' && isWritable(view, field, grant, false),
  }
}

const isDefaulted = (entity: Entity, column: Column): boolean =>
  column.kind === 'declared' && !column.sequence && column.name !== entity.company

const isSharedDefault = ({ default: preset }: Field): boolean =>
  preset?.kind !== 'query' || preset.dependsOn.length === 0

/** A new record needs its key, where the server does not give it. */
function requireKeys(
  { entity }: ImportScope,
  taken: ReadonlySet<Column | undefined>,
  constants: ReadonlyMap<Column, SqlValue>,
): void {
  for (const key of entity.keys) {
    if (key.identity || key.sequence || taken.has(key) || constants.has(key)) continue
    throw invalid(say`The file has no column '${key.label}', the key of new records`, {
      code: 'NO_COLUMNS',
    })
  }
}
