/** The XML that reading a workbook needs, with any prefixes. */

/** Matches from the start of a word; a long word would otherwise be tried from each letter. */
const ATTRIBUTE = /(?<![\w.-])([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/** Attributes of a tag, without their prefixes. */
export function readAttributes(tag: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const match of tag.matchAll(ATTRIBUTE)) {
    found.set(match[1] ?? '', decodeText(match[2] ?? match[3] ?? ''))
  }
  return found
}

/** Attributes of every tag of a name, in order. */
export function* listTags(xml: string, name: string): Generator<Map<string, string>> {
  const tags = new RegExp(`<(?:[\\w.-]+:)?${name}(?=[\\s/>])([^<>]*)>`, 'g')
  for (const match of xml.matchAll(tags)) yield readAttributes(match[1] ?? '')
}

/** An element with its content, unchanged. */
interface MarkupElement {
  attributes: string
  content: string
  start: number
  end: number
}

/** Finds whole elements of one name, none of which holds another, in time linear in the text. */
export class ElementFinder {
  readonly #open: RegExp
  readonly #close: RegExp

  constructor(name: string) {
    this.#open = new RegExp(`<(?:[\\w.-]+:)?(?:${name})(?=[\\s/>])([^<>]*)>`, 'g')
    this.#close = new RegExp(`</(?:[\\w.-]+:)?(?:${name})\\s*>`, 'g')
  }

  /** The elements that end in the text; one that does not end stops the search. */
  *list(xml: string): Generator<MarkupElement> {
    for (let at = 0; ;) {
      this.#open.lastIndex = at
      const open = this.#open.exec(xml)
      if (!open) return
      const attributes = open[1] ?? ''
      at = open.index + open[0].length
      if (attributes.endsWith('/')) {
        yield { attributes: attributes.slice(0, -1), content: '', start: open.index, end: at }
        continue
      }
      this.#close.lastIndex = at
      const close = this.#close.exec(xml)
      if (!close) return
      const content = xml.slice(at, close.index)
      at = close.index + close[0].length
      yield { attributes, content, start: open.index, end: at }
    }
  }

  first(xml: string): MarkupElement | undefined {
    const found = this.list(xml).next()
    return found.done ? undefined : found.value
  }
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

/** Text with its references replaced; no entities are declared here. */
export function decodeText(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return NAMED.get(name) ?? whole
    const isHex = name[1] === 'x' || name[1] === 'X'
    const code = isHex ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })
}

const TEXTS = new ElementFinder('t')
const PHONETICS = new ElementFinder('rPh')

/** The text of a cell: its runs one after another, without their phonetic texts. */
export function readRuns(xml: string): string {
  let text = ''
  for (const { content } of TEXTS.list(withoutPhonetics(xml))) text += content
  return decodeEscapes(decodeText(text.replaceAll('\r\n', '\n')))
}

function withoutPhonetics(xml: string): string {
  if (!xml.includes('rPh')) return xml
  let text = ''
  let done = 0
  for (const { start, end } of PHONETICS.list(xml)) {
    text += xml.slice(done, start)
    done = end
  }
  return text + xml.slice(done)
}

/** Characters that XML cannot hold, as spreadsheets write them (`_x000D_`). */
const decodeEscapes = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text
