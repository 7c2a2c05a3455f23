/** A `<Print>` of the model as a document to print: its head, then its parts one after another. */
import { renderMessage, say } from '../../kernel/messages.ts'
import { dayIn } from '../../kernel/zones.ts'
import type { SpoolOptions } from '../../store/read/spool.ts'
import type { Store } from '../../store/store.ts'
import { fitsBarcode } from '../../model/barcode.ts'
import type { Print, PrintPart } from '../../model/compiled/print.ts'
import { planFileName } from '../files/file-name.ts'
import type { PrintBlock, PrintHead, PrintMessage } from '../pdf/document.ts'
import { loadPrintData, type PrintData, readLines } from './template-lines.ts'
import {
  loadPrintRecord,
  type PrintRecord,
  type PrintUse,
  readPrintArguments,
} from './template-record.ts'
import { composeTable } from './template-table.ts'
import { PrintTexts } from './template-text.ts'

/** A print that has read its record. */
export interface PreparedPrint {
  /** The head of the document, without the operator's parts: fonts, and the place of the logo. */
  head: Omit<PrintHead, 'logo' | 'fonts'>
  /** The content of the document, once. */
  messages: (options: SpoolOptions) => AsyncGenerator<PrintMessage>
  /** The same as data. */
  data: PrintData
  /** Name of the saved file, without its extension, where the record gives one. */
  fileName?: string
}

/** The record to print, and the sender. */
interface PrintRequest {
  arguments: Readonly<Record<string, unknown>>
  /** The name of the caller's company. */
  companyName: string
}

/**
 * Reads the record of a print, with the details that are few, and plans the document.
 * @throws validation without the key, notFound for a record that the caller's rows do not hold
 */
export async function preparePrint(
  store: Store,
  use: PrintUse,
  { arguments: given, companyName }: PrintRequest,
): Promise<PreparedPrint> {
  const parameters = readPrintArguments(use.view, given)
  const data = await loadPrintData(store, use, (reader) => loadPrintRecord(reader, use, parameters))
  return composePrint(store, use, data, companyName)
}

/** Plans the document of a print that has read its record. */
export function composePrint(
  store: Store,
  use: PrintUse,
  data: PrintData,
  companyName: string,
): PreparedPrint {
  const { record } = data
  const { context } = use
  const language = findLanguage(use.print, record)
  const zone = context.caller?.timeZone ?? 'UTC'
  const texts = new PrintTexts(record, { language, zone }, companyName)
  const head = planHead(use, texts, companyName)
  return {
    head,
    messages: (options) => composeMessages({ store, use, data, texts, options }),
    data,
    ...findFileName(use, head.title, texts),
  }
}

/**
 * The name that the record gives its file; none where the title has no value of the record and the
 * caller does not see what it is called: then it goes by its key.
 */
function findFileName(
  { print, view, context }: PrintUse,
  title: string,
  texts: PrintTexts,
): { fileName?: string } {
  if (title !== texts.empty(print.title)) return { fileName: planFileName(title, '') }
  const day = dayIn(context.now, texts.style.zone)
  const mark = print.report ? day : texts.write(view.entity?.display ?? [])
  return mark === '' ? {} : { fileName: planFileName(title, mark) }
}

const TAG = /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i

/** The language that the print names, otherwise the one of its caller. */
function findLanguage({ language }: Print, record: PrintRecord): string | undefined {
  const own = record.use.context.caller?.language
  if (language === undefined) return own
  if ('tag' in language) return language.tag
  const value = record.values[language.field]
  return typeof value === 'string' && TAG.test(value) ? value : own
}

function planHead(
  { print, context }: PrintUse,
  texts: PrintTexts,
  companyName: string,
): PreparedPrint['head'] {
  const { language } = texts.style
  const { size, isLandscape, margin } = print.page
  const title = texts.fill(print.title)
  const word = (message: Parameters<typeof renderMessage>[0]) => renderMessage(message, language)
  return {
    title,
    language: language ?? 'en',
    page: {
      size,
      isLandscape,
      ...(margin !== undefined && {
        margins: { top: margin, right: margin, bottom: margin, left: margin },
      }),
    },
    running: print.letterhead || isLabel(print) ? undefined : { company: companyName, title },
    letterhead: print.letterhead && {
      lines: fillLines(print.letterhead.lines, texts),
      hasLogo: print.letterhead.hasLogo,
    },
    foot: print.foot
      ? { left: texts.fill(print.foot.left), right: texts.fill(print.foot.right) }
      : { left: '', right: isLabel(print) ? '' : '{Page} / {Pages}' },
    carried: { forward: word(say`Carried forward`), brought: word(say`Brought forward`) },
    createdAt: context.now.toISOString(),
  }
}

