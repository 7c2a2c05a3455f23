/** The structure of a report page: the same for every caller, without SQL. */
import { renderMessage } from '../../kernel/messages.ts'
import type { OpenTarget } from '../../model/compiled/action.ts'
import type { Report } from '../../model/compiled/report.ts'
import type {
  FormatRule,
  ReportColumn,
  ReportComparison,
  ReportWidget,
} from '../../model/compiled/widget.ts'
import type { ModelText } from '../../model/model-text.ts'
import { describeFeatures, type Metadata } from '../object/read/metadata.ts'
import type { ReportStructure } from './schema.ts'

const structures = new WeakMap<Report, Map<string, Metadata>>()

/** Plans a report once in each requested language; a deploy makes a new report. */
export const findStructure = (report: Report, language: string): Metadata =>
  structures
    .getOrInsertComputed(report, () => new Map<string, Metadata>())
    .getOrInsertComputed(language, () => {
      const json = JSON.stringify(planStructure(report, language))
      return { json, etag: `"${Bun.hash(json).toString(36)}-${language}"` }
    })

type Render = (text: ModelText) => string

/** Filters, datasets by name and mode, widgets and layout, without any query text. */
export function planStructure(report: Report, language: string): ReportStructure {
  const text: Render = (of) => renderMessage(of, language)
  return {
    Name: report.name,
    Slug: report.slug,
    Label: text(report.label),
    VersionHash: report.versionHash,
    Filters: report.filters.map((filter) =>
      describeFeatures(filter, { isDescribed: () => true, language }),
    ),
    DataSets: report.dataSets.map(({ name, mode }) => ({ Name: name, Mode: mode })),
    Widgets: report.widgets.map((widget) => describeWidget(widget, text)),
    Layout: report.layout.map((row) =>
      row.map(({ widget, span }) => ({ Widget: widget, Span: span ?? null })),
    ),
  }
}

const describeWidget = (widget: ReportWidget, text: Render) => ({
  Name: widget.name,
  Label: text(widget.label),
  Kind: widget.kind,
  DataSet: widget.dataSet ?? null,
  Category: widget.category?.column ?? null,
  CategoryColumn: widget.category ? describeColumn(widget.category, text) : null,
  Stacked: widget.isStacked,
  Text: textOr(widget.text, text),
  View: widget.view ?? null,
  Preset: widget.preset ?? null,
  With: widget.with ?? null,
  AllowedRoles: [...widget.allowedRoles],
  Series: widget.series.map((series) => ({
    ...describeColumn(series, text),
    Kind: series.kind ?? null,
    Axis: series.axis,
    Function: series.function ?? null,
  })),
  Groups: widget.groups.map((group) => ({
    ...describeColumn(group, text),
    On: group.on,
    Break: group.breaksPage,
  })),
  Totals: widget.hasTotals,
  Formats: widget.formats.map((format) => describeFormat(format, text)),
  Compare: widget.comparison ? describeComparison(widget.comparison, text) : null,
  Sparkline: widget.sparkline
    ? {
        DataSet: widget.sparkline.dataSet,
        Column: widget.sparkline.column,
        Category: widget.sparkline.category ?? null,
      }
    : null,
  Drill: widget.drill ? describeDrill(widget.drill) : null,
})

const textOr = (of: ModelText | undefined, text: Render): string | null =>
  of === undefined ? null : text(of)

/** A column without a declared type is a text. */
const describeColumn = (column: ReportColumn, text: Render) => ({
  Column: column.column,
  Label: text(column.label),
  Type: column.type ?? 'Text',
  Scale: column.scale ?? null,
  Options: column.options.map(({ value, label }) => ({ Value: value, Label: text(label) })),
  Format: column.format ?? null,
  Unit: textOr(column.unit, text),
})

const describeFormat = ({ column, when, tone, label }: FormatRule, text: Render) => ({
  Column: column ?? null,
  When: {
    Field: when.field,
    Operator: when.operator,
    Value: when.value ?? null,
    Type: when.type,
  },
  Tone: tone,
  Label: textOr(label, text),
})

const describeComparison = (comparison: ReportComparison, text: Render) => ({
  DataSet: comparison.dataSet,
  ...describeColumn(comparison, text),
  Better: comparison.better,
})

const describeDrill = ({ kind, target, with: given, reportKind }: OpenTarget) => ({
  Kind: kind,
  Target: target,
  With: given ?? null,
  ...(reportKind && { ReportKind: reportKind }),
})
