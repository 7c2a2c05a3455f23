/** Copies of records: a new form with the values of a stored one, to be saved as a record. */
import { type Schemas, take, wire } from '../../api/wire.ts'
import type { DetailRows } from '../../state/detail-rows.ts'
import type { RecordForm } from '../../state/record-form.ts'
import { isCopied } from '../../fields/kinds.ts'

/** A key as the address of a copy has it: `?copy=7`. */
export const writeCopyKey = (key: readonly string[]): string =>
  key.map(encodeURIComponent).join('/')

/** The parts of the key that an address names. */
export const readCopyKey = (text: string): string[] => text.split('/').map(decodeURIComponent)

/**
 * Types the values and rows of a stored record into a new one. Keys, numbers, files, stamps and
 * what the server fills by itself are those of the new one. @throws ServerError
 */
export async function copyRecord(
  form: RecordForm,
  details: readonly DetailRows[],
  key: Schemas['FieldValues'],
): Promise<void> {
  const params = { path: { name: form.metadata.Slug } }
  const body = { Parameters: key }
  const { Values: source } = await take(
    wire.POST('/api/v1/svc/object/{name}/form', { params, body }),
  )
  form.copyValues(source, isCopied)
  await Promise.all(details.map((rows) => rows.copyRows(source, isCopied)))
}
