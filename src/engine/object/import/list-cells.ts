/**
 * Lists (`Through`) in the cells of a file: `[1,2]`, `["red","blue"]`, `red`, `red, blue`,
 * `red; "blue, dark"`, or one a line.
 */
import { normalizeText, trimBlanks } from '../../../kernel/blanks.ts'
import { holdsMoreValues } from '../../../kernel/json-values.ts'
import { JSON_VALUES_MAX } from '../../../kernel/limits.ts'
import { Message, noun, say } from '../../../kernel/messages.ts'
import type { SqlValue } from '../../../store/sql.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { ColumnLookup } from './import-lookups.ts'
import type { ImportColumn } from './import-plan.ts'
import { MANY } from '../read/option-texts.ts'
import { type ParsedValue, parseKey } from '../value.ts'
import type { ViewAccess } from '../view-access.ts'
import { readList } from '../write/link-changes.ts'

/** The texts of a cell that may be what records are called. */
export function listTexts(cell: string): string[] {
  if (holdsMoreValues(cell, JSON_VALUES_MAX)) return []
  const list = parseJson(trimBlanks(cell))
  const texts = Array.isArray(list)
    ? list.filter((each) => typeof each === 'string')
    : [cell, ...SEPARATORS.flatMap((separator) => splitTexts(cell, separator))]
  return texts.map(normalizeText).filter((text) => text !== '')
}

/** Keys as a submit has them, written as JSON: `[1,2]`. */
export function readKeys(
  { grant }: ViewAccess,
  { field, isLabel }: ImportColumn,
  lookup: ColumnLookup,
): (cell: string) => ParsedValue {
  const missing = (): Message => {
    const entity = grant.model.entities.get(field.references ?? '')
    return say`${field.label}: there is no such ${noun(entity?.label ?? field.label)}`
  }
  const readOne = (item: unknown): ParsedValue => {
    if (typeof item !== 'string') {
      // A record without a name cannot be found by one.
      return isLabel && item === null ? { fault: missing() } : parseKey(field, item)
    }
    const own = parseKey(field, item)
    if (!isLabel && own.fault === undefined && FIELD_KINDS[field.type].number === 'whole')
      return own
    const found = lookup.find(normalizeText(item))
    if (found === MANY) return { fault: say`${field.label}: more than one record has this name` }
    if (found !== undefined) return { value: found }
    const isKey =
      own.fault === undefined && !(isLabel && FIELD_KINDS[field.type].number === 'whole')
    return isKey ? own : { fault: missing() }
  }
  const split = (cell: string): readonly unknown[] | undefined => {
    const list = parseJson(trimBlanks(cell))
    if (Array.isArray(list)) return list
    if (!isLabel && typeof list !== 'string') return undefined
    const isKnown = (text: string): boolean => lookup.find(normalizeText(text)) !== undefined
    if (isKnown(cell)) return [cell]
    const ways = SEPARATORS.map((separator) => splitTexts(cell, separator))
    const parted = ways.filter(({ length }) => length > 1)
    return parted.find((texts) => texts.every(isKnown)) ?? parted[0] ?? ways[0]
  }
  return (cell) => {
    if (holdsMoreValues(cell, JSON_VALUES_MAX)) {
      return { fault: say`The JSON has more than ${JSON_VALUES_MAX} values` }
    }
    const items = split(cell)
    if (!items) return { fault: say`${field.label} must be a list of keys` }
    const values: SqlValue[] = []
    for (const item of items) {
      const parsed = readOne(item)
      if (parsed.fault !== undefined) return parsed
      values.push(parsed.value)
    }
    const keys = readList(field, values)
    return keys instanceof Message ? { fault: keys } : { value: JSON.stringify(keys) }
  }
}

/** Marks between the texts of a list; a text that holds one is quoted. */
const SEPARATORS = ['\n', ';', ','] as const

/** An item in quotation marks, which doubles those inside, or up to the next separator. */
const ITEMS = {
  '\n': /\s*"((?:[^"]|"")*)"\s*(?:\n|$)|([^\n]*)(?:\n|$)/y,
  ';': /\s*"((?:[^"]|"")*)"\s*(?:;|$)|([^;]*)(?:;|$)/y,
  ',': /\s*"((?:[^"]|"")*)"\s*(?:,|$)|([^,]*)(?:,|$)/y,
} as const

/** The texts of a list, without blank ones: `a, "b, c",` are two. */
function splitTexts(cell: string, separator: keyof typeof ITEMS): string[] {
  const items = ITEMS[separator]
  const texts: string[] = []
  items.lastIndex = 0
  while (items.lastIndex < cell.length) {
    const [, quoted, plain = ''] = items.exec(cell) ?? []
    const text = trimBlanks(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (text !== '') texts.push(text)
  }
  return texts
}

/** Parses JSON; other text stays as it is. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
