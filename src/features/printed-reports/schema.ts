/** Code-defined reports on the wire. */
import { type Static, Type } from '@sinclair/typebox'
import { JsonValue, looseFlag, named } from '../../kernel/schema.ts'
import { ShownParameter } from '../../engine/extensions/parts.ts'

export const PrintedReportKey = Type.Object({
  key: Type.String({ description: 'Key of the report', examples: ['list'] }),
})

export const PrintedReportEntry = named(
  'PrintedReport',
  Type.Object({
    Key: Type.String(),
    Name: Type.String(),
    Label: Type.String(),
    Description: Type.String(),
    Parameters: Type.Array(ShownParameter, { description: 'Query parameters of the report' }),
    Formats: Type.Array(Type.String(), { description: 'pdf, xlsx, csv, json; the first is usual' }),
  }),
)
export type PrintedReportEntry = Static<typeof PrintedReportEntry>

/** Query of every report; its own parameters come beside. */
export const PrintedReportQuery = Type.Object(
  {
    format: Type.Optional(
      Type.String({ description: 'One of the Formats of the report; default: its first one' }),
    ),
    inline: Type.Optional(looseFlag('Shows the file in place instead of saving it')),
  },
  { additionalProperties: true },
)

/** Parameters of one report: none declares as many, and each is looked up by its name. */
const PARAMETERS_MAX = 1000

const Parameter = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  Type.Null(),
  Type.Array(JsonValue),
  Type.Record(Type.String(), JsonValue),
])

/** Body of a report in the background. */
export const PrintedReportRequest = named(
  'PrintedReportRequest',
  Type.Object(
    {
      Format: Type.Optional(
        Type.String({ description: 'One of the Formats of the report; default: its first one' }),
      ),
      Parameters: Type.Optional(
        Type.Record(Type.String(), Parameter, {
          description: 'The parameters of the report, as its address would have them',
          maxProperties: PARAMETERS_MAX,
        }),
      ),
      Background: Type.Boolean({ description: 'true: at once a report is made by GET' }),
    },
    { examples: [{ Format: 'pdf', Parameters: { object: 'orders' }, Background: true }] },
  ),
)
export type PrintedReportRequest = Static<typeof PrintedReportRequest>

export const EnqueuedReport = named(
  'EnqueuedReport',
  Type.Object({
    JobId: Type.Integer({ description: 'A notification tells when it is done' }),
  }),
)
