/** A list as a document: its rows in groups, with their sums. */
import { renderMessage, say } from '../../kernel/messages.ts'
import { dayIn } from '../../kernel/zones.ts'
import type { Field } from '../../model/compiled/field.ts'
import type { ModelText } from '../../model/model-text.ts'
import type { PrintMessage } from '../pdf/document.ts'
import type { ListPlan, ListUse } from './list-rows.ts'
import type { DocumentHead, ReportContent, ReportReading } from './printed-report.ts'
import type { LineColumn } from './template-lines.ts'
import { composeTable, type TableTexts } from './template-table.ts'
import { dayText, type ValueStyle } from './value-text.ts'

/** The document of a list, from the pages of its rows. */
export function composeListDocument(
  use: ListUse,
  plan: ListPlan,
  pages: AsyncIterable<Uint8Array>,
  { companyName }: Pick<ReportReading, 'companyName'>,
): ReportContent {
  const { style, render } = textsOf(use)
  const title = render(use.view.label)
  const head = planHead(style, { title, companyName, now: use.context.now })
  return { kind: 'document', head, messages: composeMessages() }

  async function* composeMessages(): AsyncGenerator<PrintMessage> {
    yield { do: 'blocks', blocks: [{ kind: 'heading', level: 1, text: title }] }
    yield* composeListTable(use, plan, { title: '', pages })
    yield { do: 'end' }
  }
}

/** The table of a list under a title, '' for none. */
export function composeListTable(
  use: Pick<ListUse, 'grant'>,
  plan: ListPlan,
  { title, pages }: { title: ModelText; pages: AsyncIterable<Uint8Array> },
): AsyncGenerator<PrintMessage> {
  const lines = {
    part: { label: title, empty: say`No rows` },
    columns: planColumns(plan),
    group: plan.group?.field,
  }
  return composeTable(lines, textsOf(use), readCells(pages, plan))
}

/** Texts in the caller's language. */
export function textsOf({ grant: { caller } }: Pick<ListUse, 'grant'>): TableTexts {
  const { language, timeZone: zone } = caller
  const render = (text: ModelText | undefined): string =>
    text === undefined ? '' : renderMessage(text, language)
  return { style: { language, zone }, render, fill: render }
}

/** The group is the head of its rows, not a column of its own. */
const planColumns = ({ fields, group, totals }: ListPlan): LineColumn[] =>
  fields
    .filter((field) => field !== group?.field)
    .map((field) => ({
      field,
      spec: {
        field: field.name,
        label: field.label,
        hasOwnLabel: false,
        weight: undefined,
        isSummed: totals.has(field),
        isCarried: totals.has(field),
      },
    }))

/** Cells by the columns, the group's behind them. */
async function* readCells(
  pages: AsyncIterable<Uint8Array>,
  { fields, group }: Pick<ListPlan, 'fields' | 'group'>,
): AsyncGenerator<readonly (readonly unknown[])[]> {
  const at = group?.at ?? fields.length
  for await (const page of pages) {
    const rows = JSON.parse(Buffer.from(page).toString('utf8')) as unknown[][]
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
      yield rows.slice(from, from + ROWS_AT_ONCE).map((row) => {
        const cells = row.map((cell, place) => readCell(fields[place], cell))
        return [...cells.slice(0, at), ...cells.slice(at + 1), cells[at]]
      })
  }
}

/** Rows that are written as texts in one turn of the serving thread. */
const ROWS_AT_ONCE = 200

/** A list comes as JSON text. */
function readCell(field: Field | undefined, cell: unknown): unknown {
  if (!field?.link || typeof cell !== 'string') return cell
  const list: unknown = JSON.parse(cell)
  return list
}

/** Plans the head and foot of one of the engine's own documents; wide tables turn their pages. */
export function planHead(
  style: ValueStyle,
  facts: { title: string; companyName: string; now: Date },
): DocumentHead {
  const { language } = style
  const { title, companyName, now } = facts
  return {
    title,
    language: language ?? 'en',
    page: { size: 'A4', isLandscape: false },
    running: { company: companyName, title },
    letterhead: undefined,
    foot: { left: dayText(dayIn(now, style.zone), style), right: '{Page} / {Pages}' },
    carried: {
      forward: renderMessage(say`Carried forward`, language),
      brought: renderMessage(say`Brought forward`, language),
    },
    createdAt: now.toISOString(),
  }
}
