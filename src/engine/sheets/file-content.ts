/** The kind of a file by its first bytes, whatever its name says. */
import { open } from 'node:fs/promises'
import { type Message, say } from '../../kernel/messages.ts'

/**
 * The kinds that can be read: zip archives and compound files may be workbooks, `xml` is a workbook
 * in one text (SpreadsheetML 2003, flat OpenDocument), `json` begins with an object.
 */
export type ReadableContent = 'archive' | 'compound' | 'xml' | 'json' | 'text'

/** A kind that has no rows to read, with what to do instead. */
interface ForeignContent {
  advice: Message
}

type FileContent = ReadableContent | 'empty' | ForeignContent

const SNIFFED_BYTES = 4096

/** Reads no more than the beginning of the file. */
export async function findContent(path: string): Promise<FileContent> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0)
    return bytesRead === 0 ? 'empty' : toContent(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

function toContent(bytes: Buffer): FileContent {
  const head = bytes.toString('latin1', 0, HEAD_BYTES)
  const known = SIGNATURES.find(([signature]) => head.startsWith(signature))
  if (known) return known[1]
  return findText(decodeStart(bytes)) ?? (isBinary(bytes) ? { advice: NO_TEXT } : 'text')
}

const HEAD_BYTES = 16

/** Advice for what is seen on a page: its rows have to be entered into a table first. */
const noTable = (what: Message): ForeignContent => ({
  advice: say`The file is ${what}. Put its rows into a table and save that as xlsx or csv.`,
})

/** Advice for what a spreadsheet program opens. */
const otherTable = (what: Message): ForeignContent => ({
  advice: say`The file is ${what}. Open it in a spreadsheet program and save it as xlsx or csv.`,
})

const NO_TEXT = say`The file is not a text file`
const PACKED: ForeignContent = {
  advice: say`The file is an archive. Unpack it and send the table that is inside.`,
}
const PICTURE = noTable(say`a picture`)
const HTML = otherTable(say`an HTML page`)

/** Advice on an archive or a compound file that is no workbook, by what its reader finds. */
export const FOREIGN_BOOKS = {
  archive: PACKED.advice,
  document: noTable(say`a text document`).advice,
  slides: noTable(say`a presentation`).advice,
  numbers: otherTable(say`a document of Apple Numbers or Pages`).advice,
} as const satisfies Readonly<Record<string, Message>>

const SIGNATURES: readonly (readonly [start: string, content: FileContent])[] = [
  ['PK\x03\x04', 'archive'],
  ['PK\x05\x06', 'archive'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'compound'],
  ['%PDF-', noTable(say`a PDF document`)],
  [String.raw`{\rtf`, noTable(say`a text document`)],
  ['\x89PNG', PICTURE],
  ['GIF8', PICTURE],
  ['\xff\xd8\xff', PICTURE],
  ['\x1f\x8b', PACKED],
  ['BZh', PACKED],
  ['7z\xbc\xaf', PACKED],
  ['Rar!', PACKED],
  ['SQLite format 3\0', otherTable(say`a SQLite database`)],
]

function decodeStart(bytes: Buffer): string {
  const mark = bytes.toString('hex', 0, 2)
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes).trimStart()
}

const HTML_START =
  /^(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)*<(?:!doctype\s+html|html|head|meta|body|table|style)\b/i
const WEB_ARCHIVE = /^(?:MIME-Version:|From:.*\nSubject:.*\n)/i
/** The first two lines of a SYLK file; the first alone could be the head of a csv. */
const SYLK = /^ID;P[^\r\n]*\r?\n[A-Z];[A-Z]/

/** Undefined for a text that may be a csv. */
function findText(start: string): FileContent | undefined {
  if (HTML_START.test(start) || WEB_ARCHIVE.test(start)) return HTML
  if (SYLK.test(start)) return otherTable(say`a SYLK file`)
  if (start.startsWith('{')) return 'json'
  if (!start.startsWith('<')) return undefined
  if (/urn:schemas-microsoft-com:office:spreadsheet|opendocument\.spreadsheet/.test(start)) {
    return 'xml'
  }
  return start.startsWith('<?xml') ? otherTable(say`an XML file`) : undefined
}

/** Most control characters that a text has, as a part of its bytes. */
const CONTROLS_MAX = 1 / 20

function isBinary(bytes: Buffer): boolean {
  let zeros = 0
  let controls = 0
  for (const byte of bytes) {
    if (byte === 0) zeros++
    else if (byte < 9 || (byte > 13 && byte < 32)) controls++
  }
  // UTF-16 has zeros in every second place.
  return controls > bytes.length * CONTROLS_MAX && zeros < bytes.length / 4
}
