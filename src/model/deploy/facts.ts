/** Facts of the data folder: named texts that the engine keeps beside the catalog. */
import { getRow, upsertRow } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { facts } from '../../store/tables/catalog.ts'

/** A fact of the data folder. */
export async function loadFact(reader: Reader, name: string): Promise<string | undefined> {
  return (await getRow(reader, facts, 'WHERE Name = @name', { name }))?.Value
}

/** Writes a fact of the data folder. */
export const saveFact = (tx: Tx, name: string, value: string): Promise<void> =>
  upsertRow(tx, facts, { Name: name, Value: value }, REPLACE)

const REPLACE = 'ON CONFLICT (Name) DO UPDATE SET Value = excluded.Value'
