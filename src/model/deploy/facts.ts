/** Facts of the data folder: named texts that the engine keeps beside the catalog. */
import { eq, readDatabase, txDatabase } from '../../store/drizzle.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { facts } from '../../store/tables/catalog.ts'

/** A fact of the data folder. */
export async function loadFact(reader: Reader, name: string): Promise<string | undefined> {
  const [row] = await readDatabase(reader).select().from(facts).where(eq(facts.Name, name))
  return row?.Value
}

/** Writes a fact of the data folder. */
export async function saveFact(tx: Tx, name: string, value: string): Promise<void> {
  const set = { Value: value }
  await txDatabase(tx)
    .insert(facts)
    .values({ Name: name, ...set })
    .onConflictDoUpdate({ target: facts.Name, set })
}