/** A sheet of a custom size is all the author's: the engine adds neither head nor foot. */
const isLabel = ({ page }: Print): boolean => typeof page.size === 'object'

/** Lines that are not empty. */
const fillLines = (lines: readonly Parameters<PrintTexts['fill']>[0][], texts: PrintTexts) =>
  lines.map((line) => texts.fill(line).trim()).filter((line) => line !== '')

interface Composition {
  store: Store
  use: PrintUse
  data: PrintData
  texts: PrintTexts
  options: SpoolOptions
}

async function* composeMessages(composition: Composition): AsyncGenerator<PrintMessage> {
  const { use, data, texts, store, options } = composition
  for (const part of use.print.parts) {
    if ('when' in part && !data.record.holds(part.when)) continue
    if (part.kind === 'pageBreak') yield { do: 'pageBreak' }
    else if (part.kind === 'lines') {
      const lines = data.lines.get(part)
      if (lines) yield* composeTable(lines, texts, readLines(store, lines, options))
    } else {
      const block = composeBlock(part, data.record, texts)
      if (block) yield { do: 'blocks', blocks: [block] }
    }
  }
  yield { do: 'end' }
}

type BlockPart = Exclude<PrintPart, { kind: 'lines' | 'pageBreak' }>

/** A part as a block; undefined for an empty one. */
function composeBlock(
  part: BlockPart,
  record: PrintRecord,
  texts: PrintTexts,
): PrintBlock | undefined {
  if (part.kind === 'space') return { kind: 'space', height: part.height }
  if (part.kind === 'rule') return { kind: 'line' }
  if (part.kind === 'fields') return composeFields(part, record, texts)
  if (part.kind === 'totals') return composeTotals(part, record, texts)
  if (part.kind === 'barcode') return composeBarcode(part, texts)
  if (part.kind === 'address') {
    const { window } = part
    const lines = fillLines(part.lines, texts)
    return { kind: 'address', window, sender: texts.fill(part.sender), lines }
  }
  const text = texts.fill(part.text)
  if (text.trim() === '') return undefined
  if (part.kind === 'heading') return { kind: 'heading', level: part.level, text }
  return { kind: 'text', text, align: part.align, isStrong: part.isStrong }
}

function composeFields(
  { fields: names, columns }: Extract<PrintPart, { kind: 'fields' }>,
  record: PrintRecord,
  texts: PrintTexts,
): PrintBlock | undefined {
  const fields = names.flatMap((name) => {
    const field = record.findField(name)
    const text = field && record.shows(field) ? texts.textOf(field) : ''
    return field && text !== '' ? [{ label: texts.render(field.label), text }] : []
  })
  return fields.length > 0 ? { kind: 'fields', columns, fields } : undefined
}

function composeTotals(
  { rows: all }: Extract<PrintPart, { kind: 'totals' }>,
  record: PrintRecord,
  texts: PrintTexts,
): PrintBlock | undefined {
  const rows = all.flatMap((total) => {
    const field = total.field === undefined ? undefined : record.findField(total.field)
    const text = field ? texts.textOf(field) : texts.fill(total.text)
    if (text === '' || !record.holds(total.when)) return []
    return [{ label: texts.fill(total.label), text, isStrong: total.isStrong }]
  })
  return rows.length > 0 ? { kind: 'totals', rows } : undefined
}

function composeBarcode(
  { type, text: template, label, width, align }: Extract<PrintPart, { kind: 'barcode' }>,
  texts: PrintTexts,
): PrintBlock | undefined {
  const text = texts.fillRaw(template)
  if (text === '') return undefined
  if (!fitsBarcode(type, text)) {
    const { language } = texts.style
    return {
      kind: 'notice',
      text: renderMessage(say`The value does not fit into this kind of barcode`, language),
      barcode: type,
    }
  }
  return { kind: 'barcode', barcode: { type, text, label: texts.fill(label), width }, align }
}
