/** From another program's database to a model: every table is read once, nothing is written. */
import type { SourceFile } from '../../store/file/source-file.ts'
import { COLUMNS_MAX } from '../../store/write/watch.ts'
import type { AdoptedEntity, AdoptedModel, Note } from './adopted.ts'
import { tellCount } from './column-profile.ts'
import { countLeft, countTable } from './count-left.ts'
import { findLanguage, planLabels } from './labels.ts'
import { bareName, findPrefix, TakenNames, toName, toPascal } from './names.ts'
import { planChecks } from './plan-checks.ts'
import { planColumns } from './plan-columns.ts'
import { planIndexes, planKey } from './plan-keys.ts'
import { planLinks } from './plan-links.ts'
import { planReferences } from './plan-references.ts'
import { planSecrets } from './plan-secrets.ts'
import { planViews } from './plan-views.ts'
import { type NameLanguage, toPlural, toSingular } from './plurals.ts'
import { profileTable, type TableProfile } from './profile.ts'
import { READINGS } from './readings.ts'
import { type LeftObject, orderOf, readSourceSchema, type SourceTable } from './source-schema.ts'
import type { DeclaredParameters } from '../compile/parameters.ts'

/** A model, and the objects of the source beside its tables. */
export interface Adoption {
  model: AdoptedModel
  left: readonly LeftObject[]
}

/**
 * Plans what is taken of a database and how. No column takes the name of a parameter that the
 * deployed application declares.
 * @throws SourceError
 */
export async function planAdoption(
  source: SourceFile,
  declared: DeclaredParameters,
): Promise<Adoption> {
  const { tables, left } = await readSourceSchema(source)
  const tableNames = tables.map(({ name }) => name)
  const columnNames = tables.flatMap(({ columns }) => columns.map(({ name }) => name))
  const language = findLanguage([...tableNames, ...columnNames])
  const model: AdoptedModel = { language, entities: [], notes: [] }
  const names = {
    scripts: new TakenNames(RESERVED),
    tables: new TakenNames(),
    declared,
    language,
    prefix: findPrefix(tableNames),
  }
  for (const [at, table] of tables.entries()) {
    const refusal = findRefusal(table)
    if (refusal !== undefined) {
      const rows = tellCount(await countTable(source, table.name), 'row')
      model.notes.push({ kind: 'lost', of: table.name, text: `${rows}: ${refusal}` })
      continue
    }
    for (const name of table.computed) {
      const text =
        'it is computed each time it is read, by functions that are not run here: write a Compute'
      model.notes.push({ kind: 'left', of: `${table.name}.${name}`, text })
    }
    const profile = await profileTable(source, table)
    model.entities.push(planEntity(profile, at, names, model.notes))
  }
  await planReferences(source, model)
  await planSecrets(source, model)
  for (const entity of model.entities) {
    planIndexes(entity, model.notes)
    planChecks(entity, model.notes)
  }
  await planLinks(source, model)
  planViews(model)
  planLabels(model)
  return { model, left: await countLeft(source, left) }
}

/** The reason why a table is not taken; undefined for one that is. */
function findRefusal(table: SourceTable): string | undefined {
  if (orderOf(table) === undefined)
    return 'its columns hide the row number that SQLite keeps, so it is not taken'
  const count = table.columns.length
  return count >= COLUMNS_MAX
    ? `it has ${count} columns; at most ${COLUMNS_MAX - 1} are taken beside a key`
    : undefined
}

/** Names of scripts that every adopted model has, and of built-in ones. */
const RESERVED = ['User', 'Rbac', 'Main']

interface NamesInUse {
  scripts: TakenNames
  tables: TakenNames
  declared: DeclaredParameters
  language: NameLanguage
  /** The beginning of all tables' names, which says nothing. */
  prefix: string
}

function planEntity(
  profile: TableProfile,
  at: number,
  names: NamesInUse,
  notes: Note[],
): AdoptedEntity {
  const raw = profile.table.name
  const bare = bareName(raw, names.prefix)
  const many = toPascal(bare, `Table${at + 1}`)
  const one = toSingular(many, names.language)
  const name = names.scripts.take(one, `${one}Record`, many)
  const plural = name === many && one !== many ? `${name}List` : toPlural(name, names.language)
  const view = names.scripts.take(plural, `${name}List`)
  const table = names.tables.take(toTableName(raw, at))
  if (table !== raw) notes.push({ kind: 'changed', of: raw, text: `is called ${table}` })
  const entity: AdoptedEntity = {
    source: profile,
    name,
    table,
    view,
    madeKey: undefined,
    indexes: [],
    ...planWords(bare, one, names.language),
    columns: planColumns(profile, names.declared, notes),
    display: [],
    isDisplayUsual: false,
    parent: undefined,
    lists: [],
    details: [],
    sections: [],
    isLink: false,
    isSecret: false,
    search: undefined,
  }
  planKey(entity, notes)
  for (const column of entity.columns)
    if (!column.key && column.reading === READINGS.text) column.reading = READINGS.filled
  return entity
}

/** The words for one record and for many, of which the labels are made. */
function planWords(raw: string, one: string, language: NameLanguage) {
  if (!/^[\w .$-]+$/.test(raw)) return { label: toSingular(raw, language), viewLabel: raw }
  const many = toPlural(one, language)
  return { label: one, viewLabel: many.replace(/Liste?$/, '') === one ? one : many }
}

/** Names with these beginnings are the engine's and SQLite's. */
function toTableName(raw: string, at: number): string {
  const name = toName(raw, `Table${at + 1}`)
  return /^(?:svc|sqlite)_/i.test(name) ? `app_${name}` : name
}
