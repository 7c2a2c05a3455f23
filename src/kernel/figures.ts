/**
 * Figures of the running process for operators. A hot path adds to plain numbers; names, labels
 * and text are made for the caller who asks.
 */

/** Labels of a series; their values are words of ours, never of a user, a company or a record. */
export type Labels = Readonly<Record<string, string>>

/** One series of a counter or a gauge. */
export interface Sample {
  readonly labels?: Labels
  readonly value: number
}

/** One series of a histogram. */
interface HistogramSample {
  readonly labels?: Labels
  readonly histogram: Histogram
}

/** A figure with all of its series; names have base units: `_seconds`, `_bytes`, `_total`. */
export type Figure = { readonly name: string; readonly help: string } & (
  | { readonly kind: 'counter' | 'gauge'; readonly samples: readonly Sample[] }
  | { readonly kind: 'histogram'; readonly samples: readonly HistogramSample[] }
)

/** Lists figures as they are now. */
export type ListFigures = () => readonly Figure[] | Promise<readonly Figure[]>

/** Bounds of durations, in seconds. */
export const SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10] as const

/** Counts of values up to each of a few bounds, with their sum. */
export class Histogram {
  readonly bounds: readonly number[]
  /** Values of each span between two bounds; the last ones are above all of them. */
  readonly counts: number[]
  sum = 0
  count = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  observe(value: number): void {
    let at = 0
    while (at < this.bounds.length && value > (this.bounds[at] ?? 0)) at++
    this.counts[at] = (this.counts[at] ?? 0) + 1
    this.sum += value
    this.count++
  }
}

/** A figure that only rises, with one series. */
export const counter = (name: string, help: string, value: number, labels?: Labels): Figure => ({
  name,
  help,
  kind: 'counter',
  samples: [{ value, ...(labels && { labels }) }],
})

/** A figure that rises and falls, with one series. */
export const gauge = (name: string, help: string, value: number, labels?: Labels): Figure => ({
  name,
  help,
  kind: 'gauge',
  samples: [{ value, ...(labels && { labels }) }],
})

/** A histogram with one series. */
export const histogramOf = (
  name: string,
  help: string,
  histogram: Histogram,
  labels?: Labels,
): Figure => ({
  name,
  help,
  kind: 'histogram',
  samples: [{ histogram, ...(labels && { labels }) }],
})

/** Joins figures of one name, each from another place, in the order of their first ones. */
export function joinFigures(figures: readonly Figure[]): Figure[] {
  const byName = new Map<string, Figure>()
  for (const figure of figures) {
    const known = byName.get(figure.name)
    byName.set(figure.name, known ? merge(known, figure) : figure)
  }
  return [...byName.values()]
}

function merge(known: Figure, more: Figure): Figure {
  if (known.kind === 'histogram' && more.kind === 'histogram')
    return { ...known, samples: [...known.samples, ...more.samples] }
  if (known.kind !== 'histogram' && more.kind === known.kind)
    return { ...known, samples: [...known.samples, ...more.samples] }
  throw new Error(`The figure ${known.name} has two kinds`)
}

/** Media type of the Prometheus text format. */
export const FIGURES_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Writes figures in the Prometheus text format 0.0.4, each with its help and its kind. */
export function printFigures(figures: readonly Figure[]): string {
  let text = ''
  for (const figure of figures) {
    const { name, help, kind } = figure
    text += `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${kind}\n`
    if (figure.kind === 'histogram')
      for (const { labels, histogram } of figure.samples)
        text += printHistogram(name, labels, histogram)
    else
      for (const { labels, value } of figure.samples)
        text += `${name}${printLabels(labels)} ${printNumber(value)}\n`
  }
  return text
}

function printHistogram(
  name: string,
  labels: Labels | undefined,
  { bounds, counts, sum, count }: Histogram,
): string {
  const own = listLabels(labels)
  const before = `${name}_bucket{${own}${own === '' ? '' : ','}le="`
  let text = ''
  let below = 0
  for (const [at, bound] of bounds.entries()) {
    below += counts[at] ?? 0
    text += `${before}${bound}"} ${below}\n`
  }
  const braces = own === '' ? '' : `{${own}}`
  return (
    `${text}${before}+Inf"} ${count}\n` +
    `${name}_sum${braces} ${printNumber(sum)}\n${name}_count${braces} ${count}\n`
  )
}

const printLabels = (labels: Labels | undefined): string => {
  const text = listLabels(labels)
  return text === '' ? '' : `{${text}}`
}

/** `method="GET",route="/health/live"`. */
function listLabels(labels: Labels = {}): string {
  let text = ''
  for (const name in labels)
    text += `${text === '' ? '' : ','}${name}="${escapeValue(labels[name] ?? '')}"`
  return text
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

const escapeValue = (text: string): string =>
  /["\\\n]/.test(text) ? escapeHelp(text).replaceAll('"', '\\"') : text

const printNumber = (value: number): string => {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}
