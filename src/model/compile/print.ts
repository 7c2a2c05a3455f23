/** Printable documents of records: what their parts name must be there, and be served. */
import { fitsBarcode } from '../barcode.ts'
import {
  findChild,
  listChildren,
  placeOf,
  readCount,
  readFlag,
  readText,
  readWords,
} from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { compileLines } from './print-lines.ts'
import { PRINT_NAMES, PrintReading } from './print-reading.ts'
import { compileReportSource, findPrintedReport } from './print-report.ts'
import { slugOf } from './view.ts'
import type { Print, PrintAlign, PrintedReportSource, PrintPart } from '../compiled/print.ts'
import type { Report } from '../compiled/report.ts'
import type { Script } from '../compiled/script.ts'
import type { View } from '../compiled/view.ts'
import type { ModelText } from '../model-text.ts'
import { toWords } from '../names.ts'
import type { Element } from '../parse/element.ts'

/** Further names that a foot may use. */
const FOOT_NAMES: readonly string[] = [...PRINT_NAMES, 'Page', 'Pages']

const SPACE_HEIGHT = 5

/** Compiles every print, by name; one of a faulty view is left out. */
export function compilePrints(
  c: Compilation,
  reports: ReadonlyMap<string, Report>,
): Map<string, Print> {
  const prints = c.scriptsOf('Print').flatMap((script) => {
    const print = compilePrint(c, reports, script)
    return print ? [[script.name, print] as const] : []
  })
  return new Map(prints)
}

function compilePrint(
  c: Compilation,
  reports: ReadonlyMap<string, Report>,
  script: Script,
): Print | undefined {
  const { element, name, versionHash } = script
  const source = findSource(c, reports, element)
  if (!source) return undefined
  const { view, report } = source
  const reading = new PrintReading(c, view, report?.tables)
  const label = c.labelOf(element, toWords(name))
  const print = {
    name,
    slug: slugOf(script),
    label,
    versionHash,
    view: view.name,
    report,
    title: reading.findText(element, 'Title') ?? label,
    page: readPage(element),
    language: readLanguage(reading, element),
    letterhead: readLetterhead(reading, element),
    foot: readFoot(reading, element),
    parts: element.children.flatMap((child) => readPart(reading, child) ?? []),
  }
  return Object.freeze({ ...print, fields: [...reading.fields] })
}

/** The view or the report that it prints: one of them. */
function findSource(
  c: Compilation,
  reports: ReadonlyMap<string, Report>,
  element: Element,
): { view: View; report: PrintedReportSource | undefined } | undefined {
  const named = readText(element, 'View')
  if (named === undefined && readText(element, 'Report') !== undefined) {
    const found = findPrintedReport(c, reports, element)
    const report = found && compileReportSource(c, found, element)
    return report && { view: report.view, report }
  }
  if (named === undefined || readText(element, 'Report') !== undefined) {
    c.faults.add(element.place, 'A Print needs either a View or a Report')
    return undefined
  }
  const view = c.findView(named, element, 'View')
  if (view?.keys.length === 0) {
    const message = `${view.name} has no key: no record of it can be named`
    c.faults.add(placeOf(element, 'View'), message)
  }
  return view && { view, report: undefined }
}

function readPage(element: Element): Print['page'] {
  const word = readText(element, 'Page') ?? 'A4'
  const [width, height] = word.split('x').map(Number)
  return {
    // The XSD has checked that it is one of the names, or two lengths.
    size: width && height ? { width, height } : (word as 'A4'),
    isLandscape: readFlag(element, 'Landscape') ?? false,
    margin: readCount(element, 'Margin'),
  }
}

function readLanguage(reading: PrintReading, element: Element): Print['language'] {
  const word = readText(element, 'Language')
  if (word === undefined) return undefined
  if (!word.startsWith('{')) return { tag: word }
  const field = reading.findField(element, 'Language', word.slice(1, -1))
  return field && { field: field.name }
}

function readLetterhead(reading: PrintReading, element: Element): Print['letterhead'] {
  const child = findChild(element, 'Letterhead')
  return child && { hasLogo: readFlag(child, 'Logo') ?? true, lines: readLines(reading, child) }
}

