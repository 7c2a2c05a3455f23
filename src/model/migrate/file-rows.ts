/** Files follow the tables and columns that name them through a migration. */
import { and, eq, txDatabase } from '../../store/drizzle.ts'
import type { Tx } from '../../store/store.ts'
import { files, uploads } from '../../store/tables/files.ts'
import type { Model } from '../model.ts'

/**
 * Renames what names files as `Was` says, and forgets those of columns that are gone; their bytes
 * are swept at the next start.
 */
export async function moveFileRows(tx: Tx, model: Model): Promise<void> {
  const database = txDatabase(tx)
  for (const entity of model.entities.values()) {
    for (const table of [files, uploads]) {
      const { name, was } = entity
      if (was !== undefined)
        await database.update(table).set({ Entity: name }).where(eq(table.Entity, was))
      for (const column of entity.columns) {
        if (column.type !== 'File' || column.was === undefined) continue
        await database
          .update(table)
          .set({ Field: column.name })
          .where(and(eq(table.Entity, name), eq(table.Field, column.was)))
      }
    }
  }
  const places = await database
    .selectDistinct({ Entity: files.Entity, Field: files.Field })
    .from(files)
  for (const { Entity, Field } of places) {
    if (model.entities.get(Entity)?.columnByName.get(Field.toLowerCase())?.type === 'File') continue
    await database.delete(files).where(and(eq(files.Entity, Entity), eq(files.Field, Field)))
  }
}
