/** The table of a print: rows with their sums, which are exact, in groups. */
import { type Message, renderMessage, say } from '../../kernel/messages.ts'
import { DECIMAL_SCALE_DEFAULT, roundDecimal } from '../../model/fields/decimal.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import type { PrintColumn, PrintMessage, PrintRow } from '../pdf/document.ts'
import type { LineColumn, Lines } from './template-lines.ts'
import type { PrintTexts } from './template-text.ts'
import { isNumber, isWhole, plainText } from './value-text.ts'

/** Texts of a table in the language of its document. */
export type TableTexts = Pick<PrintTexts, 'fill' | 'render' | 'style'>

/** The parts that a table is made of. */
type TableLines = Pick<Lines, 'columns' | 'group'> & {
  part: Pick<Lines['part'], 'label' | 'empty'>
}

/** The messages of a table, from portions of its rows. */
export async function* composeTable(
  lines: TableLines,
  texts: TableTexts,
  portions: AsyncIterable<readonly (readonly unknown[])[]>,
): AsyncGenerator<PrintMessage> {
  const { part, columns } = lines
  yield {
    do: 'table',
    title: texts.fill(part.label),
    columns: columns.map((column) => planColumn(column, texts)),
  }
  const table = new TableRows(lines, texts)
  for await (const portion of portions) {
    const rows = portion.flatMap((cells) => table.add(cells))
    if (rows.length > 0) yield { do: 'rows', rows }
  }
  const last = table.end()
  if (last.length > 0) yield { do: 'rows', rows: last }
  yield { do: 'tableEnd', emptyText: texts.fill(part.empty) }
}

/** The head shows the unit, so that the cells need not. */
function planColumn({ field, spec }: LineColumn, texts: TableTexts): PrintColumn {
  const unit = spec.hasOwnLabel ? '' : texts.render(field.unit)
  const label = texts.render(spec.label)
  return {
    label: unit === '' ? label : `${label} (${unit})`,
    align: isNumber(field) ? 'end' : 'start',
    ...(isWhole(field) && { isWhole: true }),
    ...(spec.weight !== undefined && { weight: spec.weight }),
    ...(spec.isCarried && { isCarried: true }),
  }
}

/** Turns cells into rows, with the head of a group before its first and its sums after its last. */
class TableRows {
  readonly #lines: TableLines
  readonly #texts: TableTexts
  readonly #all: Sums
  readonly #carried: Sums
  #own: Sums
  #group: string | undefined
  #count = 0

  constructor(lines: TableLines, texts: TableTexts) {
    const { columns } = lines
    this.#lines = lines
    this.#texts = texts
    this.#all = new Sums(columns, ({ spec }) => spec.isSummed)
    this.#own = new Sums(columns, ({ spec }) => spec.isSummed)
    this.#carried = new Sums(columns, ({ spec }) => spec.isCarried)
  }

  add(cells: readonly unknown[]): PrintRow[] {
    const { columns, group } = this.#lines
    const { style } = this.#texts
    const opening: PrintRow[] = []
    const name = group && plainText(group, cells[columns.length], style)
    if (name !== undefined && (name !== this.#group || this.#count === 0)) {
      opening.push(...this.#closeGroup(), { kind: 'group', cells: [name] })
      this.#group = name
    }
    this.#count += 1
    for (const sums of [this.#all, this.#own, this.#carried]) sums.add(cells)
    const row: PrintRow = {
      kind: 'row',
      cells: columns.map(({ field }, at) => plainText(field, cells[at], style)),
      ...(this.#carried.isAny && { carry: this.#carried.write(style) }),
    }
    return [...opening, row]
  }

  end(): PrintRow[] {
    const last = this.#closeGroup()
    if (this.#count === 0 || !this.#all.isAny) return last
    return [...last, this.#write(this.#all, 'total', say`Total`)]
  }

  #closeGroup(): PrintRow[] {
    if (this.#group === undefined || !this.#own.isAny) return []
    const row = this.#write(this.#own, 'subtotal', say`Subtotal`)
    this.#own = new Sums(this.#lines.columns, ({ spec }) => spec.isSummed)
    return [row]
  }

  /** The sums with their name. */
  #write(sums: Sums, kind: 'total' | 'subtotal', word: Message): PrintRow {
    const { style } = this.#texts
    return { kind, label: renderMessage(word, style.language), cells: sums.write(style) }
  }
}

/** Sums of columns in whole units of their last place, so that no fraction is lost. */
class Sums {
  readonly #columns: readonly LineColumn[]
  readonly #units: (bigint | undefined)[]

  constructor(columns: readonly LineColumn[], isMeant: (column: LineColumn) => boolean) {
    this.#columns = columns
    this.#units = columns.map((column) => (isMeant(column) ? 0n : undefined))
  }

  get isAny(): boolean {
    return this.#units.some((units) => units !== undefined)
  }

  add(cells: readonly unknown[]): void {
    this.#columns.forEach(({ field }, at) => {
      const sum = this.#units[at]
      if (sum === undefined) return
      const digits = roundDecimal(String(cells[at] ?? 0), scaleOf(field))?.replace('.', '')
      if (digits !== undefined) this.#units[at] = sum + BigInt(digits)
    })
  }

  /** A text for each column, '' where it is not summed. */
  write(style: TableTexts['style']): string[] {
    return this.#columns.map(({ field }, at) => {
      const sum = this.#units[at]
      if (sum === undefined) return ''
      return plainText({ ...field, options: [] }, writeUnits(sum, scaleOf(field)), style)
    })
  }
}

const scaleOf = ({ type, scale }: LineColumn['field']): number =>
  FIELD_KINDS[type].number === 'whole' ? 0 : (scale ?? DECIMAL_SCALE_DEFAULT)

function writeUnits(units: bigint, scale: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const cut = digits.length - scale
  const whole = `${units < 0n ? '-' : ''}${digits.slice(0, cut)}`
  return scale === 0 ? whole : `${whole}.${digits.slice(cut)}`
}
