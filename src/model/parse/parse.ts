/** From a model file to its scripts: well-formed, valid by `model.xsd`, or a list of faults. */
import { Yielder } from '../../kernel/yielder.ts'
import {
  type FaultyScript,
  findScriptType,
  nameOfScript,
  scanFaulty,
} from '../compile/faulty-scripts.ts'
import { type Script, SCRIPT_TYPES, type ScriptType } from '../compiled/script.ts'
import type { Diagnostic, Element, Place } from './element.ts'
import { explainXmlFault, type Libxml, loadLibxml } from './libxml.ts'
import { scanElements, type ScannedElement } from './scan.ts'
import { findSchemaFaults, type OffsetFault } from './validate.ts'

/** A model file as it was read from the disk or a request. */
export interface ModelFile {
  name: string
  body: string
}

export interface ParsedFile {
  /** The file's scripts without a fault, in document order. */
  scripts: Script[]
  faults: Diagnostic[]
  /** Other scripts of the file, which have faults. */
  faulty: FaultyScript[]
}

/** Parses files one after another, in turns of the event loop; see `parseModelFile`. */
export async function parseModelFiles(files: readonly ModelFile[]): Promise<ParsedFile[]> {
  const yielder = new Yielder()
  const parsed: ParsedFile[] = []
  for (const file of files) {
    parsed.push(await parseModelFile(file, yielder))
    await yielder.yieldWhenDue()
  }
  return parsed
}

/** The most bytes of a model file, in UTF-8: 4 MB. */
export const MODEL_FILE_BYTES_MAX = 4 * 1024 * 1024

/** The deepest nesting of elements. */
const MODEL_DEPTH_MAX = 64

/**
 * Parses and validates one file, and reports all its faults, each with line and column. A child of
 * `<Model>` is a script of its own, whose body is its own verbatim text, and which has its own
 * faults. Never throws for the content of the file.
 */
export async function parseModelFile(
  file: ModelFile,
  yielder = new Yielder(),
): Promise<ParsedFile> {
  const refusal = refuse(file.body)
  const lines = new LineTable(file.name, file.body)
  const unread = (): FaultyScript[] => scanFaulty(file.body, file.name)
  if (refusal) return { scripts: [], faults: [lines.fault(refusal)], faulty: unread() }
  const libxml = await loadLibxml()
  const malformed = findMalformed(file, libxml)
  if (malformed.length > 0) return { scripts: [], faults: malformed, faulty: unread() }
  await yielder.yieldWhenDue()
  const root = scanElements(file.body)
  const deep = findDeep(root)
  if (deep) return { scripts: [], faults: [lines.fault(deep)], faulty: unread() }
  await yielder.yieldWhenDue()
  const isModel = root.name === 'Model'
  const scanned = isModel ? root.children : [root]
  const found = findSchemaFaults(file.body, root, libxml.validate)
  const offsets = [...found, ...(found.length === 0 ? findRepeated(scanned) : [])]
  // A fault outside of every script is a fault of the whole file.
  const isWhole = offsets.some(({ at }) => !scanned.some((each) => holds(each, at)))
  const isFaulty = (element: ScannedElement): boolean =>
    isWhole || offsets.some(({ at }) => holds(element, at))
  const scripts: Script[] = []
  for (const element of scanned.filter((each) => !isFaulty(each))) {
    const body = isModel ? file.body.slice(element.start, element.end) : file.body
    scripts.push(toScript(element, body, lines))
    await yielder.yieldWhenDue()
  }
  const faulty = scanned.filter(isFaulty).flatMap((element) => toFaulty(element, lines))
  return { scripts, faults: offsets.map((each) => lines.fault(each)), faulty }
}

const holds = ({ start, end }: ScannedElement, at: number): boolean => start <= at && at < end

function toFaulty(scanned: ScannedElement, lines: LineTable): FaultyScript[] {
  const type = findScriptType(scanned.name)
  return type ? [{ type, name: scriptName(scanned), element: toElement(scanned, lines) }] : []
}

/** MD5 in lower-case hexadecimal of a verbatim body (src/server/README.md, Model catalog). */
export function hashBody(body: string): string {
  return new Bun.CryptoHasher('md5').update(body).digest('hex')
}

