/** The tool `report`: the data of a report page, as its lister gets them. */
import { Type } from '@sinclair/typebox'
import { optional, orNull } from '../../../kernel/schema.ts'
import { Grant } from '../../../access/rights/grant.ts'
import { defineTool } from '../tool.ts'
import { newContext } from '../../object/context.ts'
import { requireReport } from '../../report-pages/find-report.ts'
import { loadReport } from '../../report-pages/load-report.ts'

const Asked = Type.Object({
  Name: Type.String({ description: 'Name or slug of the report' }),
  Arguments: optional(
    Type.Record(Type.String(), orNull(Type.String()), {
      description: 'Values of its filters; of dates also words, as thisMonth',
    }),
  ),
})

/** The `AssistantTool` that runs reports. */
export const reportTool = defineTool({
  name: 'report',
  description: 'Figures of a report page that the user may open; list_objects names them.',
  parameters: Asked,
  isReading: true,
  run: async ({ engine, reader, caller, model, reportLimits }, { Name, Arguments }) => {
    const report = requireReport(model, Name)
    const grant = Grant.require(caller, model, report.name, ['List'])
    const use = { report, grant, context: newContext(engine, caller, model) }
    const { store, settings } = engine
    const from = { store, settings, queryCache: reader }
    const data = await loadReport(from, use, { arguments: Arguments, limits: reportLimits })
    return { value: JSON.parse(data.text) as unknown }
  },
})
