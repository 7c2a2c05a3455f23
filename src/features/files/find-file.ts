/** A stored file, for those who may View a record that has it and the field that names it. */
import type { Caller } from '../../access/caller.ts'
import { Grant } from '../../access/grant.ts'
import type { Field, Model, View } from '../../model/model.ts'
import { quote } from '../../model/quote.ts'
import { listViewsOf } from '../../model/view-index.ts'
import { eq, readDatabase } from '../../store/drizzle.ts'
import type { SqlValue } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import { files } from '../../store/tables/files.ts'
import type { Context } from '../../engine/object/context.ts'
import { pathOf, readEntries } from '../../engine/object/record/file-entries.ts'
import { isServed } from '../../engine/object/read/find-view.ts'
import { planByKey, type RecordKey } from '../../engine/object/record/record.ts'

/** Of a file: what it is called and is. */
export type StoredFile = typeof files.$inferSelect

/** Who asks for a file. */
export interface FileScope {
  store: Reader
  caller: Caller
  model: Model
  context: Context
  /** System asks beyond its company. */
  allCompanies: boolean
}

/**
 * The file of a Path; undefined also for one that no view shows this caller: without View, behind a
 * row filter, in a hidden field, of another company.
 */
export async function findFile(scope: FileScope, path: string): Promise<StoredFile | undefined> {
  const rows = await readDatabase(scope.store).select().from(files).where(eq(files.Path, path))
  for (const row of rows) if (await isShown(scope, row)) return row
  return undefined
}

async function isShown(scope: FileScope, file: StoredFile): Promise<boolean> {
  const entity = scope.model.entities.get(file.Entity)
  const column = entity?.columnByName.get(file.Field.toLowerCase())
  if (!entity || !column) return false
  for (const view of listViewsOf(scope.model, entity.name)) {
    for (const field of view.fields) {
      if (field.column === column && (await showsFile(scope, view, field, file))) return true
    }
  }
  return false
}

/** Whether the caller's row of the view names the file, as the record is now. */
async function showsFile(
  { store, caller, model, context, allCompanies }: FileScope,
  view: View,
  field: Field,
  file: StoredFile,
): Promise<boolean> {
  const grant = Grant.find(caller, model, view.resource, 'View', { allCompanies })
  if (!grant || !isServed(view, grant, field)) return false
  const key = toRecordKey(view, JSON.parse(file.RecordKey) as SqlValue[])
  if (!key) return false
  const select = [`file ${field.name}`, () => `${quote(field.name)} AS files`] as const
  const row = await store.get(planByKey({ view, grant, context }, key, 'read', select))
  return readEntries(row?.files).some((entry) => pathOf(entry) === file.Path)
}

/** A key of the entity as the view's; undefined for a view that lacks a part of it. */
function toRecordKey(view: View, values: readonly SqlValue[]): RecordKey | undefined {
  const parts: RecordKey['values'][number][] = []
  for (const [at, column] of (view.entity?.keys ?? []).entries()) {
    const field = view.keys.find((candidate) => candidate.column === column)
    if (!field) return undefined
    parts.push({ field, column, value: values[at] ?? null })
  }
  return parts.length > 0 ? { values: parts } : undefined
}
