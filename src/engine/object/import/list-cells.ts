/** Lists (`Through`) in the cells of a file: `[1,2]`, `["red","blue"]`, `red`, `red, blue`. */
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
    : [cell, ...splitTexts(cell)]
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
    return lookup.find(normalizeText(cell)) === undefined ? splitTexts(cell) : [cell]
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

const splitTexts = (cell: string): string[] => cell.split(',').map(trimBlanks)

/** Parses JSON; other text stays as it is. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
