/** What a file is, told by its own first bytes. What its sender calls it decides nothing. */
import { extensionOf } from './file-name.ts'
import { detectArchive, isArchive } from './zip-type.ts'

export const UNKNOWN_TYPE = 'application/octet-stream'
const TEXT = 'text/plain'

/** Text that browsers run or build pages from, by its first element. `file-type` knows no HTML. */
const MARKUP: readonly (readonly [start: RegExp, type: string])[] = [
  [/^<(?:!doctype\s+)?svg[\s/>]/i, 'image/svg+xml'],
  [/^<!doctype\s+html/i, 'text/html'],
]

/** What makes a text a page wherever it stands. */
const PAGE =
  /<(?:!doctype\s+html|html|head|body|script|iframe|style|title|base|form|embed|object|svg)[\s/>]/i

/** Kinds of text that only a name tells apart; none of them is shown inline but plain text. */
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

/** A file on the disk that is to be told by its bytes. */
export interface SeenFile {
  path: string
  /** Its first bytes; 4 KB are enough. */
  head: Uint8Array
  fileName: string
}

/**
 * The media type of a file: by its first bytes, an archive by what is in it, text by what it says
 * and then by its name. `application/octet-stream` for what is neither known nor text; an empty
 * file is text.
 */
export async function detectType({ path, head, fileName }: SeenFile): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type')
  const known = (await fileTypeFromBuffer(head).catch(() => undefined))?.mime
  if (isArchive(head) && (known === undefined || known === 'application/zip'))
    return detectArchive(path)
  // It calls every `<?xml` XML, and some text by a word that it begins with.
  if (known !== undefined && !isTextual(known)) return known
  const text = decodeText(head)
  if (text === undefined) return known ?? UNKNOWN_TYPE
  const markup = detectMarkup(text.trimStart())
  return markup ?? BY_NAME.get(extensionOf(fileName).slice(1).toLowerCase()) ?? known ?? TEXT
}

/** What a text that may begin with a declaration and comments is to a browser. */
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

/** What follows the first end of something; nothing where it does not end. */
function skipPast(text: string, end: string): string {
  const at = text.indexOf(end)
  return at < 0 ? '' : text.slice(at + end.length).trimStart()
}

const isTextual = (type: string): boolean => type.startsWith('text/') || type.endsWith('xml')

/** The text of the first bytes; undefined where they are none. */
function decodeText(head: Uint8Array): string | undefined {
  const text = tryDecode(head, findEncoding(head)) ?? tryDecode(head, 'windows-1252')
  return text === undefined || CONTROLS.test(text) ? undefined : text
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

function findEncoding(head: Uint8Array): Encoding {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : 'utf-8'
}

/** What no text has: all controls but tab, line ends, form feed and escape. */
const CONTROLS = /[\0-\x08\x0e-\x1a\x1c-\x1f]/

/** The last character may be cut in half. */
function tryDecode(head: Uint8Array, encoding: Encoding): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true })
  } catch {
    return undefined
  }
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

/** Whether a browser may show it in place: raster images, PDF and plain text. */
export const isInline = (type: string): boolean =>
  RASTER.has(type) || type === 'application/pdf' || type === TEXT

/** Whether a type is one of those that a column takes (`application/pdf image/*`); none: any. */
export function isAccepted(type: string, accept: readonly string[]): boolean {
  if (accept.length === 0) return true
  return accept.some((each) => {
    const wanted = each.toLowerCase()
    if (wanted === '*/*' || wanted === type) return true
    return wanted.endsWith('/*') && type.startsWith(wanted.slice(0, -1))
  })
}
