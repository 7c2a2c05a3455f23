/** Code-defined reports on the wire. */
import { Type } from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import { ShownParameter } from '../../engine/extensions/parts.ts'

export const PrintedReportKey = Type.Object({
  key: Type.String({ description: 'Key of the report', examples: ['list'] }),
})

export const PrintedReportEntry = Type.Object({
  Key: Type.String(),
  Name: Type.String(),
  Label: Type.String(),
  Description: Type.String(),
  Parameters: Type.Array(ShownParameter, { description: 'Query parameters of the report' }),
  Formats: Type.Array(Type.String(), { description: 'pdf, xlsx, csv, json; the first is usual' }),
})
export type PrintedReportEntry = Static<typeof PrintedReportEntry>

/** What every report takes; its own parameters stand beside. */
export const PrintedReportQuery = Type.Object(
  {
    format: Type.Optional(
      Type.String({ description: 'One of the Formats of the report; default: its first one' }),
    ),
    inline: Type.Optional(
      Type.String({ description: '`true` shows the file in place instead of saving it' }),
    ),
  },
  { additionalProperties: true },
)
