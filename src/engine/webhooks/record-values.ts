/** What a user sees of one record. */
import { Failure } from '../../kernel/failure.ts'
import { loadForm } from '../object/form/load-form.ts'
import type { QueryCache } from '../object/read/query-cache.ts'
import type { ViewUse } from '../object/view-access.ts'

/** Its fields as the view has them for the caller; undefined for one that they do not see. */
export async function findRecordValues(
  reader: QueryCache,
  use: ViewUse,
  keys: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  try {
    const text = await loadForm({ ...use, reader }, { Parameters: { ...keys } }, 'View')
    return (JSON.parse(text) as { Values: unknown }).Values
  } catch (error) {
    if (error instanceof Failure && error.kind === 'notFound') return undefined
    throw error
  }
}
