/** Sentences about a result, whose numbers are those of its rows. */
import { type Message, renderMessage, say } from '../../../kernel/messages.ts'
import { PART, SHARE, WHOLE } from './shares.ts'
import type { AnswerItem, TableItem, TextReference } from '../item.ts'

type TextItem = Extract<AnswerItem, { Type: 'text' }>

/** The parts of a question about a result beside its rows. */
interface Told {
  explanation: Message
  language: string
  /** The group of two periods that are compared. */
  column: string | undefined
}

/** A text that is written piece by piece, with where its numbers come from. */
class Sentence {
  text = ''
  readonly references: TextReference[] = []

  add(text: string): this {
    this.text += text
    return this
  }

  /** A number of a row, or of the rows as a whole. */
  refer(text: string, column: string, row?: number): this {
    const place = { Start: this.text.length, Length: text.length, Table: 0, Column: column }
    this.references.push(row === undefined ? place : { ...place, Row: row })
    return this.add(text)
  }
}

/** The sentence before a table. */
export function tellResult(table: TableItem, told: Told): TextItem {
  const sentence = new Sentence().add(renderMessage(told.explanation, told.language)).add('. ')
  const numbers = table.Columns.filter(({ Name }) => isNumber(table, Name))
  const [only] = table.Rows
  if (isTotal(table) && only) {
    if (!tellShare(sentence, only, told)) tellTotal(sentence, { table, told, columns: numbers })
  } else if (!tellChange(sentence, table, told)) tellCount(sentence, table, told)
  return { Type: 'text', Text: sentence.text, References: sentence.references }
}

const isTotal = ({ Request, Rows }: TableItem): boolean => {
  const { GroupBy, Aggregates } = Request as { GroupBy?: unknown[]; Aggregates?: unknown[] }
  return Rows.length === 1 && !GroupBy?.length && (Aggregates?.length ?? 0) > 0
}

const isNumber = ({ Rows }: TableItem, name: string): boolean =>
  Rows.some((row) => typeof row[name] === 'number')

const format = (value: number, language: string): string =>
  new Intl.NumberFormat(language, { maximumFractionDigits: 6 }).format(value)

interface Totals {
  table: TableItem
  told: Told
  columns: TableItem['Columns']
}

function tellTotal(sentence: Sentence, { table, told, columns }: Totals): void {
  const [row = {}] = table.Rows
  if (columns.length === 0) {
    const [value] = Object.values(row)
    sentence.add(
      value === null || value === undefined
        ? renderMessage(say`No value`, told.language)
        : `${String(value)}`,
    )
    return
  }
  for (const [at, { Name }] of columns.entries()) {
    const value = row[Name]
    if (at > 0) sentence.add('; ')
    if (typeof value === 'number') sentence.refer(format(value, told.language), Name, 0)
  }
}

/** `12 of 345 (3.5 %)`. */
function tellShare(
  sentence: Sentence,
  { [PART]: part, [WHOLE]: whole, [SHARE]: share }: TableItem['Rows'][number],
  { language }: Told,
): boolean {
  if (typeof whole !== 'number' || typeof share !== 'number') return false
  sentence.refer(format(Number(part ?? 0), language), PART, 0)
  sentence.add(` ${renderMessage(say`of`, language)} `)
  sentence.refer(format(whole, language), WHOLE, 0)
  sentence
    .add(' (')
    .refer(percent(share / 100, language), SHARE, 0)
    .add(')')
  return true
}

/** `1,200 and then 1,500 (+300, +25 %)`. */
function tellChange(sentence: Sentence, table: TableItem, { language, column }: Told): boolean {
  const { Comparison: comparison, Rows } = table
  const [figure, ...others] = comparison?.Figures ?? []
  if (!comparison || !figure || others.length > 0 || column === undefined) return false
  const { Before, After, Difference, Percent, Column } = figure
  const tell = (value: number | null, period: string): void => {
    const row = Rows.findIndex((each) => each[column] === period)
    const text = value === null ? renderMessage(say`No value`, language) : format(value, language)
    if (row < 0) sentence.add(text)
    else sentence.refer(text, Column, row)
  }
  tell(Before, comparison.Before)
  sentence.add(` ${renderMessage(say`and then`, language)} `)
  tell(After, comparison.After)
  if (Difference === null) return true
  const sign = (value: number): string => (value >= 0 ? '+' : '')
  const change = `${sign(Difference)}${format(Difference, language)}`
  const growth = Percent === null ? '' : `, ${sign(Percent)}${percent(Percent / 100, language)}`
  sentence.add(` (${change}${growth})`)
  return true
}

const percent = (part: number, language: string): string =>
  new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(part)

function tellCount(sentence: Sentence, { RowCount, HasMore }: TableItem, { language }: Told): void {
  if (RowCount === 0) {
    sentence.add(renderMessage(say`Nothing found`, language))
    return
  }
  if (HasMore) sentence.add(`${renderMessage(say`More than`, language)} `)
  sentence.refer(format(RowCount, language), '')
  sentence.add(` ${renderMessage(RowCount === 1 ? say`row` : say`rows`, language)}`)
}
