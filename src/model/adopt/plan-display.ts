/** Labels of records as people choose them, and what the search of the application finds. */
import { type AdoptedColumn, type AdoptedEntity, keysOf } from './adopted.ts'
import { READINGS } from './readings.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'

const plain = (name: string): string => name.toLowerCase().replaceAll('_', '')

/** Columns by which the engine labels records by default. */
const BY_ITSELF = ['name', 'code', 'number', 'title', 'label']
const FIRST_NAMES = ['firstname', 'givenname', 'forename', 'fname', 'vorname', 'prenom', 'nombre']
const LAST_NAMES = ['lastname', 'surname', 'familyname', 'lname', 'nachname', 'apellido']
const LABEL_LENGTH_MAX = 255

/** Plans the columns that identify a record best. */
export function planDisplay(entity: AdoptedEntity): void {
  const columns = findLabels(entity).map(({ name }) => name)
  entity.display = columns.length > 0 ? columns : keyNames(entity)
  // A record whose key has several columns cannot be referred to.
  const isReferred = keysOf(entity).length < 2
  entity.isDisplayUsual = !isReferred || entity.display.join() === byItself(entity)
}

/** Texts that people read, filled in half of the rows at least. */
const listTexts = ({ columns, source }: AdoptedEntity): AdoptedColumn[] =>
  columns.filter(
    ({ type, key, isSecret, reading, profile: { nulls, empty } }) =>
      FIELD_KINDS[type].isText &&
      !key &&
      !isSecret &&
      reading !== READINGS.hex &&
      (nulls + empty) * 2 <= source.rows,
  )

function findLabels(entity: AdoptedEntity): AdoptedColumn[] {
  const texts = listTexts(entity).filter(({ references }) => references === undefined)
  const find = (names: readonly string[]): AdoptedColumn | undefined => {
    for (const name of names) {
      const found = texts.find((column) => plain(column.name) === name)
      if (found) return found
    }
    return undefined
  }
  const own = plain(entity.name)
  const [first, last] = [find(FIRST_NAMES), find(LAST_NAMES)]
  const chosen =
    find(['name', `${own}name`, 'displayname', 'fullname']) ??
    (first && last ? [first, last] : undefined) ??
    find(['title', `${own}title`, 'companyname', own, 'subject', `${own}subject`, 'label']) ??
    find(['bezeichnung', `${own}bezeichnung`, 'titel', 'betreff', 'firma', 'nom', 'libelle']) ??
    find([`${own}description`, `${own}code`, 'username', 'login', `${own}login`]) ??
    texts.find(({ unique }) => unique) ??
    find(['code', 'number', 'nummer', 'filename', 'headline', 'summary', 'description']) ??
    find(['email', 'slug', `${own}key`]) ??
    texts.find(
      ({ required, maxLength = 0 }) => required && maxLength > 0 && maxLength <= LABEL_LENGTH_MAX,
    ) ??
    (texts.length === 1 ? texts : [])
  return [chosen].flat().filter(({ profile: { longest } }) => longest <= LABEL_LENGTH_MAX)
}

/** Most fields that the search reads beside the title. */
const SEARCHED_MAX = 10

/** Plans the search: the label is the title of a hit, and all other texts are searched. */
export function planSearch(entity: AdoptedEntity): AdoptedEntity['search'] {
  const texts = entity.columns.filter(
    ({ type, isSecret, options, references, reading }) =>
      FIELD_KINDS[type].isText &&
      !isSecret &&
      options.length === 0 &&
      references === undefined &&
      reading !== READINGS.hex,
  )
  const title = entity.display.at(-1)
  if (texts.length === 0 || title === undefined || entity.isSecret) return undefined
  const others = texts.map(({ name }) => name).filter((name) => name !== title)
  return { title, texts: others.slice(0, SEARCHED_MAX) }
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
