/** Machine-readable symbols, as bars and squares. */
import bwip from 'bwip-js/node'
import type { PrintBarcode } from './document.ts'

/** Dark rectangles of a symbol, in modules; quiet zones are outside. */
export interface BarcodeShape {
  columns: number
  rows: number
  /** Rectangles from the left and the top, with width and height. */
  dark: readonly (readonly [x: number, y: number, width: number, height: number])[]
  /** Modules that stay light on each side. */
  quiet: number
}

const SYMBOLS = { qr: 'qrcode', ean13: 'ean13', ean8: 'ean8', code128: 'code128' } as const
/** ISO/IEC 18004 requires four modules around a QR code, GS1 eleven beside an EAN-13. */
const QUIET = { qr: 4, ean13: 11, ean8: 7, code128: 10 } as const

/** A symbol of the package: runs of bars and gaps, or squares row by row. */
type RawSymbol = { sbs: number[] } | { pixs: number[]; pixx: number; pixy: number }

/** @throws Error for a text that the symbol cannot hold */
export function planBarcode({ type, text }: Pick<PrintBarcode, 'type' | 'text'>): BarcodeShape {
  const options = { bcid: SYMBOLS[type], text, ...(type === 'qr' && { eclevel: 'Q' }) }
  const [symbol] = bwip.raw(options) as unknown as RawSymbol[]
  if (!symbol) throw new Error('The package made no symbol')
  const quiet = QUIET[type]
  if ('sbs' in symbol) return { ...planBars(symbol.sbs), quiet }
  const { pixs, pixx: columns, pixy: rows } = symbol
  return { columns, rows, dark: planSquares(pixs, columns), quiet }
}

/** Bars and gaps in turn, the first one a bar. */
function planBars(runs: readonly number[]): Omit<BarcodeShape, 'quiet'> {
  const dark: [number, number, number, number][] = []
  let x = 0
  for (const [at, width] of runs.entries()) {
    if (at % 2 === 0) dark.push([x, 0, width, 1])
    x += width
  }
  return { columns: x, rows: 1, dark }
}

/** Adjacent squares of a row are one rectangle, so that no seam shows. */
function planSquares(squares: readonly number[], columns: number): BarcodeShape['dark'] {
  const dark: [number, number, number, number][] = []
  for (let at = 0; at < squares.length; at++) {
    if (squares[at] !== 1) continue
    const [x, y] = [at % columns, Math.floor(at / columns)]
    const last = dark.at(-1)
    if (last && last[1] === y && last[0] + last[2] === x) last[2]++
    else dark.push([x, y, 1, 1])
  }
  return dark
}
