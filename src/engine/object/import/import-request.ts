/** ImportTableRequest: the text fields of the multipart form, read and checked. */
import { denied, invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import { type Culture, requireCulture } from './import-culture.ts'
import { toHeadKey } from '../read/heads.ts'

type ImportMode = 'insert' | 'update' | 'upsert'

/** Texts in place of cells of the file, by its line, then by the key of the head. */
export type MendedCells = ReadonlyMap<number, ReadonlyMap<string, string | null>>

export interface ImportRequest {
  objectName: string
  /** As `Formats` knows it; undefined: the file's name says it. */
  format: string | undefined
  mode: ImportMode
  /** Names of fields by which stored records are found; none: the key. */
  keyFields: readonly string[]
  /** Writes the good rows and gives the others back, instead of all or none. */
  skipsBadRows: boolean
  dryRun: boolean
  /** A job imports the file later. */
  background: boolean
  /** Head of the file, in lower case, to name of a field; null leaves the column out. */
  mapping: ReadonlyMap<string, string | null>
  /** Name of the sheet of a workbook that is read; undefined: all that continue the first. */
  sheet: string | undefined
  /** Mended cells: lines of the file, in each heads in lower case and the texts in their place. */
  cells: MendedCells
  operationId: string | undefined
  /** How the file writes numbers, days, yes and no; undefined: as the request's language does. */
  culture: Culture | undefined
  /** New records keep the keys that the file has for them, where the server gives keys. */
  keepKeys: boolean
  /** History comes in as it was (`takeover.ts`). */
  takeover: boolean
}

/**
 * Reads the form's fields (by lower-case name). @throws invalid that names the field.
 */
export function readImportRequest(fields: ReadonlyMap<string, string>): ImportRequest {
  const text = (name: string) => fields.get(name.toLowerCase())?.trim() || undefined
  const objectName = text('objectName')
  if (objectName === undefined) {
    throw invalid(say`The form must send objectName before the file`)
  }
  const mode = readWord('mode', text('mode'), ['insert', 'update', 'upsert'])
  const culture = text('culture')
  const keepKeys = readWord('keepKeys', text('keepKeys'), ['false', 'true']) === 'true'
  if (keepKeys && mode === 'update') throw invalid(say`keepKeys can only be used for new records`)
  const takeover = readWord('takeover', text('takeover'), ['false', 'true']) === 'true'
  return {
    objectName,
    format: text('format')?.toLowerCase(),
    mode,
    takeover,
    keepKeys: keepKeys || (takeover && mode !== 'update'),
    culture: culture === undefined ? undefined : requireCulture(culture),
    keyFields: readNames(text('keyFields')),
    skipsBadRows: readWord('onError', text('onError'), ['abort', 'skip']) === 'skip',
    dryRun: readWord('dryRun', text('dryRun'), ['false', 'true']) === 'true',
    background: readWord('background', text('background'), ['false', 'true']) === 'true',
    mapping: readMapping(text('mapping')),
    sheet: text('sheet'),
    cells: readCells(text('cells')),
    operationId: text('operationId'),
  }
}

/**
 * A caller who sees no rows may add some, but match none: a match would show what is stored.
 * @throws denied
 */
export function requireMatching({ mode }: Pick<ImportRequest, 'mode'>, grant: Grant): void {
  if (mode !== 'insert' && !grant.reads) throw denied()
}

/** One of the words, the first where none is given. */
function readWord<W extends string>(
  name: string,
  text: string | undefined,
  words: readonly [W, ...W[]],
): W {
  if (text === undefined) return words[0]
  const found = words.find((word) => word === text.toLowerCase())
  if (found === undefined) throw invalid(say`${name} must be one of: ${words.join(', ')}`)
  return found
}

/** A JSON array, or names parted by commas. */
function readNames(text: string | undefined): string[] {
  if (text === undefined) return []
  const list = text.startsWith('[') ? readJson('keyFields', text) : text.split(',')
  const names = Array.isArray(list) ? list : []
  if (names.length === 0 || !names.every((name) => typeof name === 'string')) {
    throw invalid(say`keyFields must be a list of field names`)
  }
  return names.map((name) => name.trim())
}

function readMapping(text: string | undefined): Map<string, string | null> {
  const mapping = new Map<string, string | null>()
  if (text === undefined) return mapping
  const wrong = () => invalid(say`mapping must be a JSON object of column headers and field names`)
  const given = readJson('mapping', text)
  if (!isObject(given)) throw wrong()
  for (const [head, field] of Object.entries(given)) {
    if (field !== null && typeof field !== 'string') throw wrong()
    mapping.set(toHeadKey(head), field?.trim() || null)
  }
  return mapping
}

function readCells(text: string | undefined): MendedCells {
  const cells = new Map<number, Map<string, string | null>>()
  if (text === undefined) return cells
  const wrong = () =>
    invalid(say`cells must be a JSON object of lines, each an object of column headers and texts`)
  const given = readJson('cells', text)
  if (!isObject(given)) throw wrong()
  for (const [line, row] of Object.entries(given)) {
    if (!/^\d{1,9}$/.test(line) || !isObject(row)) throw wrong()
    const mended = new Map<string, string | null>()
    for (const [head, cell] of Object.entries(row)) {
      if (cell !== null && typeof cell !== 'string') throw wrong()
      mended.set(toHeadKey(head), cell)
    }
    cells.set(Number(line), mended)
  }
  return cells
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(say`${name} is not valid JSON`)
  }
}
