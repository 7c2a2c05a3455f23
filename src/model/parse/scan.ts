/**
 * Reads the elements of a well-formed XML text that has no DOCTYPE, with the offset of each thing.
 */

/** An attribute: its decoded value, and the offset of its name. */
interface ScannedAttribute {
  name: string
  value: string
  at: number
}

/** An element with offsets into the source: `[start, end)` is its verbatim text. */
export interface ScannedElement {
  name: string
  start: number
  end: number
  attributes: ScannedAttribute[]
  children: ScannedElement[]
  /** Text and CDATA of the element itself, concatenated. */
  text: string
  /** Offset of its text; undefined when it has none. */
  textAt: number | undefined
  depth: number
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
}

/**
 * The root element. The source must be well-formed and without DOCTYPE: libxml2 has seen to that.
 * @throws Error where an element of another text does not end
 */
export function scanElements(source: string): ScannedElement {
  const outer = newElement('', 0, 0)
  const open: ScannedElement[] = [outer]
  let at = source.charCodeAt(0) === 0xfeff ? 1 : 0
  while (at < source.length) {
    const current = open[open.length - 1] ?? outer
    const next = source.indexOf('<', at)
    addText(current, source, at, next < 0 ? source.length : next)
    if (next < 0) break
    at = scanMarkup(source, next, open, current)
  }
  const root = outer.children[0]
  if (!root) throw new Error('The text has no root element')
  return root
}

/** Scans what begins with `<` at `at`; the offset after it. */
function scanMarkup(
  source: string,
  at: number,
  open: ScannedElement[],
  current: ScannedElement,
): number {
  if (source.startsWith('<!--', at)) return after(source, '-->', at + 4)
  if (source.startsWith('<?', at)) return after(source, '?>', at + 2)
  if (source.startsWith('<![CDATA[', at)) {
    const end = after(source, ']]>', at + 9)
    current.textAt ??= at + 9
    current.text += normalize(source.slice(at + 9, end - 3))
    return end
  }
  if (source.startsWith('</', at)) {
    current.end = after(source, '>', at)
    open.pop()
    return current.end
  }
  return scanStartTag(source, at, open, current)
}

function scanStartTag(
  source: string,
  at: number,
  open: ScannedElement[],
  parent: ScannedElement,
): number {
  const nameEnd = endOf(source, at + 1, /[\s/>]/g)
  const element = newElement(source.slice(at + 1, nameEnd), at, parent.depth + 1)
  parent.children.push(element)
  let position = endOf(source, nameEnd, /\S/g)
  while (source[position] !== '>' && source[position] !== '/') {
    const equals = find(source, '=', position)
    const quoteAt = endOf(source, equals + 1, /\S/g)
    const close = find(source, source[quoteAt] ?? '"', quoteAt + 1)
    element.attributes.push({
      name: source.slice(position, equals).trimEnd(),
      value: decode(normalize(source.slice(quoteAt + 1, close)).replace(/[\t\n]/g, ' ')),
      at: position,
    })
    position = endOf(source, close + 1, /\S/g)
  }
  const isEmpty = source[position] === '/'
  element.end = position + (isEmpty ? 2 : 1)
  if (!isEmpty) open.push(element)
  return element.end
}

function newElement(name: string, start: number, depth: number): ScannedElement {
  return {
    name,
    start,
    end: start,
    attributes: [],
    children: [],
    text: '',
    textAt: undefined,
    depth,
  }
}

function addText(element: ScannedElement, source: string, from: number, to: number): void {
  if (from === to) return
  element.textAt ??= from
  element.text += decode(normalize(source.slice(from, to)))
}

function after(source: string, mark: string, from: number): number {
  return find(source, mark, from) + mark.length
}

function find(source: string, mark: string, from: number): number {
  const at = source.indexOf(mark, from)
  if (at < 0) throw new Error(`The text is not well-formed: no ${mark} follows`)
  return at
}

/** The first offset from `from` on at which the global expression matches. */
function endOf(source: string, from: number, expression: RegExp): number {
  expression.lastIndex = from
  return expression.exec(source)?.index ?? source.length
}

/** XML 1.0, 2.11: every line ends with a line feed alone. */
function normalize(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

function decode(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(#x[0-9A-Fa-f]+|#[0-9]+|\w+);/g, (whole, name: string) => {
    if (name.startsWith('#x')) return String.fromCodePoint(parseInt(name.slice(2), 16))
    if (name.startsWith('#')) return String.fromCodePoint(parseInt(name.slice(1), 10))
    return ENTITIES[name] ?? whole
  })
}
