/** Reports of extensions among the code-defined reports: the rows that they give, as files. */
import { invalid } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import { dayIn } from '../../kernel/zones.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import { Grant } from '../../access/rights/grant.ts'
import { readPartParameters } from '../extensions/part-parameters.ts'
import type { ReportPart } from '../extensions/parts.ts'
import type { ExtensionReportOrder, ReportRows } from '../extensions/run-report.ts'
import { extensionOfType } from '../files/content-type.ts'
import { planFileName } from '../files/file-name.ts'
import type { PrintColumn, PrintMessage } from '../pdf/document.ts'
import { planHead } from './list-document.ts'
import type {
  PrintedReport,
  ReportCall,
  ReportContent,
  ReportFileFormat,
} from './printed-report.ts'
import { plainText, type ValueStyle } from './value-text.ts'
import type { SheetColumn } from '../sheets/format.ts'
import { RowPage, type SheetCell } from '../sheets/row-page.ts'

/** Runs the report for its caller. */
type RunExtension = (order: ExtensionReportOrder) => Promise<ReportRows>

/** Gate: List on its Resource. */
export const planExtensionReport = (part: ReportPart, run: RunExtension): PrintedReport => ({
  key: part.Name,
  name: part.Name,
  label: part.Label,
  description: part.Description,
  parameters: part.Parameters,
  formats: part.Formats,
  isListed: ({ caller, model }) => Grant.find(caller, model, part.Resource, 'List') !== undefined,
  open: (call, given) => {
    const { caller, engine, model } = call
    Grant.require(caller, model, part.Resource, ['List'])
    const parameters = readPartParameters(part.Parameters, { ...given })
    const now = engine.clock.now()
    return {
      gates: [{ resource: part.Resource, rights: ['List'] }],
      fileName: planFileName(part.Label, dayIn(now, caller.timeZone)),
      audited: { entity: 'svc_reports', key: [part.Name] },
      documents: [],
      read: async (format, { signal, companyName }) => {
        const rows = await run({ parameters, format, signal })
        if (!Array.isArray(rows)) return toFile(rows)
        return toContent({ part, call, now, companyName }, format, rows)
      },
    }
  },
})

const toFile = ({ Body, ContentType }: Exclude<ReportRows, unknown[]>): ReportContent => ({
  kind: 'file',
  body: Buffer.from(Body, 'base64'),
  contentType: ContentType,
  extension: extensionOfType(ContentType.split(';')[0] ?? ''),
})

interface Facts {
  part: ReportPart
  call: ReportCall
  now: Date
  companyName: string
}

type Row = Record<string, unknown>

function toContent(facts: Facts, format: ReportFileFormat, rows: readonly Row[]): ReportContent {
  const { part, call, now, companyName } = facts
  const { language, timeZone: zone } = call.caller
  const title = part.Label
  const found = planColumns(part.Name, rows)
  // A table needs a column, even if no row has one.
  const nothing = { name: '', label: renderMessage(say`No rows`, language), type: 'Text' } as const
  const columns = found.length > 0 || format === 'json' ? found : [nothing]
  if (format === 'pdf') {
    const head = planHead({ language, zone }, { title, companyName, now })
    return {
      kind: 'document',
      head,
      messages: composeTable(title, columns, rows, { language, zone }),
    }
  }
  const plan = { title, columns, zone, madeAt: now }
  return {
    kind: 'sheets',
    title,
    sheets: [{ name: part.Name, plan, rows: pagesOf(columns, rows) }],
  }
}

const ROWS_AT_ONCE = 200

/** Each row has all columns: they are made as they are written. */
async function* pagesOf(
  columns: readonly SheetColumn[],
  rows: readonly Row[],
): AsyncGenerator<RowPage> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const some = rows.slice(at, at + ROWS_AT_ONCE)
    yield RowPage.of(some.map((row) => columns.map(({ name, type }) => toCell(row[name], type))))
  }
}

const COLUMNS_MAX = 1000

/**
 * The members of all rows in the order in which they come, typed by the values that each has.
 * @throws invalid for too many
 */
function planColumns(report: string, rows: readonly Row[]): SheetColumn[] {
  const valuesOf = new Map<string, unknown[]>()
  for (const row of rows)
    for (const [name, value] of Object.entries(row)) {
      const values = valuesOf.getOrInsertComputed(name, () => [])
      if (value !== null) values.push(value)
      if (valuesOf.size > COLUMNS_MAX)
        throw invalid(say`'${report}' returned more than ${COLUMNS_MAX} columns`, {
          code: 'SCRIPT_FAILED',
        })
    }
  return [...valuesOf].map(([name, values]) => ({
    name,
    label: name,
    type: typeOf(values),
    scale: SCALE,
    options: [],
  }))
}

const SCALE = 2

function typeOf(values: readonly unknown[]): SheetColumn['type'] {
  const isAll = (type: string): boolean =>
    values.length > 0 && values.every((value) => typeof value === type)
  if (isAll('boolean')) return 'Boolean'
  if (isAll('number')) return values.every(Number.isSafeInteger) ? 'Integer' : 'Decimal'
  return values.some((value) => typeof value === 'object') ? 'Json' : 'Text'
}

function toCell(value: unknown, type: SheetColumn['type']): SheetCell {
  if (value === null || value === undefined) return null
  if (FIELD_KINDS[type].structure === 'document' || typeof value === 'object')
    return JSON.stringify(value)
  return FIELD_KINDS[type].isText ? String(value) : (value as SheetCell)
}

async function* composeTable(
  title: string,
  columns: readonly SheetColumn[],
  rows: readonly Row[],
  style: ValueStyle,
): AsyncGenerator<PrintMessage> {
  const shown = columns.map(({ type, scale }) => ({
    type,
    scale,
    options: [],
    format: undefined,
    unit: undefined,
  }))
  const heads = columns.map(({ label, type }): PrintColumn => {
    const isNumeric = FIELD_KINDS[type].number !== undefined
    return { label, align: isNumeric ? 'end' : 'start', isWhole: isNumeric }
  })
  yield { do: 'blocks', blocks: [{ kind: 'heading', level: 1, text: title }] }
  yield { do: 'table', title: '', columns: heads }
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
    yield {
      do: 'rows',
      rows: rows.slice(at, at + ROWS_AT_ONCE).map((row) => ({
        kind: 'row',
        cells: columns.map(({ name }, place) => {
          const column = shown[place]
          return column ? plainText(column, row[name], style) : ''
        }),
      })),
    }
  yield { do: 'tableEnd', emptyText: renderMessage(say`No rows`, style.language) }
  yield { do: 'end' }
}
