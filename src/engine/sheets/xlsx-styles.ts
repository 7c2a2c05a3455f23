/** Formats of a workbook's columns: number formats, and the styles that use them. */
import type { Moment, NumberForm } from '../../model/fields/field-kind.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import type { SheetColumn } from './format.ts'
import { escapeAttribute } from './xlsx-text.ts'

/** A cell's style by number; 0 is the plain one, 1 that of heads. */
export interface Styles {
  xml: string
  /** The style of each column. */
  columns: number[]
}

export const HEAD_STYLE = 1
const FIRST_STYLE = 2
/** First number of own formats; lower ones belong to the spreadsheets. */
const FIRST_FORMAT = 164

/** The styles of a sheet's columns, and the part `styles.xml`. */
export function planStyles(columns: readonly SheetColumn[]): Styles {
  const formats: string[] = []
  const styles = columns.map((column) => {
    const format = findFormat(column)
    if (format === undefined) return 0
    const known = formats.indexOf(format)
    return FIRST_STYLE + (known < 0 ? formats.push(format) - 1 : known)
  })
  return { xml: composeStyles(formats), columns: styles }
}

const composeStyles = (formats: readonly string[]): string =>
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
  '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
  (formats.length === 0 ? '' : composeFormats(formats)) +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>' +
  '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill>' +
  '<fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  `<cellXfs count="${FIRST_STYLE + formats.length}">` +
  '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>' +
  formats.map((_, at) => composeStyle(FIRST_FORMAT + at)).join('') +
  '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>' +
  '</styleSheet>'

const composeFormats = (formats: readonly string[]): string => {
  const each = formats.map(
    (format, at) =>
      `<numFmt numFmtId="${FIRST_FORMAT + at}" formatCode="${escapeAttribute(format)}"/>`,
  )
  return `<numFmts count="${formats.length}">${each.join('')}</numFmts>`
}

const composeStyle = (format: number): string =>
  `<xf numFmtId="${format}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`

const TEXT_FORMAT = '@'

/** The format of a column: the field's own where a spreadsheet takes it, else its type's. */
function findFormat({ type, format = '', scale = 2 }: SheetColumn): string | undefined {
  const { moment, number, isFlag } = FIELD_KINDS[type]
  const own = format.length <= FORMAT_MAX && (moment ? DATES : NUMBERS).test(format)
  if (moment) return own ? spellDates(format) : DEFAULT_DATES[moment]
  if (number) return own ? format : DEFAULT_NUMBERS[number](scale)
  return isFlag ? undefined : TEXT_FORMAT
}

/** Spells a format as spreadsheets do: small letters, and a dot between numbers is escaped. */
const spellDates = (format: string): string =>
  format
    .toLowerCase()
    .replace('am/pm', 'AM/PM')
    .replace(/\.(?!0)/g, '\\.')

const DEFAULT_DATES: Readonly<Record<Moment, string>> = {
  day: 'yyyy-mm-dd',
  instant: 'yyyy-mm-dd hh:mm:ss',
  time: 'hh:mm:ss',
}

const DEFAULT_NUMBERS: Readonly<Record<NumberForm, (scale: number) => string>> = {
  whole: () => '0',
  scaled: (scale) => (scale > 0 ? `0.${'0'.repeat(scale)}` : '0'),
}

const FORMAT_MAX = 100

/** Codes are checked: a faulty one makes a spreadsheet call the whole file damaged. */
const LITERAL = String.raw`"[^"\p{C}]*"|\\[^\p{C}]|[ ()/+$€£¥%:-]`
const DIGITS = String.raw`#?(?:[#,]*[#0](?:,[#0]{3})*)?(?:\.[0#?]+)?(?:E[+-]0+)?`
const SECTION = `(?:${LITERAL})*${DIGITS}(?:${LITERAL})*`
const NUMBERS = new RegExp(String.raw`^(?=.*[0#])${SECTION}(?:;${SECTION}){0,2}$`, 'u')
const DATES = new RegExp(
  String.raw`^(?=.*[ymdhs])(?:yyyy|yy|m{1,4}|d{1,4}|hh?|ss?|AM/PM|[ ./:,-]|"[^"\p{C}]*")+$`,
  'iu',
)