/** True when a text is no larger than a model file may be. */
export const isWithinLimit = (body: string): boolean =>
  Buffer.byteLength(body) <= MODEL_FILE_BYTES_MAX

/** Refuses a text before libxml2 sees it: by size, emptiness or a DOCTYPE. */
function refuse(body: string): OffsetFault | undefined {
  if (!isWithinLimit(body)) {
    return { at: 0, message: `The file is over ${MODEL_FILE_BYTES_MAX / 1024 / 1024} MB` }
  }
  if (body.trim() === '') return { at: 0, message: 'The file is empty' }
  const at = findDoctype(body)
  return at === undefined ? undefined : { at, message: 'A DOCTYPE is not allowed' }
}

/** Finds the offset of a DOCTYPE in the prolog, the only place where it may be. */
function findDoctype(body: string): number | undefined {
  const blanks = /[\s\uFEFF]*/y
  for (;;) {
    blanks.test(body)
    const at = blanks.lastIndex
    const close = body.startsWith('<!--', at) ? '-->' : body.startsWith('<?', at) ? '?>' : undefined
    if (close === undefined) return /^<!doctype/i.test(body.slice(at, at + 9)) ? at : undefined
    const end = body.indexOf(close, at + 2)
    if (end < 0) return undefined
    blanks.lastIndex = end + close.length
  }
}

/** libxml2's complaints, one a place: what follows a first one there is its echo. */
function findMalformed(file: ModelFile, libxml: Libxml): Diagnostic[] {
  const faults = new Map<string, Diagnostic>()
  for (const { message, line, column } of libxml.parse(file.body)) {
    const place: Place = { file: file.name, line, column }
    const key = `${line}:${column}`
    if (!faults.has(key)) faults.set(key, { place, message: explainXmlFault(message) })
  }
  return [...faults.values()]
}

function findDeep(root: ScannedElement): OffsetFault | undefined {
  const waiting = [root]
  for (let element = waiting.pop(); element; element = waiting.pop()) {
    if (element.depth > MODEL_DEPTH_MAX) {
      return { at: element.start, message: `Elements are nested deeper than ${MODEL_DEPTH_MAX}` }
    }
    waiting.push(...element.children)
  }
  return undefined
}

/** Names are unique a type. */
function findRepeated(elements: readonly ScannedElement[]): OffsetFault[] {
  const faults: OffsetFault[] = []
  const taken = new Set<string>()
  for (const element of elements) {
    const name = scriptName(element)
    const key = `${element.name}:${name}`
    if (taken.has(key)) {
      faults.push({ at: element.start, message: `A second ${element.name} '${name}'` })
    }
    taken.add(key)
  }
  return faults
}

const scriptName = ({ name, attributes }: ScannedElement): string =>
  nameOfScript(name, (key) => attributes.find((each) => each.name === key)?.value)

function toScript(element: ScannedElement, body: string, lines: LineTable): Script {
  const type = SCRIPT_TYPES.find((each): each is ScriptType => each === element.name)
  if (!type) throw new Error(`'${element.name}' is not a type of script`)
  return {
    type,
    name: scriptName(element),
    fileName: lines.file,
    body,
    versionHash: hashBody(body),
    element: toElement(element, lines),
  }
}

/** Builds an element of a valid text, with its children from `toChild`. */
export function toElement(
  scanned: ScannedElement,
  lines: LineTable,
  toChild = (child: ScannedElement, _at: number): Element => toElement(child, lines),
): Element {
  const own = scanned.attributes.filter(({ name }) => !/^xmlns|:/.test(name))
  return {
    name: scanned.name,
    attributes: Object.fromEntries(own.map(({ name, value }) => [name, value])),
    children: scanned.children.map(toChild),
    text: scanned.text,
    place: lines.place(scanned.start),
    attributePlaces: Object.fromEntries(own.map(({ name, at }) => [name, lines.place(at)])),
  }
}

/** Offsets to lines and columns, which begin at 1; a column counts UTF-16 units, as editors do. */
export class LineTable {
  readonly file: string
  readonly #starts: number[] = [0]

  constructor(file: string, source: string) {
    this.file = file
    for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) {
      this.#starts.push(at + 1)
    }
  }

  place(offset: number): Place {
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { file: this.file, line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 }
  }

  fault({ at, message }: OffsetFault): Diagnostic {
    return { place: this.place(at), message }
  }
}
