/** Report pages on the wire. */
import { type Static, Type } from '@sinclair/typebox'
import { asking, named, oneOf, orNull } from '../../kernel/schema.ts'
import { SERIES_FORMS, WIDGET_KIND_NAMES } from '../../model/widget-kinds.ts'
import { DataColumn } from '../object/clr-type.ts'
import { FilterOperator } from '../object/filter-schema.ts'
import { FieldMetadata, FieldOption, FieldType } from '../object/metadata-schema.ts'

export const ReportKey = Type.Object({
  key: Type.String({ description: 'Name or slug of the report', examples: ['SalesOverview'] }),
})

const OptionalText = Type.Union([Type.String(), Type.Null()])

/** A column of a dataset as a widget shows it. */
const COLUMN = {
  Column: Type.String({ description: 'Of the dataset' }),
  Label: Type.String(),
  Type: FieldType,
  Scale: Type.Union([Type.Integer(), Type.Null()]),
  Options: Type.Array(FieldOption),
  Format: OptionalText,
  Unit: OptionalText,
}

const Condition = named(
  'ReportCondition',
  Type.Object(
    {
      Field: Type.String({ description: 'A column of the dataset' }),
      Operator: FilterOperator,
      Value: OptionalText,
      Type: Type.String({ description: 'The type by which values are compared' }),
    },
    { description: 'In the operators of filters' },
  ),
)

const ReportFilter = named('ReportFilter', FieldMetadata)

const WidgetKind = named('ReportWidgetKind', oneOf(WIDGET_KIND_NAMES))

const Widget = named(
  'ReportWidget',
  Type.Object({
    Name: Type.String(),
    Label: Type.String(),
    Kind: WidgetKind,
    DataSet: OptionalText,
    Category: Type.Union([Type.String(), Type.Null()], {
      description: 'The column along which a chart is drawn',
    }),
    CategoryColumn: Type.Union([named('ReportColumn', Type.Object(COLUMN)), Type.Null()]),
    Stacked: Type.Boolean(),
    Text: Type.Union([Type.String(), Type.Null()], {
      description: '{Name} is a column of the first row, else a filter',
    }),
    View: OptionalText,
    Preset: Type.Union([Type.String(), Type.Null()], {
      description: 'The preset that narrows an embedded view: `Preset` of its table request',
    }),
    With: OptionalText,
    AllowedRoles: Type.Array(Type.String()),
    Series: Type.Array(
      named(
        'ReportSeries',
        Type.Object({
          ...COLUMN,
          Kind: orNull(oneOf(SERIES_FORMS)),
          Axis: oneOf(['Primary', 'Secondary']),
          Function: Type.Union([Type.String(), Type.Null()], {
            description: 'sum, avg, min, max or count: of totals, and of the cells of a pivot',
          }),
        }),
      ),
    ),
    Groups: Type.Array(
      named(
        'ReportGroup',
        Type.Object({
          ...COLUMN,
          On: oneOf(['Rows', 'Columns'], { description: 'Columns: along the top of a pivot' }),
          Break: Type.Boolean({ description: 'Printed, each group begins on a page of its own' }),
        }),
      ),
      { description: 'Outermost first' },
    ),
    Totals: Type.Boolean({ description: 'Of the rows and columns of a pivot' }),
    Formats: Type.Array(
      named(
        'ReportFormat',
        Type.Object({
          Column: Type.Union([Type.String(), Type.Null()], {
            description: 'The highlighted cell; null: the row, or the figure',
          }),
          When: Condition,
          Tone: oneOf(['good', 'warning', 'bad', 'strong', 'muted']),
          Label: OptionalText,
        }),
      ),
      { description: 'The first that holds for a cell' },
    ),
    Compare: Type.Union([
      named(
        'ReportCompare',
        Type.Object({
          DataSet: Type.String(),
          ...COLUMN,
          Better: oneOf(['up', 'down']),
        }),
      ),
      Type.Null(),
    ]),
    Sparkline: Type.Union([
      named(
        'ReportSparkline',
        Type.Object({ DataSet: Type.String(), Column: Type.String(), Category: OptionalText }),
      ),
      Type.Null(),
    ]),
    Drill: Type.Union(
      [
        named(
          'ReportDrill',
          Type.Object({
            Kind: oneOf(['Object', 'Report', 'Url']),
            Target: Type.String(),
            With: OptionalText,
            ReportKind: Type.Optional(
              Type.String({
                description: 'Of a Report: Page, or Document, which GET /report/{key} makes',
              }),
            ),
          }),
        ),
        Type.Null(),
      ],
      { description: 'What a row opens, with arguments from the row, else from the filters' },
    ),
  }),
)

export const ReportStructure = named(
  'ReportStructure',
  Type.Object({
    Name: Type.String(),
    Slug: Type.String(),
    Label: Type.String(),
    VersionHash: Type.String({ description: 'MD5 of the definition' }),
    Filters: Type.Array(ReportFilter),
    DataSets: Type.Array(
      named('ReportDataSet', Type.Object({ Name: Type.String(), Mode: oneOf(['Rows', 'Single']) })),
    ),
    Widgets: Type.Array(Widget),
    Layout: Type.Array(
      Type.Array(
        named(
          'ReportLayoutCell',
          Type.Object({
            Widget: Type.String(),
            Span: Type.Union([Type.Integer(), Type.Null()], { description: 'In twelfths' }),
          }),
        ),
      ),
      { description: 'Rows of cells' },
    ),
  }),
)
export type ReportStructure = Static<typeof ReportStructure>

export const ReportDataRequest = named(
  'ReportDataRequest',
  asking(
    Type.Object({
      Arguments: Type.Optional(
        Type.Union(
          [Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()])), Type.Null()],
          {
            description: 'Texts by the names of filters; one that is left out has its default',
          },
        ),
      ),
      AllCompanies: Type.Optional(Type.Boolean({ description: 'System callers only' })),
    }),
  ),
)

const ReportDataSetResult = named(
  'DataSet',
  Type.Object({
    Columns: Type.Array(DataColumn),
    Rows: Type.Array(
      named('DataRow', Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]))),
    ),
    Error: Type.Optional(Type.String({ description: 'Why it has no rows' })),
    Truncated: Type.Optional(Type.String({ description: 'What was left out' })),
  }),
)

/** As the demo gives it, with one of its datasets. */
const DATA_EXAMPLE = {
  Name: 'SalesOverview',
  RequiredFilterMissing: false,
  DataSets: {
    Earned: {
      Columns: [{ Name: 'Margin', ClrType: 'System.Decimal' }],
      Rows: [{ Margin: '29065.53' }],
    },
  },
  AccessibleWidgets: ['Earned'],
}

export const ReportDataResult = named(
  'ReportDataResult',
  Type.Object(
    {
      Name: Type.String(),
      RequiredFilterMissing: Type.Boolean({
        description: 'A required filter is blank: nothing ran',
      }),
      DataSets: Type.Record(Type.String(), ReportDataSetResult),
      AccessibleWidgets: Type.Array(Type.String(), { description: 'What the caller may see' }),
    },
    { examples: [DATA_EXAMPLE] },
  ),
)
