/**
 * The packages that draw charts and bar codes, loaded for the first document that has one: they
 * take longer to load than most documents take to draw.
 */
import type { PrintBlock } from './document.ts'

type Charts = typeof import('./chart/plan-chart.ts')
type Barcodes = typeof import('./barcode.ts')

let charts: Charts | undefined
let barcodes: Barcodes | undefined

/** Loads the packages that draw these blocks, and the blocks within them. */
export async function loadTools(blocks: readonly PrintBlock[]): Promise<void> {
  for (const block of blocks) {
    if (block.kind === 'chart') charts ??= await import('./chart/plan-chart.ts')
    else if (block.kind === 'barcode') barcodes ??= await import('./barcode.ts')
    else if (block.kind === 'columns')
      for (const { blocks: inner } of block.cells) await loadTools(inner)
  }
}

/** The tools that draw charts. @throws Error unless `loadTools` has met one */
export function findCharts(): Charts {
  if (!charts) throw new Error('Charts are drawn before they were loaded')
  return charts
}

/** The tools that draw bar codes. @throws Error unless `loadTools` has met one */
export function findBarcodes(): Barcodes {
  if (!barcodes) throw new Error('Bar codes are drawn before they were loaded')
  return barcodes
}
