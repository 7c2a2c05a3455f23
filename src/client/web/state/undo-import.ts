/** Undo of imports and bulk edits. */
import { take, wire } from '../api/wire.ts'
import type { Intent } from './intent.ts'

/**
 * Undoes an import or a bulk edit, while nothing else has changed its records.
 * @throws ServerError
 */
export async function undoImport(importId: string, intent: Intent): Promise<void> {
  const path = { importId }
  const params = { path, header: { 'Idempotency-Key': intent.keyOf(path) } }
  await take(wire.POST('/api/v1/svc/object/import-data/{importId}/undo', { params }))
}
