/** The type of a file, by its own first bytes. The type that its sender claims decides nothing. */
import { type FileHandle, open } from 'node:fs/promises'
import { extensionOf } from './file-name.ts'

const UNKNOWN_TYPE = 'application/octet-stream'
const TEXT = 'text/plain'

/** Text that browsers run or build pages from, by its first element. `file-type` knows no HTML. */
const MARKUP: readonly (readonly [start: RegExp, type: string])[] = [
  [/^<(?:!doctype\s+)?svg[\s/>]/i, 'image/svg+xml'],
  [/^<!doctype\s+html/i, 'text/html'],
]

/** Markup that makes a text a page wherever it occurs. */
const PAGE =
  /<(?:!doctype\s+html|html|head|body|script|iframe|style|title|base|form|embed|object|svg)[\s/>]/i

/** Kinds of text that only a name tells apart; of them only plain text is shown inline. */
const BY_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries({
    csv: 'text/csv',
    tsv: 'text/tab-separated-values',
    json: 'application/json',
    jsonl: 'application/jsonl',
    md: 'text/markdown',
    htm: 'text/html',
    html: 'text/html',
    xhtml: 'application/xhtml+xml',
    svg: 'image/svg+xml',
    xml: 'application/xml',
    css: 'text/css',
    js: 'text/javascript',
    mjs: 'text/javascript',
    sh: 'text/x-shellscript',
    ics: 'text/calendar',
    vcf: 'text/vcard',
    eml: 'message/rfc822',
  }),
)

/** A file on the disk that is to be recognized by its bytes. */
interface SeenFile {
  path: string
  /** The first bytes of the file; 4 KB are enough. */
  head: Uint8Array
  fileName: string
}

/**
 * The media type of a file: by its first bytes, an archive by its entries, text by its content and
 * then by its name. `application/octet-stream` for bytes that are neither known nor text; an empty
 * file is text.
 */
export async function detectType({ path, head, fileName }: SeenFile): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type')
  const known = (await fileTypeFromBuffer(head).catch(() => undefined))?.mime
  if (isArchive(head) && (known === undefined || known === 'application/zip'))
    return detectArchive(path)
  // The library calls every `<?xml` XML, and some text by a word that it begins with.
  if (known !== undefined && !isTextual(known)) return known
  const text = decodeText(head)
  if (text === undefined) return known ?? UNKNOWN_TYPE
  const markup = detectMarkup(text.trimStart())
  return markup ?? BY_NAME.get(extensionOf(fileName).slice(1).toLowerCase()) ?? known ?? TEXT
}

/** The type that a browser would see in a text that may begin with a declaration and comments. */
function detectMarkup(text: string): string | undefined {
  const isXml = /^<\?xml\s/i.test(text)
  const start = skipComments(isXml ? skipPast(text, '?>') : text)
  const type = MARKUP.find(([pattern]) => pattern.test(start))?.[1]
  if (type !== undefined) return type
  if (isXml) return 'application/xml'
  if (PAGE.test(text)) return 'text/html'
  return text.startsWith('#!') ? 'text/x-shellscript' : undefined
}

function skipComments(text: string): string {
  let rest = text
  while (rest.startsWith('<!--')) rest = skipPast(rest, '-->')
  return rest
}

/** The text after the first `end`; nothing where there is no `end`. */
function skipPast(text: string, end: string): string {
  const at = text.indexOf(end)
  return at < 0 ? '' : text.slice(at + end.length).trimStart()
}

const isTextual = (type: string): boolean => type.startsWith('text/') || type.endsWith('xml')

/** The text of the first bytes; undefined where they are not text. */
function decodeText(head: Uint8Array): string | undefined {
  const text = tryDecode(head, findEncoding(head)) ?? tryDecode(head, 'windows-1252')
  return text === undefined || CONTROLS.test(text) ? undefined : text
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

function findEncoding(head: Uint8Array): Encoding {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : 'utf-8'
}

/** Characters that no text has: all controls but tab, line ends, form feed and escape. */
const CONTROLS = /[\0-\x08\x0e-\x1a\x1c-\x1f]/

/** The last character may be cut in half. */
function tryDecode(head: Uint8Array, encoding: Encoding): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true })
  } catch {
    return undefined
  }
}

