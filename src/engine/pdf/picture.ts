/**
 * Checks that a picture is whole. The package that puts pictures into a file decodes some of them
 * later and by itself, where a fault ends the helper; others it copies as they are.
 */
import { crc32, inflateSync } from 'node:zlib'

/** Most squares of a picture; larger ones cost more memory and time than a helper has. */
const SQUARES_MAX = 16 * 1024 * 1024

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const JPEG = Buffer.from([0xff, 0xd8, 0xff])
const JPEG_END = Buffer.from([0xff, 0xd9])
const CHUNK_FRAME_BYTES = 12
/** Values of a square by the kind of colour: grey, RGB, palette, grey and RGB with alpha. */
const CHANNELS: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
])
const FILTERS_MAX = 4
/** First square and step of each of the passes of an interlaced picture, across and down. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

/** A PNG that can be decoded to its end, or a JPEG that has its end; neither is too large. */
export function isWholePicture(bytes: Buffer): boolean {
  if (bytes.subarray(0, PNG.length).equals(PNG)) return isWholePng(bytes)
  if (!bytes.subarray(0, JPEG.length).equals(JPEG)) return false
  return bytes.lastIndexOf(JPEG_END) > JPEG.length
}

function isWholePng(bytes: Buffer): boolean {
  const chunks = readChunks(bytes)
  const [head] = chunks ?? []
  if (!chunks || head?.name !== 'IHDR' || head.content.length !== 13) return false
  if (chunks.at(-1)?.name !== 'IEND') return false
  const lines = planLines(head.content)
  const packed = chunks.filter(({ name }) => name === 'IDAT').map(({ content }) => content)
  return lines !== undefined && hasLines(Buffer.concat(packed), lines)
}

/** Reads chunks to the end of the picture; undefined where one is cut or has a wrong checksum. */
function readChunks(bytes: Buffer): { name: string; content: Buffer }[] | undefined {
  const chunks: { name: string; content: Buffer }[] = []
  for (let at = PNG.length; at + CHUNK_FRAME_BYTES <= bytes.length;) {
    const end = at + 8 + bytes.readUInt32BE(at)
    if (end + 4 > bytes.length) return undefined
    const body = bytes.subarray(at + 4, end)
    if (crc32(body) !== bytes.readUInt32BE(end)) return undefined
    const name = body.toString('latin1', 0, 4)
    chunks.push({ name, content: body.subarray(4) })
    if (name === 'IEND') break
    at = end + 4
  }
  return chunks
}

/** Bytes of each line, including one for its filter; undefined if this is not a picture. */
function planLines(head: Buffer): { bytes: number; count: number }[] | undefined {
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)]
  const [depth = 0, kind = 0, , , interlace = 0] = head.subarray(8)
  const channels = CHANNELS.get(kind)
  if (channels === undefined || ![1, 2, 4, 8, 16].includes(depth)) return undefined
  if (width === 0 || height === 0 || width * height > SQUARES_MAX) return undefined
  return (interlace === 1 ? PASSES : [[0, 0, 1, 1] as const])
    .map(([x, y, stepX, stepY]) => ({
      columns: Math.ceil((width - x) / stepX),
      count: Math.ceil((height - y) / stepY),
    }))
    .filter(({ columns, count }) => columns > 0 && count > 0)
    .map(({ columns, count }) => ({
      bytes: 1 + Math.ceil((columns * channels * depth) / 8),
      count,
    }))
}

/** Tells whether compressed squares are exactly these lines, each by a filter that exists. */
function hasLines(packed: Buffer, lines: readonly { bytes: number; count: number }[]): boolean {
  const size = lines.reduce((sum, { bytes, count }) => sum + bytes * count, 0)
  const squares = unpack(packed, size)
  if (squares?.length !== size) return false
  let at = 0
  for (const { bytes, count } of lines)
    for (let line = 0; line < count; line++, at += bytes)
      if ((squares[at] ?? 0) > FILTERS_MAX) return false
  return true
}

function unpack(packed: Buffer, size: number): Buffer | undefined {
  try {
    return inflateSync(packed, { maxOutputLength: size })
  } catch {
    // Squares that cannot be unpacked are not a picture.
    return undefined
  }
}
