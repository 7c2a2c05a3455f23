/** A report page: its datasets, widgets and layout. */
import type { AuthoredSql } from './authored-sql.ts'
import type { FieldFeatures } from './field-features.ts'
import type { Schedule } from './schedule.ts'
import type { ReportWidget } from './widget.ts'
import type { ModelText } from '../model-text.ts'

/** A query of a report. `Single` answers with its first row alone. */
export interface ReportDataSet {
  name: string
  mode: 'Rows' | 'Single'
  sql: AuthoredSql
  /** Closed: reads data that no view shows its reader (`Svc:Designer:Sql`); it has no rows. */
  isClosed?: boolean
}

/** A place in a row of the layout; `span` in twelfths. */
export interface ReportCell {
  widget: string
  span: number | undefined
}

/** A report page, from which it is served; its resource is its name. */
export interface Report {
  name: string
  slug: string
  label: ModelText
  versionHash: string
  filters: readonly FieldFeatures[]
  dataSets: readonly ReportDataSet[]
  widgets: readonly ReportWidget[]
  /** Rows of cells; none: the widgets go one below the other. */
  layout: readonly (readonly ReportCell[])[]
  /** Schedules on which its file is mailed. */
  schedules: readonly Schedule[]
}