/** The usual ending of a name by media type: `image/jpeg` is `.jpg`; `.bin` for an unknown one. */
export const extensionOfType = (type: string): string => EXTENSIONS[type] ?? '.bin'

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/gzip': '.gz',
  'application/json': '.json',
  'application/msword': '.doc',
  'application/pdf': '.pdf',
  'application/rtf': '.rtf',
  'application/vnd.ms-excel': '.xls',
  'application/vnd.ms-outlook': '.msg',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': '.pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': '.xlsx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': '.docx',
  'application/x-cfb': '.ole',
  'application/xml': '.xml',
  'application/zip': '.zip',
  'audio/mpeg': '.mp3',
  'audio/ogg': '.ogg',
  'audio/wav': '.wav',
  'image/apng': '.png',
  'image/avif': '.avif',
  'image/bmp': '.bmp',
  'image/gif': '.gif',
  'image/heic': '.heic',
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/svg+xml': '.svg',
  'image/tiff': '.tif',
  'image/webp': '.webp',
  'image/x-icon': '.ico',
  'text/calendar': '.ics',
  'text/csv': '.csv',
  'text/html': '.html',
  'text/plain': '.txt',
  'video/mp4': '.mp4',
  'video/quicktime': '.mov',
  'video/webm': '.webm',
}

const RASTER = new Set([
  'image/png',
  'image/apng',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'image/x-icon',
])

/** True when a browser may show the type in place: raster images, PDF and plain text. */
export const isInline = (type: string): boolean =>
  RASTER.has(type) || type === 'application/pdf' || type === TEXT

/** True when a column takes a type (`application/pdf image/*`); an empty list takes any. */
export function isAccepted(type: string, accept: readonly string[]): boolean {
  if (accept.length === 0) return true
  return accept.some((each) => {
    const wanted = each.toLowerCase()
    if (wanted === '*/*' || wanted === type) return true
    return wanted.endsWith('/*') && type.startsWith(wanted.slice(0, -1))
  })
}

const ZIP = 'application/zip'
const OFFICE = 'application/vnd.openxmlformats-officedocument'
const END_SIGNATURE = 0x06054b50
const ENTRY_SIGNATURE = 0x02014b50
const END_BYTES = 22
const ENTRY_BYTES = 46
/** The end record with the longest comment that it may have. */
const TAIL_BYTES_MAX = END_BYTES + 0xffff
/** Most bytes of the directory; a document of people has some dozens of entries. */
const DIRECTORY_BYTES_MAX = 1024 * 1024

const BY_ENTRY: readonly (readonly [entry: string, type: string])[] = [
  ['word/vbaProject.bin', 'application/vnd.ms-word.document.macroenabled.12'],
  ['xl/vbaProject.bin', 'application/vnd.ms-excel.sheet.macroenabled.12'],
  ['ppt/vbaProject.bin', 'application/vnd.ms-powerpoint.presentation.macroenabled.12'],
  ['word/document.xml', `${OFFICE}.wordprocessingml.document`],
  ['xl/workbook.xml', `${OFFICE}.spreadsheetml.sheet`],
  ['ppt/presentation.xml', `${OFFICE}.presentationml.presentation`],
  ['META-INF/MANIFEST.MF', 'application/java-archive'],
]

/** True when a file begins as a zip archive does. */
const isArchive = (head: Uint8Array): boolean =>
  head[0] === 0x50 && head[1] === 0x4b && head[2] === 0x03 && head[3] === 0x04

/** The media type of a zip archive by its directory; nothing of it is unpacked. */
async function detectArchive(path: string): Promise<string> {
  const names = new Set(await loadNames(path))
  return BY_ENTRY.find(([entry]) => names.has(entry))?.[1] ?? ZIP
}

async function loadNames(path: string): Promise<string[]> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const tail = await readAt(file, Math.max(0, size - TAIL_BYTES_MAX), TAIL_BYTES_MAX)
    for (let at = tail.length - END_BYTES; at >= 0; at--) {
      if (tail.readUInt32LE(at) !== END_SIGNATURE) continue
      const bytes = Math.min(tail.readUInt32LE(at + 12), DIRECTORY_BYTES_MAX)
      return listNames(await readAt(file, tail.readUInt32LE(at + 16), bytes))
    }
    return []
  } finally {
    await file.close()
  }
}

async function readAt(file: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes)
  const { bytesRead } = await file.read(buffer, 0, bytes, at)
  return buffer.subarray(0, bytesRead)
}

function listNames(directory: Buffer): string[] {
  const names: string[] = []
  for (let at = 0; at + ENTRY_BYTES <= directory.length;) {
    if (directory.readUInt32LE(at) !== ENTRY_SIGNATURE) break
    const nameBytes = directory.readUInt16LE(at + 28)
    const start = at + ENTRY_BYTES
    names.push(directory.toString('utf8', start, start + nameBytes))
    at = start + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  return names
}
