/** The parts of a workbook around its sheets. */
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import type { SheetPlan } from './format.ts'
import { columnLetters, escapeAttribute, escapeCellText } from './xlsx-text.ts'

export const XML_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
export const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The relation to the workbook. */
export const ROOT_RELATIONS = composeRelations([['officeDocument', 'xl/workbook.xml']])

/** A part that others refer to, by kind and address. */
export type Relation = readonly [kind: string, target: string]

/** Relations are `rId1`, `rId2` … in their order. */
export function composeRelations(relations: readonly Relation[]): string {
  const each = relations.map(
    ([kind, target], at) =>
      `<Relationship Id="rId${at + 1}" Type="${RELATIONS}/${kind}" Target="${target}"/>`,
  )
  const list = each.join('')
  return `${XML_HEAD}<Relationships xmlns="${PACKAGE}/relationships">${list}</Relationships>`
}

export interface SheetFacts {
  name: string
  isHidden?: boolean
  /** The range of cells that the filter covers. */
  filtered?: string | undefined
}

/** The part that names the sheets and their filters. */
export function composeWorkbook(sheets: readonly SheetFacts[]): string {
  const each = sheets.map(({ name, isHidden }, at) => {
    const state = isHidden ? ' state="hidden"' : ''
    const id = at + 1
    return `<sheet name="${escapeAttribute(name)}" sheetId="${id}"${state} r:id="rId${id}"/>`
  })
  const filters = sheets.flatMap(({ name, filtered }, at) =>
    filtered === undefined
      ? []
      : `<definedName name="_xlnm._FilterDatabase" localSheetId="${at}" hidden="1">` +
        `${escapeCellText(`${quoteSheet(name)}!${filtered}`)}</definedName>`,
  )
  const names = filters.length ? `<definedNames>${filters.join('')}</definedNames>` : ''
  return (
    `${XML_HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><workbookPr/>` +
    `<bookViews><workbookView/></bookViews><sheets>${each.join('')}</sheets>${names}</workbook>`
  )
}

/** A sheet's name in formulas. */
export const quoteSheet = (name: string): string => `'${name.replaceAll("'", "''")}'`

/** Sheets are `rId1` … in their order, then the styles and the shared texts. */
export const composeWorkbookRelations = (sheets: number): string =>
  composeRelations([
    ...Array.from({ length: sheets }, (_, at): Relation => [
      'worksheet',
      `worksheets/sheet${at + 1}.xml`,
    ]),
    ['styles', 'styles.xml'],
    ['sharedStrings', 'sharedStrings.xml'],
  ])

/** `hasComments`: the first sheet has comments. */
export function composeContentTypes(sheets: number, hasComments: boolean): string {
  const override = (part: string, type: string): string =>
    `<Override PartName="/xl/${part}" ContentType="${TYPES}.${type}+xml"/>`
  const each = Array.from({ length: sheets }, (_, at) =>
    override(`worksheets/sheet${at + 1}.xml`, 'worksheet'),
  )
  const byDefault = (extension: string, type: string): string =>
    `<Default Extension="${extension}" ContentType="application/${type}"/>`
  const drawing = byDefault('vml', 'vnd.openxmlformats-officedocument.vmlDrawing')
  return (
    `${XML_HEAD}<Types xmlns="${PACKAGE}/content-types">` +
    byDefault('rels', 'vnd.openxmlformats-package.relationships+xml') +
    byDefault('xml', 'xml') +
    (hasComments ? drawing : '') +
    override('workbook.xml', 'sheet.main') +
    override('styles.xml', 'styles') +
    override('sharedStrings.xml', 'sharedStrings') +
    each.join('') +
    (hasComments ? override('comments1.xml', 'comments') : '') +
    '</Types>'
  )
}

const WIDTH_MIN = 8
const WIDTH_MAX = 60
const PADDING = 2

/** Widths of columns, in characters: as their heads and first texts need. */
export function planWidths({ columns }: SheetPlan, texts: readonly number[]): number[] {
  return columns.map(({ width, label, type, format = '' }, at) => {
    if (width !== undefined) return width
    const value = Math.max(texts[at] ?? 0, FIELD_KINDS[type].characters, format.length)
    return Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, value, label.length + PADDING) + PADDING)
  })
}

/** The beginning of a sheet: its head stays visible, its columns are wide enough. */
export function composeSheetStart(widths: readonly number[], styles: readonly number[]): string {
  const cols = widths.map((width, at) => {
    const style = styles[at] ? ` style="${styles[at]}"` : ''
    return `<col min="${at + 1}" max="${at + 1}" width="${width}"${style} customWidth="1"/>`
  })
  return (
    `${XML_HEAD}<worksheet xmlns="${MAIN}" xmlns:r="${RELATIONS}">` +
    '<sheetViews><sheetView workbookViewId="0">' +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' +
    '</sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>' +
    `<cols>${cols.join('')}</cols><sheetData>`
  )
}

/** The cells from the head to a last row, as the filter names them. */
export const cellRange = (columns: number, rows: number, mark: '' | '$' = ''): string =>
  `${mark}A${mark}1:${mark}${columnLetters(columns - 1)}${mark}${rows}`
