/** Parts that make a head a template: lists of options to choose from, and comments on columns. */
import type { SheetColumn, SheetPlan } from './format.ts'
import {
  composeRelations,
  MAIN,
  quoteSheet,
  type Relation,
  type SheetFacts,
  XML_HEAD,
} from './xlsx-parts.ts'
import {
  columnLetters,
  composeText,
  escapeAttribute,
  escapeCellText,
  sheetName,
} from './xlsx-text.ts'

export interface Template {
  /** Markup behind the rows of the sheet. */
  sheetEnd: string
  parts: { name: string; text: string }[]
  /** The hidden sheet of the options, if there are any. */
  lists: SheetFacts | undefined
  hasComments: boolean
}

/** The last row that options are offered in. */
const LAST_ROW = 1_048_576

interface Commented {
  at: number
  text: string
}

/** Plans the parts of a template beside its head. */
export function planTemplate({ title, columns }: SheetPlan): Template {
  const listed = columns.flatMap((column, at) => (column.options?.length ? [{ column, at }] : []))
  const commented = columns.flatMap(({ comment }, at): Commented[] =>
    comment ? [{ at, text: comment }] : [],
  )
  const name = sheetName(title, 1).toLowerCase() === 'options' ? 'Options of fields' : 'Options'
  const validations = listed.map(({ column, at }, list) => {
    const letters = columnLetters(at)
    const options = `$${columnLetters(list)}$1:$${columnLetters(list)}$${column.options?.length}`
    return (
      '<dataValidation type="list" allowBlank="1" showErrorMessage="1" ' +
      `sqref="${letters}2:${letters}${LAST_ROW}"><formula1>` +
      `${escapeCellText(`${quoteSheet(name)}!${options}`)}</formula1></dataValidation>`
    )
  })
  const relations: Relation[] = [
    ['comments', '../comments1.xml'],
    ['vmlDrawing', '../drawings/vmlDrawing1.vml'],
  ]
  const comments = [
    { name: 'xl/worksheets/_rels/sheet1.xml.rels', text: composeRelations(relations) },
    { name: 'xl/comments1.xml', text: composeComments(commented) },
    { name: 'xl/drawings/vmlDrawing1.vml', text: composeDrawing(commented) },
  ]
  return {
    sheetEnd:
      (listed.length === 0
        ? ''
        : `<dataValidations count="${listed.length}">${validations.join('')}</dataValidations>`) +
      (commented.length === 0 ? '' : '<legacyDrawing r:id="rId2"/>'),
    parts: [
      ...(listed.length === 0
        ? []
        : [
            {
              name: 'xl/worksheets/sheet2.xml',
              text: composeLists(listed.map(({ column }) => column)),
            },
          ]),
      ...(commented.length === 0 ? [] : comments),
    ],
    lists: listed.length === 0 ? undefined : { name, isHidden: true },
    hasComments: commented.length > 0,
  }
}

/** One column of values for each column that has options. */
function composeLists(columns: readonly SheetColumn[]): string {
  const length = Math.max(...columns.map(({ options = [] }) => options.length))
  const rows = Array.from({ length }, (_, row) => {
    const cells = columns.flatMap(({ options = [] }, at) => {
      const option = options[row]
      if (!option) return []
      const text = composeText(option.value)
      return `<c r="${columnLetters(at)}${row + 1}" t="inlineStr"><is>${text}</is></c>`
    })
    return `<row r="${row + 1}">${cells.join('')}</row>`
  })
  return `${XML_HEAD}<worksheet xmlns="${MAIN}"><sheetData>${rows.join('')}</sheetData></worksheet>`
}

function composeComments(commented: readonly Commented[]): string {
  const each = commented.map(
    ({ at, text }) =>
      `<comment ref="${columnLetters(at)}1" authorId="0">` +
      `<text>${composeText(text)}</text></comment>`,
  )
  return (
    `${XML_HEAD}<comments xmlns="${MAIN}"><authors><author></author></authors>` +
    `<commentList>${each.join('')}</commentList></comments>`
  )
}

const LINE_POINTS = 15
const LINE_CHARACTERS = 40

/** Composes the boxes of the notes that show on hover: readers still want this old form. */
function composeDrawing(commented: readonly Commented[]): string {
  const shapes = commented.map(({ at, text }, index) => {
    const lines = text
      .split('\n')
      .reduce((count, line) => count + 1 + Math.floor(line.length / LINE_CHARACTERS), 1)
    return (
      `<v:shape id="_x0000_s${1025 + index}" type="#_x0000_t202" fillcolor="#ffffe1" ` +
      `style="${escapeAttribute(
        `position:absolute;width:220pt;height:${lines * LINE_POINTS}pt;visibility:hidden`,
      )}"><v:fill color2="#ffffe1"/><v:path o:connecttype="none"/>` +
      '<x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/>' +
      `<x:AutoFill>False</x:AutoFill><x:Row>0</x:Row><x:Column>${at}</x:Column>` +
      '</x:ClientData></v:shape>'
    )
  })
  return (
    '<xml xmlns:v="urn:schemas-microsoft-com:vml" ' +
    'xmlns:o="urn:schemas-microsoft-com:office:office" ' +
    'xmlns:x="urn:schemas-microsoft-com:office:excel"><v:shapetype id="_x0000_t202" ' +
    'coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke ' +
    'joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>' +
    `${shapes.join('')}</xml>`
  )
}
