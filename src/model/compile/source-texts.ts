/** Place of a character of a decoded text or attribute in its file: looked up for faults only. */
import type { Script } from '../compiled/script.ts'
import type { Element, Place } from '../parse/element.ts'
import { scanElements, type ScannedElement } from '../parse/scan.ts'

const CDATA = '<![CDATA['
const ENTITY = /&(?:#x([0-9A-Fa-f]+)|#([0-9]+)|\w+);/y

/** The sources of a model's scripts; each is scanned when its first fault is placed. */
export class SourceTexts {
  readonly #scripts: readonly Script[]
  readonly #scanned = new Map<Script, Map<string, ScannedElement>>()
  #owners: Map<Element, Script> | undefined

  constructor(scripts: readonly Script[]) {
    this.#scripts = scripts
  }

  /**
   * The place of the character at `offset` of an element's text; the element's own when it has
   * none.
   */
  placeInText(element: Element, offset: number): Place {
    const script = this.#scriptOf(element)
    const scanned = script && this.#find(script, element)
    if (!script || scanned?.textAt === undefined) return element.place
    const isCdata = script.body.endsWith(CDATA, scanned.textAt) && scanned.textAt >= CDATA.length
    const from = isCdata ? scanned.textAt - CDATA.length : scanned.textAt
    return placeOf(script, walkDecoded(script.body, from, offset))
  }

  /** The place of the character at `offset` of an attribute's value. */
  placeInAttribute(element: Element, name: string, offset: number): Place {
    const script = this.#scriptOf(element)
    const scanned = script && this.#find(script, element)
    const attribute = scanned?.attributes.find((candidate) => candidate.name === name)
    if (!script || !attribute) return element.place
    const equals = script.body.indexOf('=', attribute.at)
    const quote = script.body.slice(equals).search(/["']/)
    return placeOf(script, walkDecoded(script.body, equals + quote + 1, offset))
  }

  /** The script that holds an element: all are walked once, when the first fault is placed. */
  #scriptOf(element: Element): Script | undefined {
    if (!this.#owners) {
      this.#owners = new Map()
      for (const script of this.#scripts) own(script, script.element, this.#owners)
    }
    return this.#owners.get(element)
  }

  #find(script: Script, element: Element): ScannedElement | undefined {
    let scanned = this.#scanned.get(script)
    if (!scanned) {
      scanned = new Map()
      collect(script, scanElements(script.body), scanned)
      this.#scanned.set(script, scanned)
    }
    return scanned.get(`${element.place.line}:${element.place.column}`)
  }
}

function own(script: Script, element: Element, owners: Map<Element, Script>): void {
  owners.set(element, script)
  for (const child of element.children) own(script, child, owners)
}

function collect(script: Script, node: ScannedElement, into: Map<string, ScannedElement>): void {
  const { line, column } = placeOf(script, node.start)
  into.set(`${line}:${column}`, node)
  for (const child of node.children) collect(script, child, into)
}

/** The place of an offset of the body, which is a whole file or the script's own part of it. */
function placeOf(script: Script, offset: number): Place {
  const start = script.element.place
  const isPart = script.body.startsWith(`<${script.element.name}`)
  const before = script.body.slice(0, offset).split('\n')
  const lines = before.length - 1
  const column = (before[lines] ?? '').length + 1
  return {
    file: start.file,
    line: lines + (isPart ? start.line : 1),
    column: column + (isPart && lines === 0 ? start.column - 1 : 0),
  }
}

/** The source offset at which `count` decoded characters have passed since `from`. */
function walkDecoded(source: string, from: number, count: number): number {
  let at = from
  let isCdata = false
  for (let left = count; at < source.length;) {
    const skipped = isCdata ? skipPast(source, at, ']]>') : skipMarkup(source, at)
    if (skipped > at) {
      isCdata = !isCdata && source.startsWith(CDATA, at)
      at = skipped
      continue
    }
    if (left <= 0) break
    const [length, characters] = measure(source, at, isCdata)
    at += length
    left -= characters
  }
  return at
}

function skipPast(source: string, at: number, mark: string): number {
  return source.startsWith(mark, at) ? at + mark.length : at
}

/**
 * Returns the offset after markup at `at`: the opening of CDATA, a comment, an instruction, an
 * element.
 */
function skipMarkup(source: string, at: number): number {
  if (source.startsWith(CDATA, at)) return at + CDATA.length
  if (source.startsWith('<!--', at)) return source.indexOf('-->', at) + 3
  if (source.startsWith('<?', at)) return source.indexOf('?>', at) + 2
  if (source[at] !== '<' || source[at + 1] === '/') return at
  const child = scanElements(source.slice(at))
  return at + child.end
}

/** Length in the source and in the decoded text of the character at `at`. */
function measure(source: string, at: number, isCdata: boolean): [number, number] {
  if (source.startsWith('\r\n', at)) return [2, 1]
  if (isCdata || source[at] !== '&') return [1, 1]
  ENTITY.lastIndex = at
  const match = ENTITY.exec(source)
  if (!match) return [1, 1]
  const [whole, hex, decimal] = match
  const code = hex ? parseInt(hex, 16) : Number(decimal ?? 0)
  return [whole.length, code > 0xffff ? 2 : 1]
}
