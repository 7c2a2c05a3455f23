/** The columns of an adopted table: names, labels, types, what is required and by what default. */
import type { AdoptedColumn, Note } from './adopted.ts'
import { type ColumnProfile, tellCount } from './column-profile.ts'
import { INSTANT_NAME, lengthOf } from './families.ts'
import { TakenNames, toColumnName } from './names.ts'
import type { TableProfile } from './profile.ts'
import { READINGS, type SourceReading } from './readings.ts'
import type { DeclaredParameters } from '../compile/parameters.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { TEXT_LENGTH_DEFAULT } from '../fields/text.ts'

/** Plans the columns that are taken, in their order, with notes on each. */
export function planColumns(
  { table, columns }: TableProfile,
  declared: DeclaredParameters,
  notes: Note[],
): AdoptedColumn[] {
  const taken = new TakenNames()
  return columns.map((profile, at) => {
    const of = `${table.name}.${profile.column.name}`
    const name = taken.take(toColumnName(profile.column.name, at, declared))
    if (name !== profile.column.name) notes.push({ kind: 'changed', of, text: `is called ${name}` })
    const isRowKey = table.isRowKey && isKey(table, profile)
    return planColumn(profile, name, { of, notes, isRowKey })
  })
}

const isKey = ({ keys }: TableProfile['table'], { column }: ColumnProfile): boolean =>
  keys.includes(column.name)

/** Collected remarks of a column's planning, with their place. */
interface Told {
  of: string
  notes: Note[]
  isRowKey: boolean
}

function planColumn(profile: ColumnProfile, name: string, told: Told): AdoptedColumn {
  const { column, scale } = profile
  const reading =
    told.isRowKey && !FIELD_KINDS[profile.reading.type].isText ? READINGS.integer : profile.reading
  const type = reading.type
  const made: AdoptedColumn = {
    profile,
    name,
    type,
    reading,
    label: undefined,
    key: false,
    identity: false,
    required: false,
    unique: false,
    maxLength: FIELD_KINDS[type].isText ? planLength(profile, told) : undefined,
    scale,
    default: undefined,
    options: [],
    references: undefined,
    isSecret: false,
  }
  tellType(profile, told)
  made.required = column.notNull && requireFilled(made, told)
  made.default = planDefault(made, told)
  return made
}

/** Ways to read a number as an instant. */
const NUMBERS: readonly SourceReading[] = [READINGS.seconds, READINGS.milliseconds, READINGS.julian]

function tellType(profile: ColumnProfile, { of, notes }: Told): void {
  const { column, misfits, apart, reading, blobs, blobBytes } = profile
  const size = `${tellCount(blobs, 'value')}, ${tellCount(blobBytes, 'byte')} in total`
  if (reading === READINGS.file && blobs > 0)
    notes.push({ kind: 'changed', of, text: `is a File: ${size}` })
  if (reading === READINGS.hex)
    notes.push({ kind: 'changed', of, text: `is a Text: its bytes in hexadecimal (${size})` })
  if (misfits) {
    const { name, rows, example } = misfits
    const more = rows > 1 ? ` and ${rows - 1} more such values` : ''
    const text = `is a Text: it is declared ${name || 'nothing'}, but holds ${example}${more}`
    notes.push({ kind: 'changed', of, text })
  }
  if (apart !== undefined) notes.push({ kind: 'changed', of, text: `is a Text: ${apart}` })
  if (NUMBERS.includes(reading))
    notes.push({ kind: 'changed', of, text: `is a DateTime: it holds ${reading.name}` })
  if (column.isGenerated)
    notes.push({
      kind: 'changed',
      of,
      text: 'was generated: its current values are taken; write a Compute to keep computing it',
    })
}

/** True when every record has a value; `Required` takes an empty text for none. */
function requireFilled({ profile, type }: AdoptedColumn, { of, notes }: Told): boolean {
  const { empty, blank, nulls } = profile
  const missing = nulls + (FIELD_KINDS[type].isText ? empty : blank)
  if (missing === 0) return true
  const text = `is not Required, though NOT NULL: ${tellCount(missing, 'row')} without a value`
  notes.push({ kind: 'changed', of, text })
  return false
}

/** Undefined where the default of the language is right. */
function planLength({ column, longest }: ColumnProfile, { of, notes }: Told): number | undefined {
  const declared = lengthOf(column.declared)
  if (declared !== undefined) {
    if (longest <= declared) return declared
    const text = `takes ${longest} characters: ${declared} are declared, but some values are longer`
    notes.push({ kind: 'changed', of, text })
    return longest
  }
  return longest <= TEXT_LENGTH_DEFAULT ? undefined : 2 ** Math.ceil(Math.log2(longest))
}

const NOW = new RegExp(
  "^\\(*\\s*(?:current_timestamp|(?:date)?time\\s*\\(\\s*'now'[^)]*\\)|" +
    "strftime\\s*\\([^)]*'now'[^)]*\\))\\s*\\)*$",
  'i',
)
const TODAY = /^\(*\s*(?:current_date|date\s*\(\s*'now'[^)]*\))\s*\)*$/i

function planDefault(made: AdoptedColumn, { of, notes, isRowKey }: Told): string | undefined {
  const { preset } = made.profile.column
  if (isRowKey) return undefined
  if (preset === undefined || /^\(*null\)*$/i.test(preset)) return planMoment(made, { of, notes })
  const isTimed = FIELD_KINDS[made.type].isDated
  if (isTimed && (NOW.test(preset) || TODAY.test(preset)))
    return FIELD_KINDS[made.type].moment === 'day' ? '@Today' : '@Now'
  const literal = readLiteral(preset)
  const value = literal === undefined ? undefined : made.reading.read(literal)?.value
  const written = value === undefined || value === null ? undefined : toWritten(made, value)
  if (written !== undefined) return written === '' ? undefined : written
  notes.push({ kind: 'left', of, text: `its default ${preset} cannot be expressed here` })
  return undefined
}

/** Leaves instants of a row's making or change to the engine; programs or triggers set them. */
function planMoment(made: AdoptedColumn, { of, notes }: Pick<Told, 'of' | 'notes'>) {
  if (
    !made.required ||
    FIELD_KINDS[made.type].moment !== 'instant' ||
    !INSTANT_NAME.test(made.name)
  )
    return undefined
  notes.push({ kind: 'changed', of, text: 'has the Default @Now' })
  return '@Now'
}

/** A Default that begins with @ would be a parameter. */
function toWritten({ type }: AdoptedColumn, value: string | number): string | undefined {
  if (FIELD_KINDS[type].isFlag) return value === 1 ? 'true' : 'false'
  return String(value).startsWith('@') ? undefined : String(value)
}

/** The value of a literal as SQL has it. */
function readLiteral(sql: string): string | number | undefined {
  const bare = sql.replace(/^\((.*)\)$/s, '$1').trim()
  const [, text] = /^'((?:[^']|'')*)'$/.exec(bare) ?? []
  if (text !== undefined) return text.replaceAll("''", "'")
  // SQLite takes a name in double quotes that it does not know for a text.
  const [, quoted] = /^"((?:[^"]|"")*)"$/.exec(bare) ?? []
  if (quoted !== undefined) return quoted.replaceAll('""', '"')
  if (/^(?:true|false)$/i.test(bare)) return bare.toLowerCase()
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(bare) ? Number(bare) : undefined
}
