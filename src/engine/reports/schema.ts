/** Report pages on the wire. */
import { Type } from '@sinclair/typebox'

const Loose = Type.Record(Type.String(), Type.Unknown())

export const ReportKey = Type.Object({
  key: Type.String({ description: 'Name or slug of the report', examples: ['SalesOverview'] }),
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
  Widgets: Type.Array(Loose, {
    description:
      'Name, Label, Kind, DataSet, Category, Text, View, With, AllowedRoles and Series, each of ' +
      'Column, Label, Format and Unit',
  }),
  Layout: Type.Array(Type.Array(Loose), {
    description: 'Rows of cells: Widget, and its Span in twelfths or null',
  }),
})

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
