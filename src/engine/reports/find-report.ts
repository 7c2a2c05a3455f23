/** Report pages by their names, and their structure: the same for every caller, without SQL. */
import type { Grant } from '../../access/grant.ts'
import { notFound } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import type { Model, Report } from '../../model/model.ts'
import type { ModelText } from '../../model/model-text.ts'
import type { Context } from '../object/context.ts'
import { describeFeatures } from '../object/read/metadata.ts'
import type { Metadata } from '../object/read/metadata.ts'

/** A report as a caller uses it at one instant; without a grant no dataset shows a row. */
export interface ReportUse {
  report: Report
  grant: Grant | undefined
  context: Context
}

const byKey = new WeakMap<Model, ReadonlyMap<string, Report>>()

/** The report of a name or slug, whatever its case. */
export const findReport = (model: Model, key: string): Report | undefined =>
  byKey
    .getOrInsertComputed(model, ({ reports }) => {
      const keys = [...reports.values()].flatMap((report) =>
        [report.slug, report.name].map((each) => [each.toLowerCase(), report] as const),
      )
      return new Map(keys)
    })
    .get(key.toLowerCase())

/** @throws notFound for a name or slug that no report bears. */
export function requireReport(model: Model, key: string): Report {
  const report = findReport(model, key)
  if (!report) throw notFound(say`There is no such report`, { code: 'REPORT_NOT_FOUND' })
  return report
}

const structures = new WeakMap<Report, Map<string, Metadata>>()

/** Planned once for a report, which a deploy makes anew, in each requested language. */
export const findStructure = (report: Report, language: string): Metadata =>
  structures
    .getOrInsertComputed(report, () => new Map<string, Metadata>())
    .getOrInsertComputed(language, () => {
      const json = JSON.stringify(planStructure(report, language))
      return { json, etag: `"${Bun.hash(json).toString(36)}-${language}"` }
    })

/** Filters, datasets by name and mode, widgets and layout: nothing that holds query text. */
export function planStructure(report: Report, language: string) {
  const text = (of: ModelText): string => renderMessage(of, language)
  const textOr = (of: ModelText | undefined): string | null => (of === undefined ? null : text(of))
  return {
    Name: report.name,
    Slug: report.slug,
    Label: text(report.label),
    VersionHash: report.versionHash,
    Filters: report.filters.map((filter) =>
      describeFeatures(filter, { isDescribed: () => true, language }),
    ),
    DataSets: report.dataSets.map(({ name, mode }) => ({ Name: name, Mode: mode })),
    Widgets: report.widgets.map((widget) => ({
      Name: widget.name,
      Label: text(widget.label),
      Kind: widget.kind,
      DataSet: widget.dataSet ?? null,
      Category: widget.category ?? null,
      Text: textOr(widget.text),
      View: widget.view ?? null,
      With: widget.with ?? null,
      AllowedRoles: widget.allowedRoles,
      Series: widget.series.map(({ column, label, format, unit }) => ({
        Column: column,
        Label: text(label),
        Format: format ?? null,
        Unit: textOr(unit),
      })),
    })),
    Layout: report.layout.map((row) =>
      row.map(({ widget, span }) => ({ Widget: widget, Span: span ?? null })),
    ),
  }
}
