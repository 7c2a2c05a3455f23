/** A widget of a report page. */
import type { OpenTarget } from './action.ts'
import type { FieldComparison } from './field-condition.ts'
import type { FieldType, Option } from './field-features.ts'
import type { ModelText } from '../model-text.ts'
import type { SeriesForm, WidgetKind } from '../widget-kinds.ts'

/** Functions that aggregate the values of a column. */
export type AggregateFunction = 'sum' | 'avg' | 'min' | 'max' | 'count'

/** A column of a dataset as a widget shows it. */
export interface ReportColumn {
  /** Column as the dataset spells it. */
  column: string
  label: ModelText
  /** Type; undefined where the author, the model and the query leave it open. */
  type: FieldType | undefined
  /** Decimal places of a Decimal that comes straight from a table. */
  scale: number | undefined
  options: readonly Option[]
  format: string | undefined
  unit: ModelText | undefined
}

/** A column that a widget draws, or that is a column of its table. */
export interface ReportSeries extends ReportColumn {
  /** Form in a chart that mixes kinds; undefined: that of the widget. */
  kind: SeriesForm | undefined
  axis: 'Primary' | 'Secondary'
  /** Function of a table's totals, or of the values in a cell of a pivot. */
  function: AggregateFunction | undefined
}

/** A column by which rows are grouped, outermost first. */
export interface ReportGroup extends ReportColumn {
  /** Axis of a pivot: whether its values go down the side or along the top. */
  on: 'Rows' | 'Columns'
  /** Printed, each group begins on a page of its own. */
  breaksPage: boolean
}

/** The tone that makes a cell conspicuous. */
export type Tone = 'good' | 'warning' | 'bad' | 'strong' | 'muted'

/** A format of the rows for which a condition holds. */
export interface FormatRule {
  /** The highlighted cell; undefined: the whole row, or the figure. */
  column: string | undefined
  /** Condition on a column of the dataset; its values are compared by `type`. */
  when: FieldComparison & { type: FieldType }
  tone: Tone
  /** The meaning of the tone. */
  label: ModelText | undefined
}

/** The value to compare a figure with: a cell of a dataset's first row. */
export interface ReportComparison extends ReportColumn {
  dataSet: string
  /** The direction in which the figure should move. */
  better: 'up' | 'down'
}

/** The course of a figure, drawn beside it. */
export interface ReportSparkline {
  dataSet: string
  column: string
  category: string | undefined
}

export interface ReportWidget {
  name: string
  label: ModelText
  kind: WidgetKind
  /** Name of a dataset, as the report spells it. */
  dataSet: string | undefined
  /** The column along which a chart is drawn. */
  category: ReportColumn | undefined
  isStacked: boolean
  text: ModelText | undefined
  view: string | undefined
  /** Name of the preset that narrows an embedded view, as the view spells it. */
  preset: string | undefined
  /** Roles that see it; none: all who may List the report. */
  allowedRoles: readonly string[]
  /** The parameters of an embedded view, as written. */
  with: string | undefined
  series: readonly ReportSeries[]
  groups: readonly ReportGroup[]
  /** True when a pivot has the totals of its rows and columns. */
  hasTotals: boolean
  formats: readonly FormatRule[]
  comparison: ReportComparison | undefined
  sparkline: ReportSparkline | undefined
  /** The target of a click on one of its rows; columns of the row, or filters, are handed on. */
  drill: OpenTarget | undefined
}
