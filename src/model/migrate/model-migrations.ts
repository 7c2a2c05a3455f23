/** The `<Migration>`s of a model: which of them a database is done with, and which are to run. */
import { createHash } from 'node:crypto'
import { allRows, insertRow } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { migrations } from '../../store/tables/catalog.ts'
import { listChildren } from '../compile/attributes.ts'
import type { Script } from '../compiled/script.ts'
import type { Diagnostic, Element, Place } from '../parse/element.ts'

/** A migration that has not run here. */
export interface PlannedMigration {
  name: string
  /** Hash of its statements; blanks around them do not count. */
  hash: string
  place: Place
  elements: readonly Element[]
}

interface MigrationsPlan {
  /** Migrations to run, in the order of their names. */
  pending: readonly PlannedMigration[]
  /** Done without being run: the database is new. */
  needless: readonly PlannedMigration[]
  faults: readonly Diagnostic[]
}

/** Migrations that are done, by name, with the hash of their statements. */
export type DoneMigrations = ReadonlyMap<string, string>

/** Loads the migrations that this database is done with. */
export async function loadDoneMigrations(reader: Reader): Promise<DoneMigrations> {
  const rows = await allRows(reader, migrations, '')
  return new Map(rows.map(({ Name, Hash }) => [Name, Hash]))
}

/**
 * Plans the migrations of a model. One that has run here with other statements is a fault: its
 * author may think that the change will run.
 */
export function planModelMigrations(
  scripts: readonly Script[],
  done: DoneMigrations,
  isNew: boolean,
): MigrationsPlan {
  const all = scripts.filter(({ type }) => type === 'Migration').map(toPlanned)
  const undone = all
    .filter(({ name }) => !done.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const faults = all.flatMap(({ name, hash, place }) => {
    const known = done.get(name)
    if (known === undefined || known === hash) return []
    const message =
      `Migration ${name} already ran in this database with other statements and does not run ` +
      `again: restore its text, and put new statements into a migration with another Name`
    return [{ place, message }]
  })
  return { pending: isNew ? [] : undone, needless: isNew ? undone : [], faults }
}

function toPlanned({ name, element }: Script): PlannedMigration {
  const elements = listChildren(element, 'Sql')
  const texts = elements.map(({ text }) => text.trim())
  const hash = createHash('sha256').update(JSON.stringify(texts)).digest('hex')
  return { name, hash, place: element.place, elements }
}

/** Forgets that migrations are done: the next deploy that has them runs them. */
export async function forgetMigrations(tx: Tx, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  const args = { names: JSON.stringify(names) }
  await tx.run(
    'DELETE FROM svc_migrations WHERE Name IN (SELECT value FROM json_each(@names))',
    args,
  )
}

/** Writes down that migrations are done. */
export async function saveDoneMigrations(
  tx: Tx,
  done: readonly PlannedMigration[],
  at: Date,
): Promise<void> {
  for (const { name, hash } of done)
    await insertRow(tx, migrations, { Name: name, Hash: hash, At: at.toISOString() })
}
