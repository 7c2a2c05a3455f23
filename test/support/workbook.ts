/** Small workbooks and archives, part by part, as hostile as a test wants them. */
import { crc32, deflateRawSync } from 'node:zlib'

/** A part of an archive; `claimedBytes` is what the archive says of its size. */
export interface Part {
  name: string
  content: string | Uint8Array
  claimedBytes?: number
  flags?: number
}

/** An archive whose end says that its directory is described at this offset. */
export function farArchive(offset: bigint): Uint8Array<ArrayBuffer> {
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(offset, 8)
  const end = Buffer.alloc(22, 0xff)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(0, 20)
  return new Uint8Array(Buffer.concat([Buffer.alloc(60), locator, end]))
}

/** A zip archive of some parts, packed. */
export function zip(parts: readonly Part[]): Uint8Array<ArrayBuffer> {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, claimedBytes, flags = 0 } of parts) {
    const raw = Buffer.from(content)
    const packed = deflateRawSync(raw)
    const path = Buffer.from(name)
    const sizes = Buffer.alloc(16)
    sizes.writeUInt32LE(crc32(raw), 0)
    sizes.writeUInt32LE(packed.length, 4)
    sizes.writeUInt32LE(claimedBytes ?? raw.length, 8)
    sizes.writeUInt16LE(path.length, 12)
    const local = Buffer.alloc(14)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(20, 4)
    local.writeUInt16LE(flags, 6)
    local.writeUInt16LE(8, 8)
    const central = Buffer.alloc(16)
    central.writeUInt32LE(0x02014b50, 0)
    central.writeUInt16LE(20, 6)
    central.writeUInt16LE(flags, 8)
    central.writeUInt16LE(8, 10)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    bodies.push(local, sizes, path, packed)
    directory.push(central, sizes, rest, path)
    offset += local.length + sizes.length + path.length + packed.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(parts.length, 0xffff), 8)
  end.writeUInt16LE(Math.min(parts.length, 0xffff), 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(offset, 16)
  return new Uint8Array(Buffer.concat([...bodies, list, end]))
}

/** The parts of a workbook; each may be replaced. */
export interface Workbook {
  /** XML inside `sheetData`. */
  rows: string
  /** XML before it. */
  before?: string
  shared?: string
  styles?: string
  workbookPr?: string
  /** Namespaces of the strict form. */
  isStrict?: boolean
  more?: readonly Part[]
}

const TRANSITIONAL = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const STRICT = 'http://purl.oclc.org/ooxml/officeDocument/relationships'

/** A workbook of one sheet. */
export function workbook(book: Workbook): Uint8Array<ArrayBuffer> {
  const { rows, before = '', shared, styles, workbookPr = '', isStrict, more = [] } = book
  const base = isStrict ? STRICT : TRANSITIONAL
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${base}/${type}" Target="${target}"/>`
  const relations =
    relation('r1', 'worksheet', 'worksheets/sheet1.xml') +
    (shared === undefined ? '' : relation('r2', 'sharedStrings', 'sharedStrings.xml')) +
    (styles === undefined ? '' : relation('r3', 'styles', 'styles.xml'))
  return zip([
    {
      name: '_rels/.rels',
      content: `<Relationships>${relation('r', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    },
    {
      name: 'xl/workbook.xml',
      content: `<workbook xmlns:r="${base}">${workbookPr}<sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: `<Relationships>${relations}</Relationships>`,
    },
    {
      name: 'xl/worksheets/sheet1.xml',
      content: `<worksheet>${before}<sheetData>${rows}</sheetData></worksheet>`,
    },
    ...(shared === undefined ? [] : [{ name: 'xl/sharedStrings.xml', content: shared }]),
    ...(styles === undefined ? [] : [{ name: 'xl/styles.xml', content: styles }]),
    ...more,
  ])
}

/** A row of texts written into its cells. */
export const textRow = (...texts: string[]): string =>
  `<row>${texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`
