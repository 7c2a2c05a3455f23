/** The files of a submit: keys of uploads and Paths of stored files become what is stored. */
import type { FieldErrors } from '../../../kernel/failure.ts'
import { type Message, say } from '../../../kernel/messages.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { ActionParameter } from '../../../model/compiled/action.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { isAccepted } from '../../files/content-type.ts'
import { loadUploads, type Upload } from '../../files/uploads.ts'
import type { Context } from '../context.ts'
import {
  type FileEntry,
  missingFile,
  pathOf,
  readEntries,
  toEntry,
} from '../record/file-entries.ts'
import type { ReadChanges } from '../rules/changes.ts'
import type { RecordAccess } from '../view-access.ts'
import { columnOf, type UploadField } from './upload-field.ts'

/**
 * Puts files in the place of the names in the changes: uploads of the caller that wait for this
 * field, and files that the record holds there already, which stay. Anything else is a fault of the
 * field. The after-write pass takes the uploads over.
 */
export async function takeFiles(
  access: RecordAccess,
  { changes, faults, unchanged }: ReadChanges,
  stored: SqlRow | undefined,
): Promise<void> {
  for (const [field, value] of changes) {
    if (FIELD_KINDS[field.type].structure !== 'files' || typeof value !== 'string') continue
    const names = [...new Set(readEntries(value).map(pathOf))]
    const taken = await findFiles(access, field, names, stored)
    const files = Array.isArray(taken) ? JSON.stringify(taken) : undefined
    if (files !== undefined && files !== stored?.[columnOf(field)]) changes.set(field, files)
    else {
      changes.delete(field)
      if (Array.isArray(taken)) unchanged.add(field.name.toLowerCase())
      else faults[field.name] = taken
    }
  }
}

/** The files of a field, or the fault of one of them. */
async function findFiles(
  { reader: tx, entity, grant, context }: RecordAccess,
  field: Field,
  names: readonly string[],
  stored: SqlRow | undefined,
): Promise<FileEntry[] | Message> {
  const held = new Map<string, FileEntry>()
  for (const entry of readEntries(stored?.[columnOf(field)])) {
    if (typeof entry !== 'string') held.set(entry.Path, entry)
  }
  const keys = names.filter((name) => !held.has(name))
  const uploads = await loadUploads(tx, grant.caller, keys, context.now)
  const files: FileEntry[] = []
  for (const name of names) {
    const entry = held.get(name)
    const upload = uploads.get(name)
    if (entry) files.push(entry)
    else {
      const isMeant = upload?.Entity === entity.name && upload.Field === columnOf(field)
      const fault = upload && isMeant ? findFault(field, upload) : missingFile()
      if (fault || !upload) return fault ?? missingFile()
      files.push(toEntry(upload))
    }
  }
  return files
}

/** Inputs of validating the files of an action's parameters. */
interface ParameterFiles {
  tx: Tx
  view: Pick<View, 'fields'> & { entity: { name: string } | undefined }
  context: Context
  /** The row's output columns; undefined for an action without a row. */
  row: SqlRow | undefined
}

/**
 * Finds the faults of files that parameters name: each is an upload of the caller for the
 * parameter, within its limits, or a file that the row holds.
 */
export async function findFileFaults(
  { tx, view, context, row }: ParameterFiles,
  parameters: readonly ActionParameter[],
  values: ReadonlyMap<string, SqlValue>,
): Promise<FieldErrors> {
  const faults: FieldErrors = {}
  const files = parameters.filter(({ type }) => FIELD_KINDS[type].structure === 'files')
  if (files.length === 0 || !context.caller) return faults
  const columns = view.fields.filter(({ type }) => FIELD_KINDS[type].structure === 'files')
  const held = new Set(columns.flatMap(({ name }) => readEntries(row?.[name]).map(pathOf)))
  for (const parameter of files) {
    const names = readEntries(values.get(parameter.name.toLowerCase())).map(pathOf)
    const keys = names.filter((name) => !held.has(name))
    const uploads = await loadUploads(tx, context.caller, keys, context.now)
    for (const key of keys) {
      const upload = uploads.get(key)
      const isMeant = upload?.Entity === view.entity?.name && upload?.Field === parameter.name
      const fault = upload && isMeant ? findFault(parameter, upload) : missingFile()
      if (fault) faults[parameter.name] = fault
    }
  }
  return faults
}

/** The column's limits may have changed since the upload. */
function findFault(
  field: UploadField['field'],
  { Size, ContentType }: Upload,
): Message | undefined {
  if (Size > (field.maxBytes ?? Size))
    return say`The file is larger than ${Math.floor((field.maxBytes ?? Size) / 1024)} KB`
  if (isAccepted(ContentType, field.accept)) return undefined
  return say`${field.label}: the file type must be one of: ${field.accept.join(', ')}`
}
