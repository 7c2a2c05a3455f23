/** Pictures for documents, whole and broken. */
import { crc32, deflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Parts of a PNG; its squares are dark. */
export interface Picture {
  width: number
  height: number
  /** Each square says how much of it is seen. */
  hasAlpha?: boolean
  /** Its squares come in seven passes. */
  isInterlaced?: boolean
  /** Put in place of the compressed squares. */
  data?: Uint8Array
}

/** A PNG of eight bits a colour. */
export function drawPng({ width, height, data, ...kind }: Picture): Buffer {
  const { hasAlpha = false, isInterlaced = false } = kind
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, hasAlpha ? 6 : 2, 0, 0, Number(isInterlaced)], 8)
  const lines = isInterlaced ? countInterlaced(width, height) : height
  const size = data ? 0 : lines + width * height * (hasAlpha ? 4 : 3)
  return Buffer.concat([
    ...[SIGNATURE, chunk('IHDR', head), chunk('IDAT', data ?? deflateSync(Buffer.alloc(size)))],
    chunk('IEND', new Uint8Array()),
  ])
}

/** The pass of each square of eight by eight, as the standard draws them. */
const PASSES = ['16462646', '77777777', '56565656', '77777777', '36463646', '77777777', '56565656']

/** Lines of all passes: a line of the picture is one in each pass that has a square of it. */
function countInterlaced(width: number, height: number): number {
  const line = (y: number): string => (PASSES[y % 8] ?? '77777777').slice(0, width)
  return Array.from({ length: height }, (_, y) => new Set(line(y)).size).reduce((a, b) => a + b, 0)
}

function chunk(name: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name), content])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(content.length, 0)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}
