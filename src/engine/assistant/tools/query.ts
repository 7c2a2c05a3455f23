/** The tool `query`: rows or groups of an object, as the object explorer answers them. */
import type { Static } from '@sinclair/typebox'
import type { View } from '../../../model/compiled/view.ts'
import type { AssistantCall } from '../assistant-call.ts'
import type { TableItem } from '../item.ts'
import { defineTool, type ToolResult } from '../tool.ts'
import { runQuery } from '../../object-explorer/query.ts'
import { QueryRequest, type QueryResult } from '../../object-explorer/schema.ts'
import { requireViewUse } from '../../object/read/find-view.ts'

/** Records that an answer cites; the rest are counted. */
const CITED_MAX = 50

/** The `AssistantTool` that queries rows. */
export const queryTool = defineTool({
  name: 'query',
  description:
    'Reads rows of an object, or groups with aggregates, held to what the user may see. Fields ' +
    'may follow references (`CustomerId.Region`). Ask `describe` for the fields of an object.',
  parameters: QueryRequest,
  isReading: true,
  run: async (by, request) => toResult(await readQuery(by, request), request),
})

interface Read {
  view: View
  result: Static<typeof QueryResult>
}

/** Rows as the caller may list them. @throws notFound, denied, invalid */
async function readQuery(
  { engine, reader, caller, model, bytesMax, signal }: AssistantCall,
  request: QueryRequest,
): Promise<Read> {
  const use = requireViewUse(engine, { caller, model }, request.ObjectName, ['List'])
  const text = await runQuery(reader, { ...use, request }, { bytes: bytesMax }, signal)
  return { view: use.view, result: JSON.parse(text) as Read['result'] }
}

function toResult({ view, result }: Read, request: QueryRequest): ToolResult {
  const { Columns, Rows, HasMore } = result
  const item: TableItem = {
    Type: 'table',
    Object: view.name,
    Request: request,
    Columns,
    Rows,
    RowCount: Rows.length,
    HasMore,
    Citations: cite(view, request, Rows),
    Explanation: '',
  }
  return { value: result, item }
}

/** The records of rows, if their keys are among the requested fields. */
function cite(view: View, request: QueryRequest, rows: Read['result']['Rows']) {
  if (request.GroupBy?.length || request.Aggregates?.length) return []
  return rows.slice(0, CITED_MAX).flatMap((row) => {
    const keys = view.keys.map(({ name }) => [name, row[name]] as const)
    return keys.every(([, value]) => value !== undefined)
      ? [{ Object: view.name, Keys: Object.fromEntries(keys) }]
      : []
  })
}
