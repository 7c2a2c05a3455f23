/** Kinds of widgets of a report page, as models write them in `Kind`. */

/** Children of a widget that belong to some kinds only. */
export const WIDGET_CHILDREN = ['Group', 'Format', 'Compare', 'Sparkline', 'Drill'] as const

/** The same of its attributes. */
export const WIDGET_ATTRIBUTES = [
  'Stacked',
  'Totals',
  'CategoryLabel',
  'CategoryFormat',
  'Preset',
] as const

/** The same of the attributes of its children. */
export const WIDGET_CHILD_ATTRIBUTES = ['Kind', 'Axis', 'Function', 'On', 'Break'] as const

/** All that the language asks of a kind; what draws it on paper has a record of its own. */
interface WidgetKindFacets {
  children: readonly (typeof WIDGET_CHILDREN)[number][]
  attributes: readonly (typeof WIDGET_ATTRIBUTES)[number][]
  childAttributes: readonly (typeof WIDGET_CHILD_ATTRIBUTES)[number][]
  /**
   * Need of a DataSet, and the columns that are its series by default: the first one for a figure,
   * all but its category for rows.
   */
  reads: 'nothing' | 'figure' | 'rows'
  /** Drawn along a category: the first column where none is named. */
  hasCategory: boolean
  /** Cells hold aggregates by groups: it needs a Group and a Series. */
  isAggregated: boolean
  /** Lists the rows of its DataSet one by one. */
  listsRows: boolean
  /** Shows a view, which it needs. */
  embedsView: boolean
  /** A chart of several series, each of which may have the form of another such chart. */
  isForm: boolean
}

type FormFacets = WidgetKindFacets & { isForm: true }

const PLAIN: WidgetKindFacets = {
  children: [],
  attributes: [],
  childAttributes: [],
  reads: 'nothing',
  hasCategory: false,
  isAggregated: false,
  listsRows: false,
  embedsView: false,
  isForm: false,
}

/** Drawn along a category. */
const CHART: WidgetKindFacets = {
  ...PLAIN,
  children: ['Drill'],
  attributes: ['CategoryLabel', 'CategoryFormat'],
  reads: 'rows',
  hasCategory: true,
}

const FORM: FormFacets = { ...CHART, childAttributes: ['Kind', 'Axis'], isForm: true }

const STACKED: FormFacets = {
  ...FORM,
  attributes: ['Stacked', 'CategoryLabel', 'CategoryFormat'],
}

const KINDS = {
  Kpi: { ...PLAIN, children: ['Format', 'Compare', 'Sparkline', 'Drill'], reads: 'figure' },
  Bar: STACKED,
  Line: FORM,
  Area: STACKED,
  Pie: CHART,
  Sparkline: CHART,
  Table: {
    ...PLAIN,
    children: ['Group', 'Format', 'Drill'],
    childAttributes: ['Function', 'Break'],
    reads: 'rows',
    listsRows: true,
  },
  Pivot: {
    ...PLAIN,
    children: ['Group', 'Drill'],
    attributes: ['Totals'],
    childAttributes: ['Function', 'On'],
    reads: 'rows',
    isAggregated: true,
  },
  Text: PLAIN,
  View: { ...PLAIN, attributes: ['Preset'], embedsView: true },
} satisfies Readonly<Record<string, WidgetKindFacets>>

export type WidgetKind = keyof typeof KINDS

/** One row a kind; the only place that lists them. */
export const WIDGET_KINDS: Readonly<Record<WidgetKind, WidgetKindFacets>> = KINDS

/** The names of all kinds. */
export const WIDGET_KIND_NAMES = Object.keys(KINDS) as WidgetKind[]

/** The form of a series: the kind of a chart that may be mixed with others. */
export type SeriesForm = {
  [Kind in WidgetKind]: (typeof KINDS)[Kind] extends { isForm: true } ? Kind : never
}[WidgetKind]

/** The names of all forms of a series. */
export const SERIES_FORMS = WIDGET_KIND_NAMES.filter(
  (kind): kind is SeriesForm => WIDGET_KINDS[kind].isForm,
)
