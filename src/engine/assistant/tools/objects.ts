/** The tools `list_objects` and `describe`: the objects to ask about, as the caller sees them. */
import { Type } from '@sinclair/typebox'
import { renderMessage } from '../../../kernel/messages.ts'
import { Grant } from '../../../access/rights/grant.ts'
import { defineTool } from '../tool.ts'
import { describeObject, listObjects } from '../../object-explorer/objects.ts'
import { requireViewUse } from '../../object/read/find-view.ts'

/** The `AssistantTool` `list_objects`. */
export const listObjectsTool = defineTool({
  name: 'list_objects',
  description: 'The objects and report pages that the user may list. Call it first.',
  parameters: Type.Object({}),
  isReading: true,
  run: ({ model, caller }) => {
    const Objects = listObjects(model, caller)
    const Reports = [...model.reports.values()].flatMap(({ name, label }) =>
      Grant.find(caller, model, name, 'List')
        ? [{ Name: name, Label: renderMessage(label, caller.language) }]
        : [],
    )
    return Promise.resolve({ value: { Objects, Reports } })
  },
})

/** The `AssistantTool` `describe`. */
export const describeTool = defineTool({
  name: 'describe',
  description: 'Fields of one object, with their types, options and references, and its relations.',
  parameters: Type.Object({ ObjectName: Type.String({ description: 'Name or slug' }) }),
  isReading: true,
  run: ({ engine, model, caller }, { ObjectName }) => {
    const { view, grant } = requireViewUse(engine, { caller, model }, ObjectName, ['List'])
    return Promise.resolve({ value: describeObject(view, grant) })
  },
})
