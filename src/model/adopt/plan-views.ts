/** Views of adopted tables as people see them: record labels, lists of others, records below. */
import {
  type AdoptedColumn,
  type AdoptedEntity,
  type AdoptedModel,
  findEntity,
  keysOf,
} from './adopted.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { toWords } from '../names.ts'

/** Plans Display, details and sections. */
export function planViews(model: AdoptedModel): void {
  for (const entity of model.entities) {
    entity.display = planDisplay(entity)
    // A record whose key has several columns cannot be referred to.
    const isReferred = keysOf(entity).length < 2
    entity.isDisplayUsual = !isReferred || entity.display.join() === byItself(entity)
  }
  for (const entity of model.entities)
    if (!entity.isLink) {
      planDetails(model, entity)
      entity.sections = planSections(entity)
    }
}

/** Fewest neighbours that begin with one word to make a section of the form. */
const SECTION_MIN = 3

/** Words that do not name a subject. */
const NO_SECTION = /^(?:is|has|can|no|last|first|date|total|number|num|min|max)$/i

function planSections({ name: own, columns }: AdoptedEntity): AdoptedEntity['sections'] {
  const isUsual = (word: string): boolean =>
    NO_SECTION.test(word) || own.toLowerCase().startsWith(word.toLowerCase())
  const runs: { word: string; names: string[] }[] = []
  for (const { name, key } of columns) {
    const word = key ? '' : (/^[A-Z]?[a-z]+(?=[A-Z_])/.exec(name)?.[0] ?? '')
    const last = runs.at(-1)
    if (last?.word === word) last.names.push(name)
    else runs.push({ word, names: [name] })
  }
  return runs.flatMap(({ word, names }) =>
    word === '' || names.length < SECTION_MIN || isUsual(word)
      ? []
      : [{ label: toWords(word), columns: names }],
  )
}

const referencesOf = ({ columns }: AdoptedEntity): AdoptedColumn[] =>
  columns.filter(({ references }) => references !== undefined)

/** Records that are parts of another: by their key, by their name, or since they go with it. */
function planDetails(model: AdoptedModel, entity: AdoptedEntity): void {
  for (const column of referencesOf(entity)) {
    const owner = findEntity(model, column.references?.target ?? '')
    const [key] = owner ? keysOf(owner) : []
    if (!owner || !key || owner === entity || column.key !== isPart(entity, column)) continue
    const isNamed = entity.name.startsWith(owner.name) && (column.required || column.key)
    const goesWith = column.references?.onDelete === 'Cascade'
    if (!isNamed && !goesWith) continue
    owner.details.push({ view: entity.view, parent: `${column.name}=${key.name}` })
  }
}

/** A key that is a reference alone is the same record's other half, and no part of it. */
const isPart = (entity: AdoptedEntity, column: AdoptedColumn): boolean =>
  column.key && keysOf(entity).length > 1

const plain = (name: string): string => name.toLowerCase().replaceAll('_', '')

/** Columns by which the engine labels records by default. */
const BY_ITSELF = ['name', 'code', 'number', 'title', 'label']
const FIRST_NAMES = ['firstname', 'givenname', 'forename', 'vorname']
const LAST_NAMES = ['lastname', 'surname', 'familyname', 'nachname']
const LABEL_LENGTH_MAX = 255

/** Plans the columns that identify a record best. */
function planDisplay(entity: AdoptedEntity): readonly string[] {
  const texts = entity.columns.filter(({ type, key }) => FIELD_KINDS[type].isText && !key)
  const find = (names: readonly string[]): AdoptedColumn | undefined => {
    for (const name of names) {
      const found = texts.find((column) => plain(column.name) === name)
      if (found) return found
    }
    return undefined
  }
  const own = plain(entity.name)
  const last = find(LAST_NAMES)
  const first = find(FIRST_NAMES)
  const chosen =
    find(['name', `${own}name`, 'displayname', 'fullname']) ??
    (last && first ? [last, first] : undefined) ??
    find([
      'title',
      `${own}title`,
      'companyname',
      own,
      'subject',
      'label',
      `${own}description`,
      `${own}code`,
      'username',
    ]) ??
    texts.find(({ unique }) => unique) ??
    find(['code', 'number', 'description', 'email']) ??
    texts.find(({ required, maxLength = 0, references }) =>
      Boolean(required && !references && maxLength > 0 && maxLength <= LABEL_LENGTH_MAX),
    )
  const columns = [chosen ?? []].flat().map(({ name }) => name)
  return columns.length > 0 ? columns : keyNames(entity)
}

const keyNames = (entity: AdoptedEntity): string[] =>
  entity.madeKey ? [entity.madeKey] : keysOf(entity).map(({ name }) => name)

/** Returns the column that the engine takes without Display (src/model/reference.md, Entity). */
function byItself(entity: AdoptedEntity): string | undefined {
  const { columns } = entity
  const named = BY_ITSELF.map((name) => columns.find((each) => each.name.toLowerCase() === name))
  const first =
    named.find((column) => column !== undefined) ??
    columns.find(({ type, key }) => FIELD_KINDS[type].isText && !key)
  return first?.name ?? keyNames(entity)[0]
}
