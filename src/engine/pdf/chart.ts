/** Charts as vectors: drawn by ECharts as SVG, of which the few kinds that it writes are read. */
import { BarChart, LineChart, PieChart } from 'echarts/charts'
import { GridComponent, LegendComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import type { PrintChart } from './document.ts'

use([BarChart, LineChart, PieChart, GridComponent, LegendComponent, SVGRenderer])

/** Colours that readers with colour blindness can tell apart (Okabe and Ito). */
const PALETTE = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#7a7a7a']
/** The plot leaves room for the texts of its axes. */
const LABELS = { outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' } as const
const LEGEND = { borderWidth: 0, padding: 0 } as const
/** Most characters of a chart's description. */
const DESCRIPTION_MAX = 2000

/** A matrix of six numbers, as PDF and SVG have it. */
export type Matrix = readonly [number, number, number, number, number, number]

/** A part of a chart; charts list them from back to front. */
export type ChartPart =
  | {
      kind: 'path'
      d: string
      matrix: Matrix
      fill: string | undefined
      stroke: string | undefined
      strokeWidth: number
    }
  | {
      kind: 'text'
      text: string
      matrix: Matrix
      x: number
      y: number
      size: number
      anchor: 'start' | 'middle' | 'end'
      isCentral: boolean
      color: string
    }

/** The parts of a chart of a size in points, in the numerals of a language. */
export function planChart(
  chart: PrintChart,
  size: { width: number; height: number },
  language: string,
): ChartPart[] {
  const drawn = init(null, null, { renderer: 'svg', ssr: true, ...size })
  try {
    drawn.setOption(planOption(chart, language))
    return readSvg(drawn.renderToSVGString())
  } finally {
    drawn.dispose()
  }
}

/** Describes a chart in words, for readers who cannot see it. */
export function describeChart({ title, categories, series, unit }: PrintChart): string {
  const parts = series.map(({ label, values }) => {
    const points = categories.map((category, at) => `${category} ${values[at] ?? '–'}`)
    return `${label}: ${points.join(', ')}${unit === '' ? '' : ` ${unit}`}`
  })
  const whole = [title, ...parts].join('. ')
  return whole.length > DESCRIPTION_MAX ? `${whole.slice(0, DESCRIPTION_MAX)}…` : whole
}

function planOption({ type, categories, series, unit, decimals }: PrintChart, language: string) {
  const format = new Intl.NumberFormat(language, { maximumFractionDigits: decimals }).format
  const textStyle = { fontSize: 8, color: '#44484f' }
  const common = { animation: false, color: PALETTE, textStyle }
  if (type === 'pie') {
    const data = categories.map((name, at) => ({ name, value: series[0]?.values[at] ?? 0 }))
    const formatter = ({ name, percent = 0 }: { name: string; percent?: number }): string =>
      `${name} ${Math.round(percent)} %`
    const label = { formatter, alignTo: 'edge', edgeDistance: 2, ...textStyle }
    return { ...common, series: [{ type: 'pie', radius: '55%', label, data }] }
  }
  const hasLegend = series.length > 1
  const axisLabel = { ...textStyle, hideOverlap: true }
  return {
    ...common,
    legend: { show: hasLegend, bottom: 0, itemHeight: 7, itemWidth: 12, ...LEGEND, textStyle },
    grid: { left: 2, right: 6, top: unit === '' ? 8 : 20, bottom: hasLegend ? 22 : 2, ...LABELS },
    xAxis: { type: 'category', data: [...categories], axisLabel },
    yAxis: {
      ...(decimals === 0 && { minInterval: 1 }),
      type: 'value',
      name: unit,
      nameTextStyle: { ...textStyle, align: 'left' },
      axisLabel: { ...axisLabel, formatter: (value: number) => format(value) },
    },
    series: series.map(({ label, values }) => ({
      name: label,
      data: [...values],
      showSymbol: false,
      ...(type === 'bar' ? { type: 'bar' } : { type: 'line', lineStyle: { width: 1.5 } }),
      ...(type === 'area' && { areaStyle: { opacity: 0.35 } }),
    })),
  }
}

const TAG = /<(\/?)([a-z]+)((?:\s+[\w:-]+="[^"]*")*)\s*\/?>([^<]*)/g
const ATTRIBUTE = /([\w:-]+)="([^"]*)"/g

function readSvg(svg: string): ChartPart[] {
  const parts: ChartPart[] = []
  // Definitions and clip paths only cut other parts off: they are not drawn.
  const drawn = svg.replace(/<(defs|clipPath|style)\b[^]*?<\/\1>/g, '')
  for (const [, isEnd, name, written = '', text = ''] of drawn.matchAll(TAG)) {
    if (isEnd) continue
    const given = new Map([...written.matchAll(ATTRIBUTE)].map(([, key, value]) => [key, value]))
    if (name === 'path') parts.push(readPath(given))
    else if (name === 'text') parts.push(readText(given, text))
  }
  return parts.filter((part) => part.kind === 'text' || part.fill || part.stroke)
}

type Given = ReadonlyMap<string | undefined, string | undefined>

const numberOf = (given: Given, name: string, otherwise: number): number =>
  Number(given.get(name) ?? otherwise)

function readPath(given: Given): ChartPart {
  const opacity = numberOf(given, 'fill-opacity', 1)
  const fill = paintOf(given.get('fill') ?? '#000')
  return {
    kind: 'path',
    d: given.get('d') ?? '',
    matrix: readMatrix(given.get('transform')),
    fill: fill && lighten(fill, opacity),
    // Without a width there is no line; a PDF would draw the thinnest one.
    stroke: given.get('stroke-width') === '0' ? undefined : paintOf(given.get('stroke')),
    strokeWidth: numberOf(given, 'stroke-width', 1),
  }
}

function readText(given: Given, text: string): ChartPart {
  const anchor = given.get('text-anchor')
  return {
    kind: 'text',
    text: unescapeText(text),
    matrix: readMatrix(given.get('transform')),
    x: numberOf(given, 'x', 0),
    y: numberOf(given, 'y', 0),
    size: Number(/font-size:([\d.]+)px/.exec(given.get('style') ?? '')?.[1] ?? 8),
    anchor: anchor === 'middle' || anchor === 'end' ? anchor : 'start',
    isCentral: given.get('dominant-baseline') === 'central',
    color: paintOf(given.get('fill')) ?? '#000000',
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
}

const unescapeText = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '')

/** Six hexadecimal digits; undefined for none. */
function paintOf(paint: string | undefined): string | undefined {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(paint ?? '')
  if (short)
    return `#${short
      .slice(1)
      .map((digit) => digit + digit)
      .join('')}`
  if (/^#[0-9a-f]{6}$/i.test(paint ?? '')) return paint
  const rgb = /^rgba?\((\d+),\s*(\d+),\s*(\d+)/.exec(paint ?? '')
  if (!rgb) return undefined
  return `#${rgb
    .slice(1, 4)
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')}`
}

/** The colour as it looks on white: archived files must not have transparency. */
function lighten(color: string, opacity: number): string {
  if (opacity >= 1) return color
  const mixed = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16)
    return Math.round(part * opacity + 255 * (1 - opacity))
  })
  return `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0]

/** ECharts writes `translate`, `matrix`, and `rotate` after a translation. */
function readMatrix(transform: string | undefined): Matrix {
  let matrix: Matrix = IDENTITY
  for (const [, kind, written = ''] of (transform ?? '').matchAll(/(\w+)\(([^)]*)\)/g)) {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = written.split(/[\s,]+/).map(Number)
    if (kind === 'matrix') matrix = multiply(matrix, [a, b, c, d, e, f])
    else if (kind === 'translate') matrix = multiply(matrix, [1, 0, 0, 1, a, b])
    else if (kind === 'rotate') {
      const angle = (a * Math.PI) / 180
      const [sin, cos] = [Math.sin(angle), Math.cos(angle)]
      matrix = multiply(matrix, [cos, sin, -sin, cos, 0, 0])
    }
  }
  return matrix
}

const multiply = (m: Matrix, n: Matrix): Matrix => [
  m[0] * n[0] + m[2] * n[1],
  m[1] * n[0] + m[3] * n[1],
  m[0] * n[2] + m[2] * n[3],
  m[1] * n[2] + m[3] * n[3],
  m[0] * n[4] + m[2] * n[5] + m[4],
  m[1] * n[4] + m[3] * n[5] + m[5],
]
