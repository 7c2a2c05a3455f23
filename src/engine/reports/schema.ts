/** Report pages on the wire. */
import { Type, type Static } from '@sinclair/typebox'

const Loose = Type.Record(Type.String(), Type.Unknown())

export const ReportKey = Type.Object({
  key: Type.String({ description: 'Name or slug of the report', examples: ['SalesOverview'] }),
})

const OptionalText = Type.Union([Type.String(), Type.Null()])

/** A column of a dataset as a widget shows it. */
const COLUMN = {
  Column: Type.String({ description: 'Of the dataset' }),
  Label: Type.String(),
  Type: Type.String({ description: 'As of fields in the metadata of objects' }),
  Scale: Type.Union([Type.Integer(), Type.Null()]),
  Options: Type.Array(Type.Object({ Value: Type.String(), Label: Type.String() })),
  Format: OptionalText,
  Unit: OptionalText,
}

const Condition = Type.Object(
  {
    Field: Type.String({ description: 'A column of the dataset' }),
    Operator: Type.String(),
    Value: OptionalText,
    Type: Type.String({ description: 'The type by which values are compared' }),
  },
  { description: 'In the operators of filters' },
)

const Widget = Type.Object({
  Name: Type.String(),
  Label: Type.String(),
  Kind: Type.String({
    description: 'Kpi, Bar, Line, Area, Pie, Sparkline, Table, Pivot, Text or View',
  }),
  DataSet: OptionalText,
  Category: Type.Union([Type.String(), Type.Null()], {
    description: 'The column along which a chart is drawn',
  }),
  CategoryColumn: Type.Union([Type.Object(COLUMN), Type.Null()]),
  Stacked: Type.Boolean(),
  Text: Type.Union([Type.String(), Type.Null()], {
    description: '{Name} is a column of the first row, else a filter',
  }),
  View: OptionalText,
  With: OptionalText,
  AllowedRoles: Type.Array(Type.String()),
  Series: Type.Array(
    Type.Object({
      ...COLUMN,
      Kind: Type.Union([Type.String(), Type.Null()], { description: 'Bar, Line or Area' }),
      Axis: Type.String({ description: 'Primary or Secondary' }),
      Function: Type.Union([Type.String(), Type.Null()], {
        description: 'sum, avg, min, max or count: of totals, and of the cells of a pivot',
      }),
    }),
  ),
  Groups: Type.Array(
    Type.Object({
      ...COLUMN,
      On: Type.String({ description: 'Rows, or Columns along the top of a pivot' }),
      Break: Type.Boolean({ description: 'Printed, each group begins on a page of its own' }),
    }),
    { description: 'Outermost first' },
  ),
  Totals: Type.Boolean({ description: 'Of the rows and columns of a pivot' }),
  Formats: Type.Array(
    Type.Object({
      Column: Type.Union([Type.String(), Type.Null()], {
        description: 'The cell that stands out; null: the row, or the figure',
      }),
      When: Condition,
      Tone: Type.String({ description: 'good, warning, bad, strong or muted' }),
      Label: OptionalText,
    }),
    { description: 'The first that holds for a cell' },
  ),
  Compare: Type.Union([
    Type.Object({
      DataSet: Type.String(),
      ...COLUMN,
      Better: Type.String({ description: 'up or down' }),
    }),
    Type.Null(),
  ]),
  Sparkline: Type.Union([
    Type.Object({ DataSet: Type.String(), Column: Type.String(), Category: OptionalText }),
    Type.Null(),
  ]),
  Drill: Type.Union(
    [
      Type.Object({
        Kind: Type.String({ description: 'Object, Report or Url' }),
        Target: Type.String(),
        With: OptionalText,
        ReportKind: Type.Optional(
          Type.String({
            description: 'Of a Report: Page, or Document, which GET /report/{key} makes',
          }),
        ),
      }),
      Type.Null(),
    ],
    { description: 'What a row opens, with arguments from the row, else from the filters' },
  ),
})

export const ReportStructure = Type.Object({
  Name: Type.String(),
  Slug: Type.String(),
  Label: Type.String(),
  VersionHash: Type.String({ description: 'MD5 of the definition' }),
  Filters: Type.Array(Loose, { description: 'As fields in the metadata of objects' }),
  DataSets: Type.Array(
    Type.Object({ Name: Type.String(), Mode: Type.String({ description: 'Rows or Single' }) }),
  ),
  Widgets: Type.Array(Widget),
  Layout: Type.Array(
    Type.Array(
      Type.Object({
        Widget: Type.String(),
        Span: Type.Union([Type.Integer(), Type.Null()], { description: 'In twelfths' }),
      }),
    ),
    { description: 'Rows of cells' },
  ),
})
export type ReportStructure = Static<typeof ReportStructure>

export const ReportDataRequest = Type.Object({
  Arguments: Type.Optional(
    Type.Union(
      [Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()])), Type.Null()],
      {
        description: 'Texts by the names of filters; one that is left out has its default',
      },
    ),
  ),
  AllCompanies: Type.Optional(Type.Boolean({ description: 'System callers only' })),
})

const ReportDataSetResult = Type.Object({
  Columns: Type.Array(
    Type.Object({
      Name: Type.String(),
      ClrType: Type.String({
        description: 'System.Int64, Decimal, String, Boolean, DateTime, DateOnly or Guid',
      }),
    }),
  ),
  Rows: Type.Array(Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]))),
  Error: Type.Optional(Type.String({ description: 'Why it has no rows' })),
  Truncated: Type.Optional(Type.String({ description: 'What was left out' })),
})

export const ReportDataResult = Type.Object({
  Name: Type.String(),
  RequiredFilterMissing: Type.Boolean({ description: 'A required filter is blank: nothing ran' }),
  DataSets: Type.Record(Type.String(), ReportDataSetResult),
  AccessibleWidgets: Type.Array(Type.String(), { description: 'What the caller may see' }),
})