const readLines = (reading: PrintReading, element: Element): ModelText[] =>
  listChildren(element, 'Line').map((line) => reading.findText(line, 'Text') ?? '')

function readFoot(reading: PrintReading, element: Element): Print['foot'] {
  const child = findChild(element, 'Foot')
  if (!child) return undefined
  const find = (attribute: string) => reading.findText(child, attribute, FOOT_NAMES) ?? ''
  return { left: find('Left'), right: find('Right') }
}

function readPart(reading: PrintReading, element: Element): PrintPart | undefined {
  const read = PARTS[element.name]
  return read?.(reading, element)
}

type ReadPart = (reading: PrintReading, element: Element) => PrintPart | undefined

/** Readers of the parts of a print, by the names of their elements. */
const PARTS: Readonly<Record<string, ReadPart>> = {
  Address: (reading, element) => ({
    kind: 'address',
    window: readText(element, 'Window') === 'US10' ? 'US10' : 'DIN5008',
    sender: reading.findText(element, 'Sender'),
    lines: readLines(reading, element),
  }),
  Heading: (reading, element) => ({
    kind: 'heading',
    level: readThird(element, 'Level'),
    text: reading.findText(element, 'Text') ?? '',
    when: reading.findWhen(element),
  }),
  Text: (reading, element) => ({
    kind: 'text',
    text: reading.findText(element, 'Text') ?? '',
    align: readAlign(element),
    isStrong: readFlag(element, 'Strong') ?? false,
    when: reading.findWhen(element),
  }),
  Fields: (reading, element) => ({
    kind: 'fields',
    fields: readWords(element, 'Names').flatMap(
      (name) => reading.findField(element, 'Names', name)?.name ?? [],
    ),
    columns: readThird(element, 'Columns'),
    when: reading.findWhen(element),
  }),
  Lines: compileLines,
  Totals: readTotals,
  Barcode: readBarcode,
  Space: (_, element) => ({ kind: 'space', height: readCount(element, 'Height') ?? SPACE_HEIGHT }),
  Rule: () => ({ kind: 'rule' }),
  PageBreak: () => ({ kind: 'pageBreak' }),
}

/** The XSD lets it be 1, 2 or 3. */
function readThird(element: Element, attribute: string): 1 | 2 | 3 {
  const count = readCount(element, attribute)
  return count === 2 || count === 3 ? count : 1
}

function readAlign(element: Element): PrintAlign {
  const word = readText(element, 'Align')
  return word === 'End' ? 'end' : word === 'Center' ? 'center' : 'start'
}

function readTotals(reading: PrintReading, element: Element): PrintPart {
  const rows = listChildren(element, 'Total').map((child) => {
    const name = readText(child, 'Field')
    const field = name === undefined ? undefined : reading.findField(child, 'Field', name)
    const text = reading.findText(child, 'Text')
    if ((name === undefined) === (text === undefined))
      reading.c.faults.add(child.place, 'A Total has either a Field or a Text')
    return {
      field: field?.name,
      text,
      label: reading.findText(child, 'Label') ?? field?.label ?? '',
      isStrong: readFlag(child, 'Strong') ?? false,
      when: reading.findWhen(child),
    }
  })
  return { kind: 'totals', rows }
}

const SYMBOLS = { QR: 'qr', EAN13: 'ean13', EAN8: 'ean8', Code128: 'code128' } as const
const WIDTHS = { qr: 25, ean13: 50, ean8: 50, code128: 50 } as const

function readBarcode(reading: PrintReading, element: Element): PrintPart {
  const word = (readText(element, 'Type') ?? 'QR') as keyof typeof SYMBOLS
  const type = SYMBOLS[word]
  const written = readText(element, 'Text') ?? ''
  if (!written.includes('{') && !fitsBarcode(type, written))
    reading.c.faults.add(placeOf(element, 'Text'), `Text: no ${word} holds "${written}"`)
  return {
    kind: 'barcode',
    type,
    text: reading.findText(element, 'Text') ?? '',
    label: reading.findText(element, 'Label'),
    width: readCount(element, 'Width') ?? WIDTHS[type],
    align: readAlign(element),
    when: reading.findWhen(element),
  }
}
