/** Runs the tools of the assistant: each call by the rights of now, and audited before it reads. */
import { say } from '../../kernel/messages.ts'
import { systemScope } from '../../store/store.ts'
import { planAnewWhenReplaced } from '../../model/current.ts'
import { actorOf, writeAudit } from '../../access/audit-entry.ts'
import { requireValidCaller } from '../../access/callers/caller-validity.ts'
import type { AssistantCall } from './assistant-call.ts'
import { UnfitCall } from './known-members.ts'
import type { AssistantTool, ToolCall } from './tool.ts'
import { describeTool, listObjectsTool } from './tools/objects.ts'
import { proposeTool } from './tools/propose.ts'
import { queryTool } from './tools/query.ts'
import { reportTool } from './tools/report.ts'
import { inTurn } from './turns.ts'

/** The tools, in the order in which they are declared. */
export const TOOLS: readonly AssistantTool[] = [
  listObjectsTool,
  describeTool,
  queryTool,
  reportTool,
  proposeTool,
]

/** Characters of arguments that the audit keeps. */
const AUDITED_MAX = 4000

/** The tools for a caller, and the source of the calls: `builtin`, `openai`, `mcp`. */
export function openTools(by: AssistantCall, source: string): ToolCall {
  return async (name, given) => {
    const tool = TOOLS.find((each) => each.name === name)
    if (!tool) {
      const names = TOOLS.map((each) => each.name).join(', ')
      throw new UnfitCall(say`There is no such tool. Use one of: ${names}`, 'TOOL_NOT_FOUND')
    }
    return inTurn(by, async () => {
      await requireValidCaller(by.caller)
      await auditCall(by, tool, { given, source })
      const run = tool.bind(given)
      // Another model may come between: the call is planned again.
      return planAnewWhenReplaced(by.engine, (model) => run({ ...by, model }), {
        isReading: tool.isReading,
      })
    })
  }
}

async function auditCall(
  { engine, caller, traceId }: AssistantCall,
  tool: AssistantTool,
  { given, source }: { given: Readonly<Record<string, unknown>>; source: string },
): Promise<void> {
  const actor = actorOf(caller, { now: engine.clock.now(), source: `assistant/${source}`, traceId })
  const text = JSON.stringify(given).slice(0, AUDITED_MAX)
  await engine.store.write(
    (tx) =>
      writeAudit(tx, actor, {
        entity: 'svc_assistant',
        id: tool.name,
        action: 'call',
        changes: { Arguments: [null, text] },
      }),
    { ...systemScope('the assistant audits its calls'), isAside: true },
  )
}
