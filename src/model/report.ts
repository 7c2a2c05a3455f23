/** The compiled report: what a report page is served from. */
import type { ModelText } from './model-text.ts'
import type { AuthoredSql, FieldFeatures } from './model.ts'

/** A query of a report. `Single` answers with its first row alone. */
export interface ReportDataSet {
  name: string
  mode: 'Rows' | 'Single'
  sql: AuthoredSql
}

/** A column of a dataset that a widget draws. */
export interface ReportSeries {
  column: string
  label: ModelText
  format: string | undefined
  unit: ModelText | undefined
}

export interface ReportWidget {
  name: string
  label: ModelText
  kind: string
  /** Name of a dataset, as the report spells it. */
  dataSet: string | undefined
  category: string | undefined
  text: ModelText | undefined
  view: string | undefined
  /** Roles that see it; none: whoever may List the report. */
  allowedRoles: readonly string[]
  /** The parameters of an embedded view, as written. */
  with: string | undefined
  series: readonly ReportSeries[]
}

/** A place in a row of the layout; `span` in twelfths. */
export interface ReportCell {
  widget: string
  span: number | undefined
}

/** A report page; its resource is its name. */
export interface Report {
  name: string
  slug: string
  label: ModelText
  versionHash: string
  filters: readonly FieldFeatures[]
  dataSets: readonly ReportDataSet[]
  widgets: readonly ReportWidget[]
  /** Rows of cells; none: the widgets stand one below the other. */
  layout: readonly (readonly ReportCell[])[]
}
