/** The parts of a workbook around its sheets: their list, dates, shared texts. */
import { UnreadableSheet } from './format.ts'
import { BUILT_IN_SHAPES, findShape } from './shown-numbers.ts'
import { ElementFinder, listTags, readRuns } from './xlsx-markup.ts'
import type { ZipReader } from './zip-reader.ts'

const PART_CHARS_MAX = 16 * 1024 * 1024
const SHARED_CHARS_MAX = 512 * 1024 * 1024
/** Most characters of a shared text; a longer one is not read. */
const ITEM_CHARS_MAX = 4 * 1024 * 1024

/** How a number is shown: as a day, a time of day, both, or a number. */
export type Shown = 'date' | 'time' | 'both' | 'number'

export interface Book {
  /** The visible sheets, in their order. */
  sheets: readonly { part: string; name: string }[]
  /** Days are counted from 1904. */
  is1904: boolean
  /** Display of numbers by the number of a cell's style. */
  shown: readonly Shown[]
  /** Formats that shape digits (`00000`), likewise. */
  shapes: readonly (string | undefined)[]
  shared: readonly string[]
}

/** @throws UnreadableSheet for a file that is not a workbook. */
export async function readBook(zip: ZipReader): Promise<Book> {
  const workbookPart = await findWorkbook(zip)
  const workbook = await zip.text(workbookPart, PART_CHARS_MAX)
  if (!/<(?:[\w.-]+:)?workbook[\s>]/.test(workbook)) throw new UnreadableSheet('unreadable')
  const relations = await readRelations(zip, workbookPart)
  const sheets: { part: string; name: string }[] = []
  for (const tag of listTags(workbook, 'sheet')) {
    const part = relations.byId.get(tag.get('id') ?? '')
    const isVisible = (tag.get('state') ?? 'visible') === 'visible'
    if (part !== undefined && isVisible) sheets.push({ part, name: tag.get('name') ?? '' })
  }
  if (!sheets.some(({ part }) => zip.has(part))) throw new UnreadableSheet('unreadable')
  const properties = listTags(workbook, 'workbookPr').next().value
  const flag = properties?.get('date1904')
  return {
    sheets,
    is1904: flag === '1' || flag === 'true',
    ...readFormats(await zip.text(relations.styles ?? '', PART_CHARS_MAX)),
    shared: relations.shared === undefined ? [] : await readShared(zip, relations.shared),
  }
}

async function findWorkbook(zip: ZipReader): Promise<string> {
  const root = await zip.text('_rels/.rels', PART_CHARS_MAX)
  for (const tag of listTags(root, 'Relationship')) {
    if (tag.get('Type')?.endsWith('/officeDocument')) return toPart('', tag.get('Target') ?? '')
  }
  return 'xl/workbook.xml'
}

interface Relations {
  byId: ReadonlyMap<string, string>
  styles: string | undefined
  shared: string | undefined
}

async function readRelations(zip: ZipReader, part: string): Promise<Relations> {
  const slash = part.lastIndexOf('/') + 1
  const [folder, name] = [part.slice(0, slash), part.slice(slash)]
  const xml = await zip.text(`${folder}_rels/${name}.rels`, PART_CHARS_MAX)
  const byId = new Map<string, string>()
  const byKind = new Map<string, string>()
  for (const tag of listTags(xml, 'Relationship')) {
    const target = toPart(folder, tag.get('Target') ?? '')
    byId.set(tag.get('Id') ?? '', target)
    byKind.set(tag.get('Type')?.split('/').at(-1) ?? '', target)
  }
  return { byId, styles: byKind.get('styles'), shared: byKind.get('sharedStrings') }
}

/** A target is meant from the folder of the part that names it. */
function toPart(folder: string, target: string): string {
  if (target.startsWith('/')) return target.slice(1)
  const steps = (folder + target).split('/')
  const path: string[] = []
  for (const step of steps) {
    if (step === '..') path.pop()
    else if (step !== '.' && step !== '') path.push(step)
  }
  return path.join('/')
}

/** Formats that every workbook has by number. */
const DATES = new Set([14, 15, 16, 17, ...range(27, 31), 34, 35, 36, ...range(50, 54), 57, 58])
const TIMES = new Set([18, 19, 20, 21, 32, 33, 45, 46, 47, 55, 56])

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
}

function readFormats(styles: string): Pick<Book, 'shown' | 'shapes'> {
  const own = new Map<number, { shown: Shown; shape: string | undefined }>()
  for (const tag of listTags(styles, 'numFmt')) {
    const code = tag.get('formatCode') ?? ''
    const shape = findShape(code) === undefined ? undefined : code
    own.set(Number(tag.get('numFmtId')), { shown: findShown(code), shape })
  }
  const cells = new ElementFinder('cellXfs').first(styles)?.content ?? ''
  const ids = [...listTags(cells, 'xf')].map((tag) => Number(tag.get('numFmtId') ?? 0))
  const shown = ids.map((id): Shown => {
    if (id === 22) return 'both'
    return own.get(id)?.shown ?? (DATES.has(id) ? 'date' : TIMES.has(id) ? 'time' : 'number')
  })
  const shapes = ids.map((id) => (own.get(id) ?? { shape: BUILT_IN_SHAPES.get(id) }).shape)
  return { shown, shapes }
}

/** Finds what a format's code shows, leaving out quoted parts, colours and conditions. */
export function findShown(code: string): Shown {
  const plain = code
    .slice(0, 500)
    .replace(/"[^"]*"|\\.|_.|\*./g, '')
    .replace(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '')
    .toLowerCase()
  if (/general|[#0?]\s*[.,%]|e\+/.test(plain.replace(/s\.0+/g, 's'))) return 'number'
  const hasTime = /h|s|am\/pm/.test(plain)
  const hasDay = /[yd]|(?<![hs:\s]\s*)m{3,}|^m+$/.test(plain)
  if (hasTime) return hasDay ? 'both' : 'time'
  return hasDay || /m/.test(plain) ? 'date' : 'number'
}

const ITEMS = new ElementFinder('si')

async function readShared(zip: ZipReader, part: string): Promise<string[]> {
  const texts: string[] = []
  let rest = ''
  let chars = 0
  for await (const piece of zip.pieces(part)) {
    rest += piece
    let done = 0
    for (const { content, end } of ITEMS.list(rest)) {
      const text = readRuns(content)
      chars += text.length + 16
      texts.push(text)
      done = end
    }
    if (done > 0) rest = rest.slice(done)
    if (rest.length > ITEM_CHARS_MAX || chars > SHARED_CHARS_MAX) throw new UnreadableSheet('bomb')
  }
  return texts
}
